"""The row below a header, where it is part of it: it names the columns again, or the parts of merged groups."""

from collections.abc import Sequence

from audits.formats.header import BLANK
from audits.formats.roles import MAX_COLUMNS, known_roles

_LONGEST = 30  # code points of a part's name
_LEAST_ROLES = 3  # that both rows name; a row of data with short texts may name one or two
Texts = Sequence[str]


def names_again(header: Texts, below: Texts) -> bool:
    """Whether a row names the columns once more, perhaps in another language: 编号, 问题 … above ID, Question …"""
    named, again = (known_roles([*row[:MAX_COLUMNS]]) for row in (header, below))
    return again >= named >= _LEAST_ROLES and all(len(cell.strip()) != 1 for cell in below)


def with_parts(header: Texts, below: Texts) -> list[str] | None:
    """The header with "group/part" where the row below names the parts of a group; None where it does not.

    A merged header saved as text leaves blank cells: 问题,检索结果,,回答 above ,片段,相似度, . In such a row only the
    columns of groups are filled; no row of data looks so.
    """
    cells = [cell.strip(BLANK) for cell in header]
    parts = [cell.strip(BLANK) for cell in [*below, *[""] * len(cells)][: len(cells)]]
    if any(cell.strip(BLANK) for cell in below[len(cells) :]):
        return None
    blank = [at for at, cell in enumerate(cells) if not cell and any(cells[:at])]
    groups = {at for at, cell in enumerate(cells) if cell and at + 1 in blank}
    filled = [at for at, part in enumerate(parts) if part]
    alone = len(cells) - len(filled) > 0 and all(at in groups or at in blank for at in filled)
    if not blank or not alone or not set(blank) <= set(filled) or max(len(parts[at]) for at in filled) > _LONGEST:
        return None
    names, group = [], ""
    for cell, part in zip(cells, parts, strict=True):
        group = cell or group
        names.append(f"{group}/{part}" if part else cell)
    return names

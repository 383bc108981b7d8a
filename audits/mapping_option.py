"""--map on the command line: which column is what, where the names are not recognised."""

from collections.abc import Sequence
from typing import Any

from audits.formats.roles import ROLES

NAMES = (*ROLES, "split")


def parsed_mapping(texts: Sequence[str]) -> dict[str, Any]:
    """role=COLUMN pairs, in one text with commas or in several, as a mapping to be laid over the guessed one.

    contexts may be given several times, for several columns. A comma inside a column's name is one: what follows it
    begins with no role. ValueError for a role that does not exist.
    """
    mapping: dict[str, Any] = {}
    for role, column in _pairs(texts):
        if role == "contexts" and "contexts" in mapping:
            before = mapping["contexts"]
            mapping["contexts"] = [*([before] if isinstance(before, str) else before), column]
        else:
            mapping[role] = column
    return mapping


def _pairs(texts: Sequence[str]) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for text in texts:
        for number, piece in enumerate(text.split(",")):
            role, sign, column = piece.partition("=")
            if sign and role.strip() in NAMES:
                pairs.append((role.strip(), column))
            elif number and pairs:
                pairs[-1] = (pairs[-1][0], f"{pairs[-1][1]},{piece}")
            elif piece.strip():
                raise ValueError(f"--map does not know {piece!r}; write one of {', '.join(NAMES)}, then =COLUMN.")
    return [(role, column.strip()) for role, column in pairs]

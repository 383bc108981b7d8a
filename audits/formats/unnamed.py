"""Tables whose columns have no known names: which is the question, the contexts, the answer, by what they hold."""

import re
from collections.abc import Callable, Sequence

from audits.formats.base import SourceRow
from audits.formats.cells import CellError, is_missing, parts_of
from audits.formats.roles import CORE

_ASKS = re.compile(r"[?？吗呢][\"'”’」）)\s]*$")
_TOKEN = re.compile(r"(?!\d*[.,]\d+$)[A-Za-z0-9_.:/#-]{1,64}")  # no measure, and no short answer in Chinese
_NUMBER = re.compile(r"[\d.,%+-]+")
_LONGEST_QUESTION = 400  # code points, on average
_MOST = 0.6  # share of cells that must look alike
_CLEARLY = 1.15  # how many times as long the longest texts are
_ENOUGH = 3  # rows on which lengths can be compared
Cells = dict[str, list[str]]


def guess_by_content(columns: Sequence[str], rows: Sequence[SourceRow]) -> dict[str, str | list[str] | None]:
    """CORE roles -> column where that is unambiguous, None elsewhere; for a person to check.

    The question is the one column of texts that mostly ask; contexts the one column of lists, or else the texts that
    are longest in every row; the answer the only text left. Without a question or lists, nothing is guessed.
    """
    found: dict[str, str | list[str] | None] = dict.fromkeys(CORE)
    cells = {column: [row.values.get(column) for row in rows] for column in columns}
    lists = [column for column, values in cells.items() if _share(values, _is_list) >= _MOST]
    texts: Cells = {
        column: [str(value) for value in values]
        for column, values in cells.items()
        if column not in lists and _share(values, _is_text) > _MOST
    }
    question = found["question"] = _only([column for column, values in texts.items() if _mostly_asks(values)])
    found["id"] = _only([column for column in texts if column != question and _identifies(cells[column])])
    if not question and len(lists) != 1:
        return dict.fromkeys(CORE)
    rest = {column: values for column, values in texts.items() if column not in (question, found["id"])}
    prose = {column: values for column, values in rest.items() if not all(map(_NUMBER.fullmatch, values))}
    contexts = found["contexts"] = _only(lists) if lists else _longest(prose)
    if contexts:
        found["answer"] = _only([column for column in prose if column != contexts])
    return found


def _only(columns: Sequence[str]) -> str | None:
    return columns[0] if len(columns) == 1 else None


def _share(values: Sequence[object], holds: Callable[[object], bool]) -> float:
    return sum(not is_missing(value) and holds(value) for value in values) / max(len(values), 1)


def _is_text(value: object) -> bool:
    return isinstance(value, str | int | float)


def _is_list(value: object) -> bool:
    try:
        parts = parts_of(value) if isinstance(value, list | str) else None
    except CellError:  # it was one before it was damaged
        return True
    return parts is not None


def _mostly_asks(values: Sequence[str]) -> bool:
    asking = sum(bool(_ASKS.search(value[-20:])) for value in values)
    return asking >= _MOST * len(values) and sum(map(len, values)) <= _LONGEST_QUESTION * len(values)


def _identifies(values: Sequence[object]) -> bool:
    """Short tokens, none twice."""
    tokens = [str(value) for value in values]
    return len(tokens) > 1 and len(set(tokens)) == len(tokens) and all(map(_TOKEN.fullmatch, tokens))


def _longest(texts: Cells) -> str | None:
    """The column whose text is the longest one in every row."""
    if len(texts) < 2:
        return None
    ranked = sorted(texts, key=lambda column: sum(map(len, texts[column])), reverse=True)
    first, others = texts[ranked[0]], [texts[column] for column in ranked[1:]]
    always = all(len(text) > max(map(len, rest)) for text, *rest in zip(first, *others, strict=True))
    clearly = sum(map(len, first)) >= _CLEARLY * sum(map(len, others[0]))
    return ranked[0] if always and clearly and len(first) >= _ENOUGH else None

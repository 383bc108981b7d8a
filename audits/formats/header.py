"""Which row of a table is its header, and whether it has one at all; for text and for sheets."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from audits.formats.messages import file_error
from audits.formats.roles import MAX_COLUMNS, MAX_NAME, known_roles

LOOKED_AT = 10  # rows from the top among which the header is looked for
SAMPLE = 60  # rows that say whether the first one is like the others
BLANK = "\ufeff \t\r\n\x00\x1a\u3000"  # \x1a: old programs end a file with it
_NUMBER = re.compile(r"[-+(]?[¥$€£]?\s?\d[\d,. ]*\)?\s?%?")
_DATE = re.compile(r"\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}.{0,20}")
_IDENTIFIER = re.compile(r"([A-Za-z]{0,12}[-_#:.]?)\d[\w.-]{0,40}|([0-9a-f]{4,12})-[0-9a-f-]{4,40}")
_JSON = re.compile(r"\[.*\]|\{.*\}", re.DOTALL)
_SENTENCE = re.compile(r".*(?:[。？！?!；]|\w\.)[\"'”’」）)]*\s*", re.DOTALL)
_LONG = 50  # code points: names of columns are shorter
_VERY_LONG = 100
_A_NAME = 5  # what a name above numbers, dates, identifiers or lists says; two texts alike say 2
Texts = Sequence[str]


@dataclass(frozen=True)
class Header:
    """Where the header is: its place among the rows, None where all rows are data; `guessed` when so found."""

    at: int | None
    guessed: bool = False


def says_something(fields: Texts) -> bool:
    """Whether any cell of a row is not blank."""
    return any(field.strip(BLANK) for field in fields)


def find_header(rows: Sequence[Texts], wanted: bool | None) -> Header:
    """The header among the first rows that say something; wanted: whether there is one, None to find out.

    The row whose names are known best is the header. When none is known: the first row that is no title, unless that
    looks like the rows below it.
    """
    if wanted is False:
        return Header(None)
    scores = [known_roles([*row[:MAX_COLUMNS]]) for row in rows[:LOOKED_AT]]
    best = max(scores, default=0)
    if best > 1:
        return Header(scores.index(best))
    first = _after_titles(rows)
    if wanted is None and scores[first] == 0 and _looks_like_data(rows[first], rows[first + 1 : SAMPLE]):
        return Header(None, guessed=True)
    return Header(first)


def column_names(fields: Texts) -> tuple[str, ...]:
    """A header's cells as names: trimmed, none blank or twice, no blank ones at the end. Raises FormatError."""
    tidy = (field[: 2 * MAX_NAME].replace("\x00", "").strip("\ufeff \t\r\n\u3000") for field in fields)
    names = [" ".join(name.split())[:MAX_NAME] for name in tidy]
    while names and not names[-1]:
        names.pop()
    if len(names) > MAX_COLUMNS:
        raise file_error("too_many_columns", limit=MAX_COLUMNS)
    found: dict[str, None] = {}
    for number, name in enumerate(names, start=1):
        unique, copy = name or f"column {number}", 2
        while unique in found:
            unique, copy = f"{name} ({copy})", copy + 1
        found[unique] = None
    return tuple(found)


def numbered_names(rows: Sequence[Texts]) -> tuple[str, ...]:
    """Names for the columns of a table without a header, as many as most of its rows have. Raises FormatError."""
    widths = Counter(_width(row) for row in rows)
    width = max(widths, key=lambda width: (widths[width], width), default=0)
    if width > MAX_COLUMNS:
        raise file_error("too_many_columns", limit=MAX_COLUMNS)
    return tuple(f"column {number}" for number in range(1, width + 1))


def _width(row: Texts) -> int:
    """How many cells a row has, without blank ones at its end."""
    return max((at for at, field in enumerate(row, start=1) if field.strip()), default=0)


def _after_titles(rows: Sequence[Texts]) -> int:
    """The first row with several filled cells where such rows follow; rows above it are titles."""
    filled = [sum(bool(field.strip()) for field in row) for row in rows[:LOOKED_AT]]
    return next((at for at, count in enumerate(filled) if count > 1), 0)


def _looks_like_data(first: Texts, below: Sequence[Texts]) -> bool:
    """Whether the first row looks like the rows below it: texts, numbers, lists of the same kind, not names."""
    if not below:
        kinds = [_kind(field) for field in first]
        very_long = any(len(field) > _VERY_LONG or "\n" in field.strip() for field in first)
        return very_long or "json" in kinds or kinds.count("long") > 1
    data = header = 0
    for at, field in enumerate(first[:MAX_COLUMNS]):
        for_data, for_header = _compared(field, [row[at] for row in below if at < len(row) and row[at].strip()])
        data, header = data + for_data, header + for_header
    return data >= 2 and data > header


def _compared(field: str, others: Texts) -> tuple[int, int]:
    """How much a cell of the first row speaks for data, and for a header, beside the cells below it."""
    if not others:
        return 0, 0
    kinds = Counter(_kind(other) for other in others)
    usual = kinds.most_common(1)[0][0]
    kind = _kind(field)
    if usual == "long":
        if kind == "long" and len(field) >= 0.4 * median(map(len, others)):
            return 2, 0
        return 0, kind in {"short", "empty"}
    if usual == "short":
        return int(field in others), 0
    if kind == usual:
        return 2, 0
    return 0, _A_NAME if kind in {"short", "empty"} else 1


def _kind(field: str) -> str:
    text = field[: 2 * _VERY_LONG].strip()
    if not text:
        return "empty"
    if _JSON.fullmatch(field.strip()):
        return "json"
    if len(text) > _LONG or "\n" in text or _SENTENCE.fullmatch(text):
        return "date" if _DATE.fullmatch(text) else "long"
    if _NUMBER.fullmatch(text):
        return "number"
    if _DATE.fullmatch(text):
        return "date"
    identifier = _IDENTIFIER.fullmatch(text)
    return f"id {identifier[1]}" if identifier else "short"

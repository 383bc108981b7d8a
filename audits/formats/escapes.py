r"""Backslashes in tables as databases write them: \n is a line break, \\ one backslash, \N no value.

MySQL (LOAD DATA), PostgreSQL (COPY) and Spark write so. Many other files hold a backslash that is just one; what is
certain is told by the sequences that occur.
"""

import re

_SEQUENCE = re.compile(r"\\(\r\n|.)", re.DOTALL)
_STANDS_FOR = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "0": "", "Z": "\x1a"}
_ALONE = frozenset({"\\", "\n", "\r", "\r\n"})  # what proves it by standing after a backslash
_IN_QUOTED = _ALONE | {'"', "'", "N", "0"}
_KNOWN = _IN_QUOTED | {".", "\t", "|", ",", ";", *_STANDS_FOR}
NO_VALUE = "\\N"
END_OF_COPY = "\\."  # PostgreSQL's last line
_CELL = re.compile(r"(?:^|[\t,;|])\\N(?=[\t,;|\r\n]|$)", re.MULTILINE)


def are_certain(text: str, *, quoted: bool) -> bool:
    r"""Whether backslashes in a table can only be meant so: every one begins a known sequence, and some are doubled.

    quoted: whether texts stand in quotation marks; then \n is no sequence, for a line break can stand there itself.
    A single \n alone is no proof: it is what JSON in a cell holds, too. \N as a whole cell is one.
    """
    found = set(_SEQUENCE.findall(text))
    return found <= (_IN_QUOTED if quoted else _KNOWN) and (bool(found & _ALONE) or bool(_CELL.search(text)))


def unescaped(field: str) -> str:
    r"""The text that a cell stands for; nothing for \N."""
    if "\\" not in field:
        return field
    return "" if field == NO_VALUE else _SEQUENCE.sub(_meant, field)


def _meant(found: re.Match[str]) -> str:
    sign = found[1]
    return _STANDS_FOR.get(sign, sign if sign in _KNOWN or sign.isspace() else found[0])

"""How text of ours and of others goes into a table file that a spreadsheet will open."""

import re
import unicodedata

Cell = str | int | float | bool | None
"""What a cell of a table file may hold."""
_STARTS_FORMULA = frozenset("=+-@")
_CONTROL = frozenset("\t\r\n")
_NUMBER = re.compile(r"[+-]?(\d[\d,]*)(\.\d+)?([eE][+-]?\d+)?%?", re.ASCII)


def _first_visible(text: str) -> str:
    """The first character that a spreadsheet would see: blanks and characters without width are passed over."""
    for character in text:
        # Cf: zero-width space and joiners, byte order mark, soft hyphen, direction marks. Cc: control characters.
        if not character.isspace() and unicodedata.category(character) not in {"Cf", "Cc"}:
            return character
    return ""


def safe_cell(text: str) -> str:
    """The text with a leading ' where a spreadsheet would run it as a formula; plain numbers stay as they are.

    Full-width and small forms (＝＋－＠) count too: programs that normalise text make formulas of them.
    """
    if not text or _NUMBER.fullmatch(text):
        return text
    start = unicodedata.normalize("NFKC", _first_visible(text))[:1]
    return f"'{text}" if start in _STARTS_FORMULA or text[0] in _CONTROL else text

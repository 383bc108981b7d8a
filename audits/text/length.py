"""How many tokens a text may have, without any vendor's tokenizer: bounds from its bytes, in one fast pass."""

from math import ceil

_PER_WIDE = 1.1  # tokens per Chinese character, at most; the tokenizers in use need 0.6 to 1.1
_PER_OTHER = 0.3  # tokens per other character, at most for prose; tables and code may need more
_LEAST_PER_WIDE = 0.35
_LEAST_PER_OTHER = 1 / 10


def tokens_at_most(text: str) -> int:
    """About the most tokens a text has with any vendor: what is planned with, so that it fits.

    Not a guarantee: text of rare scripts or signs alone can need more.
    """
    wide = _wide(text)
    return ceil(wide * _PER_WIDE + (len(text) - wide) * _PER_OTHER)


def tokens_at_least(text: str) -> int:
    """Fewer tokens than any tokenizer would make of a text, blanks not counted: a lower count was of less text."""
    dense = "".join(text.split())
    wide = _wide(dense)
    return int(wide * _LEAST_PER_WIDE + (len(dense) - wide) * _LEAST_PER_OTHER)


def _wide(text: str) -> float:
    """Characters beyond Latin, by their bytes in UTF-8: a Chinese one has two more than an ASCII one."""
    return (len(text.encode("utf-8", "replace")) - len(text)) / 2

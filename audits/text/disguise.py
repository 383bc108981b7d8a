"""Text as a model reads it: without invisible characters, with lookalike letters as the Latin ones they imitate."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from audits.text.invisible import INVISIBLE, WEIGHTLESS
from audits.text.language import HAN

_CYRILLIC_AND_GREEK = dict(
    zip(
        "АВСЕНІЈКМОРЅТХУавсеіјорѕтхуɡԁһԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧανουρτіӏ",
        "ABCEHIJKMOPSTXYabceijopstxygdhqwABEZHIKMNOPTYXavouptil",
        strict=True,
    )
)
# Full-width letters and brackets, and mathematical alphabets.
_STYLED = (
    "\uff10-\uff19\uff1c\uff1e\uff21-\uff3b\uff3d\uff41-\uff5a\uff5c\u2102-\u214f\u24b6-\u24e9\U0001d400-\U0001d7ff"
)
_LOOKALIKE = re.compile(f"[{''.join(_CYRILLIC_AND_GREEK)}{_STYLED}]")
_ODD = re.compile(f"{WEIGHTLESS.pattern}|{_LOOKALIKE.pattern}".replace("]|[", ""))  # one class is quick to search for
_IMITATION = re.compile(f"[{''.join(_CYRILLIC_AND_GREEK)}\u2102-\u214f\u24b6-\u24e9\U0001d400-\U0001d7ff]")
_SPACED = re.compile(
    r"(?<![^\W\d_])[A-Za-z](?:[ .\-_*|/]{1,2}[A-Za-z](?![A-Za-z'’])){5,}"
    f"|[{HAN}](?:[ \u3000·*_|/]{{1,2}}[{HAN}]){{5,}}"
)
# What every such word holds, and few texts do: quick to look for.
_SPACED_LATIN = re.compile(r"[ .\-_*|/][A-Za-z][ .\-_*|/]{1,2}[A-Za-z][ .\-_*|/]{1,2}[A-Za-z][ .\-_*|/]")
_SPACED_HAN = re.compile(r"[ \u3000·*_|/][\u4e00-\u9fff][ \u3000·*_|/]{1,2}[\u4e00-\u9fff][ \u3000·*_|/]")
_BETWEEN = re.compile(r"[ \u3000.\-_*·|/]")


@dataclass(frozen=True)
class Seen:
    """What a model reads."""

    text: str
    low: str  # in lower case, of the same length
    removed: Sequence[int] = ()  # places in `text` before which a character was left out, in order

    def source(self, start: int, end: int) -> tuple[int, int]:
        """The span in the original of text[start:end], which is not empty."""
        if not self.removed:
            return start, end
        return start + bisect_right(self.removed, start), end + bisect_right(self.removed, end - 1)


def seen(text: str) -> Seen:
    """Linear in the length; texts without such characters are not copied."""
    removed: list[int] = []
    if not text.isascii() and _ODD.search(text):
        if WEIGHTLESS.search(text):
            removed = [match.start() - before for before, match in enumerate(INVISIBLE.finditer(text))]
            text = INVISIBLE.sub("", text)
        text = _LOOKALIKE.sub(_plain, text)
    low = text.lower()
    return Seen(text, low if len(low) == len(text) else text, removed)


def imitates(text: str) -> bool:
    """Whether letters of a text only look like Latin ones."""
    return _IMITATION.search(text) is not None


def spaced_out(text: str) -> Iterator[tuple[int, int, str]]:
    """Words written letter by letter ("I G N O R E"): start, end, and the letters without what is between them."""
    if not _SPACED_LATIN.search(text) and (text.isascii() or not _SPACED_HAN.search(text)):
        return
    for match in _SPACED.finditer(text):
        yield match.start(), match.end(), _BETWEEN.sub("", match[0])


def _plain(match: re.Match[str]) -> str:
    char = _CYRILLIC_AND_GREEK.get(match[0]) or unicodedata.normalize("NFKC", match[0])
    return char if len(char) == 1 else match[0]  # offsets must stay

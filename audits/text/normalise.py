"""Text made comparable (width, case, quotes, dashes, blanks) with a map from every character back to its source."""

import re
import unicodedata
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from audits.text.invisible import WEIGHTLESS
from audits.text.language import HAN

_CJK = HAN + "\u3000-\u303f\uff00-\uffef\u3040-\u30ff"
_COMBINING = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a\ufe20-\ufe2f"
_PIECE = re.compile(
    f"(?P<plain>[!-~\u4e00-\u9fff。、]+(?![{_COMBINING}]))|(?P<blank>\\s+)|(?P<other>.[{_COMBINING}]*)", re.DOTALL
)
_SAME = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′´`ʼ", "'"),
        **dict.fromkeys("“”„‟″«»「」『』", '"'),
        **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
        **dict.fromkeys("…", "..."),
        "·": "•",
        "・": "•",
    }
)
_IS_CJK = re.compile(f"[{_CJK}]")


@dataclass(frozen=True)
class Normalised:
    """Normalised text. Character i of it comes from source[offsets[i]:ends[i]] (code points)."""

    text: str
    offsets: Sequence[int]
    ends: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Source offsets of the non-empty slice text[start:end]."""
        return self.offsets[start], self.ends[end - 1]


def normalise(text: str) -> Normalised:
    """NFKC and case folding; one kind of quote, dash and dot; runs of blanks become one, none beside Chinese.

    Invisible characters (zero-width, soft hyphen, byte order mark) are dropped. Runs in linear time.
    """
    out: list[str] = []
    starts = array("i")
    ends = array("i")
    for match in _PIECE.finditer(text):
        start, end = match.span()
        if match.lastgroup == "plain":
            out.append(match[0].lower().replace("`", "'"))
            starts.extend(range(start, end))
            ends.extend(range(start + 1, end + 1))
            continue
        piece = _blank(text, start, end) if match.lastgroup == "blank" else _fold(match[0])
        out.append(piece)
        starts.extend([start] * len(piece))
        ends.extend([end] * len(piece))
    return Normalised("".join(out), starts, ends)


def compact(text: str | Normalised) -> Normalised:
    """Like `normalise`, with letters and digits only: for comparing texts that differ in punctuation and blanks.

    A text that is already normalised keeps its map to its own source.
    """
    full = text if isinstance(text, Normalised) else normalise(text)
    keep = [i for i, char in enumerate(full.text) if char.isalnum()]
    return Normalised(
        "".join([full.text[i] for i in keep]),
        array("i", [full.offsets[i] for i in keep]),
        array("i", [full.ends[i] for i in keep]),
    )


def find(needle: str, haystack: str, *, occurrence: int = 1) -> tuple[int, int] | None:
    """Source span of the nth occurrence (from 1) of needle in haystack after normalisation, else None."""
    for number, span in enumerate(find_all(needle, haystack), start=1):
        if number == occurrence:
            return span
    return None


def find_all(needle: str, haystack: str) -> Iterator[tuple[int, int]]:
    """Source spans of all non-overlapping occurrences of needle in haystack after normalisation, in order."""
    wanted = normalise(needle).text.strip()
    if not wanted:
        return
    within = normalise(haystack)
    at = within.text.find(wanted)
    while at >= 0:
        yield within.span(at, at + len(wanted))
        at = within.text.find(wanted, at + len(wanted))


def _fold(piece: str) -> str:
    piece = WEIGHTLESS.sub("", piece)
    if not piece or unicodedata.category(piece[0]) in {"Cf", "Cc"}:
        return ""
    folded = unicodedata.normalize("NFKC", piece.translate(_SAME)).casefold()
    return unicodedata.normalize("NFKC", folded).translate(_SAME).strip()


def _blank(text: str, start: int, end: int) -> str:
    """Extraction from PDF puts blanks between Chinese and Latin ("2023 年"): they carry no meaning."""
    if start == 0 or end == len(text):
        return ""
    beside_cjk = _IS_CJK.match(text[start - 1]) or _IS_CJK.match(text[end])
    return "" if beside_cjk else " "

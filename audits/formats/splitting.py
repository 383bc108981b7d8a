"""Several contexts in one text: split as a person says, because every separator also occurs in prose and tables.

How a text is split is one word of METHODS, or the separator itself; "" never splits. In a separator, \\n stands for a
line break and \\t for a tab.
"""

import re
from collections.abc import Callable, Iterable, Sequence

from audits.formats.numbering import numbered

METHODS = ("numbered", "bullets", "blank_lines", "lines")
# Nobody writes these in a sentence; what can be more than a separator is looked at by _is_only_a_separator.
SURE = (
    " ||| ", "|||", "<|sep|>", "<|SEP|>", "[SEP]", "[sep]", "<SEP>", "<sep>", "</s>", "<|endoftext|>",
    "###SEP###", "\x1e", "\x1f", "\x1d",
)  # fmt: skip
_OFFERED = ("####", "###", "@@@", "$$$", "^^^", "~~~", "=====", "-----", "***", "||", ";;", " | ", "|", "---", "===")
_BLANK_LINES = re.compile(r"\n[ \t\u3000]*\n\s*")
_BULLET = re.compile(
    r"^([ \t\u3000]*)(?:[-–—*+][ \t\u3000]+|[•·●▪■◦‣○◆►➢✓][ \t\u3000]*)(?=[^\s\-–—*+•·=|])", re.MULTILINE
)
_TABLE_LINE = re.compile(r"[ \t]*\|.*\|[ \t]*")
_SENTENCE_END = re.compile(r"[.!?。！？…;；][\"'”’)）]?\s*$")
_SHORT = 24  # code points that a cell of a table seldom exceeds


def split(text: str, how: str) -> list[str]:
    """The pieces of a text, trimmed, without empty ones; the text itself when there is nothing to split it by.

    "numbered" and "bullets" leave out the number or bullet, and keep what stands before the first one as a piece.
    """
    pieces = _SPLITTERS[how](text) if how in _SPLITTERS else _by_separator(text, how)
    return [text] if len(pieces) < 2 else [stripped for piece in pieces if (stripped := piece.strip())]


def _by_separator(text: str, separator: str) -> list[str]:
    wanted = separator.replace("\\n", "\n").replace("\\t", "\t")
    if not wanted or wanted not in text:
        return [text]
    mark = wanted.strip()
    if len(mark) > 1 and len(set(mark)) == 1:  # "---" is no part of "-----"
        sign = re.escape(mark[0])
        return re.split(f"(?<!{sign}){re.escape(wanted)}(?!{sign})", text)
    return text.split(wanted)


def _bulleted(text: str) -> list[str]:
    """Pieces that begin at a bullet no further in than the first one."""
    found = list(_BULLET.finditer(text))
    marks = [mark for mark in found if len(mark[1]) <= len(found[0][1])]
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    pieces = [text[mark.end() : end] for mark, end in zip(marks, ends, strict=False)]
    return [text[: marks[0].start()], *pieces] if marks else [text]


_SPLITTERS: dict[str, Callable[[str], list[str]]] = {
    "numbered": numbered,
    "bullets": _bulleted,
    "blank_lines": _BLANK_LINES.split,
    "lines": lambda text: text.split("\n"),
}


def looks_like_table_rows(pieces: Sequence[str]) -> bool:
    """Whether pieces that were split by | look like cells of a table: a rule of hyphens, or mostly short ones."""
    if any("--" in piece and not piece.strip(" :|=-\t\n") for piece in pieces):
        return True
    short = sum(len(piece) <= _SHORT and not _SENTENCE_END.search(piece) for piece in pieces)
    return short >= 2 and short * 2 >= len(pieces)


def suggest(texts: Iterable[str]) -> str:
    """How these texts, one of each cell, may be split, for a page to propose; "" for not at all."""
    sample = [text for text in texts if text.strip()]
    if not sample:
        return ""
    if sure := sure_separator(sample):
        return sure
    for how in ("numbered", "bullets"):
        if _begins_everywhere(sample, how):
            return how
    for separator in _OFFERED:
        if _separates(sample, separator):
            return separator
    return "blank_lines" if sum(len(split(text, "blank_lines")) > 1 for text in sample) * 2 > len(sample) else ""


def _begins_everywhere(sample: Sequence[str], how: str) -> bool:
    """Most texts have several such pieces and nothing before the first."""
    several = 0
    for text in sample:
        pieces = _SPLITTERS[how](text)
        several += len(pieces) > 2 and not pieces[0].strip()
    return several * 2 > len(sample)


def _separates(sample: Sequence[str], separator: str) -> bool:
    """Some texts have it, and no piece looks like a cell of a table."""
    parted = [pieces for text in sample if len(pieces := split(text, separator)) > 1]
    tables = sum(looks_like_table_rows(pieces) for pieces in parted)
    return len(parted) * 4 >= len(sample) and tables * 3 <= len(parted)


def sure_separator(texts: Sequence[str]) -> str:
    """The separator of SURE by which these texts are certainly joined, "" when there is none."""
    for separator in SURE:
        holding = [text for text in texts if separator in text]
        if holding and all(_is_only_a_separator(text, separator) for text in holding):
            always_spaced = all(text.count(separator) == text.count(separator.strip(" ")) for text in holding)
            return separator.strip(" ") if always_spaced else separator
    return ""


def _is_only_a_separator(text: str, separator: str) -> bool:
    if separator == "</s>":
        return "<s>" not in text
    if "|||" not in separator:
        return True
    if len(split(text, separator)) < 2:
        return False
    lines = text.split("\n")  # an empty row, or empty cells, of a table
    return not any(
        "|||" in line and (line.strip() == "|||" or _TABLE_LINE.fullmatch(line)) and _is_in_table(lines, number)
        for number, line in enumerate(lines)
    )


def _is_in_table(lines: Sequence[str], number: int) -> bool:
    neighbours = (*lines[max(number - 1, 0) : number], *lines[number + 1 : number + 2])
    return any(line.lstrip().startswith("|") for line in neighbours)

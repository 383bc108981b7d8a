"""Numbered columns that belong together: context_1, contexts/0/content, top_2_chunk, 第1个片段, 片段①, context A."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache

_LONGEST = 200  # code points of a name
_MOST_NUMBERS = 8  # in a name, that are tried
_CHINESE = {digit: number for number, digit in enumerate("一二三四五六七八九十", start=1)}
_NUMBER = re.compile(r"(?<!\d)\d{1,3}(?!\d)|[一二三四五六七八九十]")
_LETTER = re.compile(r"(?<=[\W_])[a-h]$|(?<=[\u4e00-\u9fff])[a-h]$")  # context_a, 片段B
_RANKS = frozenset({"", "第", "top", "top第", "no", "rank", "number", "k"})  # what stands before a number
_MEASURES = ("条", "个", "段", "篇", "号", "st", "nd", "rd", "th")  # what stands after one
_TEXTS = frozenset(
    {
        *("", "text", "content", "pagecontent", "chunktext", "chunkcontent", "chunk", "passage", "body", "snippet"),
        *("内容", "正文", "文本", "片段", "原文", "片段内容", "文本内容"),
    }
)
NUMBERED_ONLY = ("召回", "检索", "命中", "retrieval", "source")
"""Families whose name says "context" only because it is numbered: a column "召回" alone may be a score."""
_REMARK = re.compile(r"[(（【].*?[)）】]|\[(?!\d{1,3}\])[^\]]*\]")


def families(names: Mapping[str, str], plain: Callable[[str], str]) -> dict[str, list[str]]:
    """Plain name of a family -> its columns, in the order of their numbers.

    names: column -> the name that is looked at; plain: how names are compared. A name is in each family of which
    it may be a member; context_1_score is in none, for a score is no text.
    """
    found: dict[str, dict[int, str]] = {}
    for column, name in names.items():
        for one, number in _members(name, plain) if len(name) <= _LONGEST else ():
            found.setdefault(one, {}).setdefault(number, column)
    return {one: [columns[number] for number in sorted(columns)] for one, columns in found.items()}


@lru_cache(maxsize=4096)
def _members(name: str, plain: Callable[[str], str]) -> tuple[tuple[str, int], ...]:
    """(family, number) for each way to read a name."""
    name = _REMARK.sub("", unicodedata.normalize("NFKC", name).casefold())
    found: list[tuple[str, int]] = []
    for number in list(_NUMBER.finditer(name))[:_MOST_NUMBERS]:
        value = int(_CHINESE.get(number[0], 0) or number[0])
        found += [(one, value) for one in _families(name[: number.start()], name[number.end() :], plain)]
    if letter := _LETTER.search(name):
        found.append((plain(name[: letter.start()]), ord(letter[0]) - ord("a") + 1))
    return tuple(one for one in dict.fromkeys(found) if one[0])


def _families(before: str, after: str, plain: Callable[[str], str]) -> list[str]:
    head, tail = plain(before.replace("[", " ")), plain(after.replace("]", " "))
    tail = next((tail[len(measure) :] for measure in _MEASURES if tail.startswith(measure)), tail)
    found = [tail] if head in _RANKS else []
    if tail in _TEXTS:
        found += [head, *(head[: -len(rank)] for rank in _RANKS if rank and head.endswith(rank))]
    return found

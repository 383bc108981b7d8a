"""Lists at the end of a statement cut into one statement for each item. When in doubt, no cut."""

import re

from audits.text.language import HAN

LONGEST_ITEM = 8  # words; a longer one may be a clause
LONGEST_ITEM_ZH = 16  # characters
_FEWEST = 3  # items: two may be one ("research and development"), three with commas are a list
_LONGEST_HEAD = 16  # words; what stands before a list is said again with each item
_ENGLISH = re.compile(
    r"(?P<head>.{3,}?\b(?:includes?|included|including|such as|focus(?:es|ed)? on)\s+)"
    r"(?P<items>[^;:()\[\]]+?)(?P<end>[.!]?)$"
)
_NO_ITEM = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|can|may|that|which|who|whose|where|when|because|if|while|it|they|he|she)\b",
    re.IGNORECASE,
)
_REST = re.compile(r"(?:(?:many|several|some|various)\s+)?(?:others?|more|etc)\b", re.IGNORECASE)
_CHINESE = re.compile(
    rf"(?P<head>[{HAN}\w（）《》“”·%.-]{{2,40}}?(?:包括|包含|涵盖|涉及到?|例如))[:：]?(?P<items>[^，；：:。！]+?)"
    r"(?:等(?:[一二三四五六七八九十两几多\d]*[个种类项家]?"
    r"(?:方面|领域|内容|环节|部分|因素|功能|地区|国家|省份|城市|产品|项目|机构|公司|行业)?)?)?(?P<end>[。！]?)$"
)
_AND_ZH = re.compile(r"(?<!共)(?:以及|和(?![平谐解睦])|(?<!以)及(?!时|其)|与|或(?!许|者))")


def split_list(statement: str) -> list[str]:
    """One statement for each item of a list that ends the statement; the statement itself where there is none.

    "Fees include A, B, and C." says of each item what it says of all, as do "such as", "including" and "focuses on",
    in Chinese 包括, 包含, 涵盖, 涉及, 例如. "A, B and C are" and "consists of" do not, and are never cut.
    """
    for pattern, items_of in ((_ENGLISH, _items), (_CHINESE, _items_zh)):
        found = pattern.match(statement)
        items = items_of(found["items"]) if found and len(found["head"].split()) <= _LONGEST_HEAD else []
        if found and len(items) >= _FEWEST:
            return [found["head"] + item + found["end"] for item in items]
    return [statement]


def _items(text: str) -> list[str]:
    """Items of "A, B, and C" or "A, B and C"; none where it is not clear which is which."""
    *first, last = re.split(r",\s+", text.strip())
    if joined := re.match(r"(?:and|or)\s+", last):
        items = [*first, last[joined.end() :]]
    else:
        ends = re.split(r"\s+(?:and|or)\s+", last)
        if len(ends) != 2:
            return []
        items = [*first, *ends]
    if _REST.match(items[-1]):
        items = items[:-1]
    clear = all(item and len(item.split()) <= LONGEST_ITEM and not _NO_ITEM.search(item) for item in items)
    return items if clear else []


def _items_zh(text: str) -> list[str]:
    *first, last = text.strip().split("、")
    if not first or "等" in text or any(_AND_ZH.search(item) for item in first):
        return []
    ends = _AND_ZH.split(last)
    items = [*first, *ends] if len(ends) == 2 and min(map(len, ends)) >= 2 else [*first, last]
    if items[-1].startswith("其他"):
        items = items[:-1]
    return items if all(0 < len(item) <= LONGEST_ITEM_ZH for item in items) else []

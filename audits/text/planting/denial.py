"""A claim denied: openly, or in hedged words without its numbers, dates and names."""

import re
from collections.abc import Sequence

from audits.text.planting.swapping import LIMIT, PLACES
from audits.text.polarity import negations
from audits.text.quantities import figures, quantities
from audits.text.wordlists import FUNCTION_WORDS

_RELATIVE = re.compile(
    r"\b(?:that|which|who|whose|where|when|while|all|every|each|both|either|also|only|and|or)\b", re.I
)
# What holds of some can fail of others: "two branches are open", "a branch is open".
_OTHERS = re.compile(r"(?:an?|another|other|several|part|there)\b|有", re.I)
_AUXILIARY = re.compile(r"\b(?:is|are|was|were|will|must|can|has been|have been)\b")
_VERB_ZH = re.compile(
    r"(?:(?<![但于还只凡总可要若就不正便而])是(?!否|非)|(?<!不)(?:可以|允许|需要|应当|位于|属于|适用于))(?![^，。；]*的)"
)
_MANY_ZH = re.compile(r"都|均|全部|所有|部分|一些|有些|每|各|也|和|或|及")
_MONTHS = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_AMOUNT = r"\d[\d,]*(?:\.\d+)?(?: (?:hundred|thousand|million|billion))?"
_EASED_EN = (
    (re.compile(
        rf"\b(?:in|on) (?:the )?(?:(?:\d{{1,2}} )?{_MONTHS}(?: \d{{1,2}})?(?:,? \d{{4}})?|[12]\d{{3}})(?![\w%])"),
     "at some point"),
    (re.compile(rf"(?:[$€£¥] ?{_AMOUNT})"), "a certain amount"),
    (re.compile(r"\d[\d,]*(?:\.\d+)? ?(?:%|percent\b|per cent\b)"), "a certain share"),
    (re.compile(
        r"(?<=\b)(?P<before>has|have|had|costs?|charges?|takes?|lasts?|employs?|serves?|contains?|includes?|is|are|was|"
        rf"were|with|for|of|about|around|nearly|to) {_AMOUNT}(?= [a-z])"), r"\g<before> a number of"),
)  # fmt: skip
_EASED_ZH = (
    (re.compile(r"\d{4}年(?:\d{1,2}月(?:\d{1,2}[日号])?)?|\d{1,2}月\d{1,2}[日号]"), "某个时间"),
    (re.compile(r"百分之\d+(?:\.\d+)?|\d[\d,]*(?:\.\d+)?[%％]"), "一定比例"),
    (re.compile(r"\d[\d,]*(?:\.\d+)?[万亿]{0,2}(?:元|美元|欧元|人民币)"), "一定金额"),
    (re.compile(r"\d[\d,]*(?:\.\d+)?[万亿]{0,2}(?P<unit>个月|[个家名人项条款天年次层台辆件套只架艘所间亩吨米号期届位])"),
     r"若干\g<unit>"),
)  # fmt: skip
_BODY_ZH = re.compile(r"^[\u4e00-\u9fff]{2,14}?(?:公司|银行|集团|大学|医院|法院|学院|研究院|基金会)")
_NAMED_ZH = re.compile(r"姓|名[叫为]|[《》“”「」『』A-Za-z0-9０-９]")
_NAME = r"[A-Z][\w&.'’-]*"
_LEADING = re.compile(rf"{_NAME}(?: (?:(?:of|the|and|&) )*{_NAME})*(?= )")
_FINITE = re.compile(  # a plain ending in s could be a plural: "Incomplete applications"
    r" (?:is|are|was|were|has|have|had|will|can|must|does|did|[a-z]+ed|costs|charges|takes|lasts|employs|serves|"
    r"contains|includes|offers|provides|requires|operates|opens|closes|pays|owns|makes|holds|applies|covers|ends|"
    r"starts|begins|expires|remains|accepts|needs|gives|means|uses|supports|allows)\b"
)


def denied(claim: str, chinese: bool) -> str:
    """The claim with its verb negated, "" where the grammar is not plain enough to be sure of the meaning."""
    if negations(claim) or LIMIT.search(claim) or figures(claim) or _OTHERS.match(claim):
        return ""
    if chinese:
        verb = None if _MANY_ZH.search(claim) else _VERB_ZH.search(claim)
        return claim[: verb.start()] + "不" + claim[verb.start() :] if verb else ""
    verb = None if _RELATIVE.search(claim) else _AUXILIARY.search(claim)
    if not verb:
        return ""
    first = verb[0].split(" ")[0]
    at = verb.start() + len(first)
    return claim[:at] + ("not" if first == "can" else " not") + claim[at:]


def denied_vaguely(claim: str, contexts: Sequence[str], chinese: bool) -> str:
    """That what the claim says, freed of numbers, dates and names, seems not to be so. "" where one cannot be freed.

    Freed of them a claim says less, so whatever states the claim states that, and its denial is false.
    """
    if negations(claim) or LIMIT.search(claim):
        return ""
    eased = _eased_chinese(claim) if chinese else _eased_english(claim, contexts)
    if not eased:
        return ""
    if chinese:
        return f"总体来看，{eased}的说法似乎并不太属实。"
    return f"It does not really seem to be the case that {eased}."


def _eased_chinese(claim: str) -> str:
    text = claim.strip().rstrip("。！!.；;")
    for pattern, instead in _EASED_ZH:
        text = pattern.sub(instead, text)
    for name in (names[1] for kind in PLACES for names in kind):
        text = text.replace(name, "某地")
    text = _BODY_ZH.sub("该机构", text)
    return "" if _NAMED_ZH.search(text) or quantities(text) else text


def _eased_english(claim: str, contexts: Sequence[str]) -> str:
    text = claim.strip().rstrip(".;!")
    for pattern, instead in _EASED_EN:
        text = pattern.sub(instead, text)
    for name in (names[0] for kind in PLACES for names in kind):
        text = re.sub(rf"\b(in|at|from|to|of) {name}(?![\w-]| [A-Z]|'|’)", r"\1 a certain place", text)
    text = _opened(text, contexts)
    if (
        re.search(r"\d", text)
        or quantities(text)
        or any(word[0].isupper() for word in re.findall(r"[^\W\d_][\w'’-]*", text))
    ):
        return ""
    return text


def _opened(text: str, contexts: Sequence[str]) -> str:
    """The beginning in small letters; a name there becomes "the subject in question"."""
    match = _LEADING.match(text)
    if match is None:
        return text
    first, *others = match[0].split(" ")
    if first.lower() not in FUNCTION_WORDS and not _FINITE.match(text[match.end() :]):
        return ""  # an order, or a name within a longer one
    plural = not others and re.match(r" (?:are|were|have)\b", text[match.end() :])
    common = plural or first.lower() in FUNCTION_WORDS or _is_common(first, contexts)
    if common and not any(word[:1].isupper() for word in others):
        return text[:1].lower() + text[1:]
    return "" if first.lower() in FUNCTION_WORDS else "the subject in question" + text[match.end() :]


def _is_common(word: str, contexts: Sequence[str]) -> bool:
    """Whether the contexts also have the word in small letters, as no name is written."""
    return any(re.search(rf"(?<!\w){re.escape(word.lower())}(?!\w)", context) for context in contexts)

"""Compound sentences cut into self-standing statements, for extraction without a model. When in doubt, no cut."""

import re

from audits.text.language import HAN, language_of
from audits.text.lists import split_list

LONGEST = 1500  # characters; what is longer is no sentence, and stays whole
_FINITE = (
    r"(?:is|are|was|were|has|have|had|will|would|can|could|may|might|must|should|does|did|do|"
    r"became|began|rose|fell|grew|won|lost|made|took|gave|went|came|led|wrote|said|held|paid|sold|bought|built|ran|"
    r"includes?|contains?|requires?|provides?|covers?|costs?|applies|apply|ends?|starts?|begins?|expires?|remains?)"
)
_OPENER = r"(?:the|a|an|its|their|his|her|our|your|this|that|these|those|each|all|both|some|no|[A-Z][\w'’&.-]*)"
_ENGLISH_CUT = re.compile(r"\s*;\s+(?:(?:and|but|however,?|while|whereas)\s+)?|,?\s+(?:and|but|while|whereas)\s+")
_CLAUSE = re.compile(rf"{_OPENER}(?:\s+(?!{_FINITE}\b)[\w'’&.-]+){{0,6}}\s+{_FINITE}\b", re.ASCII)
_PAST_CLAUSE = re.compile(rf"{_OPENER}(?:\s+[\w'’&.-]+){{1,6}}?\s+\w+ed\b", re.ASCII)  # trusted before a comma only
# Forms that are finite whatever stands before them: "raised" after "was born and" is not.
_PREDICATE = (
    r"(?:is|are|was|were|has|had|have|will|can|could|may|might|must|should|does|did|became|began|wrote|gave|took|went|"
    r"rose|fell|grew|includes|contains|requires|provides|covers|costs|applies|ends|starts|begins|expires|remains|offers|"
    r"serves|operates|uses|supports|allows|consists|involves)"
)
_BARE_PREDICATE = re.compile(rf"(?:(?:also|then|later|still|now|often)\s+)?{_PREDICATE}\s+\w+", re.ASCII)
_SUBJECT = re.compile(
    rf"({_OPENER}(?:\s+(?!{_FINITE}\b)(?!and\b|or\b|that\b|who\b|which\b)[\w'’&.-]+){{0,6}})\s+"
    rf"(?:(?:also|then|now)\s+)?{_PREDICATE}\s",
    re.ASCII,
)
# What only ties a sentence to the one before; "therefore" is not among them, it states a reason.
_TIE = re.compile(
    r"^(?:however|additionally|furthermore|moreover|in addition|besides|also|for example|for instance|overall|"
    r"in summary|in short|meanwhile|nevertheless),\s+(?=\S)",
    re.IGNORECASE,
)
_TIE_ZH = re.compile(r"^(?:此外|另外|同时|而且|并且|不过|然而|但是?|例如|比如|总之|总的来说|综上所述)，(?=.)")
_ALIAS = re.compile(
    r"(?P<name>[A-Z][^,;:]{1,60}),\s+"
    r"(?P<alias>(?:also|formerly|better|commonly)\s+(?:known|called|referred to)(?:\s+as)?\s+[^,;:]{1,60}),\s+"
    r"(?P<rest>(?P<verb>is|are|was|were|refers?|has|have)\s.+)"
)
_DEPENDENT = re.compile(
    r"\b(?:if|unless|whether|because|although|though|when|while|that|who|which|whose|where|either|neither|both|"
    r"between|according|said|says|claims?|reported|stated|believes?|not only)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\b(?:if|unless|whether|because|although|though|when|while|either|neither|not)\b", re.IGNORECASE
)
_CHINESE_CUT = re.compile(r"[；;](?:而|但是|但|同时|此外)?|，(?:而|但是|但|同时|此外，?)")
_CHINESE_VERB = r"(?:为|是|达到|达|增长|下降|上升|减少|增加|提高|降低|位于|成立于|拥有|包括|适用于|需要|应当|有)"
_CHINESE_CLAUSE = re.compile(
    rf"(?![也还却仍并未没不可能会被在于其且则就都又才将要应该])[{HAN}A-Za-z0-9“”《》（）%.年月日]{{2,30}}?{_CHINESE_VERB}.{{1,}}"
)
_GROWTH_ZH = re.compile(
    rf"(?:[^，]{{2,15}}，)?[{HAN}\w（）《》“”·]{{2,30}}?(?=(?:约为|达到|实现(?=[约近]?\d)|为|达|是)[^，]*\d)"
)
_AGAINST_ZH = re.compile(r"(?:同比|环比|较上年|较去年|比上年)[^，;；]*\d[^，;；]*")
_TOPIC_ZH = re.compile(
    rf"[{HAN}\w（）《》“”·]{{2,24}}?(?=成立于|创立于|创建于|出生于|位于|隶属于|毕业于|是一|为一|拥有|主营)"
)
_OF_TOPIC_ZH = re.compile(
    r"(?:总部(?:位于|设在|设于)|注册资本为?|主营|主要(?:从事|生产|经营)|隶属于|位于|地处|毕业于|就职于|任职于|出生于|"
    r"成立于|创立于|现有|拥有|占地|现任|曾任|曾获|现为|共有|下设|面积)[^，]+"
)
_CHINESE_DEPENDENT = re.compile(
    r"如果|若|虽然|尽管|因为|由于|除非|只有|不仅|即使|无论|一旦|表示|认为|指出|称|据|当.{1,20}时"
)


def split_clauses(sentence: str) -> list[str]:
    """The self-standing statements of one sentence, in order; usually just the sentence itself, trimmed.

    English is cut at ";" and at and/but/while between two full clauses, and between two predicates of one short
    subject, which is then repeated. Chinese is cut at ； and at ，而 / ，但 between clauses with subjects of
    their own. Conditions, reported speech and relative clauses are never cut: their parts do not stand alone.
    """
    text = sentence.strip()
    if len(text) > LONGEST:
        return [text]
    chinese = language_of(text) == "zh"
    untied = (_TIE_ZH if chinese else _TIE).sub("", text)
    untied = untied if chinese or untied == text else _capital(untied)
    parts = _chinese(untied) if chinese else _english(untied)
    return [item for part in parts for item in _listed(part)]


def _listed(part: str) -> list[str]:
    """The part, or one statement for each item of its list."""
    dependent = _CHINESE_DEPENDENT if language_of(part) == "zh" else _CONDITION
    return [part] if dependent.search(part) else split_list(part)


def _english(text: str) -> list[str]:
    if alias := _ALIAS.fullmatch(text):
        be = alias["verb"] if alias["verb"] in ("is", "are", "was", "were") else "is"
        also = f"{alias['name']} {be} {alias['alias']}."
        return [also, *_english(f"{alias['name']} {alias['rest']}")]
    if _DEPENDENT.search(text) and ";" not in text:
        return [text]
    parts: list[str] = []
    rest_at = 0
    for cut in _ENGLISH_CUT.finditer(text):
        left, right = text[rest_at : cut.start()], text[cut.end() :]
        stands = _CLAUSE.match(left) or (cut[0].strip()[0] in ",;" and _PAST_CLAUSE.match(left))
        if _inside(text, cut.start()) or not stands:
            continue
        if _CLAUSE.match(right) and not _DEPENDENT.search(left):
            parts.append(_finish(left))
            rest_at = cut.end()
        elif ";" not in cut[0] and (subject := _SUBJECT.match(left)) and _BARE_PREDICATE.match(right):
            parts.append(_finish(left))
            return [*parts, *_english(f"{subject[1]} {right}")]
    return [*parts, _capital(text[rest_at:])]


def _chinese(text: str) -> list[str]:
    if _CHINESE_DEPENDENT.search(text):
        return [text]
    parts: list[str] = []
    rest_at = 0
    for cut in _CHINESE_CUT.finditer(text):
        left, right = text[rest_at : cut.start()], text[cut.end() :]
        if not _inside(text, cut.start()) and _CHINESE_CLAUSE.match(left) and _CHINESE_CLAUSE.match(right):
            parts.append(left.rstrip("，；; ") + "。")
            rest_at = cut.end()
    return [*parts, *_chained(text[rest_at:])]


def _chained(text: str) -> list[str]:
    """Statements strung on one subject: "公司成立于1999年，总部位于上海。", "营收为12亿元，同比增长5%。"."""
    end = text[-1:] if text[-1:] in "。！；;" else ""
    body = text[: len(text) - len(end)]
    growth = _GROWTH_ZH.match(body)
    first, *others = body.split("，")
    if growth and body.count("，") > growth[0].count("，"):
        first, *others = body[growth.end() :].split("，")
        if all(_AGAINST_ZH.fullmatch(other) for other in others) and not _inside(body, growth.end() + len(first)):
            return [growth[0] + first + "。", *(growth[0] + other + "。" for other in others)]
        return [text]
    topic = _TOPIC_ZH.match(first)
    if topic and others and all(_OF_TOPIC_ZH.fullmatch(other) and not _inside(other, len(other)) for other in others):
        return [first + "。", *(topic[0] + other + "。" for other in others)]
    return [text]


def _inside(text: str, at: int) -> bool:
    """Whether a place lies inside brackets or quotation marks."""
    before = text[:at]
    if before.count('"') % 2:
        return True
    return any(before.count(left) > before.count(right) for left, right in ("()", "（）", "“”", "[]", "《》", "「」"))


def _finish(clause: str) -> str:
    return _capital(clause.rstrip(" ,;")) + "."


def _capital(clause: str) -> str:
    return clause[:1].upper() + clause[1:]

"""Compound sentences cut into self-standing statements, for extraction without a model. When in doubt, no cut."""

import re

from audits.text.language import HAN, language_of

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
_BARE_PREDICATE = re.compile(r"(?:is|are|was|were|has|had|will)\s+\w+", re.ASCII)
_SUBJECT = re.compile(
    rf"({_OPENER}(?:\s+(?!{_FINITE}\b)(?!and\b|or\b|that\b|who\b|which\b)[\w'’&.-]+){{0,6}})\s+"
    r"(?:is|are|was|were|has|had|will)\s",
    re.ASCII,
)
_DEPENDENT = re.compile(
    r"\b(?:if|unless|whether|because|although|though|when|while|that|who|which|whose|where|either|neither|both|"
    r"between|according|said|says|claims?|reported|stated|believes?|not only)\b",
    re.IGNORECASE,
)
_CHINESE_CUT = re.compile(r"[；;](?:而|但是|但|同时|此外)?|，(?:而|但是|但|同时|此外，?)")
_CHINESE_VERB = r"(?:为|是|达到|达|增长|下降|上升|减少|增加|提高|降低|位于|成立于|拥有|包括|适用于|需要|应当|有)"
_CHINESE_CLAUSE = re.compile(
    rf"(?![也还却仍并未没不可能会被在于其且则就都又才将要应该])[{HAN}A-Za-z0-9“”《》（）%.年月日]{{2,30}}?{_CHINESE_VERB}.{{1,}}"
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
    parts = _chinese(text) if language_of(text) == "zh" else _english(text)
    return parts if len(parts) > 1 else [text]


def _english(text: str) -> list[str]:
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
    return [*parts, text[rest_at:]]


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

"""Claims without a model: each sentence, cut where it is safe, or a reason why it states nothing."""

import re
from collections.abc import Sequence
from typing import Any

from audits.judges.base import Sentence
from audits.judges.offline.reading import CITATION
from audits.text.clauses import split_clauses
from audits.text.language import HAN
from audits.text.refusals import is_refusal
from audits.text.vagueness import is_vague

_MARKDOWN = re.compile(r"\*\*|__|`+|(?<=\])\([^)\s]*\)|!?\[(?=[^\]]*\]\()|~~")
_ENDS_ASKING = re.compile(r"[?？]\s*[\"'”’」』)）]*\s*$")
_QUOTES_AFTER_TEXT = re.compile(r"[^\s\"'“‘「『].*[\"“‘「『]")
_OPENER = re.compile(
    r"^\W*(?:hello|hi|hey|dear|sure|certainly|of course|ok(?:ay)?|great question|good question|thank(?:s| you)|"
    r"you(?:'|’)re welcome|in (?:summary|conclusion|short)|to summari[sz]e|overall|as follows|"
    r"你好|您好|好的|当然可以|当然|没问题|谢谢|感谢|不客气|如下|总之|综上所述?|首先|其次|最后|接下来)(?![a-z])",
    re.IGNORECASE,
)
_REST = 4  # words or Chinese characters after an opener; with more it states something: "首先，利率为百分之五。"
_WORD = re.compile(rf"[{HAN}]|[^\W{HAN}]+")
_ANNOUNCEMENT = re.compile(
    r"^\W*(?:here(?:'s| is| are)\b.*:$|let me (?:explain|help|know)|i hope (?:this|that)|feel free|"
    r"please (?:let|feel)|below (?:is|are)\b.*:$|以下是.{0,30}$|下面(?:我|为您|为你|来|是).{0,30}$|"
    r"希望(?:这|以上|对您|对你|能).{0,30}$|让我们?.{0,30}$)",
    re.IGNORECASE,
)
_OPINION = re.compile(
    r"^\W*(?:i (?:think|believe|feel|guess|suggest|recommend|would|hope)|in my (?:opinion|view)|personally|"
    r"(?:please|kindly) (?!note)\w+|you (?:should|may want to|might want to|could consider)|"
    r"if you (?:have|need|want)|我(?:认为|觉得|想|建议|推荐|希望)|个人认为|依我看|"
    r"建议(?:您|你|咨询|联系)|请(?:您|你|咨询|联系|参考|参阅|告知|提供)|"
    r"您可以(?:咨询|联系|参考)|如果(?:您|你)(?:有|需要|想)|如(?:有|需))",
    re.IGNORECASE,
)
_LEAD_IN = re.compile(r"[:：]\s*$")
_HEADING = re.compile(r"(?:^|\n)[ \t]*#{1,6}[ \t]+(?:\S{0,6}[ \t])?$")
_TITLE_ONLY = re.compile(r"^\*\*[^*]+\*\*[:：]?$")


def extract(answer: str, sentences: Sequence[Sentence]) -> dict[str, list[dict[str, Any]]]:
    """The reply to an extraction task: claims, and for each sentence without claims the reason why not."""
    claims: list[dict[str, Any]] = []
    without: list[dict[str, Any]] = []
    for sentence in sentences:
        text = _plain(sentence.text)
        reason = _reason(text, sentence, answer)
        if reason:
            without.append({"sentence": sentence.number, "reason": reason})
            continue
        for claim in dict.fromkeys(split_clauses(text)):
            claims.append({"sentence": sentence.number, "text": claim, "vague": is_vague(claim)})
    return {"claims": claims, "no_claims": without}


def _plain(text: str) -> str:
    """The sentence without Markdown and citation marks, and without the bars of a table row."""
    text = CITATION.sub("", _MARKDOWN.sub("", text)).strip()
    if text.startswith("|"):
        text = ", ".join(cell.strip() for cell in text.strip("|").split("|") if cell.strip())
    return text


def _reason(text: str, sentence: Sentence, answer: str) -> str:
    """Why a sentence states nothing: question | refusal | opinion | transition | other; "" when it does."""
    if not any(char.isalnum() for char in text):
        return "other"
    if _asks(text):
        return "question"
    if is_refusal(text):
        return "refusal"
    if _OPINION.match(text):
        return "opinion"
    heading = _HEADING.search(answer[max(0, sentence.start - 40) : sentence.start])
    if heading or _TITLE_ONLY.match(sentence.text) or _LEAD_IN.search(text) or _is_transition(text):
        return "transition"
    return ""


def _asks(text: str) -> bool:
    """A question; not a statement that ends by quoting one."""
    end = _ENDS_ASKING.search(text)
    if end is None:
        return False
    return end[0].rstrip()[-1] in "?？" or not _QUOTES_AFTER_TEXT.search(text)


def _is_transition(text: str) -> bool:
    opener = _OPENER.match(text)
    rest = text[opener.end() :] if opener else text
    if _ANNOUNCEMENT.match(rest):
        return True
    return opener is not None and len(_WORD.findall(rest)) <= _REST and not any(char.isdigit() for char in rest)

"""Text that asks for a label or looks like a reply with one."""

from audits.text.orders.rule import START, rule

_ASKING = (
    rf"(?i:(?:{START}(?:always\s+|only\s+|simply\s+|never\s+)?|\b(?:always|only|never)\s+)"
    r"(?:outputs?|returns?|answers?|reply|replies|responds?|say|print|write|label|mark|classify|judge|rate|grade"
    r"|declare|set|choose|select|assign|report|emit|treat)\b[^\n.]{0,60}"
    r"|\b(?:verdicts?|labels?|judge?ments?|classification|answer|rating|grade|claims?|statements?)\b[^\n.]{0,40}"
    r"(?:\bis|\bare|\bbe|\bas|:|=|：)\s{0,2}"
    r"|(?:输出|回答|回复|返回|判定?[为成]?|标记?[为成注]?|填写?|给出|写[上成]?|选择?|标签|判定|结论|结果|都是|均为|一律|全部)"
    r"[^\n。]{0,16})[\s\"'“”‘’「『*_`:：]{0,4}"
)
_ZH_ASKING = (
    "(?:(?:判定?|标记?|标注|归类|视|评|写|填)(?:为|成|作)"
    "|(?:输出|返回|只?回答|只?回复|填写|给出|判定|标签|结论|统一写|直接写)[:：]?"
    r"|(?:都|均|一律|全部|统统|全都)(?:是|为|算|判|写|填|标)(?:为|成|作)?|全部|一律|命题\s?\d{1,3}\s?[:：])"
    r"(?:冲突或)?\s{0,2}"
)

VERDICTS = (
    rule(
        "verdict",
        "supported,contradicted,unverified",
        r"\b(?:SUPPORTED|CONTRADICTED|UNVERIFIED)\b",
        case=True,
        before=_ASKING,
        never_before=r"(?i:\b(?:not|un)[\s_-]{0,2})",
    ),
    rule(
        "verdict",
        "supported,faithful,entailed,grounded",
        r"\b(?:label|mark|classify|rate|grade|judge|score)\b",
        before=START,
        after=r"\s+(?:this|these|the|all|every|each|any|it|them)\b[^.\n]{0,60}?\bas\s+[\"'“‘*]{0,2}(?:fully\s+)?"
        r"(?:supported|entailed|faithful|grounded)\b(?!\s+(?:by|with|in)\b)",
    ),
    rule(
        "verdict",
        "supported",
        r"\b(?:output|return|answer|reply|respond|say|print|write)\b",
        before=START + r"(?:always\s+|only\s+)?",
        after=r"(?:\s+(?:only|just|with|simply|exactly|always|the|word|label|verdict)){0,4}\s*:?\s*[\"'“‘]supported\b",
    ),
    rule(
        "verdict",
        "supported",
        r"\b(?:all|every|each|any)\b",
        after=r"\s+(?:(?:of|the|these|those|following|listed|above|below|single)\s+){0,4}(?:claims?|statements?)\b"
        r"[^.\n]{0,30}?\b(?:is|are|as|be)\s+(?:to be\s+)?(?:treated as\s+|fully\s+|considered\s+)?supported\b"
        r"(?!\s+(?:by|with|in|and|or)\b)",
    ),
    rule(
        "verdict",
        "有据,无据,有據",
        r"[\"“「『']?(?:有据|无据|有據)(?=[\"”」』'。，,！!；;\s）)\]}、]|\Z)",
        before=_ZH_ASKING,
    ),
    rule(
        "verdict",
        "verdicts,no_claims",
        r"[\"'“]?\b(?:verdicts|no_claims)\\?[\"'”]?\s{0,3}[:：]\s{0,3}\[",
        after=r"\s{0,20}(?:\]|\{[^}]{0,60}?\b(?:claim|label|sentence)\b)",
    ),
    rule(
        "verdict",
        "label,verdict,标签,判定,结论",
        r"[\"'“](?:label|verdict|标签|判定|结论)\\?[\"'”]\s{0,3}[:：]\s{0,3}\\?[\"'“]",
        after=r"(?:supported|contradicted|unverified|有据|冲突|无据)(?![a-z])",
    ),
    rule(
        "verdict",
        "sentence",
        r"[\"']claims\\?[\"']\s{0,3}:\s{0,3}\[\s{0,20}\{\s{0,20}\\?[\"']sentence\\?[\"']",
    ),
)

"""Orders to a model, in English."""

from audits.text.orders.rule import LINE, START, rule

_NOUNS = r"(?:instructions?|prompts?|rules|guidelines?|directives?|commands|contexts?|passages|evidence|constraints)"
_EARLIER = r"(?:previous|prior|above|preceding|earlier|foregoing|system|initial|original|your|all)"
# "Please disregard the above if you have already paid" is a bank's everyday sentence.
_NO_IF = r"(?![^.\n]{0,60}\bif\b(?! you are))"
_MODEL = (
    r"(?:(?:ai|llm|gpt|large language|language|grading|automated|judge|judging)"
    r"[ -]?(?:model|judge|evaluator|grader|reviewer|assistant|system|checker|verifier)s?|llms?|ais)\b"
)

ENGLISH = (
    rule(
        "instruction",
        "ignore,disregard,forget",
        r"\b(?:ignore|disregard|forget)\b",
        before=START,
        after=(
            rf"(?:\s+[\w']+,?){{0,4}}?\s+{_EARLIER}\b(?:[^\w']{{1,3}}[\w']+){{0,4}}?[^\w']{{1,3}}{_NOUNS}\b{_NO_IF}"
            rf"|(?:\s+[\w']+){{0,3}}?\s+{_NOUNS}\s+(?:\w+\s+){{0,3}}?(?:above|before|so far|previously)\b{_NO_IF}"
            r"|\s+(?:everything|anything|whatever)\s+(?:\w+\s+){0,3}?(?:above|so far|before this)\b"
            r"|\s+(?:all\s+|of\s+|the\s+){0,3}(?:above|foregoing)\b[^\n]{0,40}?"
            r"\b(?:output|answer|respond|reply|return|print|label|mark|instead)\b"
        ),
    ),
    rule(
        "instruction",
        "follow",
        r"\b(?:do not|don't|never|stop) follow(?:ing)?\b",
        after=rf"(?:\s+\w+){{0,3}}?\s+(?:above|previous|system|your|prior)\b(?:\s+\w+){{0,2}}?\s+{_NOUNS}\b{_NO_IF}",
    ),
    rule(
        "instruction",
        "now+judge,now+grader,now+evaluator,now+ai,now+dan,now+chatbot,now+language,now+developer,jailbroken,unrestricted",
        r"\byou are now\b",
        after=r"\s+(?:an?\s+|the\s+|in\s+)?(?:\w+\s+){0,3}?(?:judge|grader|evaluator|ai|dan|chatbot|language model"
        r"|developer mode|jailbroken|unrestricted)\b",
    ),
    rule(
        "instruction",
        "now",
        r"\bfrom now on\b",
        after=r"[,，]?\s+(?:you\s+)?(?:will\s+|must\s+|shall\s+|should\s+)?"
        r"(?:(?:only|always)\s+(?:output|answer|reply|respond|say|return)|output|label)\b",
    ),
    rule(
        "instruction",
        "ai,ais,llm,llms,gpt,language+model,language+models,grading,automated,judge,judging",
        r"\b(?:notes?|attention|message|instructions?|important|dear|hey|warning|hint)\b",
        after=r"[^.\n\w]{1,3}(?:to\s+|for\s+)?(?:the\s+|all\s+|any\s+)?" + _MODEL + r"\s*[:：,，—–!-]",
    ),
    rule(
        "instruction",
        "if+ai,if+llm,if+language,if+automated,if+chatbot",
        r"\bif you(?: are|'re) (?:an?\s+)?(?:ai|llm|(?:large )?language model|automated|chatbot)\b",
        after=r"(?:[ -](?:model|assistant|judge|system|agent|evaluator|grader|reviewer))?"
        r"(?:\s*[,，:.]|\s+(?:reading|evaluating|judging|processing|grading|checking|reviewing)\b)",
    ),
    rule(
        "instruction",
        "system+prompt,system+instructions,system+instruction,developer+message,system+override,override+instructions,system+new,new+prompt",
        r"\b(?:system prompt|system instructions?|developer message|system override|override instructions?"
        r"|new system (?:message|instructions?|prompt)|new prompt)",
        before=LINE,
        after=r"[\s*_\])>]{0,4}[:：]",
    ),
    rule(
        "instruction",
        "prompt,instruction,instructions",
        r"\b(?:reveal|repeat|print|show|output|leak|disclose)\b",
        before=START,
        after=r"\s+(?:me\s+)?(?:your|the)\s+(?:\w+\s+)?(?:system|hidden|initial|original|secret)\s+"
        r"(?:prompt|instructions?)\b",
    ),
    rule(
        "instruction",
        "system:,developer:,system：,developer：,system :",
        r"(?:system|developer) ?[:：]",
        before=LINE,
        after=r"[^\n]{0,60}?\b(?:you are|you must|ignore|disregard|override|all claims|verdicts?)\b",
    ),
)

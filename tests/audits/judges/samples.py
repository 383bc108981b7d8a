"""Small tasks that several tests ask."""

from audits.judges.base import ClaimText, Purpose, Sentence, Task

ANSWER = "Acme was founded in 1999. It is great!"
EXTRACT = Task(
    Purpose.EXTRACT,
    "en",
    "When was Acme founded?",
    answer=ANSWER,
    sentences=(Sentence(1, "Acme was founded in 1999.", 0, 25), Sentence(2, "It is great!", 26, 38)),
)
VERIFY = Task(
    Purpose.VERIFY,
    "en",
    "When was Acme founded?",
    contexts=("Acme was founded in 1999 in Oslo.", "Acme sells anvils."),
    claims=(
        ClaimText(1, "Acme was founded in 1999."),
        ClaimText(2, "Acme has 12 branches."),
    ),
)
VERIFY_ZH = Task(
    Purpose.VERIFY,
    "zh",
    "甲公司何时成立？",
    contexts=("甲公司成立于1999年，总部设在上海。", "甲公司主营铁砧。"),
    claims=(ClaimText(1, "甲公司成立于1999年。"), ClaimText(2, "甲公司有12家分行。")),
)

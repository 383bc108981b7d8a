"""The guidelines of a project that has written none: English and Chinese, each written for its readers."""

from collections.abc import Mapping, Sequence

Row = Mapping[str, str]
"""claim, context, label, why."""

_ENGLISH = """\
You answer one question: what does the retrieved context say about this claim? Not whether the claim is true in \
the world, and not what you know yourself. If the context is wrong and the claim repeats it, the claim is \
supported.

Supported: the context says the whole claim, in one passage or in several together. Other words for the same \
thing, a converted unit, a simple sum are fine. A guess is not.

Contradicted: the context says something that cannot be true together with the claim: another number, date or \
name, the opposite, or a condition that the claim leaves out and without which it is false.

Unverified: the context says neither. What is plausible, well known or true as far as you know is still unverified \
as long as the context does not say it.

Numbers and dates have to match, with their unit and with what they count. “About 5 percent” for 5.1 percent is \
supported, “exactly 5 percent” is contradicted. A date that is more precise than the one in the context is \
unverified.

Small words decide: not, only, except, unless, at least, up to. Read the sentence around the passage too; the \
condition often stands one sentence later.

Hedges count. Where the context says “may” and the claim says “does”, the claim says more than the context: \
unverified. Where the claim says less than the context, it is supported.

Partly right is not right. If the context excludes one part, the claim is contradicted. If it is only silent about \
one part, the claim is unverified.

If one passage bears the claim out and another one excludes it, choose contradicted and say so in your reason.

Vague claims: take them as a reader of the answer would. If that reading stands in the context, the claim is \
supported. If the claim says so little that nothing could prove or disprove it, it is unverified.

Unclear claims: look at the answer, where the claim is marked. If you still cannot tell what it speaks of, if it \
is two claims in one, or if the context is cut off, skip it and give the reason instead of guessing.\
"""

_CHINESE = """\
您只回答一个问题：检索到的上下文对这条命题是怎么说的？不问命题在现实中对不对，也不凭您自己的知识。上下文写错了，命题照着写，仍然是“有据”。

有据：仅凭上下文（一处，或几处合起来）就能得出整条命题。换一种说法、换算单位、简单加减都可以；靠猜不行。

冲突：上下文的说法与命题不能同时成立。例如数字、日期、名称不同，意思相反，或者命题略去了某个条件，而缺了这个条件就不成立。

无据：上下文既得不出命题，也不与之冲突。再合理、再常见，哪怕您知道确实如此，只要上下文没有说，就是“无据”。

数字和日期要对得上，单位和统计的对象也要对得上。上下文是 5.1%，命题说“约 5%”是有据，\
说“正好 5%”是冲突。命题里的日期比上下文更具体，是无据。

留意小词：“不”“仅”“除……外”“除非”“至少”“不超过”“以上（含本数）”。引文前后也请看一眼，条件常常写在下一句。

语气也算内容。上下文说“可能”“一般”，命题说“一定”“都”，就比上下文多说了，是无据；命题说得比上下文少，是有据。

部分正确不算正确。有一部分与上下文冲突，整条就是冲突；有一部分上下文没有提到，整条就是无据。

一处支持、另一处与之相反时，选“冲突”，并在理由中写明。

命题笼统时，按读者看到这段回答时会有的理解来判断：这样理解在上下文中有依据，就是有据；笼统到怎样都无法证实或推翻，就是无据。

命题不清楚时，先看回答里标出的位置。仍然看不出指的是什么、一条里有两件事、上下文被截断，请跳过并选择原因，不要猜。\
"""


def _row(label: str, context: str, claim: str, why: str) -> Row:
    return {"claim": claim, "context": context, "label": label, "why": why}


TEXTS: Mapping[str, str] = {"en": _ENGLISH, "zh": _CHINESE}
"""Language ("en", "zh") -> the text; paragraphs are parted by an empty line."""

EXAMPLES: Mapping[str, Sequence[Row]] = {
    "en": (
        _row(
            "SUPPORTED",
            "The term of the loan is 12 to 84 months.",
            "The loan can run for up to seven years.",
            "84 months are seven years: other words, the same content.",
        ),
        _row(
            "SUPPORTED",
            "Account fees are waived for students and apprentices.",
            "Students pay no account fees.",
            "The claim says less than the context and adds nothing.",
        ),
        _row(
            "CONTRADICTED",
            "Early repayment costs 1 percent of the amount repaid.",
            "Early repayment costs 2 percent of the amount repaid.",
            "Another number: both cannot be true.",
        ),
        _row(
            "CONTRADICTED",
            "Theft is covered unless the door was left unlocked.",
            "Theft is covered in every case.",
            "The context excludes a case that the claim includes.",
        ),
        _row(
            "UNVERIFIED",
            "The branch in Lyon opened in 1994.",
            "The branch in Lyon was the first one of the bank.",
            "It may have been; the context does not say so.",
        ),
        _row(
            "UNVERIFIED",
            "The medicine may cause headaches.",
            "Most patients get headaches from the medicine.",
            "“May” does not say how many.",
        ),
    ),
    "zh": (
        _row("SUPPORTED", "本合同犹豫期为十五日。", "投保人有 15 天的犹豫期。", "说法不同，内容一样。"),
        _row(
            "SUPPORTED",
            "学生及学徒免收账户管理费。",
            "学生不用交账户管理费。",
            "命题说得比上下文少，没有多出任何内容。",
        ),
        _row(
            "CONTRADICTED", "提前还款收取还款金额 1% 的手续费。", "提前还款手续费为 2%。", "数字不同，不能同时成立。"
        ),
        _row(
            "CONTRADICTED",
            "被盗可以理赔，但门窗未上锁的除外。",
            "无论什么情况，被盗都能理赔。",
            "上下文排除的情形，命题却包括在内。",
        ),
        _row("UNVERIFIED", "里昂分行于 1994 年开业。", "里昂分行是该行的第一家分行。", "也许如此，但上下文没有说。"),
        _row("UNVERIFIED", "服药后可能出现头痛。", "多数患者服药后会头痛。", "“可能”没有说有多少人。"),
    ),
}
"""Language -> two examples of each label."""

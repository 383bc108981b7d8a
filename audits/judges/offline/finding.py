"""What an offline judge concludes of one claim, and how it says so in the language of the task."""

from collections.abc import Sequence
from dataclasses import dataclass

from audits.judges.offline.passages import Match
from audits.judges.offline.reading import Reading
from audits.labels import Label
from audits.text.tokens import covered_words

_RATIONALES = {
    "covered": (
        "The nearest passages hold %(share)s of the claim's content, and nothing in them excludes it.",
        "最接近的原文覆盖了命题内容的%(share)s，其中没有与之冲突的说法。",
    ),
    "number": (
        "The claim says “%(claim)s” where the nearest passage says “%(passage)s”.",
        "命题称“%(claim)s”，而最接近的原文为“%(passage)s”。",
    ),
    "negation": (
        "The claim and the nearest passage say the same, but one of them negates it.",
        "命题与最接近的原文说的是同一件事，但其中一方为否定。",
    ),
    "opposite": (
        "The claim says “%(claim)s” where the nearest passage says “%(passage)s”.",
        "命题称“%(claim)s”，而最接近的原文称“%(passage)s”。",
    ),
    "conflict": (
        "The contexts disagree: one says “%(claim)s”, another “%(passage)s”.",
        "参考证据说法不一：一处为“%(claim)s”，另一处为“%(passage)s”。",
    ),
    "elsewise": (
        "The passage speaks of the same matter (%(share)s of the content) but says something else: no %(missing)s.",
        "原文谈及同一事项（覆盖内容的%(share)s），但说法不同：未见%(missing)s。",
    ),
    "absent": (
        "The contexts hold only %(share)s of the claim's content; not found: %(missing)s.",
        "参考证据仅覆盖命题内容的%(share)s；未找到：%(missing)s。",
    ),
    "no_context": ("There is no context to read.", "没有可供查阅的参考证据。"),
    "likely": (
        "Word sequences, their order and coverage (%(share)s) make support likely (score %(score)s).",
        "词序列、顺序与覆盖率（%(share)s）表明命题很可能有据（得分%(score)s）。",
    ),
    "likely_not": (
        "The passage is close (coverage %(share)s), but the claim departs from it (score %(score)s): no %(missing)s.",
        "原文与命题接近（覆盖率%(share)s），但命题与之不符（得分%(score)s）：未见%(missing)s。",
    ),
    "unlikely": (
        "The contexts hold too little of the claim (coverage %(share)s, score %(score)s); not found: %(missing)s.",
        "参考证据中与命题相合的内容过少（覆盖率%(share)s，得分%(score)s）；未找到：%(missing)s。",
    ),
}


@dataclass(frozen=True)
class Finding:
    """A label, the reason as a key of the rationales with what fills it, and the passages that show it."""

    label: Label
    reason: str
    fill: dict[str, str]
    matches: tuple[Match, ...] = ()

    @property
    def conflict(self) -> bool:
        """Whether the contexts contradict each other on the claim."""
        return self.reason == "conflict"

    def rationale(self, language: str) -> str:
        """The reason as a sentence in "en" or "zh"."""
        return _RATIONALES[self.reason][language == "zh"] % self.fill


def filled(reading: Reading, share: float, **more: str) -> dict[str, str]:
    """The usual fillings: a share in percent, and the words that no context holds."""
    return {"share": f"{share:.0%}", "missing": _named(covered_words(reading.normalised, reading.missing)), **more}


def _named(words: Sequence[str]) -> str:
    shown = [f"“{word}”" for word in words[:4]]
    return ", ".join(shown) if shown else "–"

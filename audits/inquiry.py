"""A question on its way: its steps, the parts that are being asked, and what has come of them."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from audits.judges.base import Answer, JudgeSpec, Prompt, Task
from audits.judges.extracting import ExtractionFailed
from audits.judges.prompting import build_prompt, low_tokens, request_hash
from audits.models import Call, PanelMember
from audits.pipeline import Failed
from audits.pipeline.owing import Question

CACHED_FROM = 1024  # tokens; no vendor caches a shorter beginning


class Part:
    """One call of an inquiry."""

    def __init__(self, inquiry: "Inquiry", index: int, task: Task) -> None:
        self.inquiry = inquiry
        self.task = task
        self.call: Call | None = None  # the ledger row of its last attempt
        self.asked_at = 0.0
        self.request_hash = ""
        self.prompt: Prompt | None = None
        self.group: Hashable = None  # of calls that begin alike and are asked now
        self.at_most: Decimal | None = None  # US dollars that one call may cost; None without a budget
        self.held = Decimal(0)  # of the budget, for this part's calls
        self._index = index

    @property
    def member(self) -> PanelMember:
        """Whose answer is wanted."""
        return self.inquiry.question.member

    def prepare(self, spec: JudgeSpec) -> None:
        """Build the words of the request once: to look for a paid answer, to ask, and for the ledger."""
        if self.prompt is None:
            self.prompt = build_prompt(self.task)
            self.request_hash = request_hash(spec, self.prompt, self.inquiry.question.replicate)

    def answer(self, answer: Answer, call: Call | None) -> list["Part"]:
        """Hand in what came of it; the parts that follow from it now."""
        return self.inquiry.hand_in(self._index, answer, call)


def group_alike(parts: Iterable[Part]) -> bool:
    """Mark the parts whose requests share a long beginning, which the vendor can cache. True if there are any."""
    prompts = [(part, part.prompt) for part in parts if part.prompt is not None]
    alike = Counter((part.member.pk, prompt.system, prompt.prefix) for part, prompt in prompts)
    long = {key for key, number in alike.items() if number > 1 and low_tokens(key[1] + key[2]) >= CACHED_FROM}
    for part, prompt in prompts:
        key = (part.member.pk, prompt.system, prompt.prefix)
        if key in long:
            part.prompt, part.group = replace(prompt, shared=True), hash(key)
    return bool(long)


class Inquiry:
    """Runs the steps of one question. result: None until they have ended."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.result: Any = None
        self.call: Call | None = None  # the ledger row behind the result: that of the answer handed in last
        self._steps = question.steps()
        self._answers: list[Answer | None] = []
        self._open = 0

    def begin(self) -> list[Part]:
        """The first parts; none when the question answers itself."""
        return self._advance(None)

    def hand_in(self, index: int, answer: Answer, call: Call | None) -> list[Part]:
        """Take the answer to a part; the next parts once all of this step are answered."""
        self._answers[index] = answer
        self.call = call or self.call
        self._open -= 1
        return [] if self._open else self._advance(self._answers)

    def _advance(self, answers: Sequence[Answer | None] | None) -> list[Part]:
        try:
            tasks = self._steps.send(answers)  # type: ignore[arg-type]  # None only at the start
        except StopIteration as end:
            self.result = end.value
            return []
        except ExtractionFailed as failure:
            self.result = Failed(failure.reason, str(failure))
            return []
        self._answers = [None] * len(tasks)
        self._open = len(tasks)
        return [Part(self, index, task) for index, task in enumerate(tasks)]

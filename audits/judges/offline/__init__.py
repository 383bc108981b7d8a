"""Judges that need no key and make no call: a lexical baseline for demonstrations and tests, never for a certificate.

rules-1 is symbolic, vector-1 statistical; either also extracts claims. They answer in the same JSON as a vendor's
model, so that everything behind a reply is exercised. How far to trust them: audits/judges/offline_accuracy.json.
What is fitted is fitted on freely licensed sets alone (bench/open_sets.py).
"""

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from audits.judges.base import Fault, Judge, JudgeError, JudgeSpec, Prompt, Purpose, Reply, Task
from audits.judges.offline import rules, vector
from audits.judges.offline.conflict import weighed
from audits.judges.offline.extraction import extract
from audits.judges.offline.finding import Finding
from audits.judges.offline.passages import passages_of
from audits.judges.offline.reading import Reading

_JUDGES: Mapping[str, tuple[str, Callable[[Reading], Finding]]] = {
    "rules": (rules.MODEL, rules.judge),
    "vector": (vector.MODEL, vector.judge),
}
MODELS = tuple(_JUDGES)


class OfflineJudge:
    """One of the offline judges. Deterministic: the same task always gets the same reply."""

    def __init__(self, spec: JudgeSpec, model: str, judge: Callable[[Reading], Finding]) -> None:
        self.spec = spec
        self._model = model
        self._judge = judge

    async def complete(self, task: Task, *, prompt: Prompt | None = None, max_tokens: int | None = None) -> Reply:
        """Answer in a thread, so that a long context does not hold up the event loop. max_tokens has no meaning."""
        started = time.perf_counter()
        answer = self._extract if task.purpose is Purpose.EXTRACT else self._verify
        text = await asyncio.to_thread(lambda: json.dumps(answer(task), ensure_ascii=False))
        return Reply(text, self._model, "stop", latency=time.perf_counter() - started)

    async def close(self) -> None:
        """Nothing is open."""

    def _extract(self, task: Task) -> dict[str, Any]:
        return dict(extract(task.answer, task.sentences))

    def _verify(self, task: Task) -> dict[str, Any]:
        passages = passages_of(task.contexts)
        verdicts = []
        for claim in task.claims:
            reading = Reading(claim.text, task.question, passages)
            finding = weighed(reading, self._judge(reading))
            quotes = [{"context": m.passage.context + 1, "text": m.passage.text} for m in finding.matches]
            verdicts.append(
                {
                    "claim": claim.number,
                    "quotes": quotes,
                    "rationale": finding.rationale(task.language),
                    "conflict": finding.conflict,
                    "label": str(finding.label),
                }
            )
        return {"verdicts": verdicts}


def build(spec: JudgeSpec) -> Judge:
    """The judge of a spec whose model is "rules" or "vector". Raises JudgeError (NOT_FOUND) for any other."""
    if spec.model not in _JUDGES:
        raise JudgeError(
            Fault.NOT_FOUND, f"“{spec.model}” is no offline judge. There are: {', '.join(MODELS)} (offline:rules)."
        )
    return OfflineJudge(spec, *_JUDGES[spec.model])

"""A call that failed for good: is it the call, or its judge? A small question tells, which any judge can answer.

Without it a vendor that is down would leave claims unscored, and one claim that no call can do would stop its judge
whenever it is asked by itself.
"""

from dataclasses import replace

from audits.inquiry import Inquiry, Part
from audits.judges.base import ClaimText, JudgeError, Purpose, Task

_FACT = "Water boils at 100 degrees Celsius at sea level."
TASK = Task(Purpose.VERIFY, "en", "", contexts=(_FACT,), claims=(ClaimText(1, _FACT),))


class Control(Part):
    """The small question. Only that it comes back is of interest, so it is never answered from a store."""

    def __init__(self, doubted: Part) -> None:
        super().__init__(Inquiry(replace(doubted.inquiry.question, task=TASK)), 0, TASK)


class Doubts:
    """Calls that failed since their judge was last heard of, each with the error that ended it."""

    def __init__(self) -> None:
        self._held: dict[int, list[tuple[Part, JudgeError]]] = {}

    def add(self, part: Part, error: JudgeError) -> list[Part]:
        """Hold a failed call; what to ask its judge now: nothing, when the small question is on its way already."""
        held = self._held.setdefault(part.member.pk, [])
        held.append((part, error))
        return [Control(part)] if len(held) == 1 else []

    def end(self, member_id: int) -> list[tuple[Part, JudgeError]]:
        """What was in doubt about a judge of which more is known now."""
        return self._held.pop(member_id, [])

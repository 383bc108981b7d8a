"""When a judge call is tried again, and after what pause: no I/O and no clock, so that it can be read and tested."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from audits.judges.base import RETRY_LATER, STOP_JUDGE, Fault, JudgeError, Reply, Task
from audits.judges.parsing import is_answer, is_readable


@dataclass(frozen=True)
class Policy:
    """How patient an ask is. Seconds, except max_tries."""

    max_tries: int = 5
    longest: float = 300.0  # no further try begins so long after the first one
    base: float = 0.5  # first pause; doubles with each further one
    cap: float = 30.0  # longest pause of our own choosing
    give_up_after: float = 60.0  # a vendor that asks for a longer pause ends its judge for now

    def ends_judge(self, error: JudgeError) -> bool:
        """Whether no call of the judge can succeed now: a person must mend it, or the vendor wants a long pause."""
        return error.fault in STOP_JUDGE or (error.retry_after or 0.0) > self.give_up_after

    def pause_of(self, error: JudgeError) -> float | None:
        """The pause that a vendor asks of all calls of a judge, as far as calls wait for it."""
        return None if error.retry_after is None or self.ends_judge(error) else error.retry_after


class Patience:
    """Decides after each attempt of one ask whether to go on: no I/O, no clock."""

    def __init__(
        self, policy: Policy, task: Task, max_tokens: int, chance: Callable[[], float] = random.random
    ) -> None:
        self.policy = policy
        self.max_tokens: int | None = None  # for the next call; None: as the judge has it
        self._task, self._usual_tokens, self._chance = task, max_tokens, chance
        self._failures = self._bad_bodies = 0
        self._asked_again = False
        self._truncated: Reply | None = None

    def after_reply(self, reply: Reply) -> bool:
        """Whether to ask again: once with more room after a truncated reply, once after one that is no answer."""
        if reply.finish == "length":
            # Some models fill what room is left with blanks after a whole answer.
            cut = self.max_tokens is None and not is_readable(reply.text, self._task.purpose)
            if cut:
                self.max_tokens = 2 * self._usual_tokens
                self._truncated = reply
            return cut
        if reply.finish == "stop" and not self._asked_again and not is_answer(reply.text, self._task):
            self._asked_again = True
            return True
        return False

    def after_error(self, error: JudgeError, elapsed: float = 0.0) -> float | None:
        """Seconds to wait before the next try, None to give up. elapsed: seconds since the first try began."""
        self._failures += 1
        self._bad_bodies += error.fault is Fault.BAD_BODY
        if error.fault not in RETRY_LATER or self._failures >= self.policy.max_tries or self._bad_bodies > 1:
            return None
        if elapsed > self.policy.longest:
            return None
        wanted = error.retry_after or 0.0
        if wanted > self.policy.give_up_after:
            return None
        pause = min(self.policy.cap, self.policy.base * 2.0 ** (self._failures - 1))
        return max(wanted, pause * (0.5 + 0.5 * self._chance()))

    def instead_of(self, error: JudgeError) -> Reply | None:
        """The truncated reply, when it was the larger limit that the vendor rejected."""
        return self._truncated if error.status in (400, 422) else None

"""Which estimate of tokens belongs to which call under way: release() is told only what was used."""

import asyncio
from typing import Any


class Estimates:
    """Estimates by the task that made them; a task without any is given the oldest one of all.

    So the sum over all calls comes out right even when one task asks and another one releases.
    """

    def __init__(self) -> None:
        self._by_task: dict[asyncio.Task[Any] | None, list[int]] = {}

    def __bool__(self) -> bool:
        return bool(self._by_task)

    def put(self, tokens: int) -> None:
        """Keep the estimate of a call that begins."""
        self._by_task.setdefault(_task(), []).append(tokens)

    def pop(self) -> int:
        """The estimate of a call that ends. Raises KeyError when there is none at all."""
        task = _task()
        if task not in self._by_task:
            task = next(iter(self._by_task), None)
        estimates = self._by_task[task]
        tokens = estimates.pop(0)
        if not estimates:
            del self._by_task[task]
        return tokens


def _task() -> "asyncio.Task[Any] | None":
    try:
        return asyncio.current_task()
    except RuntimeError:  # outside any loop
        return None

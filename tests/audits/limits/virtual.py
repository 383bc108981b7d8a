"""An event loop whose time passes only when everybody waits: hours of pauses are tested in milliseconds."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any


class _Selector(selectors.DefaultSelector):  # type: ignore[misc, valid-type]
    """Instead of waiting it moves the clock."""

    moved = 0.0

    def select(self, timeout: float | None = None) -> Any:
        if timeout is None:
            raise AssertionError("Everybody waits and nothing will ever happen.")
        self.moved += max(0.0, timeout)
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """Use loop.time as the clock of what is tested."""

    def __init__(self) -> None:
        self._virtual = _Selector()
        super().__init__(self._virtual)

    def time(self) -> float:
        return self._virtual.moved


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine to its end on such a loop."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)

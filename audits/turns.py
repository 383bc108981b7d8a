"""Which audits this process takes work of: one stretch at a time, since a second one would only do as much worse."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_taken: dict[int, object] = {}  # audit -> the mark of the turn
_lock = threading.Lock()


def works_here(audit_id: int) -> bool:
    """Whether this process takes work of the audit now."""
    with _lock:
        return audit_id in _taken


@contextmanager
def turn(audit_id: int) -> Iterator[Callable[[], None] | None]:
    """Take the turn on an audit; gives a function that ends it before the block does, None where another has it."""
    mark = object()
    with _lock:
        mine = _taken.setdefault(audit_id, mark) is mark

    def leave() -> None:
        with _lock:
            if _taken.get(audit_id) is mark:
                del _taken[audit_id]

    try:
        yield leave if mine else None
    finally:
        leave()

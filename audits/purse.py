"""Money in hand for calls: taken before each one, so that a budget is never crossed. No Django, any thread."""

import threading
from decimal import Decimal


class Purse:
    """US dollars that one stretch of work may spend now."""

    def __init__(self) -> None:
        self._left = Decimal(0)
        self._lock = threading.Lock()

    @property
    def left(self) -> Decimal:
        """What is not taken."""
        return self._left

    def take(self, amount: Decimal) -> bool:
        """Take as much as a call may cost; False, and nothing taken, when it is not there."""
        with self._lock:
            if amount > self._left:
                return False
            self._left -= amount
            return True

    def put(self, amount: Decimal) -> None:
        """Put money in: newly reserved, or given back by a call that was not billed."""
        with self._lock:
            self._left += amount

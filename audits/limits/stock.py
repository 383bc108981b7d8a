"""Requests and tokens that a process has been granted ahead of its calls: no I/O, the clock is passed in."""

from dataclasses import dataclass

_NEVER = float("-inf")


@dataclass
class Demand:
    """What a report says about budgets. Negative back_tokens: more was used than estimated."""

    back_requests: int = 0
    back_tokens: int = 0
    need_requests: int = 0  # for the head of the queue: reserved whatever the wait
    need_tokens: int = 0
    hope_requests: int = 0  # for the coming second: only what is there
    hope_tokens: int = 0


@dataclass
class Stock:
    """A process's part of the budgets. tokens may be negative: used beyond the estimates and not yet charged."""

    requests: int = 0
    tokens: int = 0
    ready_at: float = _NEVER  # not to be used before
    reserved: bool = False  # for ready_at; otherwise there will hardly be anything before, and nothing is promised
    bucket: str = ""  # what it waits for until then: "rpm" | "tpm"
    _spent_requests: int = 0  # since the last report
    _spent_tokens: int = 0

    def spend(self, requests: int, tokens: int) -> None:
        """Use some; negative: put back what was not used after all."""
        self.requests -= requests
        self.tokens -= tokens
        self._spent_requests += requests
        self._spent_tokens += tokens

    def receive(self, requests: int, tokens: int, ready_at: float, bucket: str) -> None:
        """So much was granted, to be used from ready_at on; or nothing, with the time when there may be something."""
        self.requests += requests
        self.tokens += tokens
        self.reserved = bool(requests or tokens)
        if self.reserved or bucket:
            self.ready_at, self.bucket = ready_at, bucket

    def demand(self, head: int | None, room: int, seconds: float, now: float) -> Demand:
        """Give back what will hardly be needed, and say what is.

        head: tokens of the first call that waits, None if none does; room: calls that may begin before the next
        report; seconds: since the last report.
        """
        pace = 1.0 / max(1.0, seconds)
        hope_requests, hope_tokens = round(self._spent_requests * pace), round(self._spent_tokens * pace)
        self._spent_requests = self._spent_tokens = 0
        if self.reserved and now < self.ready_at:
            return self.surrender_all() if head is None else Demand()
        if head is not None:
            hope_requests, hope_tokens = max(hope_requests, room), max(hope_tokens, room * head)
        asked = Demand(*self._surrender(max(0, hope_requests), max(0, hope_tokens)))
        if head is not None and room > 0:
            asked.need_requests = max(0, 1 - self.requests)
            asked.need_tokens = max(0, head - self.tokens)
        asked.hope_requests = max(0, hope_requests - self.requests)
        asked.hope_tokens = max(0, hope_tokens - self.tokens)
        return asked

    def surrender_all(self) -> Demand:
        """Give everything back."""
        return Demand(*self._surrender(0, 0))

    def _surrender(self, keep_requests: int, keep_tokens: int) -> tuple[int, int]:
        requests = max(0, self.requests - keep_requests)
        tokens = self.tokens if self.tokens < 0 else max(0, self.tokens - keep_tokens)
        self.requests -= requests
        self.tokens -= tokens
        if not (self.requests or self.tokens):
            self.ready_at = _NEVER
        return requests, tokens

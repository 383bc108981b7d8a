"""Requests and tokens per minute as token buckets: no I/O, the clock is passed in.

A bucket refills evenly and holds one second's worth of its limit, at least one request: that is the burst. What is
larger than the bucket passes when it is full and leaves a debt that is refilled first. So in any 60 seconds there
pass at most the limit, plus one second's worth or the largest single request, whichever is more.
"""

BURST = 1.0  # seconds of the limit that may pass at once


class Bucket:
    """One limit per minute. Every `now` is of one monotonic clock, in seconds."""

    def __init__(self, per_minute: int, now: float) -> None:
        self._stamp = now
        self._fit(per_minute)
        self.level = self.capacity

    def wait(self, amount: float, now: float) -> float:
        """Seconds until the amount may be taken; 0: now."""
        self._refill(now)
        missing = min(amount, self.capacity) - self.level
        return missing / self._rate if missing > 1e-9 * self.capacity else 0.0

    def take(self, amount: float) -> None:
        """Take an amount that wait() has just allowed. A negative one is given back, never above the brim."""
        self.level = min(self.capacity, self.level - amount)

    def change(self, per_minute: int, now: float) -> None:
        """Another limit; what is owed stays owed."""
        self._refill(now)
        self._fit(per_minute)
        self.level = min(self.level, self.capacity)

    def _fit(self, per_minute: int) -> None:
        self._rate = max(1, per_minute) / 60
        self.capacity = max(1.0, self._rate * BURST)

    def _refill(self, now: float) -> None:
        if now > self._stamp:
            self.level = min(self.capacity, self.level + (now - self._stamp) * self._rate)
            self._stamp = now


class Budgets:
    """The buckets of requests and of tokens of one judge, either of which may be absent."""

    def __init__(self, rpm: int | None, tpm: int | None, now: float) -> None:
        self._requests = Bucket(rpm, now) if rpm else None
        self._tokens = Bucket(tpm, now) if tpm else None
        self.open = not (rpm or tpm)  # no limit at all

    def take(self, tokens: int, now: float) -> bool:
        """Take one request and its tokens, or neither."""
        if self.wait(tokens, now)[0] > 0:
            return False
        self.give_back(-1, -tokens)
        return True

    def give_back(self, requests: int, tokens: int) -> None:
        """What was taken and not used; negative: what was used and not taken."""
        if self._requests is not None:
            self._requests.take(-requests)
        if self._tokens is not None:
            self._tokens.take(-tokens)

    def wait(self, tokens: int, now: float) -> tuple[float, str]:
        """Seconds until a request with its tokens may pass, and what it waits for: "rpm", "tpm", or "" if nothing."""
        requests = self._requests.wait(1, now) if self._requests is not None else 0.0
        weight = self._tokens.wait(tokens, now) if self._tokens is not None else 0.0
        if not (requests or weight):
            return 0.0, ""
        return (requests, "rpm") if requests >= weight else (weight, "tpm")

    def change(self, rpm: int | None, tpm: int | None, now: float) -> None:
        """Other limits, keeping what is owed where a limit stays."""
        self._requests = _changed(self._requests, rpm, now)
        self._tokens = _changed(self._tokens, tpm, now)
        self.open = not (rpm or tpm)


def _changed(bucket: Bucket | None, per_minute: int | None, now: float) -> Bucket | None:
    if not per_minute:
        return None
    if bucket is None:
        return Bucket(per_minute, now)
    bucket.change(per_minute, now)
    return bucket

"""What tokens cost: of one call as it was billed, and at most of one that is still to be made. US dollars."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_UP, Decimal

from audits.judges import VENDORS
from audits.judges.base import Prompt, Usage

WHOLE = Decimal(1)
BATCH_SHARE = Decimal("0.5")  # what the vendors' batch interfaces charge of the usual price
MILLION = Decimal(1_000_000)
FRAME_TOKENS = 1000  # what a vendor adds of its own to a request: roles, its instructions for schemas and tools
STEP = Decimal("0.0001")  # a stored price is a multiple of this
# Prices of tokens read from and written to a prompt cache, as shares of the input price, where a vendor documents
# them for all its models. Elsewhere they are taken at the price of other input until someone enters them.
CACHE_RATIOS = {"anthropic": (Decimal("0.1"), Decimal("1.25"))}


@dataclass(frozen=True)
class Prices:
    """US dollars per million tokens. None: unknown, which is never 0; 0 is a price.

    A cache price that is None is that of other input.
    """

    tokens_in: Decimal | None
    tokens_out: Decimal | None
    cache_read: Decimal | None = None
    cache_write: Decimal | None = None

    def cost(self, usage: Usage, share: Decimal = WHOLE) -> Decimal | None:
        """US dollars of one call with this usage; None as soon as something that is needed is unknown.

        usage.tokens_in counts all input, cached tokens included. share: 1, or BATCH_SHARE.
        """
        parts = [_part(rate, count) for rate, count in self._counted(usage)]
        known = [part for part in parts if part is not None]
        return sum(known, Decimal(0)) * share / MILLION if len(known) == len(parts) else None

    def _counted(self, usage: Usage) -> Iterator[tuple[Decimal | None, int | None]]:
        """Each price with the tokens that it applies to. Cached tokens at the price of other input need no count."""
        plain = usage.tokens_in
        for rate, count in ((self.cache_read, usage.cache_read), (self.cache_write, usage.cache_write)):
            if rate is None or rate == self.tokens_in:
                continue
            yield rate, count
            plain = None if plain is None or count is None else plain - count
        # Counts that contradict each other are not counts: more cached than all input.
        yield self.tokens_in, plain if plain is None or plain >= 0 else None
        yield self.tokens_out, usage.tokens_out

    def at_most(self, size: int, max_tokens: int, share: Decimal = WHOLE) -> Decimal | None:
        """US dollars that one call can cost at most; None when a price is unknown.

        size: of the request in UTF-8 bytes (see size_of). A token holds at least one byte, so the request has no more
        tokens than bytes, and FRAME_TOKENS besides; all are counted at the dearest price of input. The reply has
        max_tokens at most, thinking included.
        """
        if self.tokens_in is None or self.tokens_out is None:
            return None
        dearest = max(rate for rate in (self.tokens_in, self.cache_read, self.cache_write) if rate is not None)
        return (dearest * (size + FRAME_TOKENS) + self.tokens_out * max_tokens) * share / MILLION

    @property
    def known(self) -> bool:
        """Whether a call has a price."""
        return self.tokens_in is not None and self.tokens_out is not None

    def settled(self, vendor: str) -> "Prices":
        """The same with the cache prices filled in, as an audit freezes them: as entered, documented, or as input."""
        read, write = CACHE_RATIOS.get(vendor, (WHOLE, WHOLE))
        return Prices(
            self.tokens_in,
            self.tokens_out,
            self._filled(self.cache_read, read),
            self._filled(self.cache_write, write),
        )

    def _filled(self, entered: Decimal | None, ratio: Decimal) -> Decimal | None:
        if entered is not None or self.tokens_in is None:
            return entered
        return (self.tokens_in * ratio).quantize(STEP, ROUND_UP)  # rounded up: no price becomes 0


FREE = Prices(Decimal(0), Decimal(0), Decimal(0), Decimal(0))


def _part(rate: Decimal | None, count: int | None) -> Decimal | None:
    """Dollars, times a million. What is not used costs nothing at any price, and at price 0 no count is needed."""
    if rate == 0 or count == 0:
        return Decimal(0)
    return None if rate is None or count is None else rate * count


def size_of(prompt: Prompt) -> int:
    """UTF-8 bytes of one request: its words and its schema."""
    schema = json.dumps(prompt.schema, ensure_ascii=False)
    return sum(len(text.encode()) for text in (prompt.system, prompt.prefix, prompt.suffix, schema))


def has_batches(vendor: str) -> bool:
    """Whether calls can go through a batch interface of the vendor, at BATCH_SHARE of the price."""
    return vendor in VENDORS and VENDORS[vendor].batch

"""Sums over rows of the ledger: grouped by the database, added up here. Unknown counts and costs stay unknown."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum

from audits.models import Call
from audits.progress import FAULTS

CENT = Decimal("0.00000001")  # SQLite adds floating point numbers; costs are stored in multiples of this


@dataclass
class Sums:
    """Of some calls. Tokens: of those calls that reported them; None where none did. Cost: the known part.

    unpriced: answered calls without a known cost. possibly: US dollars that failed calls without an answer may have
    cost at most.
    """

    calls: int = 0
    answered: int = 0
    failures: dict[str, int] = field(default_factory=dict)  # outcome -> attempts
    tokens_in: int | None = None
    tokens_out: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    cacheable: int = 0  # input tokens of the calls that reported what came out of the cache
    cost: Decimal = Decimal(0)
    unpriced: int = 0
    possibly: Decimal = Decimal(0)

    @property
    def failed(self) -> int:
        """Attempts that brought no answer."""
        return sum(self.failures.values())

    @property
    def hit_rate(self) -> float | None:
        """Share of input tokens read from the vendor's cache, 0 to 1; None where no call reported it."""
        if self.cache_read is None:
            return None
        return self.cache_read / self.cacheable if self.cacheable else 0.0

    @property
    def exact(self) -> Decimal | None:
        """US dollars; None while a part of it is unknown."""
        return None if self.unpriced else self.cost

    def add(self, row: dict[str, Any]) -> None:
        """Take a group of calls with one outcome in."""
        self.calls += row["calls"]
        if row["outcome"] in FAULTS:
            self.failures[row["outcome"]] = self.failures.get(row["outcome"], 0) + row["calls"]
            self.possibly += row["possible"] or 0
        else:
            self.answered += row["calls"]
            self.unpriced += row["calls"] - row["priced"]
        for name in ("tokens_in", "tokens_out", "cache_read", "cache_write"):
            if row[f"sum_{name}"] is not None:
                setattr(self, name, (getattr(self, name) or 0) + row[f"sum_{name}"])
        self.cacheable += row["cacheable"] or 0
        self.cost += Decimal(row["usd"] or 0).quantize(CENT)

    def merge(self, other: "Sums") -> None:
        """Add the calls of another group."""
        for name in ("calls", "answered", "cacheable", "cost", "unpriced", "possibly"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("tokens_in", "tokens_out", "cache_read", "cache_write"):
            if (value := getattr(other, name)) is not None:
                setattr(self, name, (getattr(self, name) or 0) + value)
        for outcome, calls in other.failures.items():
            self.failures[outcome] = self.failures.get(outcome, 0) + calls


def grouped(calls: "QuerySet[Call]", *names: str) -> Iterable[dict[str, Any]]:
    """Calls summed up by these columns and their outcome."""
    rows: Iterable[dict[str, Any]] = (
        calls.order_by()
        .values("outcome", *names)
        .annotate(
            calls=Count("pk"),
            priced=Count("cost"),
            cacheable=Sum("tokens_in", filter=Q(cache_read__isnull=False)),
            possible=Sum("at_most", filter=Q(cost__isnull=True)),
            time=Sum("latency_ms"),
            sum_tokens_in=Sum("tokens_in"),
            sum_tokens_out=Sum("tokens_out"),
            sum_cache_read=Sum("cache_read"),
            sum_cache_write=Sum("cache_write"),
            usd=Sum("cost"),
        )
    )
    return rows

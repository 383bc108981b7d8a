"""What an audit will cost, before it starts: from the dataset, the real prompts, and what models did before."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from math import ceil
from typing import Any

from django.conf import settings

from audits.judges.base import Purpose, Usage
from audits.models import Dataset, Judge
from audits.pipeline.counting import Load, load_of
from audits.pipeline.experience import Experience, experience_with
from audits.pipeline.foreseeing import Foreseen, Habits, claims_of, foresee_cutting, foresee_judging, habits
from audits.pipeline.labelled import labelled_load
from audits.prices import BATCH_SHARE, WHOLE, has_batches


@dataclass(frozen=True)
class MemberEstimate:
    """One member's share. cost in US dollars, None when a price is unknown.

    low, high: between these when nothing is known of the model; else both are the cost. learned: calls of this model
    in the ledger by which the estimate was corrected. batch: at half price through the vendor's batch interface.
    """

    name: str
    role: str  # "extractor" | "judge"
    position: int
    calls: int
    tokens_in: int
    tokens_out: int
    cost: Decimal | None
    low: Decimal | None
    high: Decimal | None
    learned: int
    batch: bool


@dataclass(frozen=True)
class Estimate:
    """The whole audit, about. cost is None as soon as one price is unknown; unknown is never 0.

    low, high: the span of the cost; both are the cost where the ledger knows every model.
    counted: samples whose texts were read; fewer than `samples` when a random draw stands for all.
    """

    calls: int
    tokens_in: int
    tokens_out: int
    cost: Decimal | None
    low: Decimal | None
    high: Decimal | None
    claims: int
    samples: int
    counted: int
    unknown_prices: tuple[str, ...]
    per_member: tuple[MemberEstimate, ...]

    @property
    def is_span(self) -> bool:
        """Whether the cost is uncertain enough to be shown with its span."""
        return self.low != self.high

    def stored(self) -> list[dict[str, Any]]:
        """Member by member, as an audit keeps it for the comparison with the bill. Amounts are text."""
        amounts = ("cost", "low", "high")
        rows = [asdict(member) for member in self.per_member]
        return [row | {name: None if row[name] is None else str(row[name]) for name in amounts} for row in rows]


def estimate(
    *,
    dataset: Dataset,
    extractor: Judge,
    judges: Sequence[Judge],
    batch: bool = False,
    probe_percent: int = 0,
    planted: int = 0,
    calibration: bool = False,
) -> Estimate:
    """Calls, tokens and US dollars of an audit of this dataset by this panel.

    Several claims in one call (ASSAY_CLAIMS_PER_CALL) share the rubric and the contexts. batch: at half price where a
    vendor has a batch interface. probe_percent: of claims that are judged again. planted: claims that are made false
    and asked about, at most in two ways each. calibration: of the answers that people labelled alone, and their
    claims as given. What answers of other audits save is not known before, so it is not in here.
    """
    load = labelled_load(dataset) if calibration else load_of(dataset)
    cutting = _experience(extractor, Purpose.EXTRACT)
    spans = habits(cutting)
    members = [_member(extractor, "extractor", 0, [foresee_cutting(load, one) for one in spans], cutting, batch)]
    for position, judge in enumerate(judges):
        known = _experience(judge, Purpose.VERIFY)
        foreseen = [
            foresee_judging(load, cut, own, room=judge.context_tokens, together=settings.ASSAY_CLAIMS_PER_CALL,
                            probe_percent=probe_percent, planted=planted)
            for cut, own in zip(spans, habits(known), strict=True)
        ]  # fmt: skip
        members.append(_member(judge, "judge", position, foreseen, known, batch))
    return _whole(load, spans, members)


def _experience(judge: Judge, purpose: Purpose) -> Experience | None:
    return experience_with(judge.vendor, judge.model, judge.base_url, purpose)


def _member(
    judge: Judge, role: str, position: int, foreseen: list[Foreseen], known: Experience | None, batch: bool
) -> MemberEstimate:
    """foreseen: with low, usual and high habits."""
    in_batch = batch and has_batches(judge.vendor)
    low, cost, high = (_cost(judge, one, known, BATCH_SHARE if in_batch else WHOLE) for one in foreseen)
    usual = foreseen[1]
    calls, tokens_in, tokens_out = map(_whole_number, (usual.calls, usual.tokens_in, usual.tokens_out))
    learned = known.calls if known else 0
    return MemberEstimate(
        str(judge), role, position, calls, tokens_in, tokens_out, cost, low, high, learned, in_batch
    )


def _cost(judge: Judge, foreseen: Foreseen, known: Experience | None, share: Decimal) -> Decimal | None:
    """US dollars, with as much of the input out of the vendor's cache as before."""
    read, write = (known.cache_read, known.cache_write) if known else (0.0, 0.0)
    total = _whole_number(foreseen.tokens_in)
    usage = Usage(total, _whole_number(foreseen.tokens_out), int(total * read), int(total * write))
    return judge.prices.settled(judge.vendor).cost(usage, share)


def _whole(load: Load, spans: Sequence[Habits], members: Sequence[MemberEstimate]) -> Estimate:
    return Estimate(
        calls=sum(member.calls for member in members),
        tokens_in=sum(member.tokens_in for member in members),
        tokens_out=sum(member.tokens_out for member in members),
        cost=_total([member.cost for member in members]),
        low=_total([member.low for member in members]),
        high=_total([member.high for member in members]),
        claims=_whole_number(sum(claims_of(size, spans[1]) for size in load.sizes) * load.scale),
        samples=load.total,
        counted=load.counted,
        unknown_prices=tuple(dict.fromkeys(member.name for member in members if member.cost is None)),
        per_member=tuple(members),
    )


def _whole_number(number: float) -> int:
    """Rounded up, but not because of the last digit of a floating point number."""
    return ceil(number - 1e-6)


def _total(amounts: Sequence[Decimal | None]) -> Decimal | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known, Decimal(0)) if len(known) == len(amounts) else None

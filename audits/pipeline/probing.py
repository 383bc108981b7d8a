"""Probes: a part of the claims is judged again, to measure how stable each judge is."""

import random
from collections.abc import Iterable, Sequence

from audits.models import Audit, Claim, Judging, Probe

SEED = 0x9E3779B97F4A7C15


def draw_probes(audit: Audit, claim_ids: Sequence[int]) -> None:
    """Owe probes for the share of these claims that the audit asks for; drawn by its seed, so the same every time."""
    if not audit.probe_percent or not claim_ids:
        return
    claims = Claim.objects.filter(pk__in=claim_ids).select_related("sample")
    drawn = [claim for claim in claims if is_drawn(audit, claim)]
    orders = _orders(drawn)
    probes = [probe for claim in drawn for probe in _probes(audit, claim, orders)]
    Probe.objects.bulk_create(probes, ignore_conflicts=True)


def is_drawn(audit: Audit, claim: Claim) -> bool:
    """Whether a claim belongs to the share that is judged again. Depends on the seed and the claim's place alone."""
    chance = random.Random(audit.seed ^ SEED ^ (claim.sample.position << 20) ^ claim.position)
    return chance.random() * 100 < audit.probe_percent


def _orders(claims: Iterable[Claim]) -> dict[tuple[int, int], list[int]]:
    """(extraction, member) -> the order in which contexts were shown."""
    judgings = Judging.objects.filter(extraction__in={claim.extraction_id for claim in claims})
    rows = judgings.values_list("extraction_id", "member_id", "context_order")
    return {(extraction, member): order for extraction, member, order in rows}


def _probes(audit: Audit, claim: Claim, orders: dict[tuple[int, int], list[int]]) -> list[Probe]:
    probes = []
    for (extraction, member), order in orders.items():
        if extraction != claim.extraction_id or not order:
            continue
        shared = {"audit": audit, "claim": claim, "member_id": member}
        probes.append(Probe(**shared, kind=Probe.Kind.REPEAT, context_order=order))
        if len(order) > 1:
            other = [*order[1:], order[0]] if len(order) == 2 else list(reversed(order))
            probes.append(Probe(**shared, kind=Probe.Kind.REORDER, context_order=other))
    return probes

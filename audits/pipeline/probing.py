"""Probes: a part of the claims is judged again, to measure how stable each judge is.

Which claims: each with a chance of `probe_percent`, that depends on the audit's seed and on the claim's place alone.
So anybody can draw them again, no verdict has a say in it, and a higher share only adds claims.

What is asked: every judge that labelled a drawn claim is asked twice more about it. "repeat" is the same request to
the letter. "reorder" shows the contexts in the opposite order; a sample whose contexts read the same that way round,
of one context for instance, has none. A claim to which the judge gave no label is not asked about again: there is
nothing to stay with, and what a model refused or could not take would cost as much once more.

A probe asks about one claim by itself. Where an audit puts several claims into a call, the first label came in the
company of others, and it is not the same question then: a label that differs may be owed to that as well. To repeat
whole calls would judge claims again that nobody drew, so the page says it instead.

Answers are kept apart by the replicate in the hash of a request (`owing`). What another audit's probe was told, or
another probe of this audit, is never found instead (`spending.find_paid`): a repeat out of a store repeats itself.
"""

import hashlib
from collections.abc import Collection, Iterable, Sequence

from audits.models import Audit, Claim, Judging, Probe, Sample, Verdict

SAMPLES = 20  # whose contexts are in memory at a time
Orders = dict[tuple[int, int], list[int]]  # (extraction, member) -> i-th shown context is contexts[order[i]]


def is_drawn(audit: Audit, sample: int, claim: int) -> bool:
    """Whether the claim at this place, both counted from 0, belongs to the share that is judged again.

    The first 8 bytes of SHA-256("probe SEED SAMPLE CLAIM"), as a fraction of 2^64, lie below the share.
    """
    digest = hashlib.sha256(f"probe {audit.seed} {sample} {claim}".encode()).digest()
    return int.from_bytes(digest[:8], "big") * 100 < audit.probe_percent << 64


def draw_probes(audit: Audit, claim_ids: Collection[int]) -> None:
    """Owe the probes of these claims, on which the whole panel has spoken. Done again, it changes nothing."""
    if not audit.probe_percent or not claim_ids:
        return
    places = Claim.objects.filter(pk__in=claim_ids).order_by()
    rows = places.values_list("pk", "extraction_id", "sample_id", "sample__position", "position")
    drawn = {pk: (extraction, sample) for pk, extraction, sample, *place in rows if is_drawn(audit, *place)}
    if not drawn:
        return
    orders = orders_of({extraction for extraction, _ in drawn.values()})
    others = _other_orders(dict(drawn.values()), orders)
    labelled = Verdict.objects.filter(claim__in=drawn).exclude(label="").order_by("claim", "member")
    probes = []
    for claim, member in labelled.values_list("claim_id", "member_id"):
        key = (drawn[claim][0], member)
        kinds = {Probe.Kind.REPEAT: orders.get(key), Probe.Kind.REORDER: others.get(key)}
        for kind, order in kinds.items():
            if order:
                probes.append(Probe(audit=audit, claim_id=claim, member_id=member, kind=kind, context_order=order))
    Probe.objects.bulk_create(probes, ignore_conflicts=True)


def orders_of(extractions: Iterable[int]) -> Orders:
    """The order in which each judge saw the contexts; empty for a sample without any."""
    rows = Judging.objects.filter(extraction__in=extractions)
    return {
        (extraction, member): order
        for extraction, member, order in rows.values_list("extraction_id", "member_id", "context_order")
    }


def _other_orders(samples: dict[int, int], orders: Orders) -> Orders:
    """The opposite orders, where they show something else. samples: extraction -> sample."""
    extractions = {sample: extraction for extraction, sample in samples.items()}
    others = {}
    texts = Sample.objects.filter(pk__in=extractions).order_by().values_list("pk", "contexts")
    for sample, contexts in texts.iterator(chunk_size=SAMPLES):
        for key, order in orders.items():
            if key[0] == extractions[sample] and not _same_both_ways(contexts, order):
                others[key] = order[::-1]
    return others


def _same_both_ways(contexts: Sequence[str], order: Sequence[int]) -> bool:
    shown = [contexts[index] for index in order]
    return shown == shown[::-1]

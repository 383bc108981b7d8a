"""Planted claims: supported claims that are made false on purpose, to see whether the judges notice.

Which: `Audit.planted` of the claims that the whole panel called supported, chosen once all claims are decided. Their
order hangs on the audit's seed and on each claim's place alone, and each answer gives one claim before any gives a
second. A claim of which no rule can make a certainly false variant is passed over (see `text.planting`).

What is asked: every judge is asked about each variant as about a claim of that sample, in the order of contexts that
it saw before. Nothing in the question tells that it is planted. Variants are probes: no claim, no verdict, no
decision, and in no rate.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

from audits.labels import Decision
from audits.models import Audit, Claim, Probe
from audits.models.judging import PLANTED
from audits.pipeline.probing import orders_of
from audits.text.planting import Variants, variants

MOST_PLANTED = 1000  # claims of one audit
CHUNK = 20  # claims whose contexts are in memory at a time


def plant(audit: Audit) -> None:
    """Owe the variants of as many supported claims as were asked for. Done again, it changes nothing."""
    if not audit.planted or Probe.objects.filter(audit=audit, kind__in=PLANTED).exists():
        return
    chosen = dict(_plantable(audit))
    orders = orders_of({claim.extraction_id for claim in chosen})
    probes = []
    for claim, made in chosen.items():
        for kind, text in ((Probe.Kind.SPECIFIC, made.specific), (Probe.Kind.VAGUE, made.vague)):
            for member in audit.bench if text else ():
                order = orders.get((claim.extraction_id, member.pk))
                if order:
                    about: dict[str, Any] = {"audit": audit, "claim": claim, "member": member}
                    probes.append(Probe(**about, kind=kind, text=text, context_order=order))
    Probe.objects.bulk_create(probes, ignore_conflicts=True)


def _plantable(audit: Audit) -> Iterator[tuple[Claim, Variants]]:
    """The first claims in the order of the draw that have a variant, as many as were asked for."""
    left = audit.planted
    order = drawn_order(audit)
    for at in range(0, len(order), CHUNK):
        claims = Claim.objects.select_related("sample").in_bulk(order[at : at + CHUNK])
        for pk in order[at : at + CHUNK]:
            made = variants(claims[pk].text, claims[pk].sample.contexts)
            if made:
                yield claims[pk], made
                left -= 1
                if not left:
                    return


def drawn_order(audit: Audit) -> list[int]:
    """Claims that the panel agrees to call supported, in the order in which they are considered.

    By the first 8 bytes of SHA-256("plant SEED SAMPLE CLAIM"), sample and claim counted from 0; the first claim of
    every answer comes before the second of any.
    """
    rows = audit.claims.filter(decision=Decision.SUPPORTED).order_by()
    places = rows.values_list("pk", "sample__position", "position")
    drawn = sorted((_digest(audit, sample, claim), sample, pk) for pk, sample, claim in places.iterator())
    seen: Counter[int] = Counter()
    ranked = []
    for digest, sample, pk in drawn:
        ranked.append((seen[sample], digest, pk))
        seen[sample] += 1
    return [pk for *_, pk in sorted(ranked)]


def _digest(audit: Audit, sample: int, claim: int) -> bytes:
    return hashlib.sha256(f"plant {audit.seed} {sample} {claim}".encode()).digest()[:8]

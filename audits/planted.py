"""Planted claims one by one: what each judge said of them. They are in no decision, no rate and no coverage."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from audits.models import Audit, Probe
from audits.models.judging import PLANTED
from audits.stability import JudgeStability


@dataclass(frozen=True)
class Said:
    """One variant. probe: the first judge's, with its text and its claim; labels: each judge's, or None."""

    probe: Probe
    labels: tuple[Probe | None, ...]


def planted_variants(audit: Audit) -> QuerySet[Any]:
    """One probe for every variant, in the order of the claims, the specific one first; of the sample only its id."""
    rows = Probe.objects.filter(audit=audit, kind__in=PLANTED, member=audit.panel.first())
    fields = ("kind", "text", "claim__text", "claim__position", "claim__sample__external_id")
    places = ("claim__sample__position", "claim__position", "kind")
    return rows.select_related("claim__sample").only(*fields).order_by(*places)


def said_of(variants: Sequence[Probe], judges: Sequence[JudgeStability]) -> list[Said]:
    """What every judge said of these variants. One query."""
    probes: dict[tuple[int, str], dict[int, Probe]] = defaultdict(dict)
    rows = Probe.objects.filter(claim__in=[probe.claim_id for probe in variants], kind__in=PLANTED)
    for probe in rows.only("claim", "kind", "member", "status", "label", "unscored"):
        probes[probe.claim_id, probe.kind][probe.member_id] = probe
    members = [judge.member.pk for judge in judges]
    return [
        Said(probe, tuple(probes[probe.claim_id, probe.kind].get(member) for member in members)) for probe in variants
    ]

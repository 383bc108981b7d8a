"""How stable the judges of an audit are: what they said when they were asked again (see `pipeline.probing`).

Nothing of this is in a decision, a rate or the coverage.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery

from audits.labels import Label
from audits.models import Audit, PanelMember, Probe, Verdict
from audits.models.judging import AGAIN
from audits.pipeline.probing import is_drawn
from audits.stats.flips import Flips, flips

REPEAT, REORDER = Probe.Kind.REPEAT, Probe.Kind.REORDER
Pair = tuple[object, Label, Label | None]  # answer, first label, label when asked again


@dataclass(frozen=True)
class Change:
    """One label that became another: claims by what was varied."""

    first: Label
    second: Label
    repeat: int
    reorder: int


@dataclass(frozen=True)
class JudgeStability:
    """One judge. repeat: the same request again; reorder: the contexts in the opposite order.

    owed: probes not answered yet. unlabelled: claims that were drawn but to which it had given no label, so that it
    was not asked again.
    """

    member: PanelMember
    repeat: Flips
    reorder: Flips
    owed: int
    unlabelled: int

    @property
    def unscored(self) -> int:
        """Probes that got no label."""
        return self.repeat.unscored + self.reorder.unscored

    @property
    def changes(self) -> list[Change]:
        """All pairs that occur, the most frequent first."""
        repeat, reorder = self.repeat.changes, self.reorder.changes
        found = [Change(*pair, repeat.get(pair, 0), reorder.get(pair, 0)) for pair in {**repeat, **reorder}]
        return sorted(found, key=lambda change: (-change.repeat - change.reorder, change.first, change.second))


@dataclass(frozen=True)
class Stability:
    """percent: of the claims that were to be judged again. claims: decided ones; drawn: those with a probe.

    probes: questions asked again; owed: those that have no answer yet.
    """

    percent: int
    claims: int
    drawn: int
    probes: int
    owed: int
    judges: tuple[JudgeStability, ...]

    @property
    def done(self) -> int:
        """Probes that are answered."""
        return self.probes - self.owed


def stability(audit: Audit) -> Stability:
    """Read it in seven queries; of a claim only its place, never a text."""
    rows = Probe.objects.filter(audit=audit, kind__in=AGAIN).order_by()
    counts = rows.aggregate(
        probes=Count("pk"),
        owed=Count("pk", filter=Q(status=Probe.Status.OWED)),
        drawn=Count("claim", distinct=True),
    )
    owed = dict(rows.filter(status=Probe.Status.OWED).values_list("member").annotate(n=Count("pk")))
    pairs, unlabelled = _pairs(rows), _unlabelled(audit)
    confidence = float(audit.confidence)
    return Stability(
        percent=audit.probe_percent,
        claims=audit.claims.exclude(decision="").count(),
        judges=tuple(
            JudgeStability(
                member=member,
                repeat=flips(pairs[member.pk, REPEAT], confidence=confidence),
                reorder=flips(pairs[member.pk, REORDER], confidence=confidence),
                owed=owed.get(member.pk, 0),
                unlabelled=unlabelled[member.pk],
            )
            for member in audit.panel
        ),
        **counts,
    )


def _pairs(rows: QuerySet[Probe]) -> dict[tuple[int, str], list[Pair]]:
    """(member, kind) -> first and second label of each claim that was judged again."""
    pairs: dict[tuple[int, str], list[Pair]] = defaultdict(list)
    answered = with_first(rows.filter(status=Probe.Status.DONE))
    names = ("member_id", "kind", "claim__sample_id", "first", "label")
    for member, kind, sample, first, label in answered.values_list(*names).iterator():
        pairs[member, kind].append((sample, Label(first), Label(label) if label else None))
    return pairs


def with_first(probes: QuerySet[Probe]) -> QuerySet[Any]:
    """Probes with `first`, the label that counts."""
    verdict = Verdict.objects.filter(claim=OuterRef("claim"), member=OuterRef("member"))
    return probes.annotate(first=Subquery(verdict.values("label")[:1]))


def _unlabelled(audit: Audit) -> dict[int, int]:
    """Member -> drawn claims to which it gave no label."""
    counts: dict[int, int] = defaultdict(int)
    if audit.probe_percent:
        rows = Verdict.objects.filter(claim__audit=audit, label="").exclude(claim__decision="").order_by()
        for member, *place in rows.values_list("member_id", "claim__sample__position", "claim__position"):
            counts[member] += is_drawn(audit, *place)
    return counts


def flipped(audit: Audit) -> QuerySet[Any]:
    """Probes that got another label than the first, in the order of the claims; of the sample only its id."""
    probes = Probe.objects.filter(audit=audit, kind__in=AGAIN, status=Probe.Status.DONE)
    answered = with_first(probes.exclude(label=""))
    fields = ("kind", "label", "claim__text", "claim__position", "claim__sample__external_id")
    members = ("member__role", "member__position", "member__vendor", "member__model")
    return (
        answered.exclude(label=F("first"))
        .select_related("claim__sample", "member")
        .only(*fields, *members)
        .order_by("claim__sample__position", "claim__position", "member__position", "-kind")
    )


def flip_rates(audit: Audit) -> dict[str, Any] | None:
    """The same as plain data: judge -> kind -> rate and counts. None where no claim was to be judged again."""
    if not audit.probe_percent:
        return None
    found = stability(audit)
    return {row.member.name: {"repeat": _plain(row.repeat), "reorder": _plain(row.reorder)} for row in found.judges}


def _plain(found: Flips) -> dict[str, Any]:
    return {
        "rate": found.rate.value,
        "interval": [found.rate.low, found.rate.high],
        "n": found.n,
        "flips": found.flips,
        "unscored": found.unscored,
        "pairs": [[first.value, second.value, count] for (first, second), count in found.changes.items()],
    }

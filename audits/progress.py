"""How far an audit is, what it has cost so far and how long it still takes: read from the ledger, nothing is kept."""

import datetime
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, Q, Sum
from django.utils import timezone

from audits.judges.base import Fault
from audits.models import Audit, Call, Claim, Extraction, Judging, PanelMember, Probe, Verdict
from audits.models.judging import PLANTED
from audits.pipeline.returning import JUDGES

FAULTS = tuple(fault.value for fault in Fault)
RECENT = 100  # verdicts of each judge: the pace is read from these
FEWEST = 10  # verdicts of all judges together; the pace of fewer is that of warming up
STILL_MOVING = datetime.timedelta(minutes=3)  # older verdicts say nothing about the pace of now


@dataclass(frozen=True)
class MemberProgress:
    """One seat. Extractor: done and total are samples. Judge: verdicts; total is None while claims are still cut.

    calls: attempts at the vendor, failures among them included. cost: US dollars that are known so far;
    cost_known: False when some answered call has no price, so that `cost` is only a lower limit.
    wanted, limit_now: calls at a time as a person allows them, and as the vendor takes them now (None: no call yet);
    limit_reason: what holds calls up (see limits.LimitState); resumes_at: until when, None when that is over;
    of a stopped member: when it is tried again by itself.
    notes: parameters that the model refused.
    """

    name: str
    letter: str
    role: str
    done: int
    total: int | None
    unscored: int
    stopped_fault: str
    stopped_message: str
    calls: int
    failures: int
    cost: Decimal
    cost_known: bool
    wanted: int = 0
    limit_now: int | None = None
    limit_reason: str = ""
    resumes_at: datetime.datetime | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Progress:
    """The whole audit. cost: None as soon as a part of it is unknown (known_cost is then what is known of it).

    fraction: 0 to 1 of the work, in units of one member's work on one sample. probes: questions that are asked once
    more to see whether a judge stays with its label; planted: questions about claims that were made false. Both
    are in no fraction and no time.
    seconds_left: None when no pace can be seen (nothing called lately, not judging, no sample cut yet).
    """

    extracted: int
    extraction_failed: int
    samples: int
    claims: int
    members: tuple[MemberProgress, ...]
    cost: Decimal | None
    known_cost: Decimal
    failures: int
    seconds_left: float | None
    fraction: float
    running: bool
    probes: int = 0
    probes_done: int = 0
    planted: int = 0
    planted_done: int = 0

    @property
    def waiting(self) -> int:
        """Samples whose claims are not cut yet."""
        return self.samples - self.extracted - self.extraction_failed

    @property
    def stopped(self) -> tuple[MemberProgress, ...]:
        """Members that a person must mend, or that wait until their vendor can be asked again."""
        return tuple(member for member in self.members if member.stopped_fault)

    @property
    def resumes_at(self) -> datetime.datetime | None:
        """When the first stopped member is tried again by itself."""
        return min((member.resumes_at for member in self.stopped if member.resumes_at), default=None)


def progress(audit: Audit) -> Progress:
    """Read the state of an audit in a handful of aggregate queries, whatever its size."""
    members = list(audit.members.select_related("judge"))
    cuts = Extraction.objects.filter(audit=audit).aggregate(
        samples=Count("pk"),
        done=Count("pk", filter=Q(status=Extraction.Status.DONE)),
        failed=Count("pk", filter=Q(status=Extraction.Status.FAILED)),
    )
    claims = Claim.objects.filter(audit=audit).count()
    settled = cuts["done"] + cuts["failed"]
    rows = _members(members, settled=settled, samples=cuts["samples"], claims=claims, audit=audit)
    judges = sum(row.role == PanelMember.Role.JUDGE for row in rows)
    owed = Judging.objects.filter(audit=audit, status=Judging.Status.OWED).count()
    units, done = cuts["samples"] * (1 + judges), settled * (1 + judges) - owed
    known = sum((row.cost for row in rows), Decimal(0))
    probes, planted = _probes(audit)
    running = audit.status == Audit.Status.JUDGING
    return Progress(
        extracted=cuts["done"],
        extraction_failed=cuts["failed"],
        samples=cuts["samples"],
        claims=claims,
        members=tuple(rows),
        cost=known if all(row.cost_known for row in rows) else None,
        known_cost=known,
        failures=sum(row.failures for row in rows),
        seconds_left=_seconds_left(audit, rows, cuts["samples"] - settled, settled, claims) if running else None,
        fraction=done / units if units else 0.0,
        running=running,
        probes=probes.total(),
        probes_done=probes[Probe.Status.DONE],
        planted=planted.total(),
        planted_done=planted[Probe.Status.DONE],
    )


def _probes(audit: Audit) -> tuple[Counter[str], Counter[str]]:
    """Status -> claims asked about again, and planted ones; no query where none are asked for."""
    again: Counter[str] = Counter()
    planted: Counter[str] = Counter()
    if audit.has_probes:
        rows = Probe.objects.filter(audit=audit).order_by().values_list("kind", "status").annotate(n=Count("pk"))
        for kind, status, n in rows:
            (planted if kind in PLANTED else again)[status] += n
    return again, planted


def _members(
    members: list[PanelMember], *, settled: int, samples: int, claims: int, audit: Audit
) -> list[MemberProgress]:
    spoken = Verdict.objects.filter(claim__audit=audit).order_by()
    verdicts = Counter(dict(spoken.values_list("member").annotate(n=Count("pk"))))
    unscored = Counter(dict(spoken.filter(label="").values_list("member").annotate(n=Count("pk"))))
    ledger = _ledger(audit)
    waits = audit.status == Audit.Status.JUDGING or audit.stopped_by == JUDGES
    returns = waits and not audit.headless  # else a person must resume it
    rows = []
    for member in members:
        judge, ledger_row = member.role == PanelMember.Role.JUDGE, ledger.get(member.pk, _LedgerRow())
        rows.append(
            MemberProgress(
                name=member.name,
                letter=member.letter,
                role=member.role,
                done=verdicts[member.pk] if judge else settled,
                total=samples if not judge else claims if settled == samples else None,
                unscored=unscored[member.pk],
                stopped_fault=member.stopped_fault,
                stopped_message=member.stopped_message,
                calls=ledger_row.calls,
                failures=ledger_row.failures,
                cost=ledger_row.cost,
                cost_known=not ledger_row.unpriced,
                wanted=member.judge.concurrency,
                limit_now=member.limit_now,
                limit_reason=member.limit_reason,
                resumes_at=_still_to_come(member, returns),
                notes=tuple(member.notes),
            )
        )
    return rows


def _still_to_come(member: PanelMember, returns: bool) -> datetime.datetime | None:
    """Until when a member waits. returns: whether one that is stopped is tried again by itself."""
    waits = member.resumes_at is not None and member.resumes_at > timezone.now()
    return member.resumes_at if waits and (returns or not member.stopped_fault) else None


@dataclass(frozen=True)
class _LedgerRow:
    calls: int = 0
    failures: int = 0
    cost: Decimal = Decimal(0)
    unpriced: int = 0  # answered calls whose price is unknown


def _ledger(audit: Audit) -> dict[int, _LedgerRow]:
    """Calls, failures and known cost by member."""
    rows = (
        Call.objects.filter(audit=audit)
        .order_by()
        .values_list("member")
        .annotate(
            calls=Count("pk"),
            failures=Count("pk", filter=Q(outcome__in=FAULTS)),
            spent=Sum("cost"),
            # A call that failed before an answer is not billed; one that was answered has a price, known or not.
            unpriced=Count("pk", filter=Q(cost__isnull=True) & ~Q(outcome__in=FAULTS)),
        )
    )
    return {
        member: _LedgerRow(calls, failures, spent or Decimal(0), unpriced)
        for member, calls, failures, spent, unpriced in rows
    }


def _seconds_left(audit: Audit, rows: list[MemberProgress], waiting: int, settled: int, claims: int) -> float | None:
    """Verdicts still to come, over the pace at which they came lately, reused answers included."""
    if not settled:
        return None
    expected = claims + waiting * claims / settled
    owed = sum(max(0.0, expected - row.done) for row in rows if row.role == PanelMember.Role.JUDGE)
    pace = _pace(audit)
    return owed / pace if pace else None


def _pace(audit: Audit) -> float | None:
    """Verdicts per second, from the newest of each judge; None when too few came lately."""
    now, pace, seen = timezone.now(), 0.0, 0
    for member in audit.panel:
        # Per judge, because that is how verdicts are indexed.
        times = list(Verdict.objects.filter(member=member).order_by("-pk").values_list("created", flat=True)[:RECENT])
        times = [time for time in times if now - time < STILL_MOVING]
        seen += len(times)
        if times and (seconds := (now - times[-1]).total_seconds()) > 0:
            pace += len(times) / seconds
    return pace or None if seen >= FEWEST else None

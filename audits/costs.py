"""What an audit or a project has cost: read from the ledger in a few aggregate queries, whatever its size."""

from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Case, Count, F, IntegerField, Q, QuerySet, Sum, Value, When

from audits.ledger_sums import Sums, grouped
from audits.models import Audit, Call, Extraction, PanelMember, Project, Verdict
from audits.pipeline.budgeting import held
from audits.progress import FAULTS

NEWEST = 2000  # answered calls of one judge and purpose, whose latencies are looked at
PURPOSES = ("extract", "verify", "probe", "control")


@dataclass(frozen=True)
class Latency:
    """Milliseconds of answered calls. p95 is that of the newest NEWEST ones."""

    mean: float | None
    p95: int | None


@dataclass(frozen=True)
class Line:
    """One judge for one purpose."""

    purpose: str  # one of PURPOSES
    sums: Sums
    latency: Latency


@dataclass(frozen=True)
class Answering:
    """Who answered under a name. kind: same | dated (the name with a version behind it) | other."""

    asked: str
    answered: str
    calls: int
    kind: str


@dataclass(frozen=True)
class Expected:
    """The estimate of one seat, as it was made at the start."""

    calls: int
    tokens_in: int
    tokens_out: int
    cost: Decimal | None
    learned: int  # calls of the model by which it was corrected


@dataclass(frozen=True)
class Bill:
    """One seat of the panel."""

    member: PanelMember
    lines: tuple[Line, ...]
    total: Sums
    models: tuple[Answering, ...]
    expected: Expected | None

    @property
    def ratio(self) -> float | None:
        """The bill over the estimate; None where one of them is unknown or the estimate is 0."""
        if self.expected is None or not self.expected.cost or self.total.exact is None:
            return None
        return float(self.total.exact / self.expected.cost)

    @property
    def surprising(self) -> bool:
        """Whether a model of another name answered, or more than one did."""
        return any(row.kind == "other" for row in self.models) or len({row.answered for row in self.models}) > 1


@dataclass(frozen=True)
class Reused:
    """Questions that were answered by calls paid for before. unpriced: those whose price was unknown."""

    answers: int
    saved: Decimal
    unpriced: int


@dataclass(frozen=True)
class Budget:
    """US dollars. held: for calls in flight and open batches, each with the most that it can cost."""

    limit: Decimal
    spent: Decimal
    held: Decimal

    @property
    def left(self) -> Decimal:
        """What further calls may take."""
        return max(Decimal(0), self.limit - self.spent - self.held)

    @property
    def share(self) -> str:
        """Percent of the limit that is spent, 100 at most, whatever a vendor billed beyond the limit."""
        return f"{min(100, 100 * self.spent / self.limit):.2f}"

    @property
    def reach(self) -> str:
        """Percent of the limit that is spent or held, 100 at most."""
        return f"{min(100, 100 * (self.spent + self.held) / self.limit):.2f}"


def budget_of(audit: Audit) -> Budget | None:
    """How the budget stands; None for an audit without one."""
    return None if audit.budget is None else Budget(audit.budget, audit.spent, held(audit))


@dataclass(frozen=True)
class AuditCosts:
    """The whole audit."""

    bills: tuple[Bill, ...]
    total: Sums
    expected: Decimal | None
    reused: Reused

    @property
    def ratio(self) -> float | None:
        """The bill over the estimate."""
        if not self.expected or self.total.exact is None:
            return None
        return float(self.total.exact / self.expected)


def audit_costs(audit: Audit) -> AuditCosts:
    """The bill of an audit, judge by judge and purpose by purpose, beside its estimate."""
    by_line: dict[tuple[int, str], Sums] = defaultdict(Sums)
    by_member: dict[int, Sums] = defaultdict(Sums)
    times: dict[tuple[int, str], int] = defaultdict(int)
    named: dict[int, dict[tuple[str, str], int]] = defaultdict(lambda: defaultdict(int))
    total = Sums()
    for row in grouped(Call.objects.filter(audit=audit), "member", "purpose", "model_asked", "model_answered"):
        key = (row["member"], row["purpose"])
        for sums in (by_line[key], by_member[row["member"]], total):
            sums.add(row)
        if row["outcome"] not in FAULTS:
            times[key] += row["time"] or 0
            if row["model_answered"]:
                named[row["member"]][row["model_asked"], row["model_answered"]] += row["calls"]
    bills = []
    for member in audit.members.all():
        lines = [
            Line(purpose, sums, _latency(member, purpose, sums.answered, times[seat, purpose]))
            for (seat, purpose), sums in sorted(by_line.items(), key=lambda item: PURPOSES.index(item[0][1]))
            if seat == member.pk
        ]
        models = tuple(_answering(member, *names, calls) for names, calls in sorted(named[member.pk].items()))
        bills.append(Bill(member, tuple(lines), by_member[member.pk], models, _expected(audit, member)))
    return AuditCosts(tuple(bills), total, audit.expected_cost, reused(audit))


def _latency(member: PanelMember, purpose: str, answered: int, time: int) -> Latency:
    calls = Call.objects.filter(audit=member.audit_id, member=member, purpose=purpose).exclude(outcome__in=FAULTS)
    newest = sorted(calls.order_by("-pk").values_list("latency_ms", flat=True)[:NEWEST])
    p95 = newest[-(-len(newest) * 95 // 100) - 1] if newest else None  # the nearest-rank 95th percentile
    return Latency(time / answered if answered else None, p95)


def _answering(member: PanelMember, asked: str, answered: str, calls: int) -> Answering:
    asked = asked or member.model
    short = answered.rsplit("/", 1)[-1].lower()  # gateways put a maker before the name
    wanted = asked.rsplit("/", 1)[-1].lower()
    kind = "same" if short == wanted else "dated" if short.startswith(f"{wanted}-") else "other"
    return Answering(asked, answered, calls, kind)


def _expected(audit: Audit, member: PanelMember) -> Expected | None:
    for row in audit.expected:
        if (row["role"], row["position"]) == (member.role, member.position):
            cost = None if row["cost"] is None else Decimal(row["cost"])
            return Expected(row["calls"], row["tokens_in"], row["tokens_out"], cost, row["learned"])
    return None


def reused(audit: Audit) -> Reused:
    """Questions of this audit that no call of their own answered: one of another audit did, or of a like sample."""
    verdicts = Verdict.objects.filter(claim__audit=audit)
    cuts = Extraction.objects.filter(audit=audit)
    return _added(_found_again(verdicts, audit, "claim__extraction"), _found_again(cuts, audit, "pk"))


def _found_again(rows: "QuerySet[Any]", audit: Audit, question: str) -> Reused:
    """rows: what calls answered. question: what one call is made for; the first one in this audit was paid for."""
    own = Case(When(call__audit=audit, then=Value(1)), default=Value(0), output_field=IntegerField())
    calls = (
        rows.filter(call__isnull=False)
        .order_by()
        .annotate(own=own)
        .values("call", "own", "call__cost")
        .annotate(again=Count(question, distinct=True) - F("own"))
    )
    found = calls.filter(again__gt=0).aggregate(
        answers=Sum("again"),
        saved=Sum(F("again") * F("call__cost")),
        unpriced=Sum("again", filter=Q(call__cost__isnull=True)),
    )
    return Reused(found["answers"] or 0, Decimal(found["saved"] or 0), found["unpriced"] or 0)


def _added(one: Reused, other: Reused) -> Reused:
    return Reused(one.answers + other.answers, one.saved + other.saved, one.unpriced + other.unpriced)


@dataclass(frozen=True)
class AuditRow:
    """One audit of a project with the sums of each seat."""

    audit: Audit
    members: tuple[tuple[PanelMember, Sums], ...]
    total: Sums


@dataclass(frozen=True)
class ProjectCosts:
    """judges: name -> sums over all audits, the dearest first."""

    audits: tuple[AuditRow, ...]
    judges: tuple[tuple[str, Sums], ...]
    total: Sums


def project_costs(project: Project) -> ProjectCosts:
    """What each audit and each judge of a project has cost, newest audit first."""
    by_member: dict[int, Sums] = defaultdict(Sums)
    for row in grouped(Call.objects.filter(audit__project=project), "member"):
        by_member[row["member"]].add(row)
    total, judges = Sums(), defaultdict[str, Sums](Sums)
    rows = []
    for audit in project.audits.prefetch_related("members"):
        members = [(member, by_member[member.pk]) for member in audit.members.all()]
        whole = Sums()
        for member, sums in members:
            for target in (whole, judges[member.name], total):
                target.merge(sums)
        rows.append(AuditRow(audit, tuple(members), whole))
    dearest = sorted(judges.items(), key=lambda item: (-item[1].cost, item[0]))
    return ProjectCosts(tuple(rows), tuple(dearest), total)

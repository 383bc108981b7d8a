"""How well each judge of a project finds hallucination, audit after audit."""

import datetime
from collections import defaultdict
from dataclasses import dataclass

from audits.models import Audit, PanelMember, Project
from audits.stats.detection import Detection
from audits.stats.estimate import Estimate
from audits.stats.expert_agreement import ReviewedClaim, judge_expert
from review.agreement import Material
from review.agreement.slices import Slices, finding, slices
from review.models import ReviewItem, Slot

MOST_AUDITS = 12


@dataclass(frozen=True)
class InAudit:
    """One judge in one audit. agreement: with the experts, weighted. at: when the judges were done."""

    audit: Audit
    judge: PanelMember
    at: datetime.datetime
    agreement: Estimate
    detection: Detection


@dataclass(frozen=True)
class JudgeReport:
    """One model of one vendor, in the audits that it judged and experts reviewed, the oldest first."""

    vendor: str
    model: str
    audits: tuple[InAudit, ...]

    @property
    def key(self) -> int:
        """What an address calls it: its newest seat."""
        return self.audits[-1].judge.pk


def reviewed_audits(project: Project) -> list[Audit]:
    """The newest audits that experts labelled to the end, at most MOST_AUDITS, the oldest first.

    Of the others nothing is told: how a judge does against the experts tells the corrected rate while it grows, and
    the disputes that are settled first are no fair part of all.
    """
    waiting = Slot.objects.open().exclude(item__kind=ReviewItem.Kind.GOLD).values("item__plan__audit")
    rows = project.audits.filter(review_plan__items__adjudications__isnull=False).exclude(pk__in=waiting)
    rows = rows.distinct().order_by("-pk")
    return list(rows[:MOST_AUDITS])[::-1]


def judge_reports(project: Project) -> list[JudgeReport]:
    """Every model that judged one of these audits, by name. A handful of queries per audit."""
    found: dict[tuple[str, str], list[InAudit]] = defaultdict(list)
    for audit in reviewed_audits(project):
        read = Material(audit, reviewed=True)
        for judge in read.panel:
            found[judge.vendor, judge.model].append(_in_audit(judge, read))
    return [JudgeReport(vendor, model, tuple(rows)) for (vendor, model), rows in sorted(found.items())]


def _in_audit(judge: PanelMember, read: Material) -> InAudit:
    rows = [ReviewedClaim(one.stratum, read.said(judge, one.claim), one.label) for one in read.settled]
    return InAudit(
        audit=read.audit,
        judge=judge,
        at=read.audit.judged_at or read.audit.created,
        agreement=judge_expert(rows, read.sizes, confidence=read.confidence).percent,
        detection=finding(judge, read).detection,
    )


def parts_of(report: JudgeReport) -> list[tuple[InAudit, Slices]]:
    """The same by language, tag and length, for this judge alone."""
    return [(one, slices(Material(one.audit, reviewed=True), [one.judge])) for one in report.audits]

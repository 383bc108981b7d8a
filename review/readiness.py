"""What stands between an audit and its certificate, as a list a manager can work off."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from audits.models import Audit, Extraction, Verdict
from audits.stats.acceptance import Acceptance, decide
from audits.stats.audited import AuditedEstimate
from audits.stats.rates import JudgedRate, outcome_rate
from review.checks import BLOCKS, DONE, NOTE, OPEN, Check, page_of
from review.counted import blocking_codes
from review.looks import taken
from review.models import Adjudication, Recut, ReviewItem, ReviewPlan, Skip, Slot
from review.outcomes import Outcome, audited, outcomes
from review.spotcheck import is_drawn_from, is_stale
from review.throughput import pace, time_left
from review.undecided import blocking_checks, given_up_note, rule_changed, undecided_check

TIMED = 5_000  # of the newest labels, whose times make the pace


@dataclass(frozen=True)
class Readiness:
    """issuable: nothing is open. acceptance: what a certificate would say; None before that, so that nobody peeks:
    not at the first look, nor at a later one while it is under way.

    blocking: codes from outside the estimate that turn the decision into INSUFFICIENT.
    """

    checks: tuple[Check, ...]
    issuable: bool
    blocking: tuple[str, ...]
    estimate: AuditedEstimate
    outcome: JudgedRate
    acceptance: Acceptance | None


@dataclass(frozen=True)
class _Progress:
    done: int
    total: int


def readiness(audit: Audit, found: Sequence[Outcome] | None = None) -> Readiness:
    """Read the state of the audit. found: its outcomes, if the caller has them already."""
    found = outcomes(audit) if found is None else found
    confidence = float(audit.confidence)
    estimate = audited(found, confidence)
    plan = ReviewPlan.objects.filter(audit=audit).select_related("audit").first()
    failed = Extraction.objects.filter(audit=audit, status=Extraction.Status.FAILED).count()
    stale = plan is not None and _is_stale(plan, found)
    checks = [*_judging(audit, failed), *_reviewing(audit, plan, stale)]
    if audit.status == Audit.Status.REVIEWING and not audit.calibration:
        checks += blocking_checks(audit, plan, estimate)
    checks += [*_notes(audit), *given_up_note(audit, [one for one in found if one.given_up])]
    blocking = _blocking(audit, plan, failed, stale)
    issuable = not any(check.state == OPEN for check in checks)
    acceptance = None
    if issuable and plan is not None:
        acceptance = decide(
            estimate, float(audit.threshold), confidence, audit.scope, blocking, looks=max(audit.looks, taken(plan))
        )
        checks += filter(None, [undecided_check(audit, plan, estimate, acceptance)])
    return Readiness(tuple(checks), issuable, blocking, estimate, _outcome_rate(audit, found), acceptance)


def _is_stale(plan: ReviewPlan, found: Sequence[Outcome]) -> bool:
    """Whether anything was judged after the draw, or a claim came, went or changed its stratum by whatever way."""
    if plan.audit.status != Audit.Status.REVIEWING:
        return is_stale(plan)
    strata: dict[str, list[int]] = defaultdict(list)
    for one in found:
        strata[one.stratum].append(one.claim)
    return is_stale(plan) or not is_drawn_from(plan, strata)


def unscored_claims(audit: Audit) -> int:
    """Claims for which at least one judge gave no usable label."""
    return Verdict.objects.filter(claim__audit=audit, label="").values("claim").distinct().count()


def _outcome_rate(audit: Audit, found: Sequence[Outcome]) -> JudgedRate:
    from audits.labels import Decision

    rows = [(one.sample, Decision(str(one.label or Decision.DISPUTED))) for one in found]
    return outcome_rate(rows, unscored=unscored_claims(audit), confidence=float(audit.confidence))


def _blocking(audit: Audit, plan: ReviewPlan | None, failed: int, stale: bool) -> tuple[str, ...]:
    return blocking_codes(failed=failed, stale=stale, rule_changed=rule_changed(audit, plan))


def _judging(audit: Audit, failed: int) -> list[Check]:
    page = page_of("audit", audit)
    if audit.calibration:
        text = _(
            "This is a calibration: it holds the judges against labels that people gave before. It says nothing of a "
            "system, so there is nothing to certify."
        )
        return [Check("calibration", OPEN, text, page_of("calibration", audit), _("See the calibration"))]
    if audit.status == Audit.Status.CANCELLED:
        return [Check("cancelled", OPEN, _("The audit was cancelled. It cannot be certified."), page)]
    if audit.status != Audit.Status.REVIEWING:
        return [Check("judging", OPEN, _("The judges are not done yet."), page, _("Watch the judges"))]
    checks = [Check("judged", DONE, _("Every claim has been judged by the whole panel."))]
    if failed:
        text = ngettext(
            "Claims could not be extracted from %(n)s answer. Its claims are in no number, so the decision will be "
            "INSUFFICIENT EVIDENCE. Try it again before the experts begin.",
            "Claims could not be extracted from %(n)s answers. Their claims are in no number, so the decision will "
            "be INSUFFICIENT EVIDENCE. Try them again before the experts begin.",
            failed,
        )
        checks.append(Check("extraction_failed", BLOCKS, text % {"n": failed}, page, _("See the failed answers")))
    return checks


def _reviewing(audit: Audit, plan: ReviewPlan | None, stale: bool) -> list[Check]:
    if audit.calibration:
        return []
    if plan is None:
        return [Check("not_drawn", OPEN, _("The spot check has not been drawn yet. This happens by itself."))]
    if stale:
        text = _("Claims were judged after the spot check was drawn and labelled. Start a new audit of this dataset.")
        return [Check("strata_changed", OPEN, text, page_of("audit", audit), _("Open the audit"))]
    url = page_of("project_review", audit, with_pk=False)
    disputes = _progress(plan, ReviewItem.Kind.DISPUTE)
    checked = _progress(plan, ReviewItem.Kind.SPOT_CHECK)
    checks = [
        _counted("disputes", disputes, _("Labels of experts on disputed claims: %(done)s of %(total)s."), url),
        _counted(
            "spot_check", checked, _("Labels of experts on agreed claims, spot check: %(done)s of %(total)s."), url
        ),
    ]
    if not disputes.total:
        checks[0] = Check("disputes", DONE, _("The judges differed on no claim."))
    if not checked.total:
        checks[1] = Check("spot_check", NOTE, _("No spot check was drawn."))
    missing = disputes.total - disputes.done + checked.total - checked.done
    return [*checks, *_time(audit, missing), *_looks(audit, plan)]


def _time(audit: Audit, missing: int) -> list[Check]:
    """How long experts need for what is missing; nothing while too few labels were timed."""
    rows = Adjudication.objects.counting().filter(item__plan__audit=audit).order_by("-pk") if missing else None
    left = time_left(missing, pace(rows.values_list("active_ms", flat=True)[:TIMED]), 1) if rows is not None else None
    if left is None or left.seconds is None:
        return []
    text = ngettext(
        "%(n)s label is missing: %(minutes)s min of expert time at the present pace.",
        "%(n)s labels are missing: %(minutes)s min of expert time at the present pace.",
        missing,
    )
    return [Check("time", NOTE, text % {"n": missing, "minutes": max(1, round(left.seconds / 60))})]


def _looks(audit: Audit, plan: ReviewPlan) -> list[Check]:
    if audit.looks < 2:
        return []
    text = _("Look %(look)s of %(looks)s at the spot check. Figures are shown when a look is complete.")
    numbers = {"look": taken(plan), "looks": audit.looks}
    return [Check("look", NOTE, text % numbers, page_of("review_looks", audit), _("Looks"))]


def _progress(plan: ReviewPlan, kind: str) -> _Progress:
    """Labels that are in, of those that are needed now: of second experts, of arbiters, of parts of a claim too."""
    slots = Slot.objects.needed().filter(item__plan=plan, item__kind=kind)
    found = slots.aggregate(total=Count("pk"), done=Count("pk", filter=Q(state=Slot.State.DONE)))
    return _Progress(**found)


def _counted(code: str, progress: _Progress, text: str, url: str) -> Check:
    state = DONE if progress.done >= progress.total else OPEN
    numbers = {"done": progress.done, "total": progress.total}
    return Check(code, state, text % numbers, url if state == OPEN else "", _("Open the review"))


def _notes(audit: Audit) -> list[Check]:
    notes = []
    if count := unscored_claims(audit):
        text = ngettext(
            "For %(n)s claim a judge gave no usable label. Experts decide it.",
            "For %(n)s claims a judge gave no usable label. Experts decide them.",
            count,
        )
        notes.append(Check("unscored", NOTE, text % {"n": count}))
    notes += _passed_over(audit)
    changed = Adjudication.objects.counting().filter(
        item__plan__audit=audit, item__replaced_at__isnull=True, blind=False
    )
    if count := changed.count():
        text = ngettext(
            "%(n)s label was changed after its expert had seen the judges' verdicts.",
            "%(n)s labels were changed after their expert had seen the judges' verdicts.",
            count,
        )
        notes.append(Check("changed", NOTE, text % {"n": count}, page_of("agreement", audit)))
    if audit.override_reason:
        text = _("A judge of the generator's family was allowed; the certificate prints the reason: %(reason)s")
        notes.append(Check("override", NOTE, text % {"reason": audit.override_reason}))
    if audit.is_specimen:
        text = _("A judge without a vendor sat on the panel. The certificate will be a SPECIMEN.")
        notes.append(Check("specimen", NOTE, text))
    return notes


def _passed_over(audit: Audit) -> list[Check]:
    """What experts said of claims instead of a label, and what came of it."""
    notes = []
    waiting = Slot.objects.open().filter(item__plan__audit=audit).exclude(item__kind=ReviewItem.Kind.GOLD)
    if count := Skip.objects.filter(item__in=waiting.values("item")).values("item").distinct().count():
        text = ngettext(
            "%(n)s open claim was skipped by an expert.", "%(n)s open claims were skipped by an expert.", count
        )
        looks = page_of("review_looks", audit)
        notes.append(Check("skipped", NOTE, text % {"n": count}, looks, _("Close what no expert can decide")))
    proposed = Recut.objects.filter(item__plan__audit=audit, state=Recut.State.PROPOSED)
    if count := proposed.values("item").distinct().count():
        text = ngettext(
            "For %(n)s claim an expert proposes another cut. Nobody has decided on it.",
            "For %(n)s claims experts propose another cut. Nobody has decided on it.",
            count,
        )
        notes.append(Check("recuts_proposed", NOTE, text % {"n": count}, page_of("review_manage", audit, False)))
    if count := ReviewItem.objects.filter(plan__audit=audit, replaced_at__isnull=False).count():
        text = ngettext(
            "%(n)s claim was cut anew. It counts once, as the worst of its parts.",
            "%(n)s claims were cut anew. Each counts once, as the worst of its parts.",
            count,
        )
        notes.append(Check("recut", NOTE, text % {"n": count}))
    third = Slot.objects.needed().filter(item__plan__audit=audit, arbitrates=True, state=Slot.State.DONE)
    if count := third.count():
        text = ngettext(
            "On %(n)s claim two experts differed, and a third decided.",
            "On %(n)s claims two experts differed, and a third decided.",
            count,
        )
        notes.append(Check("arbitrated", NOTE, text % {"n": count}, page_of("agreement", audit)))
    return notes

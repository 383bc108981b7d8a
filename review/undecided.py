"""What keeps a settled audit from a decision, and the quickest way out of it."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from audits.models import Audit
from audits.stats.acceptance import Acceptance
from audits.stats.audited import SUPPORTED_STRATA, AuditedEstimate
from audits.stats.estimate import MIN_ANSWERS
from audits.stats.more import More, more_needed
from review.checks import BLOCKS, NOTE, Check, page_of
from review.counted import is_rule_changed
from review.looks import drawn, looks_left, taken
from review.models import ReviewPlan


def rule_changed(audit: Audit, plan: ReviewPlan | None) -> bool:
    """Whether the rule that is applied is not the one that stood when the first label was given."""
    return is_rule_changed(audit.rule_changed_at is not None, 0 if plan is None else taken(plan), audit.looks)


def blocking_checks(audit: Audit, plan: ReviewPlan | None, estimate: AuditedEstimate) -> list[Check]:
    """What no expert can mend by a label: with any of them the decision is INSUFFICIENT whatever the limits are."""
    checks = []
    if not estimate.claims:
        text = _("No claim was found in the answers, so there is no rate.")
        checks.append(Check("no_claims", BLOCKS, text, page_of("audit_extraction", audit), _("See the extraction")))
    elif audit.scope == Audit.Scope.TRAFFIC and estimate.answers < MIN_ANSWERS:
        checks.append(_few_answers(audit, estimate.answers))
    if rule_changed(audit, plan):
        text = _(
            "Threshold, scope, confidence or looks were changed after the first label of an expert. The rule must be "
            "set before anybody can know what it will say, so this audit cannot pass or fail any more."
        )
        checks.append(Check("rule_changed", BLOCKS, text, _new(audit), _("Start a new audit")))
    if plan is not None and _supported_unseen(plan, estimate):
        checks.append(_unseen(audit, plan))
    return checks


def _few_answers(audit: Audit, answers: int) -> Check:
    more = MIN_ANSWERS - answers
    text = ngettext(
        "%(answers)s answer has claims; a statement about the traffic needs %(least)s.",
        "%(answers)s answers have claims; a statement about the traffic needs %(least)s.",
        answers,
    ) % {"answers": answers, "least": MIN_ANSWERS}
    text += " " + ngettext(
        "%(n)s more is needed, in a new audit; or a new audit whose rule speaks of these answers only.",
        "%(n)s more are needed, in a new audit; or a new audit whose rule speaks of these answers only.",
        more,
    ) % {"n": more}
    return Check("few_answers", BLOCKS, text, _new(audit), _("Start a new audit"))


def _supported_unseen(plan: ReviewPlan, estimate: AuditedEstimate) -> bool:
    """Whether a stratum that the judges call supported stands without a single claim of it being checked, though
    nothing of it is open."""
    seen = drawn(plan)
    return any(
        s.name in SUPPORTED_STRATA and s.claims and (not seen.get(s.name) or (s.given_up and not s.checked + s.owed))
        for s in estimate.strata
    )


def _unseen(audit: Audit, plan: ReviewPlan) -> Check:
    text = _(
        "Experts check no claim of those that the judges call supported. The judges' agreement is not the truth, so "
        "nothing can be certified as PASS."
    )
    if looks_left(plan):
        return Check(
            "supported_not_checked", BLOCKS, text, page_of("review_looks", audit), _("Extend the spot check")
        )
    return Check("supported_not_checked", BLOCKS, text, _new(audit), _("Start a new audit with a spot check"))


def undecided_check(audit: Audit, plan: ReviewPlan, estimate: AuditedEstimate, found: Acceptance) -> Check | None:
    """What would decide when the threshold lies between the limits; None when that is not what is missing."""
    if "threshold_inside_limits" not in found.reasons:
        return None
    more = more_for(audit, estimate)
    text = _("The threshold lies between the limits: it may be kept, or not.") + " "
    if more.claims is None:
        text += _(
            "At the present rate not even a spot check of all claims would decide: the rate is too near the "
            "threshold for so few answers. More answers are needed, in a new audit."
        )
        return Check("threshold_inside_limits", BLOCKS, text, _new(audit), _("Start a new audit"))
    text += ngettext(
        "About %(n)s more spot-checked claim would decide at the present rate (%(left)s left).",
        "About %(n)s more spot-checked claims would decide at the present rate (%(left)s left).",
        more.claims,
    ) % {"n": more.claims, "left": more.left}
    if looks_left(plan):
        action = _("Extend the spot check, look %(look)s of %(looks)s") % {
            "look": taken(plan) + 1,
            "looks": audit.looks,
        }
        return Check("threshold_inside_limits", BLOCKS, text, page_of("review_looks", audit), action)
    text += " " + _("No further look was registered, so it takes a new audit with a larger spot check.")
    return Check("threshold_inside_limits", BLOCKS, text, _new(audit), _("Start a new audit"))


def more_for(audit: Audit, estimate: AuditedEstimate) -> More:
    """About how many more spot-checked claims would decide under the rule of this audit."""
    return more_needed(
        estimate.strata,
        answers=estimate.answers,
        deff=estimate.deff,
        threshold=float(audit.threshold),
        scope=audit.scope,
        confidence=float(audit.confidence),
        looks=audit.looks,
    )


def given_up_note(audit: Audit, given_up: Sequence[object]) -> list[Check]:
    """How many claims a manager closed, and what that does; nothing where there is none."""
    if not given_up:
        return []
    text = ngettext(
        "%(n)s claim was given up: no expert could decide it. It counts as hallucinated in the upper limit and as "
        "supported in the lower one.",
        "%(n)s claims were given up: no expert could decide them. They count as hallucinated in the upper limit and "
        "as supported in the lower one.",
        len(given_up),
    ) % {"n": len(given_up)}
    return [Check("given_up", NOTE, text, page_of("review_looks", audit), _("See which and why"))]


def _new(audit: Audit) -> str:
    return page_of("audit_new", audit, with_pk=False)

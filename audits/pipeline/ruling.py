"""Changing the acceptance rule of an audit that runs already: recorded, and after the first label at a price."""

from decimal import Decimal
from typing import Any

from django.db import transaction
from django.dispatch import Signal
from django.utils import timezone

from audits.models import Audit, Event
from audits.pipeline.returning import locked
from audits.planning import MOST_LOOKS, Density, Outlook, Rule, density_of, outlook
from audits.text.reasons import reason_in

# Sent with `audit`, whose row is locked, before a rule is changed. What rests on the rule refuses by a RuleError.
rule_changing = Signal()


class RuleError(Exception):
    """The rule stays. code: "cancelled", "certified", "no_reason", "labelled" (a first label has come meanwhile)."""

    def __init__(self, code: str) -> None:
        super().__init__(f"the acceptance rule cannot be changed: {code}")
        self.code = code


def check_rule(rule: Rule) -> None:
    """ValueError for a value outside its limits."""
    in_order = Decimal(0) < rule.threshold < 1 and Decimal(0) < rule.confidence < 1 and 0 <= rule.expected < 1
    if not in_order or rule.scope not in Audit.Scope.values or not 1 <= rule.looks <= MOST_LOOKS:
        raise ValueError(f"no acceptance rule: {rule.stored()}")


def change_rule(audit: Audit, user: Any, rule: Rule, reason: str, *, knows_labelled: bool) -> bool:
    """Set another rule and record both with the reason; True if anything changed. Raises RuleError, ValueError.

    Before the first expert label the plan is made anew for the new rule, with what the old one knew of the answers
    and with the spot check that was chosen. After it the plan stays and the audit is marked for good: it cannot pass.
    knows_labelled: whether the person was told so; else a label that came meanwhile refuses the change.
    """
    check_rule(rule)
    reason = reason_in(reason)
    if not reason:
        raise RuleError("no_reason")
    with transaction.atomic():
        now = locked(audit)
        if now.status == Audit.Status.CANCELLED:
            raise RuleError("cancelled")
        rule_changing.send(sender=Audit, audit=now)
        labelled = now.labelled_at is not None
        if labelled and not knows_labelled:
            raise RuleError("labelled")
        before, after = Rule.of(now).stored(), rule.stored()
        if before == after:
            return False
        changed: dict[str, Any] = {
            "threshold": rule.threshold, "scope": rule.scope, "confidence": rule.confidence, "looks": rule.looks,
            "expected_rate": rule.expected,
        }  # fmt: skip
        changed |= {"rule_changed_at": now.rule_changed_at or timezone.now()} if labelled else _planned(now, rule)
        Audit.objects.filter(pk=now.pk).update(**changed)
        said = {"plan": changed["plan"]} if "plan" in changed else {}
        Event.record(
            "rule_changed", project=audit.project, audit=audit, actor=user, rows=[audit],
            before=before, after=after, reason=reason, labelled=labelled, **said,
        )  # fmt: skip
    audit.refresh_from_db()
    return True


def _planned(audit: Audit, rule: Rule) -> dict[str, Any]:
    """The plan under another rule; a calibration has none."""
    if audit.calibration:
        return {}
    old = Outlook.from_stored(audit.plan)
    answers = old.answers if old else audit.dataset.samples.count()
    if not answers:
        return {}
    density = Density(old.claims_per_answer, old.claims_from) if old else density_of(
        audit.project, audit.dataset, answers
    )  # fmt: skip
    made = outlook(
        rule,
        answers=answers,
        density=density,
        spot_check=audit.spot_check_size,
        double_percent=audit.double_percent,
    )
    return {"plan": made.stored()}

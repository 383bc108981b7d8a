"""What a certificate tells beside its result: how claims were made, how far the judges differed, what happened in the
review, what was planned. Read from the audit; the numbers are written as review.statement writes them."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from audits.calibration import calibration_fact
from audits.extraction_quality import REASONS, ExtractionQuality, extraction_quality
from audits.judges.families import UNKNOWN, is_known
from audits.labels import Decision
from audits.models import Audit, Event, FamilyRule, Verdict
from audits.planning import Outlook
from audits.stats.clustered import clustered_share
from audits.stats.macro import macro
from audits.stats.proportions import wilson_estimate
from review.agreement.asides import asides
from review.looks import taken
from review.models import ReviewItem, ReviewPlan, Slot
from review.outcomes import Outcome, audited_claims
from review.statement import OverrideFact, estimate_fact, fraction


def background(audit: Audit, plan: ReviewPlan, found: Sequence[Outcome]) -> dict[str, Any]:
    """The parts of a statement that this module describes, by name; plain data, ready for JSON."""
    confidence, quality = float(audit.confidence), extraction_quality(audit)
    return {
        "client": audit.project.client,
        "extraction": extraction_fact(quality),
        "refusals": refusals_fact(quality, confidence),
        "disagreement": disagreement_fact(found, _unscored(audit), confidence),
        "macro": macro_fact(found, confidence),
        "review": _review(audit, plan, found),
        "plan": plan_fact(audit.plan),
        "families": _families(audit),
        "calibration": calibration_fact(audit),
    }


def macro_fact(found: Sequence[Outcome], confidence: float) -> dict[str, Any]:
    """The rate per answer."""
    rates = macro(audited_claims(found), confidence=confidence)
    return {
        "answers": rates.answers,
        "dataset": estimate_fact(rates.dataset),
        "traffic": estimate_fact(rates.traffic),
    }


def extraction_fact(quality: ExtractionQuality) -> dict[str, Any]:
    """Sentences of the answers that were cut: with claims, without claims for a reason, and passed over."""
    sentences = {share.kind: share.sentences for share in quality.shares}
    return {
        "answers": quality.done,
        "sentences": quality.sentences,
        "with_claims": sentences.get("claims", 0),
        "without_claims": {reason: sentences.get(reason, 0) for reason in REASONS},
        "unaccounted": quality.unaccounted,
        "coverage": fraction(quality.coverage),
        "claims": quality.claims,
        "vague": quality.vague,
        "ambiguous": quality.ambiguous,
    }


def refusals_fact(quality: ExtractionQuality, confidence: float) -> dict[str, Any]:
    """Of all answers that could be cut, those that decline to answer. Wilson's limits: answers are independent."""
    return estimate_fact(wilson_estimate(quality.refusals, quality.done, confidence))


def _unscored(audit: Audit) -> set[int]:
    return set(Verdict.objects.filter(claim__audit=audit, label="").values_list("claim", flat=True))


def disagreement_fact(found: Sequence[Outcome], missing: Collection[int], confidence: float) -> dict[str, Any]:
    """Shares of all claims, with limits for the answers being a sample: disputed by the judges, and unscored.

    missing: claims for which a judge gave no usable label.
    """
    answers = [one.sample for one in found]
    disputed = [float(one.decision in ("", Decision.DISPUTED)) for one in found]
    unscored = [float(one.claim in missing) for one in found]
    return {
        "disputed": estimate_fact(clustered_share(disputed, answers, confidence)),
        "unscored": estimate_fact(clustered_share(unscored, answers, confidence)),
    }


def _review(audit: Audit, plan: ReviewPlan, found: Sequence[Outcome]) -> dict[str, Any]:
    """What happened at the desk, in claims or labels."""
    beside = asides(audit)
    arbitrated = Slot.objects.needed().filter(item__plan=plan, arbitrates=True, state=Slot.State.DONE)
    return {
        "double_percent": audit.double_percent,
        "doubles": plan.doubles,
        "doubles_waived": beside.waived,
        "looks": taken(plan),
        "arbitrated": arbitrated.count(),
        "recut": beside.recut,
        "given_up": sum(one.given_up for one in found),
        "changed_after_reveal": beside.changed,
        "skipped": beside.skipped,
    }


def plan_fact(stored: Mapping[str, Any]) -> dict[str, Any] | None:
    """What was planned, in figures; None for an audit without a plan. stored: as the audit keeps it."""
    plan = Outlook.from_stored(stored)
    if plan is None:
        return None
    return {
        "expected_rate": float(plan.expected_rate),
        "answers": plan.answers,
        "claims": plan.claims,
        "needed": plan.needed,
        "proposed": plan.proposed,
        "spot_check": plan.spot_check,
        "chance": fraction(plan.chance),
        "hours": plan.hours,
    }


def _families(audit: Audit) -> dict[str, list[str]]:
    """Models whose names tell no family, so that nothing could be said about kin: "" for one that is not stated."""
    rules = FamilyRule.objects.pairs()
    return {
        "unknown_generators": [name for name in audit.dataset.generators() or [""] if not is_known("", name, rules)],
        "unknown_judges": [
            member.name
            for member in audit.panel
            if member.family.startswith(UNKNOWN) or not is_known(member.vendor, member.model, rules)
        ],
    }


def overrides(audit: Audit) -> list[OverrideFact]:
    """Every rule that somebody set aside before this certificate: reason, person and time, in the order of time."""
    made = []
    if audit.override_reason:
        made.append(OverrideFact("generator_vendor", audit.override_reason, _name(audit.created_by), audit.created))
    for event in Event.objects.filter(audit=audit, kind="rule_changed").select_related("actor"):
        code = "rule_changed" if event.data["labelled"] else "rule_changed_before"
        reason = f"{event.data['reason']} {_difference(event.data)}".strip()
        made.append(OverrideFact(code, reason, _name(event.actor), event.created))
    made += _given_up(audit)
    return sorted(made, key=lambda one: one.at)


def rule_set_at(audit: Audit) -> datetime:
    """When the acceptance rule got its present values."""
    changed = Event.objects.filter(audit=audit, kind="rule_changed").order_by("-pk").first()
    return audit.created if changed is None else changed.created


def _given_up(audit: Audit) -> list[OverrideFact]:
    """Claims that managers closed without a label: one entry per person and reason, with their number."""
    left = set(ReviewItem.objects.filter(plan__audit=audit, given_up_at__isnull=False).values_list("pk", flat=True))
    events = Event.objects.filter(audit=audit, kind="claim_given_up").select_related("actor").order_by("pk")
    last = {event.data["item"]: event for event in events if event.data["item"] in left}
    groups: dict[tuple[str, str], list[Event]] = defaultdict(list)
    for event in last.values():
        groups[(_name(event.actor), event.data["reason"])].append(event)
    return [
        OverrideFact("claims_given_up", f"{len(events)} × {reason}", by, max(event.created for event in events))
        for (by, reason), events in groups.items()
    ]


def _difference(data: Mapping[str, Any]) -> str:
    """(threshold 0.02 → 0.05): what a change of the rule changed."""
    before, after = data.get("before", {}), data.get("after", {})
    changed = [f"{name} {before.get(name)} → {after.get(name)}" for name in after if before.get(name) != after[name]]
    return f"({', '.join(changed)})" if changed else ""


def _name(person: Any) -> str:
    return person.get_full_name() or person.get_username() if person else ""


def sampling(audit: Audit) -> str:
    """What the answers are a sample of: the words of whoever uploaded them, and the days."""
    dataset = audit.dataset
    days = [day.isoformat() for day in (dataset.period_from, dataset.period_to) if day]
    return " · ".join(part for part in (" ".join(dataset.drawn.split()), " – ".join(dict.fromkeys(days))) if part)

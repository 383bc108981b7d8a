"""Starting an audit, and the switches a person has on it: pause, resume, cancel, try failed parts again."""

import secrets
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import transaction

from audits.doorbell import ring
from audits.models import Audit, Batch, Dataset, Event, Extraction, Judge, PanelMember, Project
from audits.pipeline.calibrating import check_calibrated_by, labelled_answers, owe_calibration
from audits.pipeline.estimating import estimate
from audits.pipeline.panel import PanelError, check_panel, judge_family, of_generators_family
from audits.pipeline.returning import locked
from audits.pipeline.ruling import check_rule
from audits.planning import Outlook, Rule, density_of, outlook
from audits.text.reasons import reason_in

BATCH = 1000


def start_audit(
    *,
    project: Project,
    dataset: Dataset,
    user: Any,
    name: str,
    extractor: Judge,
    judges: Sequence[Judge],
    threshold: Decimal,
    confidence: Decimal = Decimal("0.95"),
    scope: str = Audit.Scope.DATASET,
    spot_check_size: int | None = None,
    double_percent: int = 0,
    override_reason: str = "",
    headless: bool = False,
    budget: Decimal | None = None,
    reuse: bool = True,
    batch: bool = False,
    probe_percent: int = 0,
    planted: int = 0,
    calibration: bool = False,
    calibrated_by: Audit | None = None,
    expected_rate: Decimal | None = None,
    looks: int = 1,
) -> Audit:
    """Freeze the panel and the acceptance rule, owe one extraction per sample, ring. Raises PanelError; ValueError
    for a rule outside its limits.

    threshold: the accepted hallucination rate as a fraction. spot_check_size None: as large as the plan proposes.
    double_percent: of the experts' claims that two experts label, 0 to 100.
    headless: the caller works it off; workers, which may lack its keys, leave it alone. budget: US dollars that calls
    may cost at most, None: no limit. reuse: answers that the project has paid for are found again. batch: through the
    vendors' batch interfaces, where they have one. probe_percent: of claims judged again, 0 to 100.
    planted: supported claims that are made false and put to the judges, which counts in nothing; 0: none.
    calibration: of the judges, against the labels that people gave before; no review is opened for it.
    calibrated_by: the calibration of this very panel on whose figures it was chosen.
    expected_rate: that the plan reckons with, as a fraction; None: the usual one. looks: at the spot check,
    registered beforehand, 1 to 4.
    """
    rule = Rule(threshold, scope, confidence, looks, expected_rate)
    check_rule(rule)
    if dataset.status != Dataset.Status.READY:
        raise PanelError("dataset_not_ready", "The dataset is not imported yet. Wait until it is ready.")
    check_panel(dataset=dataset, judges=judges, override_reason=override_reason)
    check_budget(budget, [extractor, *judges])
    labelled = labelled_answers(dataset) if calibration else []
    if calibration:
        spot_check_size = double_percent = planted = 0  # no expert is asked, and nothing is certified
    expected = estimate(
        dataset=dataset,
        extractor=extractor,
        judges=judges,
        batch=batch,
        probe_percent=probe_percent,
        planted=planted,
        calibration=calibration,
    )
    answers = 0 if calibration else dataset.samples.count()
    plan: Outlook | None = None
    if answers:
        density = density_of(project, dataset, answers, expected.claims)
        plan = outlook(
            rule, answers=answers, density=density, spot_check=spot_check_size, double_percent=double_percent
        )
    if spot_check_size is None:
        spot_check_size = plan.proposed if plan else 0
    with transaction.atomic():
        audit = Audit.objects.create(
            project=project,
            dataset=dataset,
            name=name[:200],
            threshold=threshold,
            confidence=confidence,
            scope=scope,
            expected_rate=rule.expected,
            looks=looks,
            plan=plan.stored() if plan else {},
            spot_check_size=spot_check_size,
            double_percent=double_percent,
            seed=secrets.randbits(62),
            order_seed=int(dataset.sha256[:15], 16),
            override_reason=reason_in(override_reason) if of_generators_family(dataset, judges) else "",
            headless=headless,
            claims_per_call=settings.ASSAY_CLAIMS_PER_CALL,
            expected_calls=expected.calls,
            expected_cost=expected.cost,
            expected=expected.stored(),
            budget=budget,
            reuse=reuse,
            batch=batch,
            probe_percent=probe_percent,
            planted=planted,
            calibration=calibration,
            calibrated_by=calibrated_by,
            created_by=user,
        )
        _seat(audit, extractor, PanelMember.Role.EXTRACTOR, 0)
        for position, judge in enumerate(judges):
            _seat(audit, judge, PanelMember.Role.JUDGE, position)
        if calibrated_by is not None:
            check_calibrated_by(calibrated_by, audit)
        if calibration:
            owe_calibration(audit, labelled)
        else:
            _owe_extractions(audit)
        _note_start(audit, user)
        ring("audits.work", audit.pk)
    return audit


def check_budget(budget: Decimal | None, judges: Sequence[Judge]) -> None:
    """A budget is more than 0, and every judge has a price: else nobody could say what is left. Raises PanelError."""
    if budget is None:
        return
    if budget <= 0:
        raise PanelError("budget", "A budget is more than US$ 0. Leave it out for an audit without one.")
    names = list(dict.fromkeys(str(judge) for judge in judges if not judge.prices.known))
    if names:
        raise PanelError(
            "unknown_price",
            f"A budget cannot be kept without prices, and none is known for {', '.join(names)}. "
            "Enter its prices of input and output first, or start without a budget.",
        )


def _note_start(audit: Audit, user: Any) -> None:
    rule = Rule.of(audit).stored() | {"plan": audit.plan, "spot_check_size": audit.spot_check_size}
    chosen = {} if audit.budget is None else {"budget": str(audit.budget)}
    chosen |= {"planted": str(audit.planted)} if audit.planted else {}
    chosen |= {"calibration": "true"} if audit.calibration else {}
    chosen |= {} if audit.calibrated_by_id is None else {"calibrated_by": str(audit.calibrated_by_id)}
    override = audit.override_reason
    rows = [audit, *audit.members.all()]
    Event.record(
        "start", project=audit.project, audit=audit, actor=user, rows=rows, override=override, **rule, **chosen
    )


def _seat(audit: Audit, judge: Judge, role: str, position: int) -> None:
    prices = judge.prices.settled(judge.vendor)
    PanelMember.objects.create(
        audit=audit,
        judge=judge,
        role=role,
        position=position,
        vendor=judge.vendor,
        model=judge.model,
        family=judge_family(judge),
        base_url=judge.base_url,
        concurrency=judge.concurrency,
        price_in=prices.tokens_in,
        price_out=prices.tokens_out,
        price_cache_read=prices.cache_read,
        price_cache_write=prices.cache_write,
        rpm=judge.rpm,
        tpm=judge.tpm,
        context_tokens=judge.context_tokens,
    )


def _owe_extractions(audit: Audit) -> None:
    """One extraction per sample; an empty answer has no claims and needs no call."""
    rows = []
    for pk, flags in audit.dataset.samples.values_list("pk", "flags").iterator(chunk_size=BATCH):
        empty = "no_answer" in flags
        status = Extraction.Status.DONE if empty else Extraction.Status.PENDING
        rows.append(Extraction(audit=audit, sample_id=pk, status=status))
        if len(rows) == BATCH:
            Extraction.objects.bulk_create(rows)
            rows = []
    Extraction.objects.bulk_create(rows)


def pause(audit: Audit, user: Any) -> bool:
    """No new calls; those in flight are paid for and still recorded. True if it was running."""
    return _switch(audit, user, "pause", (Audit.Status.JUDGING,), Audit.Status.PAUSED)


def resume(audit: Audit, user: Any, *, headless: bool = False) -> bool:
    """Go on where it was, with every stopped judge tried again. True if there was something to resume.

    headless: as for start_audit; without it workers take over.
    """
    with transaction.atomic():
        locked(audit)
        Audit.objects.filter(pk=audit.pk).exclude(headless=headless).update(headless=headless)
        stopped = audit.members.exclude(stopped_fault="")
        freed = stopped.update(stopped_fault="", stopped_message="", resumes_at=None)
        moved = audit.advance(Audit.Status.PAUSED, Audit.Status.JUDGING)
        if not freed and not moved:
            return False
        Event.record("resume", project=audit.project, audit=audit, actor=user)
        ring("audits.work", audit.pk)
    _hurry(audit)
    return True


def cancel(audit: Audit, user: Any) -> bool:
    """Stop for good; what was judged stays readable, batches at a vendor are stopped. True if it was not over yet."""
    over = _switch(audit, user, "cancel", (Audit.Status.JUDGING, Audit.Status.PAUSED), Audit.Status.CANCELLED)
    _hurry(audit)
    return over


def _hurry(audit: Audit) -> None:
    """Look at its batches at once. Apart from the audit's row: who has a batch's row may wait for the audit's."""
    audit.batches.filter(status__in=Batch.OPEN).update(next_look=None)


def _switch(audit: Audit, user: Any, kind: str, old: Sequence[str], new: str) -> bool:
    with transaction.atomic():
        if not any(audit.advance(status, new) for status in old):
            return False
        Event.record(kind, project=audit.project, audit=audit, actor=user)
    return True


def retry_failed(audit: Audit, user: Any) -> bool:
    """Owe failed extractions again, while no expert has begun. True if there were any."""
    with transaction.atomic():
        failed = audit.extractions.filter(status=Extraction.Status.FAILED)
        audit = Audit.objects.select_for_update().get(pk=audit.pk)
        if audit.status == Audit.Status.CANCELLED or audit.labelled_at is not None:
            return False
        if not failed.update(status=Extraction.Status.PENDING, failure=""):
            return False
        audit.advance(Audit.Status.REVIEWING, Audit.Status.JUDGING)
        Event.record("retry_failed", project=audit.project, audit=audit, actor=user)
        ring("audits.work", audit.pk)
    return True

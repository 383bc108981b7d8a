"""Issues and revokes certificates: the facts of an audit, frozen, signed, numbered without gaps."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from audits.judges.offline_accuracy import measured
from audits.labels import Decision
from audits.models import Audit, Call, Event, Extraction, PanelMember, Sample
from audits.pipeline.sealing import head, seal
from audits.stats.rates import judged_rate
from audits.text.reasons import reason_in
from review.agreement import Material
from review.agreement.stated import stated
from review.background import background, overrides, rule_set_at, sampling
from review.counted import flag_counts, samples_fact
from review.issuing import exception_of
from review.keys import recorded_signing_key
from review.looks import draws
from review.marked_evidence import marked_evidence
from review.models import Adjudication, Certificate, ReviewPlan
from review.outcomes import Outcome, outcomes
from review.readiness import Readiness, readiness, unscored_claims
from review.signature import envelope
from review.statement import (
    DatasetFact,
    Facts,
    ModelFact,
    OverrideFact,
    PromptFact,
    ReviewerFact,
    RuleFact,
    SamplesFact,
    build,
)

TRIES = 5  # of two who issue while a key is rotated, and so under two locks, one has to take the next number


class NotReady(Exception):
    """The audit cannot be certified yet; `codes` name what is open."""

    def __init__(self, codes: tuple[str, ...]) -> None:
        super().__init__(", ".join(codes))
        self.codes = codes


def next_version(audit: Audit) -> int:
    """The version that the next certificate of this audit would have, from 1."""
    return Certificate.objects.filter(audit=audit).count() + 1


def issue(audit: Audit, manager: Any, *, version: int | None = None, exception_reason: str = "") -> Certificate:
    """Freeze, sign and store what holds now. A later version supersedes the earlier ones.

    version: the one that the person saw offered; if it exists by now it is given back and nothing is written, so
    that a second press issues nothing. exception_reason: why this person may issue it who labelled claims of the
    audit (review.issuing); of no use else. Raises NotReady, NeedsReason.
    """
    for attempt in range(TRIES):
        try:
            with transaction.atomic():
                # Asked under the lock: two presses at the same moment come here one after the other. The lock is also
                # why no label is taken back while its certificate is made.
                audit = Audit.objects.select_for_update().get(pk=audit.pk)
                return _existing(audit, version) or _issue(audit, manager, exception_reason)
        except IntegrityError:
            if attempt == TRIES - 1:
                raise
    raise AssertionError("unreachable")


def _existing(audit: Audit, version: int | None) -> Certificate | None:
    found: Certificate | None = None
    if version is not None:
        found = Certificate.objects.filter(audit=audit, version=version).first()
    return found


def _issue(audit: Audit, manager: Any, reason: str) -> Certificate:
    found = outcomes(audit)
    state = readiness(audit, found)
    if state.acceptance is None:
        raise NotReady(tuple(check.code for check in state.checks if check.state == "open"))
    key, now = recorded_signing_key(), timezone.now()  # first the lock: numbers are in the order of their times
    exception = exception_of(audit, manager, reason, now)
    number, version = _next_number(now.year), next_version(audit)
    if exception is not None:  # before the log is sealed, so that the certificate rests on it
        about: dict[str, Any] = {"number": number, "reason": exception.reason}
        Event.record("issuing_exception", project=audit.project, audit=audit, actor=manager, **about)
    exceptions = () if exception is None else (exception,)
    facts = _facts(audit, found, state, exceptions, number=number, version=version, issued_at=now)
    sealed = envelope(build(facts), key)
    certificate = Certificate.objects.create(
        audit=audit,
        version=version,
        number=number,
        envelope=sealed,
        sha256=sealed["sha256"],
        decision=state.acceptance.decision,
        specimen=facts.specimen,
        issued_by=manager,
        issued_at=now,
        exception_reason="" if exception is None else exception.reason,
    )
    about = {"number": number, "decision": certificate.decision, "sha256": certificate.sha256}
    Event.record("certificate_issued", project=audit.project, audit=audit, actor=manager, rows=[certificate], **about)
    return certificate


def _sealed_log() -> tuple[int, str]:
    """Place and hash of the last event once everything that has happened is chained."""
    seal()
    return head()


def _next_number(year: int) -> str:
    # Certificates are never deleted, so counting them leaves no gap and the unique number no double.
    return f"A-{year}-{Certificate.objects.filter(number__startswith=f'A-{year}-').count() + 1:04d}"


def revoke(certificate: Certificate, manager: Any, reason: str) -> bool:
    """Withdraw a certificate for good; False when it was revoked before. ValueError without a reason."""
    reason = reason_in(reason)
    if not reason:
        raise ValueError("a revocation needs a reason")
    audit = certificate.audit
    with transaction.atomic():
        if not certificate.mark_revoked(by=manager, at=timezone.now(), reason=reason):
            return False
        about = {"number": certificate.number, "reason": reason}
        Event.record(
            "certificate_revoked", project=audit.project, audit=audit, actor=manager, rows=[certificate], **about
        )
    return True


def _facts(
    audit: Audit, found: list[Outcome], state: Readiness, exceptions: Sequence[OverrideFact] = (), **head: Any
) -> Facts:
    if state.acceptance is None:
        raise NotReady(())
    plan = ReviewPlan.objects.get(audit=audit)
    unscored, confidence = unscored_claims(audit), float(audit.confidence)
    marked = marked_evidence(audit)
    decided = [(one.sample, Decision(one.decision)) for one in found]
    return Facts(
        **head,
        issuer=settings.ASSAY_ORGANISATION or settings.ASSAY_NAME,
        project=audit.project.name,
        system=audit.project.system,
        specimen=audit.is_specimen,
        specimen_accuracy=_accuracy() if audit.is_specimen else {},
        software_version=settings.ASSAY_VERSION,
        dataset=_dataset(audit),
        judges=[_model(audit, member) for member in audit.panel],
        extractor=_model(audit, audit.members.filter(role=PanelMember.Role.EXTRACTOR).first()),
        prompts=_prompts(audit),
        rule=RuleFact(
            threshold=float(audit.threshold),
            confidence=confidence,
            scope=audit.scope,
            set_at=rule_set_at(audit),
            looks=audit.looks,
            spot_check=audit.spot_check_size,
        ),
        samples=_samples(audit, {one.sample for one in found}),
        before=judged_rate(decided, unscored=unscored, confidence=confidence),
        after=state.outcome,
        estimate=state.estimate,
        acceptance=state.acceptance,
        agreement=stated(Material(audit)),
        reviewers=_reviewers(audit),
        overrides=[*overrides(audit), *exceptions],
        evidence=marked.listed,
        evidence_total=marked.total,
        seeds={
            "context_order": audit.seed if audit.order_seed is None else audit.order_seed,
            "spot_check": plan.seed,
            "spot_check_nonce": plan.nonce,
            "spot_check_strata_sha256": plan.strata_hash,
        },
        draws=draws(plan),
        traffic=sampling(audit),
        background=background(audit, plan, found),
        event_log=_sealed_log(),
    )


def _accuracy() -> dict[str, float | int]:
    """How often the offline judges are right, beside counting shared words: balanced accuracy over public sets."""
    found = measured()
    return {"rules": found.rules, "vector": found.vector, "shared_words": found.baseline, "sets": found.sets}


def _dataset(audit: Audit) -> DatasetFact:
    dataset = audit.dataset
    flagged = Sample.objects.filter(dataset=dataset).exclude(flags=[]).order_by().values_list("flags", flat=True)
    refused = dataset.row_errors.order_by().values("line").distinct().count()
    return DatasetFact(
        name=dataset.name,
        sha256=dataset.sha256,
        rows=dataset.samples.count(),
        flags=flag_counts(flagged, refused),
        period=(dataset.period_from, dataset.period_to),
        drawn=dataset.drawn,
    )


def _model(audit: Audit, member: PanelMember | None) -> ModelFact:
    if member is None:
        return ModelFact("", "")
    answered = Call.objects.filter(audit=audit, member=member).exclude(model_answered="").order_by()
    return ModelFact(
        vendor=member.vendor,
        model=member.model,
        # Sorted here: databases sort text each in its own way.
        answered_by=tuple(sorted(answered.values_list("model_answered", flat=True).distinct())),
        family=member.family,
        refused=tuple(map(str, member.notes)),
    )


def _prompts(audit: Audit) -> list[PromptFact]:
    rows = Call.objects.filter(audit=audit).order_by()
    found = rows.values_list("purpose", "prompt_version", "prompt_hash").distinct()
    return [PromptFact(*row) for row in sorted(found)]


def _samples(audit: Audit, with_claims: set[int]) -> SamplesFact:
    rows = Extraction.objects.filter(audit=audit).order_by().values_list("sample", "status", "is_refusal")
    return samples_fact(rows.iterator(), with_claims)


def _reviewers(audit: Audit) -> list[ReviewerFact]:
    counts: dict[str, int] = defaultdict(int)
    words = Adjudication.objects.counting().filter(item__plan__audit=audit).select_related("reviewer").order_by("pk")
    for word in words:
        counts[word.reviewer.get_full_name() or word.reviewer.get_username()] += 1
    return [ReviewerFact(name, count) for name, count in sorted(counts.items())]

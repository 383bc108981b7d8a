"""What a certificate says: plain data in, the JSON object that is signed out. Pure; docs/verify.md describes it.

Numbers: rates are fractions of 1 with at most six decimals. A value is rounded to the nearest, a lower limit down and
an upper limit up, so that a reader who compares a printed limit with the threshold never finds a PASS that was not
signed. Undefined numbers are null beside a reason code. Seeds are strings, since JSON readers lose digits of 64-bit
integers. Times are UTC, to the second.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from typing import Any

import rfc8785

from audits.stats.acceptance import Acceptance
from audits.stats.agreement import LABELS, Agreement
from audits.stats.audited import AuditedEstimate, Stratum
from audits.stats.estimate import Estimate
from audits.stats.rates import JudgedRate

SCHEMA_VERSION = 2  # 1 had no `background` and less of judges and dataset; docs/verify.md says what
_PLACES = Decimal("0.000001")

# What no certificate says, as keys of texts that the document and the page hold in each language.
LIMITS = ("claims_missed", "expert_error", "context_only", "refusals_apart", "later_changes")
SCOPE_LIMITS = {"dataset": "this_dataset_only", "traffic": "other_traffic"}


class StatementError(ValueError):
    """The facts contradict each other or cannot be written as JSON; the message says which."""


@dataclass(frozen=True)
class DatasetFact:
    """sha256: of the file as uploaded. rows: samples read. flags: code -> rows it holds for (empty_context ...).

    period: first and last day of the traffic that the answers were drawn from, as stated. drawn: how, in the words of
    whoever uploaded it.
    """

    name: str
    sha256: str
    rows: int
    flags: Mapping[str, int] = field(default_factory=dict)
    period: tuple[date | None, date | None] = (None, None)
    drawn: str = ""


@dataclass(frozen=True)
class ModelFact:
    """A judge or the extractor: vendor, the model asked for, and the models that said they answered.

    family: whose errors it shares. refused: parameters that the model did not take, so that they were left out.
    """

    vendor: str
    model: str
    answered_by: Sequence[str] = ()
    family: str = ""
    refused: Sequence[str] = ()


@dataclass(frozen=True)
class PromptFact:
    """A prompt in use; sha256 of its text."""

    name: str
    version: str
    sha256: str


@dataclass(frozen=True)
class RuleFact:
    """The acceptance rule as set before the audit. threshold and confidence are fractions of 1."""

    threshold: float
    confidence: float
    scope: str
    set_at: datetime
    looks: int = 1
    spot_check: int | None = None


@dataclass(frozen=True)
class SamplesFact:
    """Answers of the dataset: total = with_claims + without_claims + failed; refusals are among without_claims."""

    total: int
    with_claims: int
    without_claims: int
    refusals: int
    failed: int = 0


@dataclass(frozen=True)
class AgreementFact:
    """Between whom, as codes that the document translates: "judge:1", "judge:2", "experts"; or a name as it is."""

    first: str
    second: str
    agreement: Agreement


@dataclass(frozen=True)
class ReviewerFact:
    """An expert's display name and how many adjudications they gave."""

    name: str
    adjudications: int


@dataclass(frozen=True)
class EvidenceFact:
    """A passage that an expert marked for a label that holds. claim and text may be cut short.

    sample: its identifier in the dataset. context: from 0 in the sample; start, end: code points in the context.
    """

    claim: str
    label: str
    sample: str
    context: int
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class OverrideFact:
    """A rule that someone set aside, with the reason they recorded."""

    code: str
    reason: str
    by: str
    at: datetime


@dataclass(frozen=True)
class Facts:
    """Everything that a certificate is made of. before, after: rates by decisions and by outcomes after review."""

    number: str
    version: int
    issued_at: datetime
    issuer: str
    project: str
    system: str
    specimen: bool
    software_version: str
    dataset: DatasetFact
    judges: Sequence[ModelFact]
    extractor: ModelFact
    prompts: Sequence[PromptFact]
    rule: RuleFact
    samples: SamplesFact
    before: JudgedRate
    after: JudgedRate
    estimate: AuditedEstimate
    acceptance: Acceptance
    agreement: Sequence[AgreementFact] = ()
    reviewers: Sequence[ReviewerFact] = ()
    overrides: Sequence[OverrideFact] = ()
    evidence: Sequence[EvidenceFact] = ()  # as many as the certificate lists
    evidence_total: int = 0  # with those that it does not list
    seeds: Mapping[str, str | int] = field(default_factory=dict)
    draws: Sequence[Mapping[str, int]] = ()  # look by look, agreed stratum -> claims drawn in it by then
    traffic: str = ""  # what the answers are a sample of, and of which period
    limits: Sequence[str] | None = None  # None: LIMITS and the one of the scope
    specimen_accuracy: Mapping[str, float | int] = field(default_factory=dict)  # of offline judges, else empty
    background: Mapping[str, Any] = field(
        default_factory=dict
    )  # further parts by name, as review.background writes them
    event_log: tuple[int, str] | None = None  # place and hash of the last event before this certificate


def build(facts: Facts) -> dict[str, Any]:
    """The statement that is signed. StatementError when the facts contradict each other."""
    _check(facts)
    statement = {
        "schema_version": SCHEMA_VERSION,
        "number": facts.number,
        "version": facts.version,
        "issued_at": time_fact(facts.issued_at),
        "issuer": facts.issuer,
        "project": facts.project,
        "system": facts.system,
        "traffic": facts.traffic,
        "specimen": facts.specimen,
        "specimen_accuracy": dict(facts.specimen_accuracy),
        "software_version": facts.software_version,
        "dataset": {
            "name": facts.dataset.name,
            "sha256": facts.dataset.sha256,
            "rows": facts.dataset.rows,
            "flags": dict(facts.dataset.flags),
            "period": {"from": _day(facts.dataset.period[0]), "to": _day(facts.dataset.period[1])},
            "drawn": facts.dataset.drawn,
        },
        "judges": [_model(judge) for judge in facts.judges],
        "extractor": _model(facts.extractor),
        "prompts": [{"name": p.name, "version": p.version, "sha256": p.sha256} for p in facts.prompts],
        "rule": _rule(facts.rule),
        "samples": samples_as_stated(facts.samples),
        **figures(facts.before, facts.after, facts.estimate, facts.acceptance),
        "agreement": [agreement_fact(one) for one in facts.agreement],
        "reviewers": [{"name": r.name, "adjudications": r.adjudications} for r in facts.reviewers],
        "overrides": [
            {"code": o.code, "reason": o.reason, "by": o.by, "at": time_fact(o.at)} for o in facts.overrides
        ],
        "evidence": {"total": facts.evidence_total, "listed": [asdict(one) for one in facts.evidence]},
        "seeds": {name: str(seed) for name, seed in facts.seeds.items()},
        "draws": [dict(draw) for draw in facts.draws],
        "event_log": None
        if facts.event_log is None
        else dict(zip(("sequence", "hash"), facts.event_log, strict=True)),
        "limits": list(facts.limits if facts.limits is not None else (*LIMITS, SCOPE_LIMITS[facts.rule.scope])),
    }
    if twice := statement.keys() & facts.background.keys():
        raise StatementError(f"told twice: {', '.join(sorted(twice))}")
    clean: dict[str, Any] = _clean({**statement, **facts.background})
    canonical(clean)
    return clean


def figures(
    before: JudgedRate, after: JudgedRate, estimate: AuditedEstimate, acceptance: Acceptance
) -> dict[str, Any]:
    """The parts of a statement that are computed from claims and labels alone: what review.package repeats."""
    return {
        "judged": _rate(before),
        "outcome": _rate(after),
        "result": _result(estimate, acceptance),
        "spot_check": [_stratum(stratum, estimate.confidence) for stratum in estimate.strata],
    }


def canonical(statement: Mapping[str, Any]) -> bytes:
    """The one byte form of a statement (RFC 8785): what is hashed and signed. StatementError if it has none."""
    try:
        return rfc8785.dumps(dict(statement))
    except (rfc8785.CanonicalizationError, ValueError, TypeError, RecursionError) as error:
        raise StatementError(f"no canonical form: {error}") from error


def _check(facts: Facts) -> None:
    for name, rate in (("judged", facts.before), ("outcome", facts.after)):
        if rate.supported + rate.contradicted + rate.unverified + rate.disputed != rate.total:
            raise StatementError(f"{name}: the counts do not add up to the claims")
    if facts.before.total != facts.after.total or facts.estimate.claims != facts.after.total:
        raise StatementError("the rates and the estimate are not over the same claims")
    samples = facts.samples
    if samples.with_claims + samples.without_claims + samples.failed != samples.total:
        raise StatementError("the answers with claims, without claims and failed do not add up to the samples")
    if facts.evidence_total < len(facts.evidence):
        raise StatementError("more marked passages are listed than there are")
    rule, acceptance = facts.rule, facts.acceptance
    if (rule.threshold, rule.scope, rule.confidence) != (
        acceptance.threshold,
        acceptance.scope,
        acceptance.confidence,
    ):
        raise StatementError("the decision was taken under another rule than the one recorded")


def _clean(value: Any) -> Any:
    """Half surrogate pairs, which UTF-8 cannot hold, become U+FFFD; everything else stays as it is."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, Mapping):
        return {_clean(key): _clean(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_clean(item) for item in value]
    return value


def time_fact(moment: datetime) -> str:
    """UTC, to the second. StatementError for a time without a zone."""
    if moment.tzinfo is None:
        raise StatementError("a time without a zone")
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _day(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def fraction(value: float | None, rounding: str = ROUND_HALF_EVEN) -> float | None:
    """A rate with six decimals, None staying None. StatementError for infinity and NaN."""
    if value is None:
        return None
    if not math.isfinite(value):
        raise StatementError("a rate that is no number")
    return float(Decimal(repr(float(value))).quantize(_PLACES, rounding)) + 0.0  # + 0.0: no minus zero


def _limits(low: float | None, high: float | None) -> dict[str, float | None]:
    return {"low": fraction(low, ROUND_FLOOR), "high": fraction(high, ROUND_CEILING)}


def estimate_fact(estimate: Estimate) -> dict[str, Any]:
    """An estimate as the statement writes it."""
    return {
        "value": fraction(estimate.value),
        **_limits(estimate.low, estimate.high),
        "n": estimate.n,
        "confidence": estimate.confidence,
        "reason": estimate.reason,
    }


def _model(model: ModelFact) -> dict[str, Any]:
    return {
        "vendor": model.vendor,
        "model": model.model,
        "answered_by": list(model.answered_by),
        "family": model.family,
        "refused": list(model.refused),
    }


def _rule(rule: RuleFact) -> dict[str, Any]:
    return {
        "threshold": rule.threshold,
        "confidence": rule.confidence,
        "scope": rule.scope,
        "looks": rule.looks,
        "spot_check": rule.spot_check,
        "set_at": time_fact(rule.set_at),
    }


def samples_as_stated(samples: SamplesFact) -> dict[str, int]:
    """The counts of answers as the statement writes them."""
    return {
        "total": samples.total,
        "with_claims": samples.with_claims,
        "without_claims": samples.without_claims,
        "refusals": samples.refusals,
        "failed": samples.failed,
    }


def _rate(rate: JudgedRate) -> dict[str, Any]:
    return {
        "claims": rate.total,
        "answers": rate.answers,
        "supported": rate.supported,
        "contradicted": rate.contradicted,
        "unverified": rate.unverified,
        "disputed": rate.disputed,
        "unscored": rate.unscored,
        "coverage": fraction(rate.coverage),
        "rate": estimate_fact(rate.rate),
        "bounds": None if rate.bounds is None else _limits(rate.bounds.low, rate.bounds.high),
    }


def _result(estimate: AuditedEstimate, acceptance: Acceptance) -> dict[str, Any]:
    return {
        "decision": acceptance.decision,
        "reasons": list(acceptance.reasons),
        "warnings": list(estimate.warnings),
        "scope": acceptance.scope,
        "rate": fraction(estimate.rate),
        # Each limit holds alone with `level`; these are the ones compared with the threshold.
        "one_sided": {**_limits(acceptance.low, acceptance.high), "level": acceptance.level},
        "dataset": estimate_fact(estimate.dataset),
        "traffic": estimate_fact(estimate.traffic),
        "design_effect": fraction(estimate.deff),
    }


def _stratum(stratum: Stratum, confidence: float) -> dict[str, Any]:
    return {
        "stratum": stratum.name,
        "claims": stratum.claims,
        "checked": stratum.checked,
        "hallucinated": stratum.hallucinated,
        "owed": stratum.owed,
        "given_up": stratum.given_up,
        "random": stratum.drawn,
        "share": estimate_fact(stratum.estimate(confidence)),
    }


def agreement_fact(fact: AgreementFact) -> dict[str, Any]:
    """Agreement as the statement writes it."""
    found = fact.agreement
    return {
        "between": [fact.first, fact.second],
        "n": found.n,
        "excluded": found.excluded,
        "labels": [str(label) for label in LABELS],
        "table": [[fraction(cell) for cell in row] for row in found.table],
        "percent": estimate_fact(found.percent),
        "kappa": estimate_fact(found.kappa),
        "ac1": estimate_fact(found.ac1),
        "note": found.note,
    }

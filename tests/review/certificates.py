"""Facts of a made-up audit, for the tests of statement, signature and document."""

import hashlib
from dataclasses import replace
from datetime import UTC, date, datetime

from audits.labels import Decision, Label
from audits.stats.acceptance import decide
from audits.stats.agreement import agreement
from audits.stats.audited import AuditedClaim, estimate
from audits.stats.expert_agreement import ReviewedClaim, judge_expert
from audits.stats.rates import judged_rate, outcome_rate
from review.statement import (
    AgreementFact,
    DatasetFact,
    EvidenceFact,
    Facts,
    ModelFact,
    OverrideFact,
    PromptFact,
    ReviewerFact,
    RuleFact,
    SamplesFact,
)

MOMENT = datetime(2026, 11, 30, 9, 15, tzinfo=UTC)
S, C, U, D = Decision.SUPPORTED, Decision.CONTRADICTED, Decision.UNVERIFIED, Decision.DISPUTED

# stratum: decision, claims, drawn, hallucinated among those that experts saw
STRATA = {
    "supported": (S, 4300, 240, 1),
    "supported_vague": (S, 200, 40, 1),
    "contradicted": (C, 30, 18, 17),
    "unverified": (U, 70, 42, 39),
    "disputed": (D, 400, 400, 46),
}


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def rate(value, low, high, n, reason=""):
    """An estimate as statements hold it."""
    return {"value": value, "low": low, "high": high, "n": n, "confidence": 0.95, "reason": reason}


def held_against_people(precision):
    """Rates of a judge in a calibration."""
    names = ("coverage", "precision", "recall", "specificity", "kappa", "ac1")
    return {name: rate(precision, precision - 0.1, precision + 0.05, 200) for name in names}


BACKGROUND = {
    "client": "Example Bank · 示例银行",
    "extraction": {
        "answers": 1097,
        "sentences": 6020,
        "with_claims": 4700,
        "without_claims": {"question": 30, "opinion": 120, "refusal": 95, "transition": 1000, "other": 40},
        "unaccounted": 35,
        "coverage": 0.994186,
        "claims": 5000,
        "vague": 200,
        "ambiguous": 41,
    },
    "refusals": rate(0.072926, 0.058998, 0.089828, 1097),
    "disagreement": {"disputed": rate(0.08, 0.069, 0.0921, 5000), "unscored": rate(0.0024, 0.001, 0.0051, 5000)},
    "macro": {
        "answers": 1000,
        "dataset": rate(0.0324, 0.022, 0.0488, 1000),
        "traffic": rate(0.0324, 0.0198, 0.052, 1000),
    },
    "review": {
        "double_percent": 10,
        "doubles": 74,
        "doubles_waived": 3,
        "looks": 1,
        "arbitrated": 5,
        "recut": 2,
        "given_up": 0,
        "changed_after_reveal": 4,
        "skipped": 6,
    },
    "plan": {
        "expected_rate": 0.0125,
        "answers": 1100,
        "claims": 5500,
        "needed": 270,
        "proposed": 338,
        "spot_check": 340,
        "chance": 0.9312,
        "hours": 6.2,
    },
    "families": {"unknown_generators": ["creditbot-7b"], "unknown_judges": []},
    "calibration": {
        "audit": 3,
        "name": "September panel",
        "judged_at": "2026-09-20T08:00:00Z",
        "dataset": {"name": "labelled_2026-08.csv", "sha256": hashlib.sha256(b"labelled").hexdigest()},
        "sets": [
            {
                "unit": "claims",
                "units": 400,
                "answers": 90,
                "judges": [
                    {"vendor": "deepseek", "model": "deepseek-chat", **held_against_people(0.71)},
                    {"vendor": "anthropic", "model": "claude-sonnet-4-5", **held_against_people(0.82)},
                ],
                "panel": held_against_people(0.9),
            }
        ],
    },
}


def facts(strata=STRATA, answers=1000, threshold=0.05, scope="traffic", **changes):
    """Facts over 5,000 claims that PASS a threshold of 5 %; `changes` replace fields."""
    claims = [
        AuditedClaim(0, name, number < wrong if number < drawn else None, number < drawn)
        for name, (_, size, drawn, wrong) in strata.items()
        for number in range(size)
    ]
    claims = [replace(claim, answer=number % answers) for number, claim in enumerate(claims)]
    decisions = [strata[claim.stratum][0] for claim in claims]
    outcomes = [
        decision if claim.truth is None else (U if claim.truth else S)
        for claim, decision in zip(claims, decisions, strict=True)
    ]
    found = estimate(claims)
    pairs = [
        (claim.answer, Label.SUPPORTED if decision == D else Label(decision), Label(U if decision == D else decision))
        for claim, decision in zip(claims, decisions, strict=True)
    ]
    reviewed = [
        ReviewedClaim(claim.stratum, pair[1], Label.UNVERIFIED if claim.truth else Label.SUPPORTED)
        for claim, pair in zip(claims, pairs, strict=True)
        if claim.truth is not None
    ]
    sizes = {name: size for name, (_, size, _, _) in strata.items()}
    given = Facts(
        number="A-2026-0042",
        version=1,
        issued_at=MOMENT,
        issuer="Northgate Assurance · 北门鉴证",
        project="Retail credit assistant",
        system="Credit policy assistant 3.2 (RAG)",
        specimen=False,
        software_version="0.1.0",
        dataset=DatasetFact(
            "answers_2026-10.xlsx",
            sha256("dataset"),
            1100,
            {"empty_context": 3},
            (date(2026, 10, 1), date(2026, 10, 31)),
            "production questions, drawn at random from the log",
        ),
        judges=[
            ModelFact("deepseek", "deepseek-chat", ["deepseek-v3.2-exp"], "deepseek", ["temperature"]),
            ModelFact("anthropic", "claude-sonnet-4-5", ["claude-sonnet-4-5-20250929"]),
        ],
        extractor=ModelFact("deepseek", "deepseek-chat", ["deepseek-v3.2-exp"]),
        prompts=[
            PromptFact("claims", "v1.en", sha256("claims")),
            PromptFact("verdict", "v1.en", sha256("verdict")),
        ],
        rule=RuleFact(threshold, 0.95, scope, MOMENT.replace(month=10), 1, 340),
        samples=SamplesFact(1100, answers, 1100 - answers - 3, 80, 3),
        before=judged_rate(list(zip((c.answer for c in claims), decisions, strict=True)), unscored=12),
        after=outcome_rate(list(zip((c.answer for c in claims), outcomes, strict=True)), unscored=12),
        estimate=found,
        acceptance=decide(found, threshold, 0.95, scope),
        agreement=[
            AgreementFact("judge:1", "judge:2", agreement(pairs)),
            AgreementFact("judge:1", "experts", judge_expert(reviewed, sizes)),
        ],
        reviewers=[ReviewerFact("Dr Ada Marsh", 402), ReviewerFact("王喆", 338)],
        overrides=[OverrideFact("generator_vendor", "No third vendor is approved by the client.", "M. Ott", MOMENT)],
        evidence=[
            EvidenceFact("The fee is 2 %.", "CONTRADICTED", "q-17", 0, 120, 141, "The fee is 1 percent."),
            EvidenceFact("分行于1950年开业。", "SUPPORTED", "q-18", 2, 0, 9, "开业于1950年😀"),
        ],
        evidence_total=2,
        seeds={"spot_check": 2**63 + 11, "context_order": 20261030},
        traffic="production questions, 1 to 31 October 2026",
        background=BACKGROUND,
        event_log=(1204, sha256("log")),
    )
    return replace(given, **changes)


def _der(tag, *parts):
    value = b"".join(parts)
    return bytes([tag, *([len(value)] if len(value) < 128 else [0x81, len(value)])]) + value


def timestamp_reply(sha256, at=b"20261130091602Z"):
    """The least that a time stamping authority can reply (RFC 3161), without a signature. sha256: hexadecimal."""
    algorithm = bytes.fromhex("300d06096086480165030402010500")
    imprint = _der(0x30, algorithm, _der(0x04, bytes.fromhex(sha256)))
    one, policy = b"\x02\x01\x01", b"\x06\x02\x2a\x03"
    info = _der(0x30, one, policy, imprint, one, _der(0x18, at))
    content = _der(0x30, bytes.fromhex("060b2a864886f70d0109100104"), _der(0xA0, _der(0x04, info)))
    signed = _der(0xA0, _der(0x30, b"\x02\x01\x03", b"\x31\x00", content))
    return _der(0x30, b"\x30\x03\x02\x01\x00", _der(0x30, bytes.fromhex("06092a864886f70d010702"), signed))

"""Ledger rows for tests, as a model with habits of its own would have left them."""

from typing import Any

from audits.judges.base import Purpose
from audits.judges.prompting import prompt_version
from audits.models import Audit, Call, Claim, Extraction, PanelMember, Sample, Verdict


def call(member: PanelMember, purpose: str = Purpose.VERIFY, **fields: Any) -> Call:
    """One answered attempt."""
    kind = Purpose.EXTRACT if purpose == Purpose.EXTRACT else Purpose.VERIFY
    version, digest = prompt_version(kind, "en")
    given: dict[str, Any] = {
        "request_hash": "h", "prompt_version": version, "prompt_hash": digest, "outcome": "ok", "finish": "stop",
        "model_asked": member.model, "model_answered": member.model, "latency_ms": 100,
    }  # fmt: skip
    return Call.objects.create(audit=member.audit, member=member, purpose=purpose, **(given | fields))


def cut(audit: Audit, sample: Sample, claims: int, *, tokens_in: int, per_claim: int, **fields: Any) -> Call:
    """The extraction of a sample into so many claims, with its call."""
    extractor = audit.members.get(role=PanelMember.Role.EXTRACTOR)
    made = call(extractor, Purpose.EXTRACT, tokens_in=tokens_in, tokens_out=claims * per_claim, **fields)
    Extraction.objects.filter(audit=audit, sample=sample).update(status=Extraction.Status.DONE, call=made)
    extraction = Extraction.objects.get(audit=audit, sample=sample)
    Claim.objects.bulk_create(
        Claim(audit=audit, extraction=extraction, sample=sample, position=number, sentence=1,
              text=f"Claim number {number}.", start=0, end=5)
        for number in range(claims)
    )  # fmt: skip
    return made


def judge(claim: Claim, member: PanelMember, *, tokens_in: int, tokens_out: int, **fields: Any) -> Call:
    """The verdict of one judge on one claim, with its call."""
    made = call(member, tokens_in=tokens_in, tokens_out=tokens_out, **fields)
    Verdict.objects.create(claim=claim, member=member, label="SUPPORTED", grounded=True, call=made)
    return made

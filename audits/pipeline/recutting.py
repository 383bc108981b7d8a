"""The parts of a claim that was cut badly: texts of people, kept beside the claim and out of every count."""

from collections.abc import Sequence

from django.db.models import Max

from audits.models import Claim
from audits.text.normalise import find


def recut(claim: Claim, texts: Sequence[str]) -> list[Claim]:
    """Store these texts as the parts of the claim, behind all claims of its answer. In a transaction.

    The claim stays as it is, and stays the unit that is counted; no judge is ever asked about a part, so it has no
    decision. A part that stands within the claim's place in the answer gets its own place there, any other that of
    the claim. The caller sees to it that one process at a time does this in an audit.
    """
    last = Claim.every.filter(extraction=claim.extraction_id).aggregate(last=Max("position"))["last"]
    parts = [_part(claim, text, position) for position, text in enumerate(texts, start=last + 1)]
    return list(Claim.every.bulk_create(parts))


def _part(claim: Claim, text: str, position: int) -> Claim:
    found = find(text, claim.sample.answer[claim.start : claim.end])
    start, end = (claim.start + found[0], claim.start + found[1]) if found else (claim.start, claim.end)
    return Claim(
        audit_id=claim.audit_id,
        extraction_id=claim.extraction_id,
        sample_id=claim.sample_id,
        recut_of=claim,
        position=position,
        sentence=claim.sentence,
        text=text,
        start=start,
        end=end,
        flags=claim.flags,
    )

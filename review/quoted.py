"""What the judges of a claim quoted, as one set of places: whose a quote is, or how many there are, is not kept."""

from audits.models import Claim, Verdict
from review.passages import Quoted


def quoted(claim: Claim) -> frozenset[Quoted]:
    """The places of all quotes that were found in the contexts. A part of a claim cut anew has those of the claim."""
    judged = claim
    while judged.recut_of is not None:
        judged = judged.recut_of
    said = Verdict.objects.filter(claim=judged).values_list("quotes", flat=True)
    return frozenset(
        (quote["context"], quote["start"], quote["end"])
        for quotes in said
        for quote in quotes
        if quote.get("start") is not None
    )

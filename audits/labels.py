"""The words that every part shares: labels a judge or an expert may give, decisions a panel may reach."""

from enum import StrEnum


class Label(StrEnum):
    """What one rater says of one claim, given the retrieved context alone."""

    SUPPORTED = "SUPPORTED"
    CONTRADICTED = "CONTRADICTED"
    UNVERIFIED = "UNVERIFIED"


class Decision(StrEnum):
    """What the whole panel says of one claim. Disputed claims go to experts."""

    SUPPORTED = "SUPPORTED"
    CONTRADICTED = "CONTRADICTED"
    UNVERIFIED = "UNVERIFIED"
    DISPUTED = "disputed"


HALLUCINATED = frozenset({Label.CONTRADICTED, Label.UNVERIFIED})


class Unscored(StrEnum):
    """Why a judge that was asked gave no usable label. Such a verdict disputes the claim and enters no rate."""

    NO_CONTEXT = "no_context"  # the sample holds nothing to judge against; no call is made
    REFUSED = "refused"  # the vendor or its content filter declined
    TRUNCATED = "truncated"  # the reply was cut at the token limit
    UNPARSEABLE = "unparseable"  # the reply was no JSON of the asked form
    MISSING = "missing"  # the reply had no verdict for this claim
    TOO_LONG = "too_long"  # claim and contexts do not fit the model
    FAILED = "failed"  # the vendor kept failing for this call while answering others

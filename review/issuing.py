"""Who may issue a certificate: a manager who labelled nothing of the audit, or one whose exception is printed."""

from datetime import datetime
from typing import Any

from audits.models import Audit
from audits.text.reasons import reason_in
from review.models import Adjudication
from review.statement import OverrideFact

LONGEST = 2_000  # characters of a reason


class NeedsReason(ValueError):
    """The person labelled claims of the audit, and gave no reason for issuing its certificate all the same."""


def labelled(audit: Audit, person: Any) -> bool:
    """Whether this person ever labelled a claim of the audit; labels withdrawn and extra opinions count, too."""
    return Adjudication.objects.filter(item__plan__audit=audit, reviewer=person).exists()


def exception_of(audit: Audit, person: Any, reason: str, at: datetime) -> OverrideFact | None:
    """What the certificate prints when somebody who labelled issues it; None for anybody else. Raises NeedsReason."""
    if not labelled(audit, person):
        return None
    reason = reason_in(reason)[:LONGEST]
    if not reason:
        raise NeedsReason
    return OverrideFact("issuer_labelled", reason, person.get_full_name() or person.get_username(), at)

"""Everything the human half stores. Views write none of it themselves."""

from review.models import witnessed as _witnessed  # noqa: F401  # after the models: what the log keeps of them
from review.models.certificate import Certificate, IssuerKey
from review.models.comment import Comment, Mention
from review.models.guidelines import Guidelines
from review.models.item import ReviewItem, ReviewPlan, Skip, Slot, Stratum
from review.models.recut import Recut
from review.models.settings import Assignment, DeskSettings, ReviewRules
from review.models.word import Adjudication, EvidenceMark, Revelation

__all__ = [
    "Adjudication",
    "Assignment",
    "Certificate",
    "Comment",
    "DeskSettings",
    "EvidenceMark",
    "Guidelines",
    "IssuerKey",
    "Mention",
    "Recut",
    "Revelation",
    "ReviewItem",
    "ReviewPlan",
    "ReviewRules",
    "Skip",
    "Slot",
    "Stratum",
]

"""Everything the human half stores. Written only by queue, adjudication, spotcheck and certify."""

from review.models.certificate import Certificate
from review.models.item import ReviewItem, ReviewPlan, Skip, Slot, Stratum
from review.models.word import Adjudication

__all__ = ["Adjudication", "Certificate", "ReviewItem", "ReviewPlan", "Skip", "Slot", "Stratum"]

"""The name under which a browser keeps what an expert typed on a claim and has not sent yet."""

import uuid
from typing import Any

from django.utils.crypto import salted_hmac

from review.models import ReviewItem


def draft_name(item: ReviewItem, user: Any) -> str:
    """One name per claim and person: nobody else at the same screen is shown the text, and every slot has the same.

    It tells nothing of the claim: an item's number would tell when, and so why, it was listed.
    """
    digest = salted_hmac("review.drafts", f"{item.pk}:{user.pk}", algorithm="sha256").digest()
    return f"{user.pk}-{uuid.UUID(bytes=digest[:16])}"

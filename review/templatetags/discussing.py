"""The comments of a claim, for any page that shows one."""

from typing import Any

from django import template
from django.template import Context

from review.discussion import discussion
from review.models import ReviewItem

register = template.Library()


@register.inclusion_tag("review/comments.html", takes_context=True)
def comments_of(context: Context, item: ReviewItem) -> dict[str, Any]:
    """{% comments_of item %}: what the person who is signed in may read of them, with the form to add one."""
    return discussion(item, context["user"]) | {"csrf_token": context.get("csrf_token")}

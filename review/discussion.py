"""The comments of an item as a part of a page."""

from typing import Any

from django.urls import reverse

from audits.models import Role
from review.comments import obstacle, settled, visible
from review.drafts import draft_name
from review.forms.comments import CommentForm
from review.models import ReviewItem


def discussion(item: ReviewItem, user: Any, form: CommentForm | None = None) -> dict[str, Any]:
    """The context of review/comments.html: item, project, reader, comments, form (None: may not write), waiting.

    waiting: what an expert writes now is not read by colleagues yet. form: one that was sent and has errors.
    """
    may_write = not obstacle(item, user)
    project = item.plan.audit.project
    return {
        "item": item,
        "project": project,
        "reader": user,
        "comments": visible(item, user),
        "form": _with_draft(form or CommentForm(), item, user) if may_write else None,
        "waiting": Role.EXPERT in project.roles_of(user) and not settled(item),
    }


def _with_draft(form: CommentForm, item: ReviewItem, user: Any) -> CommentForm:
    """The form, its text kept by the browser until it is sent, with the page that leads back to it."""
    place = reverse("review_item", args=(item.plan.audit.project.slug, item.pk))
    draft = {"data-draft": f"{draft_name(item, user)}-comment", "data-place": f"{place}#comments"}
    form.fields["text"].widget.attrs.update(draft)
    return form

"""What people say about a claim beside its label, and who may read it when.

A remark of a colleague must not steer a label: an expert reads the others' only once no label of the item is open.
"""

from typing import Any

from django.db import transaction

from audits.models import Event, Project, Role
from review.mentions import named_in
from review.models import Adjudication, Comment, Mention, ReviewItem, Slot

TEXT_LIMIT = 5_000  # characters


class Refused(Exception):
    """The comment was not stored; `code` says why: not_member, not_labelled, too_early, empty, too_long."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def settled(item: ReviewItem) -> bool:
    """Whether all labels that the item needs are in, or none can come any more."""
    return not Slot.objects.open().filter(item=item).exists()


def visible(item: ReviewItem, user: Any) -> list[Comment]:
    """The item's comments that this person may read now, the oldest first; the own ones always."""
    rows = Comment.objects.filter(item=item).select_related("author")
    roles = _project(item).roles_of(user)
    if not roles:
        return []
    if Role.EXPERT in roles and not (settled(item) and _has_label(item, user)):
        rows = rows.filter(author=user)
    return list(rows)


def obstacle(item: ReviewItem, user: Any) -> str:
    """Why this person may not comment on the item now, as a code of Refused; "" when nothing is in the way."""
    roles = _project(item).roles_of(user)
    if not roles:
        return "not_member"
    if Role.EXPERT in roles:
        return "" if _has_label(item, user) else "not_labelled"
    # Before the first label the draw may still be made anew, and its items with it.
    return "" if Adjudication.objects.filter(item=item).exists() else "too_early"


def add(item: ReviewItem, author: Any, text: str) -> Comment:
    """Store a comment, and whom it mentions. The author's last comment sent again is the same comment.

    Refused when the person may not comment on the item now, or the text is empty or longer than TEXT_LIMIT.
    """
    text = text.replace("\r\n", "\n").strip()
    if not text or len(text) > TEXT_LIMIT:
        raise Refused("too_long" if text else "empty")
    with transaction.atomic():
        ReviewItem.objects.select_for_update().get(pk=item.pk)  # of two presses the second finds the first's row
        if code := obstacle(item, author):
            raise Refused(code)
        last: Comment | None = Comment.objects.filter(item=item).order_by("-pk").first()
        if last is not None and (last.author_id, last.text) == (author.pk, text):
            return last
        return _store(item, author, text)


def _store(item: ReviewItem, author: Any, text: str) -> Comment:
    project = _project(item)
    comment: Comment = Comment.objects.create(item=item, author=author, text=text)
    people = [user for user in named_in(text, project) if user.pk != author.pk]
    Mention.objects.bulk_create(Mention(comment=comment, user=user) for user in people)
    facts = {"item": item.pk, "comment": comment.pk, "mentioned": [user.get_username() for user in people]}
    Event.record("comment_added", project=project, audit=item.plan.audit, actor=author, rows=[comment], **facts)
    return comment


def _has_label(item: ReviewItem, user: Any) -> bool:
    return Adjudication.objects.standing().filter(item=item, reviewer=user).exists()


def _project(item: ReviewItem) -> Project:
    return item.plan.audit.project

"""What people say about a claim beside its label. Hidden from colleagues until all required labels are in."""

from django.conf import settings
from django.db import models

from audits.models.written_once import AppendOnlyQuerySet, WrittenOnce
from review.models.item import ReviewItem


class Comment(WrittenOnce):
    """One remark on one claim."""

    item = models.ForeignKey(ReviewItem, models.PROTECT, related_name="comments")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    text = models.TextField()
    created = models.DateTimeField(auto_now_add=True)

    objects = AppendOnlyQuerySet.as_manager()

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return self.text


class Mention(models.Model):
    """Somebody is named in a comment, and is told by e-mail once the comment can be seen."""

    comment = models.ForeignKey(Comment, models.PROTECT, related_name="mentions")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    notified_at = models.DateTimeField(
        null=True
    )  # claimed by the sender before it sends, so that nobody is told twice

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=("comment", "user"), name="one_mention"),)

    def __str__(self) -> str:
        return f"{self.user} · {self.comment_id}"

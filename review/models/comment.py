"""What people say about a claim beside its label. Hidden from colleagues until all required labels are in."""

import datetime
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from audits.models.written_once import AppendOnlyQuerySet, WrittenOnce
from review.models.item import ReviewItem

LOST_AFTER = datetime.timedelta(minutes=10)  # a worker that sends for longer was killed; the mail server has a minute
MOST_TRIES = 3  # a mail at which workers die is not tried for ever


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


class MentionQuerySet(models.QuerySet["Mention"]):
    """Which mails are owed."""

    def owed(self) -> Self:
        """Not sent, in no worker's hands, and not tried too often."""
        # A time to come was noted before the clock was set back.
        lost = Q(tried_at__lt=Now() - LOST_AFTER) | Q(tried_at__gt=Now() + LOST_AFTER)
        return self.filter(Q(tried_at__isnull=True) | lost, notified_at__isnull=True, tries__lt=MOST_TRIES)


class Mention(models.Model):
    """Somebody is named in a comment, and is told by e-mail once the comment can be seen."""

    comment = models.ForeignKey(Comment, models.PROTECT, related_name="mentions")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    notified_at = models.DateTimeField(null=True)  # the mail is out, or there is none to send: the page tells
    tried_at = models.DateTimeField(null=True)  # a worker sends the mail since then, by the database's clock
    # Workers that began to send it and did not say what came of it.
    tries = models.PositiveSmallIntegerField(default=0, db_default=0)

    objects = MentionQuerySet.as_manager()

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=("comment", "user"), name="one_mention"),)

    def __str__(self) -> str:
        return f"{self.user} · {self.comment_id}"

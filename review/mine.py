"""An expert's own labels and own pace. Nothing in here is about anybody else."""

import datetime
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from audits.models import Project
from review.mentions import of_person
from review.models import Adjudication

MEASURED = 500  # labels, the newest; what a pace is taken from


@dataclass(frozen=True)
class Pace:
    """today, week: claims labelled since midnight, since Monday, in the zone of the server.

    seconds: median of active reading and deciding; keys: mean of keys pressed; None while nothing is measured.
    measured: labels that the two rest on.
    """

    today: int
    week: int
    seconds: float | None
    keys: float | None
    measured: int


def projects_of(user: Any) -> QuerySet[Project]:
    """The projects that the person is in and has labels in."""
    labelled = Adjudication.objects.filter(reviewer=user, item__plan__audit__project=OuterRef("pk"))
    return Project.objects.filter(Exists(labelled), memberships__user=user).distinct()


def labels_of(user: Any) -> QuerySet[Any]:
    """The person's standing labels in projects that the person is still in, the newest first.

    Each with `changed` (another label stood there before) and `mentioned` (a comment to the claim names the person).
    """
    before = Adjudication.objects.filter(item=OuterRef("item"), reviewer=user, revision__lt=OuterRef("revision"))
    named = of_person(user).filter(comment__item=OuterRef("item"))
    rows = Adjudication.objects.standing().filter(
        reviewer=user, item__plan__audit__project__in=projects_of(user).values("pk")
    )
    marked: QuerySet[Any] = rows.annotate(
        changed=Exists(before.exclude(label="").exclude(label=OuterRef("label"))), mentioned=Exists(named)
    )
    return marked.select_related("item__claim", "item__plan__audit__project").order_by("-pk")


def pace_of(user: Any) -> Pace:
    """How the person works."""
    midnight = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    monday = midnight - datetime.timedelta(days=midnight.weekday())
    labels = Adjudication.objects.filter(reviewer=user).exclude(label="")
    since = labels.filter(created__gte=monday).order_by().values_list("item", "created")
    timed = labels.filter(active_ms__isnull=False).order_by("-pk").values_list("active_ms", "keys")[:MEASURED]
    rows = list(timed)
    spans, pressed = [ms for ms, _ in rows], [keys for _, keys in rows if keys is not None]
    return Pace(
        today=len({item for item, created in since if created >= midnight}),
        week=len({item for item, _ in since}),
        seconds=statistics.median(spans) / 1000 if spans else None,
        keys=statistics.fmean(pressed) if pressed else None,
        measured=len(spans),
    )


def mentions_of(user: Any, most: int) -> Sequence[Any]:
    """The newest comments that name the person and can be read now."""
    return list(of_person(user)[:most])

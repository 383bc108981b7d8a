"""Claims with known labels, for those who choose them; never for an expert."""

from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Exists, OuterRef, Q

from audits.models import Audit, Project
from review.models import Adjudication, Recut, ReviewItem, Slot

PAGE = 25


def known(project: Project, number: str | None) -> Page[Any]:
    """One page of the claims with known labels in audits under review, the newest first. number: of the page.

    Each row has `given`, how many labels experts gave it, and `removable`: nobody labelled or holds it, or proposed
    another cut.
    """
    rows: Any = ReviewItem.objects.filter(
        kind=ReviewItem.Kind.GOLD, plan__audit__project=project, plan__audit__status=Audit.Status.REVIEWING
    )
    touched = (
        Exists(Adjudication.objects.filter(item=OuterRef("pk")))
        | Exists(Slot.objects.filter(item=OuterRef("pk")).held())
        | Exists(Recut.objects.filter(item=OuterRef("pk")))
    )
    rows = rows.annotate(given=Count("slots", filter=Q(slots__state=Slot.State.DONE)), removable=~touched)
    rows = rows.select_related("claim", "plan__audit").order_by("-pk")
    return Paginator(rows.only("gold_label", "gold_reason", "claim__text", "plan__audit__name"), PAGE).get_page(
        number
    )

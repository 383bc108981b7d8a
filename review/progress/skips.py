"""Which claims experts passed over and why: data for the analyst."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Exists, Max, OuterRef, Prefetch

from audits.models import Audit, Project
from review.models import ReviewItem, Skip, Slot

PAGE = 25  # claims
NOTES = 20  # of one claim on the page


@dataclass(frozen=True)
class Reason:
    """One reason. skips: how often it was given; claims: for how many; still_open: those without all their labels."""

    value: str
    word: str
    skips: int
    claims: int
    still_open: int


@dataclass(frozen=True)
class Skipped:
    """One claim that was passed over, with the newest of its skips."""

    item: ReviewItem
    still_open: bool
    times: int
    skips: Sequence[Skip]


def reasons(project: Project) -> list[Reason]:
    """All four reasons, over the audits of the project under review, in the order of the desk. One query."""
    rows = _skips(project).order_by().values("reason", "still_open")
    counted = rows.annotate(skips=Count("pk"), claims=Count("item", distinct=True))
    sums: dict[str, list[int]] = {value: [0, 0, 0] for value in Skip.Reason.values}
    for row in counted:
        total = sums[row["reason"]]
        total[0] += row["skips"]
        total[1] += row["claims"]
        total[2] += row["claims"] if row["still_open"] else 0
    return [Reason(value, str(word), *sums[value]) for value, word in Skip.Reason.choices]


def skipped(project: Project, *, reason: str, only_open: bool, number: str | None) -> tuple[Page[Any], list[Skipped]]:
    """One page of claims that were passed over, the last skip first. reason: "" for all. number: of the page."""
    items: Any = ReviewItem.objects.filter(plan__audit__project=project, plan__audit__status=Audit.Status.REVIEWING)
    passed = Skip.objects.filter(item=OuterRef("pk"))
    items = items.filter(Exists(passed.filter(reason=reason) if reason else passed))
    waiting = Slot.objects.open().filter(item=OuterRef("pk"))
    items = items.annotate(still_open=Exists(waiting), times=Count("skips"), last=Max("skips__pk"))
    if only_open:
        items = items.filter(still_open=True)
    newest = Prefetch("skips", Skip.objects.select_related("reviewer").order_by("-pk"))
    shown = items.select_related("claim", "plan__audit").prefetch_related(newest).order_by("-last")
    page = Paginator(shown.only("replaced_at", "claim__text", "plan__audit__name"), PAGE).get_page(number)
    rows = [Skipped(item, item.still_open, item.times, list(item.skips.all())[:NOTES]) for item in page]
    return page, rows


def _skips(project: Project) -> Any:
    waiting = Slot.objects.open().filter(item=OuterRef("item"))
    under_review = Skip.objects.filter(
        item__plan__audit__project=project, item__plan__audit__status=Audit.Status.REVIEWING
    )
    return under_review.annotate(still_open=Exists(waiting))

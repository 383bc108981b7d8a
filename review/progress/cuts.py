"""Proposals to cut a claim anew: those that wait for an answer, and those that have one."""

from collections.abc import Sequence
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet

from audits.models import Audit, Project
from review.models import Recut

PAGE = 25
DECIDED_SHOWN = 50


def proposals(project: Project) -> "QuerySet[Recut]":
    """All proposals about claims of audits under review."""
    return Recut.objects.filter(
        item__plan__audit__project=project, item__plan__audit__status=Audit.Status.REVIEWING
    ).select_related("item__claim", "item__plan__audit", "proposer", "decided_by")


def waiting(project: Project, number: str | None) -> Page[Any]:
    """One page of the proposals that wait, the oldest first. number: of the page."""
    rows = proposals(project).filter(state=Recut.State.PROPOSED).order_by("pk")
    return Paginator(_light(rows), PAGE).get_page(number)


def decided(project: Project) -> Sequence[Recut]:
    """The proposals that were decided last, the newest first; no more than DECIDED_SHOWN."""
    rows = proposals(project).exclude(state=Recut.State.PROPOSED).order_by("-decided_at", "-pk")
    return list(_light(rows)[:DECIDED_SHOWN])


def _light(rows: "QuerySet[Recut]") -> "QuerySet[Recut]":
    """Without the answers and contexts of samples."""
    return rows.only(
        "texts", "note", "state", "reply", "created", "decided_at", "item__claim__text", "item__plan__audit__name",
        "proposer__username", "decided_by__username",
    )  # fmt: skip

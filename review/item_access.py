"""Who may read the page of an item, and how much of it."""

from dataclasses import dataclass

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from audits.access import VerdictsHidden, project_for
from audits.models import Role
from review.comments import settled
from review.models import Adjudication, ReviewItem


@dataclass(frozen=True)
class Reading:
    """An item and what its reader may know. settled: no label of it is open.

    full: verdicts and everybody's labels. Otherwise the reader is an expert who has labelled it. names: experts by
    name. origin: why the claim came up, and its known label; never for one whom known labels measure.
    """

    item: ReviewItem
    settled: bool
    full: bool
    names: bool
    origin: bool


def item_for(request: HttpRequest, slug: str, pk: int) -> Reading:
    """An item of this project, for its page.

    Analysts and managers read everything; one who is an expert here too, only when no label of the item is open. An
    expert reads the own part, after the own label. Raises as project_for does, and VerdictsHidden before the label.
    """
    project = project_for(request, slug)
    roles: frozenset[str] = getattr(project, "roles", frozenset())
    rows = ReviewItem.objects.select_related("claim__sample", "plan__audit__project", "parent__claim")
    item = get_object_or_404(rows, pk=pk, plan__audit__project=project)
    item.plan.audit.project = project
    is_settled = settled(item)
    is_expert = Role.EXPERT in roles
    if roles & {Role.ANALYST, Role.MANAGER} and (is_settled or not is_expert):
        return Reading(item, is_settled, full=True, names=Role.MANAGER in roles, origin=not is_expert)
    if not Adjudication.objects.standing().filter(item=item, reviewer=request.user).exists():
        raise VerdictsHidden(_("This page shows labels of a claim. You can read it once you have given yours."))
    return Reading(item, is_settled, full=False, names=False, origin=False)

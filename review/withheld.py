"""What a page about the review keeps from a manager or analyst who labels claims of the project too."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef

from audits.models import Audit, Membership, Project, Role
from review.models import Adjudication, Slot


@dataclass(frozen=True)
class Withheld:
    """claims: no list that says something of single claims. gold: nothing of known labels."""

    claims: bool
    gold: bool


def withheld_from(user: Any, project: Project) -> Withheld:
    """What this person must not read in the project now.

    Remarks of colleagues and proposed cuts stay hidden while claims wait that the person may still be given. Known
    labels stay hidden from every expert: whoever chooses them, or sees how others met them, is not tested by them.
    """
    if not Membership.objects.filter(project=project, user=user, role=Role.EXPERT).exists():
        return Withheld(claims=False, gold=False)
    spoken = Adjudication.objects.standing().filter(reviewer=user, item=OuterRef("item"))
    waiting = Slot.objects.open().in_projects([project]).filter(~Exists(spoken))
    opening = project.audits.filter(status=Audit.Status.REVIEWING, calibration=False, review_plan__isnull=True)
    return Withheld(claims=waiting.exists() or opening.exists(), gold=True)

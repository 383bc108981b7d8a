"""Which slots are for a person: one description, for taking a claim and for counting what there is."""

from functools import cached_property
from typing import Any

from django.db.models import Exists, OuterRef, Q

from audits.json_queries import Holds
from review.models import Adjudication, Assignment, Skip, Slot
from review.models.item import SlotQuerySet
from review.scope import Scope


class Offer:
    """Slots of the scope's projects, as this person sees them; the filters of the scope are not applied."""

    def __init__(self, user: Any, scope: Scope) -> None:
        self.user = user
        self.scope = scope

    def slots(self) -> SlotQuerySet:
        """Every slot under review that is this person's business, done ones included."""
        return (
            Slot.objects.needed()
            .in_projects(self.scope.projects)
            .filter(Q(reserved_for__isnull=True) | Q(reserved_for=self.user))
        )

    @cached_property
    def assigned(self) -> Q:
        """True of a slot whose sample has one of the person's tags in its project, if there are any there."""
        rows = Assignment.objects.filter(expert=self.user, project__in=self.scope.projects)
        tags: dict[int, Q] = {}
        for project, tag in rows.values_list("project", "tag"):
            tags[project] = tags.get(project, Q()) | Q(Holds("item__claim__sample__tags", tag))
        found = Q()
        for project, wanted in tags.items():
            found &= ~Q(item__plan__audit__project=project) | wanted
        return found

    @cached_property
    def barred(self) -> Q:
        """True of a waiting slot that this person may not fill: it is for somebody who has not spoken of the item."""
        mine = Slot.objects.filter(reviewer=self.user)
        # Without OuterRef the database asks once, not once for each slot.
        filled = Q(item__in=mine.filter(state=Slot.State.DONE).values("item"))
        in_hand = Q(item__in=mine.held().values("item")) & ~Q(pk__in=mine.held().values("pk"))
        words = Adjudication.objects.filter(item=OuterRef("item"), reviewer=self.user)
        spoken = Q(arbitrates=True) & Q(Exists(words.exclude(slot=OuterRef("pk"))))
        return filled | in_hand | spoken

    @property
    def mine_to_do(self) -> Q:
        """True of a waiting slot that this person may fill."""
        return self.assigned & ~self.barred

    @cached_property
    def skipped(self) -> Q:
        """True of a slot whose claim this person passed over."""
        return Q(item__in=Skip.objects.filter(reviewer=self.user).values("item"))

"""What part of the queue a person works on: the projects, and what the person filters by."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Q

from audits.json_queries import Holds
from audits.models import Project
from review.models.item import SlotQuerySet


@dataclass(frozen=True)
class Scope:
    """projects: where the person is an expert, or the one of slug. tag, language: of the sample, "" for all."""

    projects: tuple[Project, ...]
    slug: str = ""
    tag: str = ""
    language: str = ""

    @property
    def filtered(self) -> bool:
        """True when the person hides a part of the queue."""
        return bool(self.tag or self.language)

    @property
    def query(self) -> Mapping[str, str]:
        """What an address or a form carries so that the next page works on the same part; empty values left out."""
        parts = {"project": self.slug, "tag": self.tag, "language": self.language}
        return {name: value for name, value in parts.items() if value}

    @property
    def chosen(self) -> Q:
        """True of a slot that the person's filters do not hide."""
        found = Q()
        if self.tag:
            found &= Q(Holds("item__claim__sample__tags", self.tag))
        if self.language:
            found &= Q(item__claim__sample__language=self.language)
        return found

    def of(self, slots: SlotQuerySet) -> SlotQuerySet:
        """Those of the slots that lie in this part of the queue."""
        return slots.in_projects(self.projects).filter(self.chosen)

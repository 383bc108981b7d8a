"""What managers set for the review of all audits of a project."""

from typing import Any

from django.db import transaction

from audits.models import Event, Project
from review.models import ReviewRules


def rules_of(project: Project) -> ReviewRules:
    """The rules in force: the project's own, else the defaults (not stored)."""
    return ReviewRules.objects.filter(project=project).first() or ReviewRules(project=project)


def set_rules(*, project: Project, reveal: bool, gold_bar: int, by: Any) -> bool:
    """Change the rules, with an event that says what they were; False when they are these already.

    reveal: experts may see the judges' verdicts after their label. gold_bar: percent, 0 to 100.
    """
    wanted = {"reveal": reveal, "gold_bar": gold_bar}
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)  # two managers at once
        before = rules_of(project)
        had = {name: getattr(before, name) for name in wanted}
        if had == wanted:
            return False
        row, _ = ReviewRules.objects.update_or_create(project=project, defaults=wanted)
        Event.record("review_rules_changed", project=project, actor=by, rows=[row], before=had, after=wanted)
    return True

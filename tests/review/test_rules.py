"""The rules of a review: defaults without a row, changed once with an event."""

from typing import Any

import pytest

from audits.models import Event, Project
from review.models import ReviewRules
from review.rules import rules_of, set_rules

pytestmark = pytest.mark.django_db


def test_without_a_row_the_defaults_hold(project: Project) -> None:
    rules = rules_of(project)
    assert (rules.reveal, rules.gold_bar) == (True, 80)
    assert not ReviewRules.objects.exists()


def test_a_change_is_written_down_with_what_was_before(project: Project, manager: Any) -> None:
    assert set_rules(project=project, reveal=False, gold_bar=90, by=manager)
    assert (rules_of(project).reveal, rules_of(project).gold_bar) == (False, 90)
    event = Event.objects.get(kind="review_rules_changed")
    assert event.actor == manager
    said = {name: event.data[name] for name in ("before", "after")}
    assert said == {"before": {"reveal": True, "gold_bar": 80}, "after": {"reveal": False, "gold_bar": 90}}


def test_the_same_rules_again_change_nothing(project: Project, manager: Any) -> None:
    assert not set_rules(project=project, reveal=True, gold_bar=80, by=manager)
    assert set_rules(project=project, reveal=False, gold_bar=80, by=manager)
    assert not set_rules(project=project, reveal=False, gold_bar=80, by=manager)
    assert Event.objects.filter(kind="review_rules_changed").count() == 1

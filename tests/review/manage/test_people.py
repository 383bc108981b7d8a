"""Experts, and the tags that they look at."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from audits.models import Audit, Project, Sample
from review.models import Assignment, Slot
from review.progress.people import people, tags_of
from tests.review.manage.acting import SLUG, get, label, post

pytestmark = pytest.mark.django_db


def test_experts_are_shown_with_their_labels_and_what_they_could_take(
    audit: Audit, project: Project, expert: Any, person: Any, browser: Client
) -> None:
    gone = person("gone")
    slots = list(Slot.objects.order_by("pk"))
    label(slots[0], expert, ms=12_000)
    label(slots[1], gone, days_ago=8)
    found = people(project)
    assert [(row.user.username, row.expert, row.pace.labels, row.week, row.could_take) for row in found.rows] == [
        ("eve", True, 1, 1, 4),
        ("gone", False, 1, 0, 0),
    ]
    page = get(browser, "review_manage_people")
    assert "no expert here any more; the labels stay" in page and "not measured" in page and "everything" in page


def test_tags_are_chosen_for_an_expert_and_searched_without_saving(
    audit: Audit, project: Project, expert: Any, browser: Client
) -> None:
    samples = list(Sample.objects.order_by("pk"))
    for sample, tags in zip(samples, (["tax"], ["tax", "law"], ["x" * 300]), strict=False):
        Sample.objects.filter(pk=sample.pk).update(tags=tags)
    assert tags_of(project) == [("law", 1), ("tax", 2)]  # one too long to be assigned is left out
    page = get(browser, "review_assign", expert.pk)
    assert "tax (2)" in page and "law (1)" in page
    searched = post(browser, "review_assign", expert.pk, find="la", search="1", tags=["tax"])
    assert "tax (2)" in searched and not Assignment.objects.exists()  # the tick is kept, nothing is saved
    assert "eve looks at claims with 1 tag now." in post(browser, "review_assign", expert.pk, tags=["tax"])
    assert [row.tag for row in Assignment.objects.all()] == ["tax"]
    page = get(browser, "review_manage_people")
    assert "4 open claims are looked at by nobody" in page and "without a tag" in page
    assert "these were the tags already" in post(browser, "review_assign", expert.pk, tags=["tax"])
    assert browser.post(reverse("review_assign", args=(SLUG, expert.pk)), {"tags": "nowhere"}).status_code == 422
    assert "eve looks at everything now." in post(browser, "review_assign", expert.pk)

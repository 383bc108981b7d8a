"""Saying what a dataset is a sample of."""

import datetime
from typing import Any

import pytest
from django.urls import reverse

from audits.models import Dataset, Event, Project
from tests.audits.factory import make_dataset

pytestmark = pytest.mark.django_db


@pytest.fixture
def dataset(project: Project) -> Dataset:
    dataset = make_dataset(project)
    dataset.samples.update(timestamp=datetime.datetime(2026, 10, 3, 9, tzinfo=datetime.UTC))
    return dataset


def test_an_analyst_says_it_and_it_is_recorded(signed_in: Any, analyst: Any, dataset: Dataset) -> None:
    browser, url = signed_in(analyst), reverse("dataset_origin", args=[dataset.project.slug, dataset.pk])
    assert 'value="2026-10-03"' in browser.get(url).content.decode()  # proposed from the file
    wrong = browser.post(url, {"period_from": "2026-10-31", "period_to": "2026-10-01", "drawn": ""})
    assert wrong.status_code == 422 and "lies before the first one" in wrong.content.decode()
    sent = {"period_from": "2026-10-01", "period_to": "2026-10-31", "drawn": "At random, <b>300</b> of all."}
    page = browser.post(url, sent, follow=True).content.decode()
    assert "2026-10-01 to 2026-10-31" in page and "At random, &lt;b&gt;300&lt;/b&gt; of all." in page
    dataset.refresh_from_db()
    assert dataset.period_to == datetime.date(2026, 10, 31)
    data = Event.objects.get(kind="dataset_described").data
    assert data["before"]["drawn"] == "" and data["after"]["period_from"] == "2026-10-01"
    browser.post(url, sent)
    assert Event.objects.filter(kind="dataset_described").count() == 1

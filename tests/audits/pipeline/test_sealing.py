"""Events in their chain: sealed once, in order, and what is done behind the application's back is found."""

import threading
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connections, models
from django.test import Client

from audits.chain import START, Break
from audits.models import Event, Project
from audits.models.written_once import Frozen
from audits.pipeline.sealing import check, head, seal
from tests.review.factory import patiently

pytestmark = pytest.mark.django_db


@pytest.fixture
def events() -> list[Event]:
    project = Project.objects.create(name="Bank", slug="bank")
    made = [Event.record("budget", project=project, amount=f"{n}.00", share=1.0, name="费率") for n in range(3)]
    seal()
    return made


def behind(**changes: Any) -> None:
    """What somebody does who writes to the database directly."""
    rows: models.QuerySet[Event] = models.QuerySet(Event)
    rows.filter(sequence=2).update(**changes)


def test_sealing_gives_places_in_order_and_once(events: list[Event]) -> None:
    assert list(Event.objects.order_by("pk").values_list("sequence", flat=True)) == [1, 2, 3]
    before = head()
    assert seal() == before[1] and head() == before
    Event.record("budget", project=events[0].project)
    assert seal() != before[1] and head()[0] == 4
    assert check() is None


@pytest.mark.django_db(transaction=True)
def test_whoever_seals_finds_what_they_wrote_sealed_whoever_seals_meanwhile() -> None:
    people, start, missed = 6, threading.Barrier(6), []

    def write_and_seal() -> None:
        try:
            start.wait()
            for _ in range(5):
                event = patiently(partial(Event.record, "budget", project=None))
                patiently(seal)
                missed.extend(patiently(partial(list, Event.objects.filter(pk=event.pk, sequence__isnull=True))))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=write_and_seal) for _ in range(people)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert missed == [] and check() is None and head()[0] == 5 * people


@pytest.mark.parametrize(
    "changes", [{"data": {"amount": "9.00"}}, {"kind": "upload"}, {"project": None}, {"hash": "0" * 64}]
)
def test_a_changed_event_is_found(events: list[Event], changes: dict[str, Any]) -> None:
    behind(**changes)
    assert check() == Break(2, "changed")


def test_a_removed_event_is_found(events: list[Event]) -> None:
    rows: models.QuerySet[Event] = models.QuerySet(Event)
    rows.filter(sequence=2).delete()
    assert check() == Break(2, "missing")


def test_the_application_itself_changes_no_event(events: list[Event]) -> None:
    with pytest.raises(Frozen):
        events[0].save()
    with pytest.raises(Frozen):
        events[0].delete()
    with pytest.raises(Frozen):
        Event.objects.update(kind="upload")


def test_an_empty_log_has_a_head() -> None:
    assert head() == (0, START) and check() is None


def test_signing_in_and_out_is_written_down(client: Client) -> None:
    user = User.objects.create_user("expert", password="a long password")
    client.force_login(user)
    client.logout()
    assert list(Event.objects.order_by("pk").values_list("kind", "actor")) == [
        ("signed_in", user.pk),
        ("signed_out", user.pk),
    ]

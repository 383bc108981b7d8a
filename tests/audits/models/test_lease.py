"""Leases end by the database's clock, whatever the clocks of the workers do, and never last longer than they can."""

import datetime
import uuid
from typing import Any

import pytest
import time_machine
from django.conf import settings
from django.db.models.functions import Now

from audits.models import Audit, Extraction, Project
from tests.audits.factory import make_audit, make_dataset

pytestmark = pytest.mark.django_db
SECOND, HOUR = datetime.timedelta(seconds=1), datetime.timedelta(hours=1)


@pytest.fixture
def audit(project: Project) -> Audit:
    return make_audit(make_dataset(project))


def pending(audit: Audit) -> Any:
    return Extraction.objects.filter(audit=audit, status=Extraction.Status.PENDING)


def take(audit: Audit, token: uuid.UUID | None = None) -> list[Extraction]:
    return pending(audit).take(9, settings.ASSAY_LEASE_SECONDS, token or uuid.uuid4())


def test_what_is_taken_is_not_free_until_it_is_given_back(audit: Audit) -> None:
    token = uuid.uuid4()
    assert len(take(audit, token)) == 3
    assert take(audit) == [] and not pending(audit).free().exists()
    pending(audit).release(token)
    assert len(take(audit)) == 3


@pytest.mark.parametrize(
    ("left", "free"),
    [
        (-SECOND, True),
        (10 * SECOND, False),
        (settings.ASSAY_LEASE_SECONDS * SECOND, False),
        (HOUR, True),  # the database's clock was set back after it was taken
        (-HOUR, True),
    ],
)
def test_a_lease_holds_neither_after_its_end_nor_longer_than_leases_last(
    audit: Audit, left: datetime.timedelta, free: bool
) -> None:
    take(audit)
    pending(audit).update(leased_until=Now() + left)
    assert pending(audit).free().exists() is free
    assert len(take(audit)) == (3 if free else 0)


@pytest.mark.parametrize("jump", [HOUR, -HOUR])
def test_the_clock_of_a_worker_may_jump(audit: Audit, jump: datetime.timedelta) -> None:
    token = uuid.uuid4()
    with time_machine.travel(datetime.datetime.now(datetime.UTC) + jump):
        assert len(take(audit, token)) == 3
        assert take(audit) == []  # of its own it thinks no other than others do
    assert take(audit) == []  # it still works
    with time_machine.travel(datetime.datetime.now(datetime.UTC) + jump):
        assert pending(audit).renew(token, settings.ASSAY_LEASE_SECONDS) == 3
        assert take(audit) == []
    pending(audit).update(leased_until=Now() - SECOND)  # it died
    assert len(take(audit)) == 3


def test_renewing_mends_a_lease_from_before_the_clock_was_set(audit: Audit) -> None:
    token = uuid.uuid4()
    take(audit, token)
    for strange in (Now() + HOUR, Now() - HOUR):
        pending(audit).update(leased_until=strange)
        assert pending(audit).renew(token, settings.ASSAY_LEASE_SECONDS) == 3
        assert take(audit) == []

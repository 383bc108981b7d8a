"""What came back is stored once, also when the database commits and its confirmation never arrives."""

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import pytest
from django.db import OperationalError, connection

from audits import pipeline, working
from audits.models import Audit, Call, Claim, Project, Verdict
from tests.audits import road
from tests.vendor_server.server import VendorServer

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def lost_confirmation(monkeypatch: pytest.MonkeyPatch, *, committed: bool) -> Iterator[None]:
    """The connection breaks at the commit: after it, or before."""
    commit = connection.commit

    def broken() -> None:
        if committed:
            commit()
        raise OperationalError("server closed the connection unexpectedly")

    with monkeypatch.context() as patch:
        patch.setattr(connection, "commit", broken)
        with pytest.raises(OperationalError):
            yield


@pytest.fixture
def stores(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], Any]]:
    """What workers store, each as a function that stores the same again; nothing is stored by themselves."""
    kept: list[Callable[[], Any]] = []
    store = pipeline.store

    def keep(audit: Audit, calls: Any, results: Any, bill: Any = None) -> list[int]:
        kept.append(lambda: store(audit, calls, results, bill))
        return store(audit, calls, results, bill)

    monkeypatch.setattr(working.pipeline, "store", keep)
    return kept


def state() -> tuple[Any, ...]:
    claims = Claim.objects.order_by("sample", "position").values_list("text", "decision")
    spent = list(Audit.objects.values_list("spent", flat=True))
    return list(claims), Verdict.objects.count(), Call.objects.count(), spent


@pytest.mark.parametrize("committed", [True, False])
def test_a_commit_without_a_confirmation_is_stored_once(
    project: Project, vendor_server: VendorServer, monkeypatch: pytest.MonkeyPatch, committed: bool
) -> None:
    store, tries = pipeline.store, []

    def once_in_vain(audit: Audit, calls: Any, results: Any, bill: Any = None) -> list[int]:
        if calls and len(tries) < 3:
            tries.append(len(calls))
            with lost_confirmation(monkeypatch, committed=committed):
                store(audit, calls, results, bill)
        return store(audit, calls, results, bill)

    monkeypatch.setattr(working.pipeline, "store", once_in_vain)
    audit = road.work_off(road.start(road.make_dataset(project), budget=Decimal(10)))
    assert audit.status == Audit.Status.REVIEWING and len(tries) >= 2
    assert Call.objects.count() == len(vendor_server.requests) == 10
    assert Verdict.objects.count() == 8 and audit.claims.exclude(decision="").count() == 4
    assert audit.spent == sum(Call.objects.values_list("cost", flat=True))


def test_storing_all_of_an_audit_again_changes_nothing(
    project: Project, vendor_server: VendorServer, stores: list[Callable[[], Any]]
) -> None:
    audit = road.work_off(road.start(road.make_dataset(project), budget=Decimal(10)))
    before = state()
    assert stores
    for again in stores:
        assert set(again()) <= set(audit.extractions.values_list("pk", flat=True))
    assert state() == before


def test_rows_of_a_run_that_was_rolled_back_are_written_anew(project: Project) -> None:
    audit = road.start(road.make_dataset(project))
    member = audit.members.get(role="extractor")
    calls = [
        Call(audit=audit, member=member, purpose="extract", request_hash=uuid.uuid4().hex, outcome="server")
        for _ in range(3)
    ]
    pipeline.store(audit, calls, [])
    Call.objects.all().delete()  # as a rollback leaves them: with ids that stand nowhere
    pipeline.store(audit, calls, [])
    pipeline.store(audit, calls, [])
    assert Call.objects.count() == 3

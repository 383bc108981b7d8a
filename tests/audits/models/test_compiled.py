"""Statements that are compiled once say each time what the same query says, and do what the same update does."""

import datetime
import uuid
from typing import Any

import pytest
from django.conf import settings
from django.db.models import F
from django.db.models.functions import Now

from audits.models import Audit, Extraction, Judging, Project, Sample, compiled
from audits.models.compiled import Slot, roomy, slots
from tests.audits.factory import cut, make_audit, make_dataset

pytestmark = pytest.mark.django_db
HOUR = datetime.timedelta(hours=1)


@pytest.fixture
def audit(project: Project) -> Audit:
    audit = make_audit(make_dataset(project, samples=5))
    for sample in audit.dataset.samples.all():
        cut(audit, sample, ["它收取百分之二的费用。"])
    return audit


def take(audit: Audit, limit: int, token: uuid.UUID | None = None, **still: Any) -> list[Judging]:
    asked: dict[str, Any] = {"audit_id": audit.pk, "batch_id": None, "status": Judging.Status.OWED}
    return Judging.objects.all().take_owed(
        limit, settings.ASSAY_LEASE_SECONDS, token or uuid.uuid4(), **(asked | still)
    )


@pytest.mark.parametrize(("number", "room"), [(1, 1), (2, 2), (3, 4), (4, 4), (5, 8), (1000, 1024)])
def test_there_are_few_forms(number: int, room: int) -> None:
    assert roomy(number) == room


def test_fewer_values_than_slots_name_nothing_else(audit: Audit) -> None:
    def samples(ids: list[int]) -> list[Sample]:
        rows = lambda: Sample.objects.filter(pk__in=slots("ids", 8)).annotate(twice=F("pk") * 2)  # noqa: E731
        return compiled.select("test: samples", rows, ids=ids)

    pks = [sample.pk for sample in audit.dataset.samples.all()]
    for ids in (pks, pks[1:3], pks[4:]):
        found = samples(ids)
        assert [sample.pk for sample in found] == ids
        assert found == list(Sample.objects.filter(pk__in=ids))
        assert [sample.contexts for sample in found] == [s.contexts for s in Sample.objects.filter(pk__in=ids)]
        assert [sample.twice for sample in found] == [2 * pk for pk in ids]  # type: ignore[attr-defined]


def test_values_come_as_tuples(audit: Audit) -> None:
    rows = lambda: (  # noqa: E731
        Sample.objects.filter(position__lt=Slot("most")).order_by("position").values_list("position", "contexts")
    )
    expected = [(s.position, s.contexts) for s in audit.dataset.samples.filter(position__lt=2)]
    found = compiled.select("test: values", rows, most=2)
    assert [tuple(row) for row in found] == expected


def test_each_row_is_taken_once(audit: Audit) -> None:
    token, (first, second) = uuid.uuid4(), audit.panel
    mine = take(audit, 3, token, member_id=first.pk)
    assert len(mine) == 3 and {row.lease for row in mine} == {token}
    assert {row.pk for row in mine} == set(Judging.objects.filter(lease=token).values_list("pk", flat=True))
    rest = take(audit, 9, member_id=first.pk)
    assert len(rest) == 2 and not {row.pk for row in mine} & {row.pk for row in rest}
    assert take(audit, 9, member_id=first.pk) == []
    assert [row.member_id for row in take(audit, 9)] == [second.pk] * 5


@pytest.mark.parametrize(("left", "free"), [(-HOUR / 60, True), (HOUR / 360, False), (HOUR, True)])
def test_a_lease_that_is_over_or_too_long_is_none(audit: Audit, left: datetime.timedelta, free: bool) -> None:
    Judging.objects.filter(audit=audit).update(lease=uuid.uuid4(), leased_until=Now() + left)
    assert len(take(audit, 99)) == (10 if free else 0)


def test_only_what_is_still_so_is_taken(audit: Audit) -> None:
    Judging.objects.filter(audit=audit).update(status=Judging.Status.DONE)
    one = Judging.objects.filter(audit=audit).first()
    assert one is not None
    Judging.objects.filter(pk=one.pk).update(status=Judging.Status.OWED, direct=True)
    assert take(audit, 9, direct=False) == []
    assert take(audit, 9, direct=True) == [one]


def test_an_update_tells_how_many_rows_it_changed(audit: Audit) -> None:
    pks = list(Extraction.objects.filter(audit=audit).values_list("pk", flat=True))

    def note(ids: list[int], notes: list[str]) -> int:
        field = Extraction._meta.get_field("notes")
        build = lambda: (Extraction.objects.filter(pk__in=slots("ids", 4)), {"notes": Slot("notes", field)})  # noqa: E731
        return compiled.update("test: notes", build, ids=ids, notes=notes)

    assert note(pks[:3], ["费用", "100 %"]) == 3
    assert note([0], ["nobody"]) == 0
    stored = Extraction.objects.filter(audit=audit).order_by("pk").values_list("notes", flat=True)
    assert list(stored) == [["费用", "100 %"]] * 3 + [[], []]

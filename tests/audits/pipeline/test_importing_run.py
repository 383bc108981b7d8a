"""An import at its worst moments: stopped, killed, doubled, broken off; nothing is lost, doubled or half there."""

import json
import sys
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.base import ContentFile

from audits import pipeline, tasks
from audits.formats.child import COLUMNS, asking
from audits.formats.child.frames import LENGTHS
from audits.models import Dataset, Event, GivenLabel, Project, RowError, Sample
from audits.pipeline import importing, steering
from tests.audits import road

pytestmark = pytest.mark.django_db
ROWS = [
    {"id": f"q{n}", "question": "Q", "contexts": [f"C{n}"], "answer": f"A{n}", "other": f"B{n}"} for n in range(1200)
]
Status = Dataset.Status


@pytest.fixture
def moving(project: Project) -> Dataset:
    """An import that has been started, of 1,200 rows: three batches."""
    dataset = road.receive(project, ROWS)
    assert pipeline.confirm_mapping(dataset=dataset, mapping=dataset.mapping, user=None)
    return dataset


def at_batch(number: int, act: Callable[[], Any]) -> Callable[[int, float | None], None]:
    """Do something when so many batches are stored."""
    left = [number]

    def tell(_done: int, _fraction: float | None) -> None:
        left[0] -= 1
        if not left[0]:
            act()

    return tell


def state(dataset: Dataset) -> tuple[str, int, int]:
    """Status, rows done, rows that are there; and nobody holds it."""
    dataset.refresh_from_db()
    assert dataset.lease is None
    return dataset.status, dataset.rows_done, dataset.samples.count()


def whole(dataset: Dataset) -> bool:
    answers = list(dataset.samples.values_list("position", "external_id", "answer"))
    return answers == [(n, f"q{n}", f"A{n}") for n in range(1200)]


def test_an_import_that_is_stopped_rests_and_goes_on(moving: Dataset, analyst: Any) -> None:
    stop = at_batch(1, lambda: pipeline.stop_import(moving, analyst))
    assert pipeline.import_dataset(moving.pk, tell=stop)
    assert state(moving) == (Status.STOPPED, 500, 500)
    assert pipeline.import_dataset(moving.pk)  # a bell that rings late changes nothing
    assert state(moving) == (Status.STOPPED, 500, 500)
    assert not pipeline.stop_import(moving, analyst)
    assert pipeline.resume_import(moving, analyst)
    assert not pipeline.resume_import(moving, analyst)
    assert pipeline.import_dataset(moving.pk)
    assert state(moving) == (Status.READY, 1200, 1200) and whole(moving)
    assert (moving.rows_total, moving.progress) == (1200, 1.0)
    kinds = Event.objects.filter(actor=analyst).values_list("kind", "data__rows_done")
    assert list(kinds) == [("stop_import", 500), ("resume_import", 500)]


def test_an_import_that_is_given_up_leaves_nothing_and_can_be_mapped_anew(moving: Dataset, analyst: Any) -> None:
    assert not pipeline.discard_import(moving, analyst)  # it must be stopped first
    pipeline.import_dataset(moving.pk, tell=at_batch(2, lambda: pipeline.stop_import(moving, analyst)))
    assert pipeline.discard_import(moving, analyst)
    assert state(moving) == (Status.UPLOADED, 0, 0)
    assert pipeline.confirm_mapping(dataset=moving, mapping=moving.mapping | {"answer": "other"}, user=analyst)
    pipeline.import_dataset(moving.pk)
    assert state(moving) == (Status.READY, 1200, 1200)
    assert moving.samples.get(position=7).answer == "B7"


def test_who_worked_under_an_earlier_mapping_stores_nothing_more(moving: Dataset, analyst: Any) -> None:
    def start_anew() -> None:
        pipeline.stop_import(moving, analyst)
        pipeline.discard_import(moving, analyst)
        pipeline.confirm_mapping(dataset=moving, mapping=moving.mapping | {"answer": "other"}, user=analyst)

    assert not pipeline.import_dataset(moving.pk, tell=at_batch(1, start_anew))
    assert state(moving) == (Status.IMPORTING, 0, 0)
    pipeline.import_dataset(moving.pk)
    assert set(moving.samples.values_list("answer", flat=True)) == {row["other"] for row in ROWS}


def test_a_worker_that_is_to_end_lets_go_after_a_batch(moving: Dataset) -> None:
    ending: list[bool] = []
    tell = at_batch(1, lambda: ending.append(True))
    assert not pipeline.import_dataset(moving.pk, stopping=lambda: bool(ending), tell=tell)
    assert state(moving) == (Status.IMPORTING, 500, 500)
    assert pipeline.import_dataset(moving.pk)
    assert whole(moving)


def test_two_workers_do_not_import_one_dataset(moving: Dataset) -> None:
    others: list[bool] = []
    second = at_batch(1, lambda: others.append(pipeline.import_dataset(moving.pk)))
    assert pipeline.import_dataset(moving.pk, tell=second)
    assert others == [False] and whole(moving)


def test_a_worker_whose_lease_was_taken_stores_nothing_more(moving: Dataset) -> None:
    other = uuid.uuid4()
    steal = at_batch(1, lambda: Dataset.objects.filter(pk=moving.pk).update(lease=other))
    assert not pipeline.import_dataset(moving.pk, tell=steal)
    moving.refresh_from_db()
    assert (moving.lease, moving.rows_done, moving.samples.count()) == (other, 500, 500)


def test_an_import_of_an_older_version_that_was_checking_starts_anew(moving: Dataset) -> None:
    Dataset.objects.filter(pk=moving.pk).update(status=Status.CHECKING, rows_done=700)
    assert pipeline.import_dataset(moving.pk)
    assert state(moving) == (Status.READY, 1200, 1200) and whole(moving)


def test_rows_of_an_earlier_try_do_not_mix_with_the_new_ones(moving: Dataset) -> None:
    Sample.objects.create(dataset=moving, position=3, line=1, external_id="old", answer="old")
    RowError.objects.create(dataset=moving, line=1, code="old", reason="old")
    pipeline.import_dataset(moving.pk)
    assert whole(moving) and not moving.row_errors.exists()


def rows_frame(first: int, count: int) -> bytes:
    """Rows as the process that reads would send them."""
    row = ["1", "id", "q", "a", '["c"]', "{}", "[]", "en", "", "", "", "[]"]
    body = "\x00".join(value for n in range(first, first + count) for value in [str(n), *row]).encode()
    assert len(row) + 1 == len(COLUMNS)
    problems = [{"line": first + 9, "column": "", "code": "x", "reason": "x", "value": "", "values": None}]
    return frame({"rows": count, "done": first + count, "fraction": 0.5, "labels": [], "problems": problems}, body)


def frame(head: Any, body: bytes = b"") -> bytes:
    told = json.dumps(head).encode()
    return LENGTHS.pack(len(told), len(body)) + told + body


FAILURE = {"failed": {"code": "undecodable", "template": "", "params": {"line": 9, "encoding": "utf-8"}}}
ENDS = {
    "undecodable": f"out.write({frame(FAILURE)!r})",
    "needs_memory": "out.flush(); os.kill(os.getpid(), signal.SIGKILL)",
    "reader_ended": "pass",
}


@pytest.mark.parametrize("code", ENDS)
def test_a_file_that_breaks_off_leaves_nothing(moving: Dataset, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    frames = rows_frame(0, 300) + rows_frame(300, 300)
    program = f"import os, signal, sys; out = sys.stdout.buffer; out.write({frames!r}); {ENDS[code]}"
    monkeypatch.setattr(asking, "COMMAND", (sys.executable, "-S", "-c", program))
    stored: list[int] = []
    assert pipeline.import_dataset(moving.pk, tell=at_batch(2, lambda: stored.append(Sample.objects.count())))
    assert stored == [600]  # that much had been stored
    assert state(moving) == (Status.FAILED, 0, 0) and not RowError.objects.exists()
    assert moving.failure["code"] == code
    assert "Nothing was imported." in moving.failure["message"]


def test_rows_that_no_database_takes_fail_the_import_once(moving: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    twice = rows_frame(0, 10) + rows_frame(0, 20)
    program = f"import sys; sys.stdout.buffer.write({twice!r})"
    monkeypatch.setattr(asking, "COMMAND", (sys.executable, "-S", "-c", program))
    assert pipeline.import_dataset(moving.pk)
    assert state(moving) == (Status.FAILED, 0, 0) and moving.failure["code"] == "reader_ended"


def test_what_a_dead_worker_did_not_remove_is_removed_by_the_next(moving: Dataset) -> None:
    pipeline.import_dataset(moving.pk, seconds=0)
    Dataset.objects.filter(pk=moving.pk).update(status=Status.FAILED, failure={"code": "undecodable"})
    assert [each.pk for each in pipeline.imports_owed()] == [moving.pk]
    tasks.sweep()
    pipeline.import_dataset(moving.pk)
    assert state(moving) == (Status.FAILED, 0, 0) and moving.failure == {"code": "undecodable"}
    assert not pipeline.imports_owed().exists()


def test_a_file_of_which_no_row_fits_keeps_its_errors(project: Project) -> None:
    text = "id,question,contexts,answer\n1,Q,C,A\n" + '2,Q,"[""cut",A\n' * 3
    dataset = pipeline.receive_upload(project=project, user=None, file=ContentFile(text.encode(), name="r.csv"))
    bad = ContentFile(text.replace("1,Q,C,A\n", "").encode(), name="r.csv")
    dataset.path.write_bytes(bad.read())
    pipeline.confirm_mapping(dataset=dataset, mapping=dataset.mapping, user=None)
    assert pipeline.import_dataset(dataset.pk)
    assert state(dataset) == (Status.FAILED, 0, 0) and dataset.failure["code"] == "no_row_imported"
    errors = list(dataset.row_errors.values_list("line", "code", "value", "values__question"))
    assert errors == [(line, "bad_list", '["cut', "Q") for line in (2, 3, 4)]


def test_labels_and_what_else_a_row_says_are_stored(project: Project) -> None:
    row = {"id": "1", "question": "q", "contexts": ["c"], "answer": "a", "model": "m", "at": "2024-05-06T07:08:09Z"}
    rows = [row | {"label": "yes", "topics": ["x"], "line\n": "new"}, row | {"id": "2", "label": "no"}]
    dataset = road.receive(project, rows)
    roles = {"label": "label", "generator": "model", "timestamp": "at", "tags": "topics"}
    words = {"yes": "SUPPORTED", "no": "CONTRADICTED"}
    pipeline.confirm_mapping(dataset=dataset, mapping=dataset.mapping | roles | {"words": words}, user=None)
    pipeline.import_dataset(dataset.pk)
    first, second = dataset.samples.all()
    assert (first.generator, first.tags, second.tags) == ("m", ["x"], [])
    assert first.timestamp.isoformat() == "2024-05-06T07:08:09+00:00"
    labels = GivenLabel.objects.values_list("sample__external_id", "position", "claim", "word", "label")
    assert list(labels) == [("1", 0, "", "yes", "SUPPORTED"), ("2", 0, "", "no", "CONTRADICTED")]
    pipeline.delete_dataset(dataset=dataset, user=None)
    assert not GivenLabel.objects.exists() and not Sample.objects.exists()


def test_rows_that_are_there_twice_are_flagged(project: Project) -> None:
    rows = [ROWS[0], ROWS[1] | {"answer": ""}, ROWS[0] | {"answer": "other"}, ROWS[1] | {"answer": "", "id": "x"}]
    dataset = road.make_dataset(project, rows)
    assert [sample.flags for sample in dataset.samples.all()] == [
        ["duplicate_id"],
        ["no_answer", "duplicate_row"],
        ["duplicate_id"],
        ["no_answer", "duplicate_row"],
    ]
    assert [each["code"] for each in dataset.notices] == ["duplicate_id", "duplicate_row", "rows_no_answer"]


def test_very_many_rows_are_deleted_bit_by_bit(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steering, "MANY", 2)
    monkeypatch.setattr(importing, "REMOVED_AT_ONCE", 2)
    kept = road.make_dataset(project, ROWS[:3])
    dataset = road.make_dataset(project, ROWS[:5])
    pipeline.delete_dataset(dataset=dataset, user=None)
    assert list(Dataset.objects.all()) == [kept] and Sample.objects.count() == 3
    audit = road.start(kept)
    with pytest.raises(pipeline.InUse):
        pipeline.delete_dataset(dataset=kept, user=None)
    assert Dataset.objects.get().status == Status.READY and audit.extractions.count() == 3


def test_a_worker_with_enough_in_hand_leaves_an_import_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []
    monkeypatch.setattr(tasks, "_imported", set())
    monkeypatch.setattr(tasks._importers, "submit", lambda _run, _do, pk, _in_hand: taken.append(pk))
    for pk in (1, 2, 2, 3):
        tasks.take_up_import(pk)
    assert taken == [1, 2]

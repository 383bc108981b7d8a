"""Imports by real workers that are killed, told to end, or get in each other's way."""

import random
import signal
from typing import Any

import pytest

from audits import pipeline
from audits.models import Dataset, Project
from tests.audits import road
from tests.services.workers import Worker, wait_for

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
ROWS, KILLS, SEED = 30_000, 6, 7


@pytest.fixture
def moving(project: Project) -> Dataset:
    """An import that has been started."""
    rows = [{"id": str(n), "question": "Q", "contexts": ["c" * 200], "answer": f"a{n}"} for n in range(ROWS)]
    dataset = road.receive(project, rows)
    pipeline.confirm_mapping(dataset=dataset, mapping=dataset.mapping, user=None)
    return dataset


def done(dataset: Dataset) -> int:
    dataset.refresh_from_db()
    assert dataset.status == Dataset.Status.IMPORTING, "it ended too soon for this test"
    return dataset.rows_done


def finish(dataset: Dataset) -> None:
    """Wait for its end: every row is there, once."""

    def ready() -> bool:
        dataset.refresh_from_db()
        assert dataset.status != Dataset.Status.FAILED, dataset.failure
        return dataset.status == Dataset.Status.READY

    wait_for(ready, "the import did not end")
    found = dataset.samples.values_list("position", "external_id", "answer")
    assert list(found) == [(n, str(n), f"a{n}") for n in range(ROWS)]
    assert dataset.rows_done == dataset.rows_total == ROWS


def test_an_import_survives_kills(moving: Dataset, worker: Any) -> None:
    chance = random.Random(SEED)

    def hire() -> Worker:
        hired: Worker = worker(ASSAY_LEASE_SECONDS="2")
        return hired

    team = [hire(), hire()]
    for left in range(KILLS, 0, -1):
        before = done(moving)
        goal = before + chance.randint(1, (ROWS - before) // (left + 2))
        wait_for(lambda goal=goal: done(moving) >= goal, "the import does not go on")  # type: ignore[misc]
        busy = team.pop(chance.randrange(len(team)))
        busy.kill()
        team.append(hire())
    finish(moving)


def test_an_import_is_stopped_and_resumed(moving: Dataset, worker: Any, analyst: Any) -> None:
    process = worker()
    wait_for(lambda: done(moving), "the import did not begin")
    assert pipeline.stop_import(moving, analyst)
    stored = moving.samples.count()
    assert 0 < stored < ROWS
    worker(), worker()  # none of them takes it up
    wait_for(lambda: not pipeline.imports_owed().exists(), "something is owed")
    assert moving.samples.count() == stored == Dataset.objects.get(pk=moving.pk).rows_done
    assert pipeline.resume_import(moving, analyst)
    process.kill()
    finish(moving)


def test_a_worker_that_is_told_to_end_hands_its_import_on(moving: Dataset, worker: Any) -> None:
    first = worker(ASSAY_LEASE_SECONDS="600")
    wait_for(lambda: done(moving), "the import did not begin")
    first.send(signal.SIGTERM)
    wait_for(lambda: not first.lives, "the worker does not end")
    assert done(moving) and moving.lease is None  # not left to run out
    worker()
    finish(moving)

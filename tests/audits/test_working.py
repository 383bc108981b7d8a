"""A worker's stretch of work: it ends in time, goes on where it stopped, and waits for no slow call with the rest."""

import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from audits import pipeline
from audits.models import Audit, Call, Project, Verdict
from audits.turns import turn, works_here
from audits.working import work_on
from tests.audits import road
from tests.audits.pipeline import threads
from tests.vendor_server.server import VendorServer

TELLS = 60  # about as many seconds until a test gives up


def start(project: Project, samples: int, concurrency: int) -> Audit:
    """An audit of so many answers of one claim each, whose judges make so many calls at a time."""
    rows = []
    for number in range(samples):
        claim = f"Rule {number}. allows {number} days."
        rows.append({"id": f"r{number}", "question": f"Rule {number}.?", "contexts": [claim], "answer": claim})
    dataset = road.make_dataset(project, rows)
    judges = [
        road.judge(vendor, f"{model}-{concurrency}", price_in=1, price_out=2, concurrency=concurrency)
        for vendor, model in (("openai", "one"), ("anthropic", "two"))
    ]
    return road.start(dataset, *judges)


@pytest.mark.django_db
def test_a_chunk_ends_in_time_and_the_next_goes_on_where_it_stopped(
    project: Project, vendor_server: VendorServer
) -> None:
    audit = start(project, 30, 1)
    vendor_server.script.latency = 0.02  # 60 calls of one judge, one at a time: 1.2 seconds
    stretches = 0
    while pipeline.anything_owed(audit):
        stretches += 1
        assert work_on(audit, seconds=0.4) and not works_here(audit.pk)
        assert stretches < TELLS
    assert stretches > 1
    assert len(vendor_server.requests) == Call.objects.count() == 3 * 30  # nothing twice
    assert Verdict.objects.exclude(label="").count() == 2 * 30
    assert pipeline.conclude(audit)


class Others:
    """Called about once a second by a stretch: lets the held calls go when all the others are done."""

    def __init__(self, server: VendorServer, verdicts: int, held: int) -> None:
        self.server, self.verdicts, self.held, self.calls = server, verdicts, held, 0
        self.done = False

    def __call__(self) -> None:
        self.calls += 1
        # The server counts a call as running until its reply is written, a moment after the verdict may be stored.
        held = sum(self.server.script.running.values()) == self.held
        self.done = self.done or (held and Verdict.objects.count() >= self.verdicts)
        if self.done or self.calls > TELLS:
            self.server.release()


@pytest.mark.django_db
def test_a_slow_sample_holds_up_none_of_the_others(project: Project, vendor_server: VendorServer) -> None:
    audit = start(project, 30, 2)
    vendor_server.rules(
        *({"purpose": "verify", "model": model, "hold": True, "times": 1} for model in ("one-2", "two-2"))
    )
    others = Others(vendor_server, verdicts=60 - 2, held=2)
    work_on(audit, seconds=600, tell=others)
    assert others.done, "others waited for the slow calls"
    assert Verdict.objects.exclude(label="").count() == 60
    assert len(vendor_server.requests) == 90


@pytest.mark.django_db
def test_a_slow_extraction_holds_up_no_judge(project: Project, vendor_server: VendorServer) -> None:
    audit = start(project, 30, 2)
    vendor_server.rules({"purpose": "extract", "hold": True, "times": 1})
    others = Others(vendor_server, verdicts=58, held=1)
    work_on(audit, seconds=600, tell=others)
    assert others.done, "judges waited for the slow extraction"
    assert Verdict.objects.exclude(label="").count() == 60


@pytest.mark.django_db(transaction=True)
def test_when_the_time_is_over_a_slow_call_holds_up_nobody(
    project: Project, vendor_server: VendorServer, tmp_path: Path
) -> None:
    audit = start(project, 30, 2)
    slow = audit.members.filter(model="two-2")
    slow.update(stopped_fault="auth")
    work_on(audit, seconds=600)
    slow.update(stopped_fault="")  # now only its 30 calls are owed, the first of which is slow
    vendor_server.script.latency = 0.05
    vendor_server.rules({"hold": True, "times": 1})
    passed_on, returned = threading.Event(), threading.Event()
    seen: dict[str, Any] = {}

    def first() -> None:
        while not passed_on.is_set():  # on a busy machine the time may be over before anything was taken
            work_on(audit, seconds=0.3, pass_on=passed_on.set)
        returned.set()

    def second() -> None:
        assert passed_on.wait(TELLS)
        while Verdict.objects.count() < 59 and not returned.is_set():
            seen["took over"] = work_on(audit, seconds=600) or seen.get("took over", False)
            returned.wait(0.05)  # what the first one has in hand is its to finish
        seen["waits"] = not returned.is_set()
        vendor_server.release()
        assert returned.wait(TELLS)
        seen["verdicts"] = Counter(Verdict.objects.values_list("claim_id", flat=True))

    with threads.on_disk(tmp_path):
        threads.run([first, second])
    assert seen["took over"] and seen["waits"]
    assert len(seen["verdicts"]) == 30 and set(seen["verdicts"].values()) == {2}
    assert len(vendor_server.requests) == 90


def test_a_turn_is_one_at_a_time_and_can_be_left_early() -> None:
    with turn(1) as leave:
        assert leave is not None and works_here(1) and not works_here(2)
        with turn(1) as another:
            assert another is None
        assert works_here(1)  # the end of the one that was not let in is nothing
        leave()
        assert not works_here(1)
        with turn(1) as another:
            assert another is not None
            leave()
            assert works_here(1)
    assert not works_here(1)

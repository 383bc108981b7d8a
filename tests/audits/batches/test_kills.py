"""A worker killed at every step of batch mode: another one goes on, and nothing is lost, doubled or bought twice."""

import asyncio
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from audits.judges.batch_chat import BatchChatJudge
from audits.judges.openai_batches import OpenAIBatches
from audits.models import Audit, Batch, Dataset, Extraction, Judging, Project
from audits.models.lease import LeasedQuerySet
from audits.pipeline import batching, collecting
from tests.audits import road
from tests.audits.batches.driving import MOST_PASSES, decisions, is_settled, start, step, verdicts, work_off
from tests.vendor_server.server import VendorServer

pytestmark = [pytest.mark.thorough, pytest.mark.django_db, pytest.mark.usefixtures("no_waiting")]
STEPS = [  # which call of them is the last one of its process
    (batching, "begin_batch", 1),
    (batching, "put_in", 2),
    (batching, "about_to_hand_over", 1),
    (batching, "handed_over", 2),
    (batching, "noted", 1),
    (collecting, "take_results", 2),
    (collecting, "end_of_results", 1),
    (collecting, "let_go", 2),
    (collecting, "settle", 5),
    (collecting, "let_all_go", 1),
    (collecting, "close_batch", 1),
    (BatchChatJudge, "submit_batch", 2),
    (BatchChatJudge, "look", 2),
    (OpenAIBatches, "find_batch", 1),
    (BatchChatJudge, "forget_batch", 1),
]
in_peace: list[Any] = []


class Killed(BaseException):
    """The process is gone."""


class Killer:
    """Ends the process at the n-th call of a step, before or after it; what a process does in order is not done."""

    def __init__(self, patch: pytest.MonkeyPatch, place: Any, name: str, when: str, turn: int) -> None:
        self.dead, self.kills, self._turn = False, 0, turn
        step, release = getattr(place, name), LeasedQuerySet.release

        def fatal(*arguments: Any, **named: Any) -> Any:
            self._turn -= 1
            if when == "before" and self._strikes():
                raise Killed
            result = step(*arguments, **named)
            if when == "after" and self._strikes():
                raise Killed
            return result

        async def fatal_soon(*arguments: Any, **named: Any) -> Any:
            self._turn -= 1
            if when == "before" and self._strikes():
                raise Killed
            result = await step(*arguments, **named)
            if when == "after" and self._strikes():
                raise Killed
            return result

        patch.setattr(place, name, fatal_soon if asyncio.iscoroutinefunction(step) else fatal)
        patch.setattr(LeasedQuerySet, "release", lambda rows, token: None if self.dead else release(rows, token))

    def _strikes(self) -> bool:
        self.dead = self._turn == 0
        self.kills += self.dead
        return self.dead


def run_out() -> None:
    """The leases of a dead process end."""
    for model in (Batch, Extraction, Judging):
        model.objects.exclude(lease=None).update(leased_until=timezone.now() - timedelta(seconds=1))


def survive(audit: Audit, killer: Killer) -> Audit:
    """Work until the audit is over, with another process after the kill."""
    for _ in range(MOST_PASSES):
        try:
            step(audit)
        except Killed:
            killer.dead = False
            run_out()
        if audit.status != Audit.Status.JUDGING:
            return audit
    raise AssertionError("still judging")


@pytest.fixture
def undisturbed(project: Project, vendor_server: VendorServer) -> tuple[Dataset, Any, Any]:
    """A dataset, and what an audit of it comes to in peace: found out once, since it is the same every time."""
    dataset = road.make_dataset(project)
    if not in_peace:
        audit = work_off(start(dataset))
        in_peace.extend((decisions(audit), verdicts(audit)))
        vendor_server.batches.reset()
    return dataset, *in_peace


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(("place", "name", "turn"), STEPS, ids=[f"{name}-{turn}" for _, name, turn in STEPS])
def test_a_killed_process_costs_nothing(
    undisturbed: Any,
    vendor_server: VendorServer,
    monkeypatch: pytest.MonkeyPatch,
    place: Any,
    name: str,
    turn: int,
    when: str,
) -> None:
    lost = [{"on": "create", "fault": "lost"}] if name == "find_batch" else []
    vendor_server.batches.load({"plan": {"polls": 1}, "faults": lost})
    monkeypatch.setattr("audits.batches.reach.ITEMS", 1)  # so that some results are taken and some are not
    monkeypatch.setattr("audits.batches.handing.ROWS", 1)
    dataset, decided, said = undisturbed
    audit = start(dataset)
    killer = Killer(monkeypatch, place, name, when, turn)
    survive(audit, killer)
    assert killer.kills == 1
    assert decisions(audit) == decided
    assert verdicts(audit) == said
    assert is_settled(audit)
    asked = Counter((asked["model"], asked["user"]) for asked in vendor_server.batches.asked)
    assert set(asked.values()) == {1}
    assert not vendor_server.requests

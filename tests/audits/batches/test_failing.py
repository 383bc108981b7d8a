"""What goes wrong with batches at the vendor, each over HTTP: whatever it is, the audit comes to its end."""

import threading
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from audits import pipeline
from audits.batches import tend
from audits.judges.batching import BatchState
from audits.models import Audit, Batch, Project
from audits.pipeline import batching
from tests.audits import road
from tests.audits.batches.driving import is_settled, start, step, verdicts, work_off
from tests.vendor_server.server import VendorServer

pytestmark = [pytest.mark.thorough, pytest.mark.django_db, pytest.mark.usefixtures("no_waiting")]
BOTH = pytest.mark.parametrize("vendor", ["openai", "anthropic"])


@pytest.fixture
def audit(project: Project, vendor_server: VendorServer) -> Audit:
    return start(road.make_dataset(project))


def of(project: Project, vendor: str) -> Audit:
    """An audit whose extractor is of this vendor, so that its first batch is."""
    panel = [road.judge("openai", "model-a", price_in=1, price_out=2), road.judge("anthropic", "claude-b")]
    return start(road.make_dataset(project), *(panel if vendor == "openai" else reversed(panel)))


def states(audit: Audit) -> list[str]:
    return list(audit.batches.values_list("status", flat=True))


def test_requests_that_fail_go_into_the_next_batch(audit: Audit, vendor_server: VendorServer) -> None:
    vendor_server.rules(
        {"purpose": "verify", "contains": "Ms Otter", "status": 500, "times": 1},
        {"purpose": "verify", "model": "claude-b", "status": 529, "times": 2},
    )
    work_off(audit)
    assert len(verdicts(audit)) == 8 and not any(row[3] for row in verdicts(audit))
    assert not vendor_server.requests  # none was asked directly
    assert audit.calls.filter(outcome__in=("server", "overloaded")).count() == 3
    assert not audit.calls.filter(outcome__in=("server", "overloaded"), cost__isnull=False).exists()
    assert is_settled(audit)


def test_what_two_batches_did_not_answer_is_asked_directly(audit: Audit, vendor_server: VendorServer) -> None:
    vendor_server.rules({"purpose": "extract", "contains": "Ms Otter", "status": 500, "times": 2})
    work_off(audit)
    assert [(request["purpose"], "Ms Otter" in request["user"]) for request in vendor_server.requests] == [
        ("extract", True)
    ]
    assert audit.extractions.filter(direct=True).count() == 1
    asked = [asked["user"] for asked in vendor_server.batches.asked if asked["purpose"] == "extract"]
    assert sum("Ms Otter" in text for text in asked) == 2
    assert is_settled(audit)


@BOTH
def test_an_expired_batch_is_asked_again_where_it_was_not_answered(
    project: Project, vendor_server: VendorServer, vendor: str
) -> None:
    vendor_server.batches.load({"plan": {"end": "expired", "answered": 1}})
    audit = work_off(of(project, vendor))
    assert len(verdicts(audit)) == 8
    first, second = audit.batches.filter(member__role="extractor")
    assert [(batch.requests, batch.answered, batch.failed) for batch in (first, second)] == [(2, 1, 1), (1, 1, 0)]
    handed_over = Counter((asked["model"], asked["user"]) for asked in vendor_server.batches.asked)
    directly = {(request["model"], request["user"]) for request in vendor_server.requests}
    assert directly and {handed_over[key] for key in directly} == {2}
    assert max(handed_over.values()) == 2
    assert is_settled(audit)


@BOTH
def test_results_that_are_missing_doubled_or_broken_are_asked_for_again(
    project: Project, vendor_server: VendorServer, vendor: str
) -> None:
    vendor_server.rules(
        {"purpose": "extract", "contains": "Ms Otter", "fault": "missing", "times": 1},
        {"purpose": "extract", "fault": "twice", "times": 1},
        {"purpose": "verify", "fault": "broken", "times": 1},
    )
    audit = work_off(of(project, vendor))
    assert len(verdicts(audit)) == 8 and not vendor_server.requests
    assert audit.calls.filter(purpose="extract").count() == 2
    assert is_settled(audit)


@BOTH
@pytest.mark.parametrize("requests", [1, 2])
def test_a_batch_that_the_vendor_forgot_is_made_again(
    project: Project, vendor_server: VendorServer, vendor: str, requests: int
) -> None:
    vendor_server.batches.load({"plan": {"polls": 2}})
    audit = step(of(project, vendor))
    vendor_server.batches.forget()
    work_off(audit)
    assert states(audit)[:2] == [Batch.Status.FAILED, Batch.Status.COLLECTED]
    assert audit.batches.first().message
    assert len(verdicts(audit)) == 8 and not vendor_server.requests
    assert is_settled(audit)


@BOTH
@pytest.mark.parametrize("polls", [0, 3])
def test_a_batch_whose_acceptance_was_never_heard_is_found_again(
    project: Project, vendor_server: VendorServer, vendor: str, polls: int
) -> None:
    vendor_server.batches.load({"plan": {"polls": polls}, "faults": [{"on": "create", "fault": "lost"}]})
    audit = step(of(project, vendor))
    (batch,) = audit.batches.all()
    assert (batch.status, batch.tries) == (Batch.Status.PREPARED, 1)
    assert batch.message
    work_off(audit)
    assert vendor_server.batches.log.count("create") == 3  # none twice
    assert len(vendor_server.batches.asked) == 2 + 8
    assert is_settled(audit)


@BOTH
def test_a_batch_that_never_arrived_is_handed_over_again(
    project: Project, vendor_server: VendorServer, vendor: str
) -> None:
    vendor_server.batches.load({"faults": [{"on": "create", "fault": "reset"}]})
    audit = work_off(of(project, vendor))
    assert vendor_server.batches.log.count("create") == 4
    assert "list" in vendor_server.batches.log
    assert len(vendor_server.batches.asked) == 2 + 8
    assert is_settled(audit)


def test_somebody_elses_batch_is_not_taken_for_ours(project: Project, vendor_server: VendorServer) -> None:
    """Anthropic keeps no word of ours with a batch: one that looks like ours is found out by its results."""
    other = step(of(project, "anthropic"))  # the same number of requests, under the same key, a moment before
    other.batches.update(vendor_id="")  # of another installation, so to say
    vendor_server.batches.load({"plan": {"polls": 1}, "faults": [{"on": "create", "fault": "reset"}]})
    (foreign,) = vendor_server.batches.all.values()
    foreign.plan["polls"] = 4
    audit = start(other.dataset, *[member.judge for member in other.panel])
    pipeline.pause(other, None)
    work_off(audit)
    first = audit.batches.first()
    assert first.vendor_id != foreign.id
    assert first.status == Batch.Status.COLLECTED
    assert "cancel" not in vendor_server.batches.log
    assert len(verdicts(audit)) == 8
    assert is_settled(audit)


@BOTH
@pytest.mark.parametrize("status", [404, 405])
def test_an_address_without_batches_is_asked_directly(
    project: Project, vendor_server: VendorServer, vendor: str, status: int
) -> None:
    on = {"openai": "upload", "anthropic": "create"}[vendor]
    vendor_server.batches.load({"faults": [{"on": on, "status": status, "times": 99}]})
    panel = [road.judge(vendor, f"model-of-{vendor}"), road.judge("deepseek", "deepseek-v4")]
    audit = work_off(start(road.make_dataset(project), *panel))
    assert len(verdicts(audit)) == 8
    without = audit.members.filter(without_batches=True)
    assert {member.vendor for member in without} == {vendor}
    assert not vendor_server.batches.asked
    assert vendor_server.batches.log.count(on) == 2  # one try for each seat of the panel
    assert len(vendor_server.requests) == 2 + 8
    assert is_settled(audit)


@BOTH
@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        ({"status": 401}, "auth"),
        ({"status": 400, "error": {"message": "Your credit balance is too low"}}, "quota"),
    ],
)
def test_a_refused_hand_over_stops_the_judge_until_it_is_mended(
    project: Project, vendor_server: VendorServer, vendor: str, rule: dict[str, Any], fault: str
) -> None:
    vendor_server.batches.load({"faults": [{"on": "create", **rule}]})
    audit = of(project, vendor)
    step(audit)
    assert audit.status == Audit.Status.PAUSED
    assert audit.members.get(role="extractor").stopped_fault == fault
    (batch,) = audit.batches.all()
    assert (batch.status, batch.requests) == (Batch.Status.PREPARED, 2)
    pipeline.resume(audit, None)
    work_off(audit)
    assert vendor_server.batches.log.count("create") == 4
    assert is_settled(audit)


def test_a_judge_without_credit_in_the_middle_of_a_batch_is_stopped(
    audit: Audit, vendor_server: VendorServer
) -> None:
    vendor_server.rules({"purpose": "extract", "contains": "Ms Otter", "status": 402, "times": 1})
    for _ in range(3):
        step(audit)
    assert audit.members.get(role="extractor").stopped_fault == "quota"
    assert audit.extractions.filter(status="done").count() == 1  # what was answered is used
    pipeline.resume(audit, None)
    work_off(audit)
    assert len(verdicts(audit)) == 8
    assert is_settled(audit)


@BOTH
@pytest.mark.parametrize("rule", [{"status": 429}, {"status": 500}, {"fault": "reset"}, {"status": 529}])
def test_a_vendor_in_trouble_is_tried_again(
    project: Project, vendor_server: VendorServer, vendor: str, rule: dict[str, Any]
) -> None:
    faults = [{"on": on, "times": 2, **rule} for on in ("create", "look", "results", "list", "delete")]
    vendor_server.batches.load({"faults": faults})
    audit = work_off(of(project, vendor))
    assert not audit.members.exclude(stopped_fault="").exists()
    assert len(verdicts(audit)) == 8 and not vendor_server.requests
    assert len(vendor_server.batches.asked) == 2 + 8
    assert is_settled(audit)


@BOTH
def test_each_try_comes_later_than_the_one_before(
    project: Project, vendor_server: VendorServer, settings: Any, vendor: str
) -> None:
    settings.ASSAY_BATCH_POLL_SECONDS = 60
    vendor_server.batches.load({"faults": [{"on": "create", "status": 503, "times": 3}]})
    audit, pauses = of(project, vendor), []
    for _ in range(3):
        step(audit)
        (batch,) = audit.batches.all()
        pauses.append(round((batch.next_look - timezone.now()).total_seconds(), -1))
        step(audit)  # not yet
        audit.batches.update(next_look=timezone.now() - timedelta(seconds=1))
    assert pauses == [60, 120, 240]
    assert vendor_server.batches.log.count("create") == 3
    assert audit.batches.get().tries == 3
    step(audit)
    batch = audit.batches.get()
    assert (batch.status, batch.tries, batch.message) == (Batch.Status.SUBMITTED, 0, "")


@BOTH
def test_a_vendor_that_asks_to_wait_is_left_alone(
    project: Project, vendor_server: VendorServer, settings: Any, vendor: str
) -> None:
    settings.ASSAY_BATCH_POLL_SECONDS = 1
    error = {"on": "create", "status": 429, "retry_after": 600}
    vendor_server.batches.load({"faults": [error]})
    audit = step(of(project, vendor))
    (batch,) = audit.batches.all()
    assert timedelta(seconds=0) < batch.next_look - timezone.now() <= timedelta(seconds=600)


def test_a_clock_that_was_put_back_holds_nothing_up(audit: Audit, vendor_server: VendorServer, settings: Any) -> None:
    settings.ASSAY_BATCH_POLL_SECONDS = 60
    step(audit)
    audit.batches.update(next_look=timezone.now() + timedelta(days=30))
    step(audit)
    assert audit.batches.first().status == Batch.Status.COLLECTED


@BOTH
def test_results_that_end_in_the_middle_are_taken_up_where_they_ended(
    project: Project, vendor_server: VendorServer, vendor: str
) -> None:
    vendor_server.batches.load({"faults": [{"on": "results", "fault": "cut", "times": 2}]})
    audit = work_off(of(project, vendor))
    assert audit.calls.filter(purpose="extract").count() == 2
    assert len(vendor_server.batches.asked) == 2 + 8
    assert is_settled(audit)


@BOTH
def test_results_that_are_gone_are_asked_for_again(
    project: Project, vendor_server: VendorServer, vendor: str
) -> None:
    vendor_server.batches.load({"faults": [{"on": "results", "status": 404}]})
    audit = work_off(of(project, vendor))
    assert len(vendor_server.batches.asked) == 2 + 2 + 8
    assert is_settled(audit)


def test_a_batch_for_which_the_vendor_has_no_room_is_made_smaller(
    audit: Audit, vendor_server: VendorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_room = {"code": "token_limit_exceeded", "message": "Enqueued token limit reached for model-a."}
    vendor_server.batches.load({"plan": {"end": "failed", "error": no_room}})
    step(audit), step(audit)
    (batch,) = audit.batches.all()
    assert (batch.status, batch.requests, batch.cut) == (Batch.Status.PREPARED, 1, 1)
    assert "Enqueued token limit" in batch.message
    assert audit.extractions.filter(batch=None).count() == 1
    vendor_server.batches.load({})
    work_off(audit)
    sizes = list(audit.batches.filter(member__model="model-a").values_list("requests", flat=True))
    assert sizes == [1, 1, 2, 2]  # it is felt for how many there is room
    assert len(verdicts(audit)) == 8 and not vendor_server.requests
    assert not audit.extractions.filter(direct=True).exists()
    assert is_settled(audit)


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        ({"code": "billing_hard_limit_reached", "message": "Billing hard limit has been reached"}, "quota"),
        ({"code": "model_not_found", "message": "The model `model-a` does not exist"}, "not_found"),
    ],
)
def test_a_batch_that_failed_as_a_whole_stops_a_judge_that_cannot_work(
    audit: Audit, vendor_server: VendorServer, error: dict[str, str], fault: str
) -> None:
    vendor_server.batches.load({"plan": {"end": "failed", "error": error}})
    step(audit), step(audit)
    assert audit.status == Audit.Status.PAUSED
    assert audit.members.get(role="extractor").stopped_fault == fault
    assert states(audit) == [Batch.Status.FAILED]
    vendor_server.batches.load({})
    for _ in range(2):  # however often that happens, it tells nothing about the requests
        pipeline.resume(audit, None)
        work_off(audit)
    assert not vendor_server.requests
    assert is_settled(audit)


def test_a_batch_that_failed_without_a_reason_is_made_again(audit: Audit, vendor_server: VendorServer) -> None:
    vendor_server.batches.load({"plan": {"end": "failed", "error": {"code": "x", "message": "Internal error"}}})
    step(audit)
    vendor_server.batches.load({})
    work_off(audit)
    assert is_settled(audit)


@BOTH
def test_a_batch_that_is_too_large_for_the_vendor_is_made_smaller(
    project: Project, vendor_server: VendorServer, vendor: str
) -> None:
    vendor_server.batches.load({"faults": [{"on": "create", "status": 413, "times": 2}]})
    audit = work_off(of(project, vendor))
    assert audit.batches.filter(cut__gt=0).exists()
    assert len(verdicts(audit)) == 8
    assert is_settled(audit)


@BOTH
def test_a_single_request_that_is_too_large_is_asked_directly(
    project: Project, vendor_server: VendorServer, vendor: str
) -> None:
    vendor_server.batches.load({"faults": [{"on": "create", "status": 413, "times": 99}]})
    audit = work_off(of(project, vendor))
    assert len(verdicts(audit)) == 8
    assert not vendor_server.batches.asked
    assert is_settled(audit)


@BOTH
def test_a_parameter_that_the_model_refuses_is_left_out_of_the_next_batch(
    project: Project, vendor_server: VendorServer, vendor: str
) -> None:
    error = {"message": "`temperature` is deprecated for this model, unsupported", "param": "temperature"}
    vendor_server.rules({"status": 400, "error": error, "times": 2})
    names = {"openai": "model-temperature", "anthropic": "claude-temperature"}
    judge = road.judge(vendor, names[vendor], params={"temperature": 0})
    other = road.judge("anthropic", "claude-b") if vendor == "openai" else road.judge("openai", "model-a")
    audit = work_off(start(road.make_dataset(project), judge, other))
    assert len(verdicts(audit)) == 8 and not vendor_server.requests
    assert any("temperature" in note for member in audit.members.filter(judge=judge) for note in member.notes)
    assert is_settled(audit)


def test_the_second_of_two_hand_overs_is_stopped_at_the_vendor(
    audit: Audit, vendor_server: VendorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process took over, and both got through: the vendor is to work on one of them only."""
    vendor_server.batches.load({"plan": {"polls": 5}})
    write_down = batching.handed_over

    def too_late(batch: Batch, state: BatchState) -> bool:
        Batch.objects.filter(pk=batch.pk).update(status=Batch.Status.SUBMITTED, vendor_id="batch_of_the_other")
        return write_down(batch, state)

    monkeypatch.setattr(batching, "handed_over", too_late)
    step(audit)
    assert vendor_server.batches.log == ["upload", "create", "cancel"]
    assert audit.batches.get().vendor_id == "batch_of_the_other"


@BOTH
def test_a_batch_that_was_found_by_likelihood_is_deleted_at_the_vendor_once_it_proved_ours(
    project: Project, vendor_server: VendorServer, vendor: str
) -> None:
    vendor_server.batches.load({"plan": {"polls": 1}, "faults": [{"on": "create", "fault": "lost"}]})
    audit = work_off(of(project, vendor))
    assert not audit.batches.filter(certain=False).exists()
    assert vendor_server.batches.log.count("delete") >= 3
    assert not vendor_server.batches.files
    assert not [batch for batch in vendor_server.batches.all.values() if batch.vendor == "anthropic"]


def test_a_process_that_is_to_end_waits_for_no_vendor(
    audit: Audit, vendor_server: VendorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    vendor_server.batches.load({"plan": {"polls": 1}, "faults": [{"on": "look", "fault": "hang"}]})
    step(audit)
    stopping = threading.Event()
    for place in ("reach", "tending", "filling"):
        monkeypatch.setattr(f"audits.batches.{place}.shutting_down", stopping)

    def stop_at_the_look() -> None:
        with vendor_server.script.changed:
            vendor_server.script.changed.wait_for(lambda: "look" in vendor_server.batches.log, timeout=20)
        stopping.set()

    thread = threading.Thread(target=stop_at_the_look)
    thread.start()
    assert tend(audit)
    thread.join()
    batch = audit.batches.get()
    assert (batch.status, batch.tries, batch.lease) == (Batch.Status.SUBMITTED, 0, None)
    stopping.clear()
    work_off(audit)
    assert is_settled(audit)

"""Whole audits in batch mode against the fake vendor, over HTTP with the real SDKs."""

from collections import Counter
from typing import Any

import pytest

from audits.models import Audit, Batch, BatchItem, Project
from audits.pipeline.batching import to_be_filled
from tests.audits import factory, road
from tests.audits.batches.driving import calls, cost, decisions, is_settled, start, verdicts, work_off
from tests.vendor_server.server import VendorServer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_waiting")]

CHINESE = [
    {
        "id": "中1",
        "question": "贷款利率是多少？",
        "contexts": ["贷款年利率为百分之五。", "贷款期限为12至84个月。提前还款须提前三十天通知银行。"],
        "answer": "贷款年利率为百分之五。贷款期限为12至84个月。😀客户经理姓欧阳。",
    },
    {"id": "中2", "question": "收费吗？", "contexts": ["开户不收取任何费用。"], "answer": "开户不收取任何费用。"},
]
LONG = [
    {
        "id": "long",
        "question": "What do the rules say?",
        "contexts": [" ".join(f"Rule {part} allows {part * 7 + 1} days." for part in range(200))] * 2,
        "answer": " ".join(f"Rule {part} allows {part * 7 + 1} days." for part in range(0, 200, 6)),
    }
]


def compared(project: Project, rows: list[dict[str, Any]], **judges: Any) -> tuple[Audit, Audit]:
    """The same dataset judged directly and in batches, both to the end."""
    dataset = road.make_dataset(project, rows)
    panel = [
        road.judge("openai", "model-a", price_in=1, price_out=2, **judges),
        road.judge("anthropic", "claude-b", price_in=3, price_out=4, **judges),
    ]
    return road.work_off(start(dataset, *panel, batch=False)), work_off(start(dataset, *panel))


def test_an_audit_comes_to_the_same_for_half_the_price(project: Project, vendor_server: VendorServer) -> None:
    vendor_server.labels({"claim": "12 to 84", "label": "CONTRADICTED", "model": "claude-b"})
    direct, batched = compared(project, road.TWO_ROWS)
    assert direct.status == batched.status == Audit.Status.REVIEWING
    assert len(decisions(batched)) == 4
    assert decisions(batched) == decisions(direct)
    assert verdicts(batched) == verdicts(direct)
    assert len(vendor_server.requests) == direct.calls.count()  # nothing more was asked directly
    assert calls(batched) == calls(direct)
    assert cost(batched) == cost(direct) / 2 > 0
    assert not BatchItem.objects.exclude(status=BatchItem.Status.DONE).exists()
    assert is_settled(batched)


def test_requests_and_custom_ids_are_those_of_the_batches(project: Project, vendor_server: VendorServer) -> None:
    audit = work_off(start(road.make_dataset(project)))
    assert {batch.status for batch in audit.batches.all()} == {Batch.Status.COLLECTED}
    assert Counter(batch.requests for batch in audit.batches.all()) == {2: 1, 4: 2}  # extractions, then each judge
    tags = {f"{batch.tag.hex}-{number}" for batch in audit.batches.all() for number in range(1, batch.requests + 1)}
    assert {asked["custom_id"] for asked in vendor_server.batches.asked} == tags
    assert [(batch.answered, batch.failed) for batch in audit.batches.all()] == [(2, 0), (4, 0), (4, 0)]
    assert all(call.batch_id and call.attempt == 1 for call in audit.calls.all())
    assert not vendor_server.batches.files  # the vendor keeps none of the texts


def test_chinese_answers_come_to_the_same(project: Project, vendor_server: VendorServer, settings: Any) -> None:
    settings.ASSAY_CLAIMS_PER_CALL = 2
    vendor_server.labels({"claim": "12至84", "label": "CONTRADICTED"})
    direct, batched = compared(project, CHINESE)
    assert len(decisions(batched)) == 4
    assert decisions(batched) == decisions(direct)
    assert verdicts(batched) == verdicts(direct)
    assert cost(batched) == cost(direct) / 2
    assert len(vendor_server.requests) == direct.calls.count()


def test_long_answers_and_long_contexts_take_several_batches(project: Project, vendor_server: VendorServer) -> None:
    """Answers cut part by part, contexts window by window, the evidence found in a last call: all in batches."""
    vendor_server.labels({"claim": "allows 43 days", "label": "CONTRADICTED", "quote": "allows 43 days"})
    direct, batched = compared(project, LONG, context_tokens=9000)
    assert len(decisions(batched)) == 34
    assert decisions(batched) == decisions(direct)
    assert verdicts(batched) == verdicts(direct)
    assert max(row[-1] for row in verdicts(batched)) > 2  # windows
    assert len(vendor_server.requests) == direct.calls.count()
    assert not batched.calls.filter(batch=None).exists()
    assert batched.batches.count() == 1 + 2 * 2  # the last calls of each judge go into its second batch


def test_sentences_that_were_left_out_are_asked_about_again_in_a_batch(
    project: Project, vendor_server: VendorServer
) -> None:
    left_out = '{"claims": [{"sentence": 1, "text": "No fee is charged for opening the account."}], "no_claims": []}'
    vendor_server.rules({"purpose": "extract", "contains": "Ms Otter", "text": left_out, "times": 1})
    audit = work_off(start(road.make_dataset(project)))
    assert audit.status == Audit.Status.REVIEWING
    assert audit.extractions.filter(asked_again=True).count() == 1
    assert len(decisions(audit)) == 4
    assert not vendor_server.requests
    assert is_settled(audit)


def test_a_vendor_without_batches_is_asked_directly_beside_one_with(
    project: Project, vendor_server: VendorServer
) -> None:
    panel = [road.judge("deepseek", "deepseek-v4", price_in=1, price_out=2), road.judge("anthropic", "claude-b")]
    audit = work_off(start(road.make_dataset(project), *panel))
    assert audit.status == Audit.Status.REVIEWING
    assert len(verdicts(audit)) == 8
    assert {request["model"] for request in vendor_server.requests} == {"deepseek-v4"}
    assert {asked["model"] for asked in vendor_server.batches.asked} == {"claude-b"}
    (batch,) = audit.batches.all()  # not one for each sample that was cut
    assert batch.requests == 4


def test_judges_wait_for_answers_that_are_cut_directly(project: Project) -> None:
    """Else each sample that has just been cut would make a batch of its own."""
    audit = factory.make_audit(factory.make_dataset(project, 2), batch=True)
    (judge,) = audit.members.filter(vendor="anthropic")
    factory.cut(audit, audit.dataset.samples.all()[0], ["The fee is 2 %."])
    assert to_be_filled(audit) == []
    audit.members.filter(role="extractor").update(stopped_fault="auth")  # the other sample may never be cut
    assert to_be_filled(audit) == [judge]
    audit.members.update(stopped_fault="")
    factory.cut(audit, audit.dataset.samples.all()[1], ["The fee is 2 %."])
    assert to_be_filled(audit) == [judge]


def test_what_was_paid_for_is_not_handed_over(project: Project, vendor_server: VendorServer) -> None:
    dataset = road.make_dataset(project)
    first = road.work_off(start(dataset, batch=False))
    asked = len(vendor_server.requests)
    second = work_off(start(dataset, reuse=True))
    assert decisions(second) == decisions(first)
    assert not second.batches.exists() and not second.calls.exists()
    assert len(vendor_server.requests) == asked and not vendor_server.batches.asked


def test_probes_are_asked_directly(project: Project, vendor_server: VendorServer) -> None:
    audit = work_off(start(road.make_dataset(project), probe_percent=100))
    assert audit.status == Audit.Status.REVIEWING
    assert audit.probes.count() > 0 and not audit.probes.exclude(status="done").exists()
    assert set(audit.calls.filter(batch=None).values_list("purpose", flat=True)) == {"probe"}
    assert len(vendor_server.requests) == audit.probes.count()


@pytest.mark.parametrize("fault", ["refusal", "truncated", "malformed"])
def test_a_reply_that_cannot_be_used_is_asked_for_directly(
    project: Project, vendor_server: VendorServer, fault: str
) -> None:
    vendor_server.rules({"purpose": "verify", "contains": "Ms Otter", "fault": fault, "times": 2})
    audit = work_off(start(road.make_dataset(project)))
    assert audit.status == Audit.Status.REVIEWING
    assert len(verdicts(audit)) == 8 and not any(row[3] for row in verdicts(audit))  # none is unscored
    assert {request["purpose"] for request in vendor_server.requests} == {"verify"}
    assert len(vendor_server.requests) == 2
    assert is_settled(audit)


@pytest.mark.parametrize("requests", [1, 3])
def test_more_than_fits_goes_into_further_batches(
    project: Project, vendor_server: VendorServer, monkeypatch: pytest.MonkeyPatch, requests: int
) -> None:
    monkeypatch.setattr("audits.judges.openai_batches.OpenAIBatches.max_requests", requests)
    audit = work_off(start(road.make_dataset(project)))
    by_model = Counter(batch.member.model for batch in audit.batches.all())
    assert by_model["model-a"] == {1: 2 + 4, 3: 1 + 2}[requests]
    assert by_model["claude-b"] <= 2
    assert len(verdicts(audit)) == 8 and not vendor_server.requests
    assert is_settled(audit)


def test_requests_that_do_not_fit_by_their_bytes_go_into_further_batches(
    project: Project, vendor_server: VendorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("audits.judges.openai_batches.OpenAIBatches.max_bytes", 20_000)
    audit = work_off(start(road.make_dataset(project)))
    assert audit.batches.filter(member__model="model-a").count() > 2
    assert len(verdicts(audit)) == 8 and not vendor_server.requests
    assert is_settled(audit)


def test_results_may_come_in_any_order(project: Project, vendor_server: VendorServer) -> None:
    vendor_server.batches.load({"plan": {"order": "reverse", "polls": 1}})
    direct, batched = compared(project, road.TWO_ROWS)
    assert verdicts(batched) == verdicts(direct)
    assert decisions(batched) == decisions(direct)

"""Which claims are judged again, and that what comes of it is new, kept apart, and touches nothing that counts."""

import uuid
from collections import Counter
from typing import Any

import pytest

from audits import pipeline
from audits.batches import tend
from audits.labels import Label, Unscored
from audits.models import Audit, Call, Dataset, Judge, Probe, Project, Verdict
from audits.pipeline.probing import draw_probes, is_drawn
from audits.results import result
from tests.audits import road
from tests.vendor_server.server import VendorServer

pytestmark = pytest.mark.django_db
REPEAT, REORDER, OWED, DONE = Probe.Kind.REPEAT, Probe.Kind.REORDER, Probe.Status.OWED, Probe.Status.DONE
ROWS = [
    {
        "id": "one",
        "question": "Cost?",
        "contexts": ["It says: the loan costs 5 percent."],
        "answer": "The loan costs 5 percent.",
    },
    {
        "id": "two",
        "question": "期限多久？",
        "contexts": ["条款：期限为12个月。", "附注：经理姓王。"],
        "answer": "期限为12个月。经理姓王。",
    },
    {"id": "none", "question": "Fee?", "contexts": [], "answer": "There is no fee."},
]
COST, TERM, MANAGER = "The loan costs 5 percent.", "期限为12个月。", "经理姓王。"
EXPECTED = {(COST, REPEAT): 2, (TERM, REPEAT): 2, (TERM, REORDER): 2, (MANAGER, REPEAT): 2, (MANAGER, REORDER): 2}


@pytest.fixture
def dataset(project: Project) -> Dataset:
    return road.make_dataset(project, ROWS)


def start(dataset: Dataset, *judges: Judge, **fields: Any) -> Audit:
    """An audit of which every claim is judged again; the seed is the same for all."""
    audit = road.start(dataset, *judges, **({"probe_percent": 100, "reuse": False} | fields))
    Audit.objects.filter(pk=audit.pk).update(seed=7)
    audit.refresh_from_db()
    return audit


def probed(audit: Audit, **still: Any) -> Counter[tuple[str, str]]:
    """(claim, kind) -> probes."""
    rows = Probe.objects.filter(audit=audit, **still).values_list("claim__text", "kind")
    return Counter((text, Probe.Kind(kind)) for text, kind in rows)


def users(server: VendorServer, model: str, claim: str) -> list[str]:
    """The words of all requests about a claim to this model."""
    asked = [request for request in server.requests if (request["model"], request["purpose"]) == (model, "verify")]
    return [request["user"] for request in asked if f"\n[1] {claim}\n" in request["user"]]


def flips(audit: Audit) -> set[tuple[str, str, str, str, str]]:
    """(claim, model, kind, first label, label) of every probe with another label than the first."""
    said = {(v.claim_id, v.member_id): v.label for v in Verdict.objects.filter(claim__audit=audit)}
    probes = Probe.objects.filter(audit=audit, status=DONE).exclude(label="").select_related("claim", "member")
    rows = ((p.claim.text, p.member.model, p.kind, said[p.claim_id, p.member_id], p.label) for p in probes)
    return {row for row in rows if row[3] != row[4]}


# The draw


def test_the_draw_can_be_made_again_from_the_seed_and_the_place() -> None:
    audit = Audit(seed=7, probe_percent=10)
    drawn = [(sample, claim) for sample in range(8) for claim in range(6) if is_drawn(audit, sample, claim)]
    # printf 'probe 7 SAMPLE CLAIM' | sha256sum: those whose digest begins below 0x19999999 (10 % of 2^32)
    assert drawn == [(0, 4), (1, 0), (3, 1), (3, 4), (4, 1), (4, 5), (6, 2), (6, 4), (7, 3)]
    assert [(s, c) for s in range(8) for c in range(6) if is_drawn(Audit(seed=8, probe_percent=10), s, c)] != drawn


def test_the_draw_hits_the_share_and_a_higher_share_only_adds() -> None:
    places = [(sample, claim) for sample in range(2000) for claim in range(5)]
    chosen = {
        percent: {place for place in places if is_drawn(Audit(seed=42, probe_percent=percent), *place)}
        for percent in (0, 1, 5, 50, 100)
    }
    assert [len(chosen[percent]) for percent in (0, 100)] == [0, 10_000]
    assert chosen[1] < chosen[5] < chosen[50]
    for percent in (1, 5, 50):
        sd = (10_000 * percent / 100 * (1 - percent / 100)) ** 0.5
        assert abs(len(chosen[percent]) - 100 * percent) < 4 * sd


def test_every_judge_is_asked_again_and_in_the_opposite_order(dataset: Dataset, vendor_server: VendorServer) -> None:
    audit = road.work_off(start(dataset))
    assert audit.status == Audit.Status.REVIEWING
    assert probed(audit, status=DONE) == EXPECTED  # of two judges each; nothing where there is no context
    for probe in Probe.objects.filter(audit=audit).select_related("claim__extraction"):
        shown = probe.claim.extraction.judgings.get(member=probe.member).context_order
        assert probe.context_order == (shown if probe.kind == REPEAT else shown[::-1])
    for model in ("model-a", "claude-b"):
        first, again = users(vendor_server, model, COST)
        assert first == again  # to the letter
        asked = Counter(users(vendor_server, model, TERM))
        assert sorted(asked.values()) == [1, 2]
        (other,) = (words for words, times in asked.items() if times == 1)
        (usual,) = (words for words, times in asked.items() if times == 2)
        assert (usual.index("条款") < usual.index("附注")) is not (other.index("条款") < other.index("附注"))


def test_contexts_that_read_the_same_both_ways_are_not_reordered(
    project: Project, vendor_server: VendorServer
) -> None:
    rows = [
        {"id": "same", "question": "Q?", "contexts": ["The fee is 2.", "The fee is 2."], "answer": "The fee is 2."},
        {"id": "frame", "question": "Q?", "contexts": ["A.", "The tax is 3.", "A."], "answer": "The tax is 3."},
        {"id": "other", "question": "Q?", "contexts": ["A.", "The sum is 4.", "B."], "answer": "The sum is 4."},
    ]
    audit = road.work_off(start(road.make_dataset(project, rows)))
    found = probed(audit)
    assert [found[text, REPEAT] for text in ("The fee is 2.", "The tax is 3.", "The sum is 4.")] == [2, 2, 2]
    assert found["The fee is 2.", REORDER] == 0 and found["The sum is 4.", REORDER] == 2
    # How the framed one reads depends on the order that each judge got.
    framed = audit.judgings.filter(extraction__sample__external_id="frame")
    middles = [order[1] for order in framed.values_list("context_order", flat=True)]
    assert found["The tax is 3.", REORDER] == 2 - middles.count(1)


def test_an_audit_without_probes_asks_nobody_again(dataset: Dataset, vendor_server: VendorServer) -> None:
    audit = road.work_off(start(dataset, probe_percent=0))
    assert audit.status == Audit.Status.REVIEWING and not Probe.objects.exists()


# What comes of it


def test_a_judge_that_flips_when_asked_twice_is_seen(dataset: Dataset, vendor_server: VendorServer) -> None:
    about = {"purpose": "verify", "model": "claude-b", "contains": f"\n[1] {COST}\n", "times": 1}
    vendor_server.rules(about, about | {"label": "UNVERIFIED"})  # the first ask as usual, the second one not
    audit = road.work_off(start(dataset))
    assert flips(audit) == {(COST, "claude-b", REPEAT, Label.SUPPORTED, Label.UNVERIFIED)}


def test_a_judge_that_goes_by_the_order_of_contexts_is_seen(dataset: Dataset, vendor_server: VendorServer) -> None:
    vendor_server.rules({"purpose": "verify", "model": "model-a", "contains": "[1] 附注", "label": "CONTRADICTED"})
    audit = road.work_off(start(dataset))
    found = flips(audit)
    assert {row[:3] for row in found} == {(TERM, "model-a", REORDER), (MANAGER, "model-a", REORDER)}
    assert {frozenset(row[3:]) for row in found} == {frozenset({"SUPPORTED", "CONTRADICTED"})}


def test_probes_touch_nothing_that_counts(dataset: Dataset, vendor_server: VendorServer) -> None:
    without = road.work_off(start(dataset, probe_percent=0))
    about = {"purpose": "verify", "contains": f"\n[1] {COST}\n"}
    vendor_server.rules(about | {"times": 2}, about | {"label": "CONTRADICTED"})  # both judges, then both again
    audit = road.work_off(start(dataset))
    assert len(flips(audit)) == 2
    assert result(audit) == result(without)
    names = ("claim__text", "member__model", "label", "unscored", "rationale", "quotes", "grounded")
    both = [Verdict.objects.filter(claim__audit=one).order_by(*names[:2]) for one in (audit, without)]
    assert list(both[0].values_list(*names)) == list(both[1].values_list(*names))
    assert set(audit.calls.filter(replicate__gt=0).values_list("purpose", flat=True)) == {"probe"}


def test_a_claim_without_a_label_is_not_asked_about_again(dataset: Dataset, vendor_server: VendorServer) -> None:
    about = {"purpose": "verify", "model": "claude-b", "contains": f"\n[1] {COST}\n"}
    vendor_server.rules(about | {"fault": "refusal"})
    audit = road.work_off(start(dataset))
    assert audit.status == Audit.Status.REVIEWING
    assert len(users(vendor_server, "claude-b", COST)) == 1
    assert probed(audit, status=DONE) == EXPECTED | {(COST, REPEAT): 1}  # the other judge alone


def test_a_probe_without_a_label_says_why(dataset: Dataset, vendor_server: VendorServer) -> None:
    about = {"purpose": "verify", "model": "claude-b", "contains": f"\n[1] {COST}\n", "times": 1}
    vendor_server.rules(about, about | {"fault": "refusal"})
    audit = road.work_off(start(dataset))
    assert audit.status == Audit.Status.REVIEWING
    probe = Probe.objects.get(audit=audit, member__model="claude-b", claim__text=COST)
    assert (probe.status, probe.label, probe.unscored) == (DONE, "", Unscored.REFUSED)
    assert result(audit).unscored == 1  # the claim without contexts


def test_a_probe_asks_about_one_claim_alone(dataset: Dataset, vendor_server: VendorServer, settings: Any) -> None:
    settings.ASSAY_CLAIMS_PER_CALL = 5
    audit = road.work_off(start(dataset))
    assert probed(audit, status=DONE) == EXPECTED
    together = [words for words in users(vendor_server, "model-a", TERM) if f"[1] {TERM}\n[2] {MANAGER}" in words]
    assert len(together) == 1 and len(users(vendor_server, "model-a", TERM)) == 3
    assert len(users(vendor_server, "model-a", MANAGER)) == 2  # by itself, as number 1


# Where answers come from


def test_probes_of_another_audit_are_never_found_instead(dataset: Dataset, vendor_server: VendorServer) -> None:
    first = road.work_off(start(dataset))
    asked = len(vendor_server.requests)
    about = {"purpose": "verify", "model": "claude-b", "contains": f"\n[1] {COST}\n"}
    vendor_server.rules(about | {"label": "UNVERIFIED"})
    second = road.work_off(start(dataset, reuse=True))
    assert second.status == Audit.Status.REVIEWING
    assert len(vendor_server.requests) - asked == Probe.objects.filter(audit=second).count() == 10
    assert Counter(second.calls.values_list("purpose", flat=True)) == {"probe": 10}
    assert not flips(first) and {row[:2] for row in flips(second)} == {(COST, "claude-b")}
    hashes = [
        set(audit.calls.filter(replicate__gt=0).values_list("request_hash", flat=True)) for audit in (first, second)
    ]
    assert hashes[0] == hashes[1]  # the very same questions


def test_within_an_audit_a_probe_finds_only_what_no_probe_has_used(
    dataset: Dataset, vendor_server: VendorServer
) -> None:
    audit = road.work_off(start(dataset))
    by_replicate = {n: set(audit.calls.filter(replicate=n).values_list("request_hash", flat=True)) for n in (0, 1, 2)}
    assert not by_replicate[0] & by_replicate[1] and not by_replicate[1] & by_replicate[2]
    assert set(pipeline.find_paid(audit, by_replicate[0])) == by_replicate[0]
    assert pipeline.find_paid(audit, by_replicate[1] | by_replicate[2]) == {}
    # A part of a probe of several calls that a crash interrupted: the probe does not rest on it yet.
    probe = Probe.objects.filter(audit=audit, kind=REPEAT).select_related("call")[0]
    Probe.objects.filter(pk=probe.pk).update(call=None, status=OWED, label="")
    assert probe.call is not None and set(pipeline.find_paid(audit, by_replicate[1])) == {probe.call.request_hash}


def test_claims_that_are_alike_are_each_asked_about_again(project: Project, vendor_server: VendorServer) -> None:
    rows = [ROWS[0] | {"id": str(number)} for number in range(6)]
    panel = [road.judge("openai", "model-a", concurrency=1), road.judge("anthropic", "claude-b", concurrency=1)]
    audit = road.work_off(start(road.make_dataset(project, rows), *panel))
    calls = Probe.objects.filter(audit=audit).values_list("call", flat=True)
    assert len(calls) == len(set(calls)) == 12 and None not in calls


# What goes wrong on the way


def test_drawing_twice_owes_nothing_twice(dataset: Dataset, vendor_server: VendorServer) -> None:
    audit = road.work_off(start(dataset))
    before = list(Probe.objects.order_by("pk").values())
    draw_probes(audit, list(audit.claims.values_list("pk", flat=True)))
    pipeline.settle(audit, list(audit.extractions.values_list("pk", flat=True)))
    assert list(Probe.objects.order_by("pk").values()) == before


def test_a_crash_before_the_decision_loses_no_probe(dataset: Dataset, vendor_server: VendorServer) -> None:
    audit = start(dataset)
    road.work_off(audit)
    # The state that a process leaves behind that dies once the verdicts are stored.
    Probe.objects.all().delete()
    Call.objects.filter(replicate__gt=0).delete()
    audit.claims.update(decision="")
    Audit.objects.filter(pk=audit.pk).update(status=Audit.Status.JUDGING)
    audit.refresh_from_db()
    assert not pipeline.conclude(audit)  # deciding now owes probes
    assert probed(audit, status=OWED) == EXPECTED
    assert road.work_off(audit).status == Audit.Status.REVIEWING
    assert probed(audit, status=DONE) == EXPECTED


def test_probes_that_a_dead_worker_held_are_asked_once_more(dataset: Dataset, vendor_server: VendorServer) -> None:
    audit = road.work_off(start(dataset))
    Probe.objects.all().update(status=OWED, label="", call=None, lease=uuid.uuid4(), leased_until="2000-01-01T00:00Z")
    Call.objects.filter(replicate__gt=0).delete()
    Audit.objects.filter(pk=audit.pk).update(status=Audit.Status.JUDGING)
    asked = len(vendor_server.requests)
    road.work_off(audit)
    assert audit.status == Audit.Status.REVIEWING and probed(audit, status=DONE) == EXPECTED
    assert len(vendor_server.requests) - asked == 10 == audit.calls.filter(replicate__gt=0).count()


def test_a_stopped_judge_leaves_its_probes_owed(dataset: Dataset, vendor_server: VendorServer) -> None:
    verdicts = {"vendor": "anthropic", "times": 3}
    vendor_server.rules(verdicts, {"vendor": "anthropic", "status": 401})  # the key is withdrawn after the verdicts
    audit = road.work_off(start(dataset))
    assert audit.status == Audit.Status.PAUSED
    assert set(Probe.objects.filter(status=OWED).values_list("member__vendor", flat=True)) == {"anthropic"}
    assert Probe.objects.filter(status=DONE, member__vendor="openai").count() == 5
    assert not audit.claims.filter(decision="").exists()
    vendor_server.rules()
    assert pipeline.resume(audit, None)
    assert road.work_off(audit).status == Audit.Status.REVIEWING
    assert probed(audit, status=DONE) == EXPECTED


def test_pausing_and_cancelling_leave_probes_owed(dataset: Dataset, vendor_server: VendorServer) -> None:
    verdicts = {"vendor": "anthropic", "times": 3}
    vendor_server.rules(verdicts, {"vendor": "anthropic", "status": 401})
    audit = road.work_off(start(dataset))
    vendor_server.rules()
    pipeline.resume(audit, None)
    assert pipeline.pause(audit, None)
    asked = len(vendor_server.requests)
    road.work_off(audit)
    assert pipeline.cancel(audit, None)
    road.work_off(audit)
    assert audit.status == Audit.Status.CANCELLED and len(vendor_server.requests) == asked
    assert Probe.objects.filter(status=OWED).count() == 5


def test_in_batch_mode_probes_are_asked_directly(
    dataset: Dataset, vendor_server: VendorServer, settings: Any
) -> None:
    settings.ASSAY_BATCH_POLL_SECONDS = 0
    audit = start(dataset, batch=True)
    for _ in range(30):
        tend(audit)
        road.work_off(audit)
        if audit.status != Audit.Status.JUDGING:
            break
    assert audit.status == Audit.Status.REVIEWING
    assert probed(audit, status=DONE) == EXPECTED
    assert len(vendor_server.requests) == 10  # all else went by batches
    assert not audit.calls.filter(replicate__gt=0).exclude(batch=None).exists()
    assert not audit.calls.filter(replicate=0, batch=None).exists()

"""Which claims are planted, that judges are asked about them as about any claim, and that nothing counts them."""

import hashlib
import re
from collections import Counter
from decimal import Decimal
from typing import Any

import pytest

from audits import pipeline
from audits.batches import tend
from audits.export import claim_records
from audits.export_probes import probe_records
from audits.labels import Label
from audits.models import Audit, Claim, Dataset, Probe, Project, Verdict
from audits.pipeline.planting import drawn_order, plant
from audits.progress import progress
from audits.results import result
from audits.stability import flipped, stability
from tests.audits import road
from tests.vendor_server.server import VendorServer

pytestmark = pytest.mark.django_db
SPECIFIC, VAGUE, OWED, DONE = Probe.Kind.SPECIFIC, Probe.Kind.VAGUE, Probe.Status.OWED, Probe.Status.DONE
ROWS = [
    {
        "id": "loan",
        "question": "Cost?",
        "contexts": ["The loan costs 5 percent. The bank opened in 1994.", "Other."],
        "answer": "The loan costs 5 percent. The bank opened in 1994.",
    },
    {"id": "term", "question": "期限多久？", "contexts": ["期限为12个月。"], "answer": "期限为12个月。"},
    {"id": "made up", "question": "Head?", "contexts": ["Nothing is here."], "answer": "The head is Ms Otter, 44."},
    {"id": "limit", "question": "Age?", "contexts": ["The age is at least 18."], "answer": "The age is at least 18."},
]
COST, OPENED, TERM, LIMIT = (
    "The loan costs 5 percent.",
    "The bank opened in 1994.",
    "期限为12个月。",
    "The age is at least 18.",
)


@pytest.fixture
def dataset(project: Project) -> Dataset:
    return road.make_dataset(project, ROWS)


def start(dataset: Dataset, planted: int = 10, **fields: Any) -> Audit:
    """The seed is the same for all."""
    audit = road.start(dataset, **({"reuse": False} | fields))
    Audit.objects.filter(pk=audit.pk).update(seed=7, planted=planted)
    audit.refresh_from_db()
    return audit


def masked(prompt: str) -> str:
    """Without the marks around texts, which are hashes of them."""
    return re.sub(r"[0-9a-f]{16}", "", prompt)


def planted(audit: Audit, **still: Any) -> Counter[tuple[str, str, str]]:
    """(claim, kind, what is asked) -> judges."""
    return Counter(Probe.objects.filter(audit=audit, **still).values_list("claim__text", "kind", "text"))


EXPECTED = {
    (COST, SPECIFIC, "The loan costs 13 percent."): 2,
    (COST, VAGUE, "It does not really seem to be the case that the loan costs a certain share."): 2,
    (OPENED, SPECIFIC, "The bank opened in 1987."): 2,
    (OPENED, VAGUE, "It does not really seem to be the case that the bank opened at some point."): 2,
    (TERM, SPECIFIC, "期限为27个月。"): 2,
    (TERM, VAGUE, "总体来看，期限为若干个月的说法似乎并不太属实。"): 2,
}


def test_every_judge_is_asked_about_false_variants(dataset: Dataset, vendor_server: VendorServer) -> None:
    audit = road.work_off(start(dataset))
    assert audit.status == Audit.Status.REVIEWING
    assert planted(audit, status=DONE) == EXPECTED  # nothing of the limit, nothing of what is not supported
    about = [request for request in vendor_server.requests if "The loan costs 13 percent." in request["user"]]
    assert len(about) == 2 and {request["purpose"] for request in about} == {"verify"}
    usual = [(request["model"], masked(request["user"])) for request in vendor_server.requests]
    for request in about:  # to the letter what is asked about the claim itself, but for the detail
        assert usual.count((request["model"], masked(request["user"].replace("13 percent", "5 percent")))) == 1
    for probe in Probe.objects.filter(audit=audit).select_related("claim__extraction"):
        assert probe.context_order == probe.claim.extraction.judgings.get(member=probe.member).context_order


def test_the_draw_takes_one_claim_of_each_answer_first_and_can_be_made_again(
    dataset: Dataset, vendor_server: VendorServer
) -> None:
    audit = road.work_off(start(dataset, planted=2))
    texts = [Claim.objects.get(pk=pk).text for pk in drawn_order(audit)]
    assert texts == first_of_each(7)
    assert {claim for claim, *_ in planted(audit)} == {text for text in texts if text != LIMIT and text in texts[:3]}
    audit.seed = 8
    assert [Claim.objects.get(pk=pk).text for pk in drawn_order(audit)] == first_of_each(8)


def first_of_each(seed: int) -> list[str]:
    """The order by hand: hashes of the four supported claims, the later one of the answer with two at the end."""
    places = {COST: (0, 0), OPENED: (0, 1), TERM: (1, 0), LIMIT: (3, 0)}
    digest = {text: hashlib.sha256(f"plant {seed} {s} {c}".encode()).hexdigest() for text, (s, c) in places.items()}
    last = max(COST, OPENED, key=digest.__getitem__)
    return [*sorted(set(places) - {last}, key=digest.__getitem__), last]


def test_planted_claims_touch_nothing_that_counts(dataset: Dataset, vendor_server: VendorServer) -> None:
    without = road.work_off(start(dataset, planted=0))
    about = {"purpose": "verify", "contains": "13 percent"}
    vendor_server.rules(about | {"label": "SUPPORTED"})  # both judges fall for it
    audit = road.work_off(start(dataset))
    fooled = Probe.objects.filter(audit=audit, label=Label.SUPPORTED, text="The loan costs 13 percent.")
    assert fooled.count() == 2
    assert result(audit) == result(without)  # rates, coverage, disagreement
    names = ("claim__text", "claim__decision", "member__model", "label")
    both = [
        list(Verdict.objects.filter(claim__audit=a).order_by(*names).values_list(*names)) for a in (audit, without)
    ]
    assert both[0] == both[1]
    assert audit.claims.count() == without.claims.count()
    assert stability(audit).probes == 0 and not flipped(audit).exists()
    assert all(record["probes"] == [] for record in claim_records(audit))
    rows = [record for record in probe_records(audit) if record["claim"] == COST and record["kind"] == SPECIFIC]
    assert [(row["planted"], row["label"], row["flipped"]) for row in rows] == [
        ("The loan costs 13 percent.", "SUPPORTED", None)
    ] * 2
    assert set(audit.calls.filter(replicate__gt=0).values_list("purpose", flat=True)) == {"probe"}


def test_beside_claims_asked_again_each_is_counted_apart(dataset: Dataset, vendor_server: VendorServer) -> None:
    audit = road.work_off(start(dataset, probe_percent=100))
    found = progress(audit)
    assert (found.planted, found.planted_done) == (12, 12)
    assert found.probes == found.probes_done == stability(audit).probes > 0
    assert {claim for claim, kind, _ in planted(audit) if kind in (SPECIFIC, VAGUE)} == {COST, OPENED, TERM}


def test_planting_twice_owes_nothing_twice(dataset: Dataset, vendor_server: VendorServer) -> None:
    audit = road.work_off(start(dataset))
    before = list(Probe.objects.order_by("pk").values())
    plant(audit)
    assert list(Probe.objects.order_by("pk").values()) == before


def test_nothing_is_planted_before_all_claims_are_decided(dataset: Dataset, vendor_server: VendorServer) -> None:
    vendor_server.rules({"vendor": "anthropic", "times": 2}, {"vendor": "anthropic", "status": 401})
    audit = road.work_off(start(dataset))
    assert audit.status == Audit.Status.PAUSED and not Probe.objects.exists()
    vendor_server.rules()
    assert pipeline.resume(audit, None)
    assert planted(road.work_off(audit), status=DONE) == EXPECTED


def test_what_a_dead_worker_held_is_asked_once_more_and_what_was_paid_is_found(
    dataset: Dataset, vendor_server: VendorServer
) -> None:
    audit = road.work_off(start(dataset))
    asked = len(vendor_server.requests)
    Probe.objects.filter(audit=audit).update(status=OWED, label="", call=None)
    Audit.objects.filter(pk=audit.pk).update(status=Audit.Status.JUDGING)
    road.work_off(audit)
    assert planted(audit, status=DONE) == EXPECTED and len(vendor_server.requests) == asked  # paid by this audit
    other = road.work_off(start(dataset, reuse=True))  # another one asks anew
    assert planted(other, status=DONE) == EXPECTED
    assert len(vendor_server.requests) - asked == 12 == other.calls.filter(purpose="probe").count()


def test_in_batch_mode_planted_claims_are_asked_directly(
    dataset: Dataset, vendor_server: VendorServer, settings: Any
) -> None:
    settings.ASSAY_BATCH_POLL_SECONDS = 0
    audit = start(dataset, batch=True)
    for _ in range(30):
        tend(audit)
        road.work_off(audit)
        if audit.status != Audit.Status.JUDGING:
            break
    assert audit.status == Audit.Status.REVIEWING and planted(audit, status=DONE) == EXPECTED
    assert not audit.calls.filter(replicate__gt=0).exclude(batch=None).exists()


def test_a_budget_stops_planted_claims_too(dataset: Dataset, vendor_server: VendorServer) -> None:
    audit = road.work_off(start(dataset, planted=0, budget=Decimal(1)))
    Audit.objects.filter(pk=audit.pk).update(status=Audit.Status.JUDGING, planted=10, budget=audit.spent)
    road.work_off(audit)
    assert (audit.status, audit.stopped_by) == (Audit.Status.PAUSED, "budget")
    assert planted(audit, status=OWED) == EXPECTED

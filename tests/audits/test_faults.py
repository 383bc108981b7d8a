"""Every fault of the table over real HTTP and the real SDKs, through the whole road: state, message, ledger, verdict.

One judge meets the fault; that the other one goes on undisturbed is asserted for every row.
"""

import itertools
import re
from collections import Counter
from typing import Any

import pytest
from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from audits.judges.base import RETRY_LATER, STOP_JUDGE
from audits.mending import MEND
from audits.models import Audit, Call, Judge, PanelMember, Project, Verdict
from audits.results import result
from tests.audits import road
from tests.audits.fault_table import CASES, FEE, ROWS, SAMPLE, TERM, Row, S
from tests.vendor_server.server import VendorServer

pytestmark = pytest.mark.django_db
_numbers = itertools.count()


def panel(row: Row, protocol: str) -> tuple[Judge, Judge]:
    """The judge that meets the fault, and another one. New models each time: nothing is remembered about them."""
    number = next(_numbers)
    other = "anthropic" if protocol == "openai" else "openai"
    prices = {"price_in": 1, "price_out": 2}
    faulty = road.judge(protocol, f"faulty-{number}", concurrency=1, params=row.params, **prices)
    return faulty, road.judge(other, f"sound-{number}", concurrency=1, **prices)


def meet(project: Project, server: VendorServer, row: Row, protocol: str) -> tuple[Audit, PanelMember, PanelMember]:
    """Run an audit in which one judge meets the fault: the audit, this judge's seat and the other one's."""
    faulty, sound = panel(row, protocol)
    dataset = road.make_dataset(project, [{**SAMPLE, "contexts": list(row.contexts)}])
    server.rules(*({"model": faulty.model, **rule} for rule in row.rules))
    cutter = road.judge("deepseek", "cutter", price_in=1, price_out=2)
    audit = road.work_off(road.start(dataset, faulty, sound, extractor=cutter))
    return audit, audit.members.get(judge=faulty), audit.members.get(judge=sound)


def said_of(member: PanelMember) -> dict[str, Verdict]:
    return {verdict.claim.text: verdict for verdict in member.verdicts.select_related("claim")}


@pytest.fixture
def met(
    request: Any, project: Project, vendor_server: VendorServer, settings: Any
) -> tuple[Row, Audit, PanelMember, PanelMember]:
    row, protocol = request.param
    for name, value in row.settings.items():
        setattr(settings, name, value)
    return row, *meet(project, vendor_server, row, protocol)


@pytest.mark.parametrize(
    "met",
    [
        pytest.param(
            (row, protocol),
            id=f"{row.name}-{protocol}".replace(" ", "_"),
            marks=[pytest.mark.thorough] if thorough else [],
        )
        for row, protocol, thorough in CASES
    ],
    indirect=True,
)
def test_a_fault(met: tuple[Row, Audit, PanelMember, PanelMember], vendor_server: VendorServer) -> None:
    row, audit, faulty, sound = met
    check_calls(row, faulty, vendor_server)
    check_verdicts(row, audit, faulty, sound)
    check_state(row, audit, faulty, sound)


def check_calls(row: Row, faulty: PanelMember, server: VendorServer) -> None:
    """Each request that reached the vendor is counted, and the ledger says what came of it."""
    asked = [request for request in server.requests if request["model"] == faulty.model]
    ledger = list(faulty.calls.all())
    assert Counter(call.outcome for call in ledger) == row.calls
    assert len(asked) == row.requests
    failed = [call for call in ledger if call.outcome != "ok"]
    assert all(call.message and call.cost is None and not call.reusable for call in failed)
    if row.status:
        assert {call.status for call in failed} == {row.status}
    told = [call.message for call in failed] or [verdict.detail for verdict in said_of(faulty).values()]
    assert any(re.search(row.said, words) for words in told)
    assert "sk-test" not in str(told)


def check_verdicts(row: Row, audit: Audit, faulty: PanelMember, sound: PanelMember) -> None:
    """A label, a reason why there is none, or nothing yet; and the other judge has spoken on everything."""
    verdicts = said_of(faulty)
    if row.fee is None:
        assert not verdicts
    else:
        assert verdicts[FEE].label or verdicts[FEE].unscored
        assert (verdicts[FEE].label or verdicts[FEE].unscored) == row.fee
        assert verdicts[TERM].label == S
    assert {text: verdict.label for text, verdict in said_of(sound).items()} == {FEE: S, TERM: S}
    decisions = dict(audit.claims.values_list("text", "decision"))
    assert decisions == {FEE: row.decision, TERM: "" if row.fee is None else S}
    found = result(audit)
    decided = sum(decision == S for decision in decisions.values())
    assert (found.total, found.coverage) == (2, decided / 2)
    assert found.pending == (2 if row.fee is None else 0)
    notes = [*faulty.notes, *(note for verdict in verdicts.values() for note in verdict.notes)]
    assert row.note in " ".join(notes)


def check_state(row: Row, audit: Audit, faulty: PanelMember, sound: PanelMember) -> None:
    """Stopped with a remedy and, where waiting helps, the moment of its return; or done."""
    assert audit.status == (Audit.Status.PAUSED if row.stops else Audit.Status.REVIEWING)
    assert (faulty.stopped_fault, sound.stopped_fault) == (row.stops, "")
    assert bool(faulty.stopped_message) == bool(row.stops)
    if row.stops:
        assert str(MEND[row.stops])
        assert (faulty.resumes_at is not None) == row.returns
        assert not row.returns or faulty.resumes_at > timezone.now()


def test_whatever_can_stop_a_judge_has_a_remedy() -> None:
    assert set(MEND) == RETRY_LATER | STOP_JUDGE


def test_the_documentation_has_every_row_and_every_remedy() -> None:
    text = (settings.BASE_DIR / "docs" / "faults.md").read_text(encoding="utf-8")
    first = [line.split(" | ")[0].removeprefix("| ") for line in text.splitlines() if line.startswith("| ")]
    assert [name for row in ROWS if (name := row.name.replace("<", "&lt;")) not in first] == []
    assert [fault for fault, words in MEND.items() if f"| {fault} | {words} |" not in text] == []


def test_the_page_says_what_to_do(
    project: Project, vendor_server: VendorServer, signed_in: Any, analyst: Any
) -> None:
    row = next(row for row in ROWS if row.name == "429, Retry-After 3600")
    audit, faulty, _ = meet(project, vendor_server, row, "openai")
    html = signed_in(analyst).get(reverse("audit", args=[project.slug, audit.pk])).content.decode()
    assert f"{faulty.name} has stopped" in html and str(MEND["rate_limit"]) in html.replace("&#x27;", "'")
    assert timezone.localtime(faulty.resumes_at).strftime("%H:%M %Z") in html and "goes on by itself" in html


def test_no_usage_means_an_unknown_cost_and_not_none(project: Project, vendor_server: VendorServer) -> None:
    row = next(row for row in ROWS if row.name == "no usage")
    _, faulty, _ = meet(project, vendor_server, row, "anthropic")
    unknown = Call.objects.filter(member=faulty, cost=None)
    assert [(call.tokens_in, call.tokens_out) for call in unknown] == [(None, None)]

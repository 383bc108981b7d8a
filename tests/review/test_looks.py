"""The next look at a spot check: the very claims that an auditor gets, once, and only when it was registered."""

import json
import re
import subprocess
import sys
import threading
import uuid
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone
from numpy.random import PCG64, Generator

from audits.models import Audit, Claim, Event
from review import gold
from review.adjudication import adjudicate
from review.certify import issue, revoke
from review.looks import NoLook, drawn, draws, extend, is_complete, obstacle, taken
from review.models import ReviewItem, ReviewPlan, Slot
from review.queue import take
from review.readiness import readiness
from review.scope import Scope
from review.spotcheck import draw, draw_more, lines_of_strata, open_review, strata_of
from tests.review.factory import MIXED, S, U, make_audit, patiently, settle_all

pytestmark = pytest.mark.django_db


def make(project: Any, expert: Any, **fields: Any) -> ReviewPlan:
    """An audit with two looks, the first one settled, its limits around the threshold; its plan."""
    audit = make_audit(project, MIXED, **{"spot_check": 20, "looks": 2, "threshold": "0.45", **fields})
    open_review(audit)
    one_expert()
    settle_all(audit, expert)
    return ReviewPlan.objects.select_related("audit").get(audit=audit)


def settle(audit: Audit, expert: Any) -> None:
    """Give a label to everything that is open."""
    rows = Slot.objects.filter(item__plan__audit=audit, state="waiting", reserved_for__isnull=True)
    for slot in rows.select_related("item"):
        said = slot.item.claim.verdicts.get(member__position=0).label
        adjudicate(slot, None, user=expert, label=said, idempotency_key=uuid.uuid4())


def one_expert() -> set[int]:
    """Let one expert settle everything that is open; the claims that were drawn for two."""
    open_for_two = ReviewItem.objects.filter(needed=2)
    claims = set(open_for_two.values_list("claim_id", flat=True))
    Slot.objects.filter(number=2).delete()
    open_for_two.update(needed=1)
    return claims


def refused(plan: ReviewPlan, by: Any, more: int = 5) -> str:
    with pytest.raises(NoLook) as caught:
        extend(ReviewPlan.objects.get(pk=plan.pk), by, more)
    return caught.value.code


def test_a_look_adds_the_next_ids_of_the_same_permutation(project: Any, expert: Any, manager: Any) -> None:
    plan = make(project, expert)
    before = drawn(plan)
    seen = set(plan.items.values_list("claim_id", flat=True))
    assert extend(plan, manager, 12) == 12
    plan.refresh_from_db()
    after, strata, random = drawn(plan), strata_of(plan.audit), Generator(PCG64(plan.seed))
    assert sum(after.values()) == 32 and taken(plan) == 2 and draws(plan) == [before, after]
    for name in ("supported", "supported_vague", "contradicted", "unverified"):
        order = [int(pk) for pk in random.permutation(strata[name])]
        items = plan.items.filter(stratum=name)
        assert set(items.values_list("claim_id", flat=True)) == set(order[: after[name]])
        new = set(order[before[name] : after[name]])
        assert set(items.filter(slots__state="waiting").values_list("claim_id", flat=True)) == new
        assert not new & seen
    event = Event.objects.get(kind="look_extended")
    assert event.actor == manager and event.data["before"] == before and event.data["after"] == after
    assert sorted(plan.items.values_list("order", flat=True)) == list(range(plan.items.count()))
    assert plan.strata["supported"]["n"] == before["supported"], "the first draw stays as it was"


def test_nobody_sees_a_figure_before_the_look_is_complete(project: Any, expert: Any, manager: Any) -> None:
    plan = make(project, expert)
    found = readiness(plan.audit)
    assert found.acceptance is not None and found.acceptance.level == pytest.approx(0.975)
    extend(plan, manager, 12)
    audit = Audit.objects.get(pk=plan.audit_id)
    assert readiness(audit).acceptance is None and not is_complete(ReviewPlan.objects.get())
    settle(audit, expert)
    found = readiness(audit)
    assert found.acceptance is not None and found.acceptance.level == pytest.approx(0.975)
    assert issue(audit, manager).envelope["statement"]["rule"]["looks"] == 2


def test_what_stands_against_a_look(project: Any, expert: Any, manager: Any) -> None:
    plan = make(project, expert)
    Audit.objects.update(looks=1)
    assert refused(plan, manager) == "one_look"
    Audit.objects.update(looks=2, rule_changed_at=timezone.now())
    assert refused(plan, manager) == "rule_changed"
    Audit.objects.update(rule_changed_at=None, status=Audit.Status.CANCELLED)
    assert refused(plan, manager) == "closed"
    Audit.objects.update(status=Audit.Status.REVIEWING)
    certificate = issue(Audit.objects.get(), manager)
    assert certificate.decision == "INSUFFICIENT" and refused(plan, manager) == "certified"
    revoke(certificate, manager, "Wrong.")
    with pytest.raises(ValueError):
        extend(plan, manager, 0)
    claim = Claim.objects.filter(decision=S)[0]
    Claim.objects.filter(pk=claim.pk).update(decision=U)
    assert refused(plan, manager) == "stale"
    Claim.objects.filter(pk=claim.pk).update(decision=S)
    assert extend(plan, manager, 500) == 30, "all that are left"
    assert refused(plan, manager) == "used"
    Audit.objects.update(looks=3)
    assert refused(plan, manager) == "incomplete"
    settle(Audit.objects.get(), expert)
    assert refused(plan, manager) == "all_seen"
    assert Event.objects.filter(kind="look_extended").count() == 1


def test_a_look_that_decided_is_the_last(project: Any, expert: Any, manager: Any) -> None:
    assert refused(make(project, expert, threshold="0.05"), manager) == "decided"


def test_the_second_look_takes_its_share_of_second_labels(project: Any, expert: Any, manager: Any) -> None:
    plan = make(project, expert, double_percent=20)
    assert extend(plan, manager, 12) == 12
    assert plan.items.filter(needed=2).count() == 3, "20 % of 12, rounded up"
    assert Slot.objects.filter(number=2, state="waiting").count() == 3
    assert ReviewPlan.objects.get().doubles == plan.doubles + 3


def test_a_claim_with_a_known_label_that_the_look_draws_is_drawn(project: Any, expert: Any, manager: Any) -> None:
    plan = make(project, expert)
    strata, counts = strata_of(plan.audit), drawn(plan)
    order = [int(pk) for pk in Generator(PCG64(plan.seed)).permutation(strata["supported"])]
    labelled, untouched, later = order[counts["supported"] :][:2] + order[-1:]
    for pk in (labelled, untouched, later):
        gold.add(plan.audit, Claim.objects.get(pk=pk), label=U, reason="sure", by=manager)
    gold.ensure_for(expert, [project])
    slot = Slot.objects.get(item__claim=labelled)
    adjudicate(slot, None, user=expert, label=S, idempotency_key=uuid.uuid4())
    extend(plan, manager, 8)
    for pk, state in ((labelled, "done"), (untouched, "waiting")):
        item = ReviewItem.objects.get(claim=pk)
        assert (item.kind, item.gold_label) == ("spot_check", "")
        assert [slot.state for slot in item.slots.all()] == [state]
        assert item.slots.filter(state="waiting", reserved_for__isnull=False).count() == 0
    assert ReviewItem.objects.get(claim=later).kind == "gold"
    assert Event.objects.get(kind="look_extended").data["known"]
    queue = list(plan.items.filter(slots__state="waiting").order_by("rank").values_list("rank", flat=True))
    assert len(queue) == len(set(queue)) == 8
    settle(Audit.objects.get(), expert)
    assert readiness(Audit.objects.get()).issuable


def test_the_expert_gets_the_new_claims(project: Any, expert: Any, manager: Any) -> None:
    plan = make(project, expert)
    assert take(expert, Scope((project,))) is None
    extend(plan, manager, 5)
    slot = take(expert, Scope((project,)))
    assert slot is not None and slot.item.rank == max(plan.items.order_by("rank").values_list("rank", flat=True)[:26])


def test_with_the_first_draw_it_is_one_larger_draw() -> None:
    strata = {"supported": list(range(100)), "unverified": list(range(200, 230)), "disputed": [500, 501]}
    first, all_of = {"supported": 20, "unverified": 4}, {"supported": 50, "unverified": 9}
    two = {place.claim_id for place in [*draw(strata, first, 9), *draw_more(strata, first, all_of, 9, 2)]}
    assert two == {place.claim_id for place in draw(strata, all_of, 9)}
    assert [place.claim_id for place in draw_more(strata, first, all_of, 9, 2)] == [
        place.claim_id for place in draw_more(strata, first, all_of, 9, 2, 50)
    ]


@pytest.mark.django_db(transaction=True)
def test_two_managers_at_the_same_moment_take_one_look(project: Any, expert: Any, manager: Any) -> None:
    plan = make(project, expert)
    Audit.objects.update(looks=3)
    said: list[str] = []
    start = threading.Barrier(2)

    def press() -> None:
        try:
            start.wait()
            said.append(str(patiently(partial(extend, plan, manager, 5))))
        except NoLook as refusal:
            said.append(refusal.code)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=press) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(said) == ["5", "incomplete"]
    assert len(ReviewPlan.objects.get().looks) == 1 and plan.items.count() == 30


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_documented_program_draws_every_look(
    project: Any, expert: Any, manager: Any, tmp_path: Path, language: str
) -> None:
    audit = make_audit(project, MIXED, spot_check=20, looks=2, threshold="0.45", double_percent=10)
    plan = open_review(audit)
    assert plan is not None
    twice = one_expert()
    settle(audit, expert)
    extend(plan, manager, 12)
    twice |= one_expert()
    settle(audit, expert)
    statement = issue(Audit.objects.get(), manager).envelope["statement"]
    (tmp_path / "payload.json").write_text(json.dumps(statement), encoding="utf-8")
    (tmp_path / "strata.txt").write_text(lines_of_strata(strata_of(plan.audit)), encoding="utf-8")
    page = Path(__file__).parents[2].joinpath("docs", "verify.md").read_text(encoding="utf-8")
    part = page.split("\n# ")[{"en": 0, "zh": 1}[language]]
    (program,) = [code for code in re.findall(r"```python\n(.*?)```", part, re.DOTALL) if "PCG64" in code]
    told = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout)
    assert found["claims"] == list(plan.items.order_by("order").values_list("claim_id", flat=True))
    assert set(found["twice"]) == twice and len(twice) == 3 + 2, "10 % of each look, rounded up"


def test_nothing_stands_against_a_registered_look(project: Any, expert: Any) -> None:
    assert obstacle(make(project, expert)) == ""

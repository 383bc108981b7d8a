"""Opening a review: what is drawn, that it is drawn once, and that anybody can repeat it."""

import hashlib
import json
import re
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from numpy.random import PCG64, Generator

from audits.models import Audit, Claim, Event
from review import gold
from review.adjudication import adjudicate
from review.certify import issue
from review.models import ReviewItem, ReviewPlan, Slot
from review.queue import take
from review.scope import Scope
from review.spotcheck import doubles_of, draw, is_stale, lines_of_strata, open_review, strata_of
from review.tasks import sweep
from tests.review.factory import MIXED, C, S, U, make_audit, settle_all

pytestmark = pytest.mark.django_db


def test_every_disputed_claim_is_an_item(project: Any) -> None:
    audit = make_audit(project, MIXED)
    open_review(audit)
    disputed = set(Claim.objects.filter(audit=audit).disputed().values_list("pk", flat=True))
    items = ReviewItem.objects.filter(kind="dispute")
    assert len(disputed) == 5
    assert set(items.values_list("claim_id", flat=True)) == disputed
    assert Slot.objects.count() == ReviewItem.objects.count()


def test_strata_and_their_shares_are_frozen(project: Any) -> None:
    audit = make_audit(project, [(S, S)] * 200 + [(C, C)] * 8 + [(U, U)] * 40, vague=range(40), spot_check=80)
    plan = open_review(audit)
    assert plan is not None
    counts = plan.strata
    assert counts["supported"]["N"] == 160 and counts["supported_vague"]["N"] == 40
    assert counts["contradicted"] == {"N": 8, "n": 8}, "a tiny stratum is looked at whole"
    assert counts["unverified"]["n"] >= 10
    assert sum(part["n"] for part in counts.values()) == 80
    assert counts["supported_vague"]["n"] / 40 >= 2 * counts["supported"]["n"] / 160


def test_the_draw_can_be_repeated_by_hand(project: Any) -> None:
    audit = make_audit(project, MIXED, spot_check=20)
    plan = open_review(audit)
    assert plan is not None
    lines = [(c.pk, i.stratum if (i := getattr(c, "review_item", None)) else None) for c in Claim.objects.all()]
    assert len(lines) == 55
    strata = strata_of(audit)
    text = "".join(f"{pk} {name}\n" for pk, name in sorted((pk, n) for n, pks in strata.items() for pk in pks))
    strata_hash = hashlib.sha256(text.encode()).hexdigest()
    seed = int.from_bytes(hashlib.sha256(f"{'ab' * 32}{strata_hash}7".encode()).digest()[:8], "big")
    assert (plan.strata_hash, plan.nonce, plan.seed) == (strata_hash, "7", seed)
    random = Generator(PCG64(seed))
    first = {int(pk) for pk in random.permutation(strata["supported"])[: plan.strata["supported"]["n"]]}
    assert first == set(ReviewItem.objects.filter(stratum="supported").values_list("claim_id", flat=True))


def test_ids_and_order_tell_nothing_of_the_kind() -> None:
    strata = {"disputed": list(range(50)), "supported": list(range(50, 500))}
    places = draw(strata, {"supported": 50}, seed=1)
    kinds = [place.kind for place in places]
    assert kinds.count("dispute") == kinds.count("spot_check") == 50
    assert 15 <= kinds[:50].count("dispute") <= 35


def test_items_are_stored_in_the_shuffled_order(project: Any) -> None:
    open_review(make_audit(project, MIXED, spot_check=20))
    assert list(ReviewItem.objects.order_by("pk").values_list("order", flat=True)) == list(
        range(ReviewItem.objects.count())
    )


def test_opening_twice_is_once(project: Any) -> None:
    audit = make_audit(project, MIXED)
    assert open_review(audit) is not None
    assert open_review(audit) is None
    assert ReviewPlan.objects.count() == 1
    assert Event.objects.filter(kind="review_opened").count() == 1


@pytest.mark.parametrize("status", ["judging", "paused", "cancelled"])
def test_only_an_audit_under_review_is_opened(project: Any, status: str) -> None:
    assert open_review(make_audit(project, MIXED, status=status)) is None
    assert not ReviewPlan.objects.exists()


def test_the_sweep_opens_what_is_not_open(project: Any) -> None:
    make_audit(project, MIXED)
    make_audit(project, MIXED, status=Audit.Status.JUDGING)
    sweep()
    sweep()
    assert ReviewPlan.objects.count() == 1


def test_one_audit_that_cannot_be_opened_does_not_stop_the_sweep(project: Any) -> None:
    broken = make_audit(project, MIXED)
    Claim.objects.filter(pk=broken.claims.first().pk).update(decision="")
    make_audit(project, MIXED)
    sweep()
    assert list(ReviewPlan.objects.values_list("audit__pk", flat=True)) != [broken.pk]
    assert ReviewPlan.objects.count() == 1


def test_an_audit_without_claims_gets_an_empty_plan(project: Any) -> None:
    plan = open_review(make_audit(project, []))
    assert plan is not None and not plan.items.exists()


def test_no_disputes_leaves_only_the_spot_check(project: Any) -> None:
    plan = open_review(make_audit(project, [(S, S)] * 12 + [(U, U), (C, C)], spot_check=100))
    assert plan is not None
    assert set(plan.items.values_list("kind", flat=True)) == {"spot_check"}
    assert plan.items.count() == 14


def test_an_audit_judged_again_is_drawn_again_until_an_expert_has_spoken(project: Any, expert: Any) -> None:
    audit = make_audit(project, MIXED)
    first = open_review(audit)
    Audit.objects.filter(pk=audit.pk).update(judged_at=timezone.now())
    second = open_review(audit)
    assert first is not None and second is not None and first.pk != second.pk
    slot = take(expert, Scope((project,)))
    adjudicate(slot, slot.token, user=expert, label=S, idempotency_key=uuid.uuid4())
    Audit.objects.filter(pk=audit.pk).update(judged_at=timezone.now())
    assert open_review(audit) is None
    plan = ReviewPlan.objects.get()
    assert plan == second and is_stale(plan)


def test_a_share_of_the_list_goes_to_two_experts_and_the_rest_is_drawn_as_before(project: Any) -> None:
    strata = {"disputed": list(range(40)), "supported": list(range(100, 400))}
    single = draw(strata, {"supported": 33}, 5)
    double = draw(strata, {"supported": 33}, 5, 10)
    assert [place.claim_id for place in double] == [place.claim_id for place in single]
    assert {place.needed for place in single} == {1}
    doubled = [number for number, place in enumerate(double) if place.needed == 2]
    assert len(doubled) == 8, "10 % of 73, rounded up"

    random = Generator(PCG64(5))  # by hand: the draw, the order, then the doubles
    random.permutation(strata["supported"])
    random.permutation(73)
    assert doubled == sorted(int(i) for i in random.permutation(73)[:8])


@pytest.mark.parametrize(
    ("claims", "percent", "doubles"), [(73, 0, 0), (73, 10, 8), (1, 1, 1), (0, 50, 0), (9, 100, 9)]
)
def test_doubles_are_rounded_up(claims: int, percent: int, doubles: int) -> None:
    assert doubles_of(claims, percent) == doubles


def test_what_two_experts_label_has_two_slots(project: Any) -> None:
    audit = make_audit(project, MIXED, spot_check=20, double_percent=30)
    plan = open_review(audit)
    assert plan is not None and plan.doubles == 8
    assert plan.items.filter(needed=2).count() == 8
    for item in plan.items.prefetch_related("slots"):
        assert [slot.number for slot in item.slots.all()] == list(range(1, item.needed + 1))
    assert Event.objects.get(kind="review_opened").data["doubles"] == 8


def test_the_queue_has_weighty_disputes_first_and_answers_together(project: Any) -> None:
    pairs = [(S, S), (C, U), (S, S), (S, S), (S, S), (S, S), (U, S), (S, S), (S, C), (S, ""), (S, S), (S, C)]
    plan = open_review(make_audit(project, pairs, per_answer=2, spot_check=7))
    assert plan is not None
    items = list(plan.items.order_by("rank").values_list("claim__sample__position", "claim__position", "kind"))
    assert sorted(plan.items.values_list("rank", flat=True)) == list(range(12))
    disputes = [answer for answer, _, kind in items if kind == "dispute"]
    assert sorted(disputes[:3]) == [4, 4, 5] and disputes[3:] == [3, 0], "S/C first, then U/S, then C/U"
    blocks = [answer for answer, place, _ in items if place == 0]
    assert [answer for answer, _, _ in items] == [answer for answer in blocks for _ in range(2)]
    assert [place for _, place, _ in items] == [0, 1] * 6


def test_known_labels_outlive_a_new_draw(project: Any, manager: Any) -> None:
    audit = make_audit(project, [(S, S)] * 60, spot_check=10)
    open_review(audit)
    claim = Claim.objects.filter(review_item__isnull=True).first()
    gold.add(audit, claim, label=U, reason="Read the contract.", by=manager)
    Audit.objects.filter(pk=audit.pk).update(judged_at=timezone.now())
    plan = open_review(audit)
    assert plan is not None
    kept = ReviewItem.objects.get(claim=claim)
    assert (kept.plan, kept.kind, kept.gold_label, kept.gold_reason) == (plan, "gold", U, "Read the contract.")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_documented_program_draws_the_same(
    project: Any, expert: Any, manager: Any, settings: Any, tmp_path: Path, language: str
) -> None:
    settings.SIGNING_KEY_FILE = tmp_path / "signing-key.pem"
    audit = make_audit(project, MIXED, vague=range(6), spot_check=30, double_percent=10)
    plan = open_review(audit)
    assert plan is not None
    twice = set(plan.items.filter(needed=2).values_list("claim_id", flat=True))
    Slot.objects.filter(number=2).delete()  # one expert settles all of it; how it was drawn stays
    plan.items.update(needed=1)
    settle_all(audit, expert)
    statement = issue(audit, manager).envelope["statement"]
    (tmp_path / "payload.json").write_text(json.dumps(statement), encoding="utf-8")
    (tmp_path / "strata.txt").write_text(lines_of_strata(strata_of(audit)), encoding="utf-8")
    page = Path(__file__).parents[2].joinpath("docs", "verify.md").read_text(encoding="utf-8")
    part = page.split("\n# ")[{"en": 0, "zh": 1}[language]]
    (program,) = [code for code in re.findall(r"```python\n(.*?)```", part, re.DOTALL) if "PCG64" in code]
    told = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout)
    assert found["claims"] == list(plan.items.order_by("order").values_list("claim_id", flat=True))
    assert len(twice) == 4 and set(found["twice"]) == twice

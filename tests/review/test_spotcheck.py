"""Opening a review: what is drawn, that it is drawn once, and that anybody can repeat it."""

import hashlib
import uuid
from typing import Any

import pytest
from django.utils import timezone
from numpy.random import PCG64, Generator

from audits.models import Audit, Claim, Event
from review.adjudication import adjudicate
from review.models import ReviewItem, ReviewPlan, Slot
from review.queue import take
from review.spotcheck import draw, is_stale, open_review, strata_of
from review.tasks import sweep
from tests.review.factory import MIXED, C, S, U, make_audit

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
    slot = take(expert, [project])
    adjudicate(slot, slot.token, user=expert, label=S, idempotency_key=uuid.uuid4())
    Audit.objects.filter(pk=audit.pk).update(judged_at=timezone.now())
    assert open_review(audit) is None
    plan = ReviewPlan.objects.get()
    assert plan == second and is_stale(plan)

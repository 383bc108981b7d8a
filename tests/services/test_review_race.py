"""Twenty experts at one queue of a thousand claims, over HTTP: every claim gets exactly its labels, none is lost."""

import statistics
import time
from collections import Counter, defaultdict
from typing import Any

import pytest
from django.db import connection

from audits.models import Audit, Project, Role
from review.models import Adjudication, ReviewItem, Slot
from review.outcomes import outcomes
from review.spotcheck import open_review
from tests.review.factory import C, S, make_audit
from tests.services.desk_visitors import Expert, Ledger
from tests.services.web_server import serving

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
EXPERTS, CLAIMS, DOUBLES_PERCENT, PER_ANSWER = 20, 1000, 10, 4


@pytest.fixture
def audit(project: Project) -> Audit:
    """A thousand disputed claims, a hundred of them for two experts."""
    if connection.vendor != "postgresql":
        pytest.skip("an in-memory database has one writer; run make services")
    audit = make_audit(project, [(S, C)] * CLAIMS, per_answer=PER_ANSWER, double_percent=DOUBLES_PERCENT)
    open_review(audit)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # as the database does by itself within a minute
    return audit


def test_twenty_experts_settle_a_thousand_claims(audit: Audit, project: Project, person: Any, capsys: Any) -> None:
    ledger = Ledger()
    people = [person(f"expert{n}", project, Role.EXPERT) for n in range(EXPERTS)]
    with serving(processes=2, threads=EXPERTS) as address:
        experts = [Expert(user, address, ledger, seed) for seed, user in enumerate(people)]
        began = time.monotonic()
        for expert in experts:
            expert.start()
        for expert in experts:
            expert.join()
        took = time.monotonic() - began

    assert ledger.wrong == []
    assert min(expert.labels for expert in experts) > CLAIMS / EXPERTS / 4, "nobody was kept waiting"
    assert not Slot.objects.open().exists()
    words = every_claim_has_exactly_its_labels()
    nothing_that_was_kept_is_lost(ledger)
    assert None not in {one.expert for one in outcomes(audit)}
    with capsys.disabled():
        print(f"\n{figures(ledger, words, took)}")


def every_claim_has_exactly_its_labels() -> int:
    """Every place holds one standing label of the person who filled it, no person two places of a claim, and a third
    one exists exactly where two differ. How many labels count."""
    standing = defaultdict(list)
    for row in Adjudication.objects.counting().select_related("slot"):
        standing[row.slot_id].append(row)
    places = defaultdict(list)
    for slot in Slot.objects.all():
        assert slot.state == Slot.State.DONE and slot.lease_until is None
        (row,) = standing.pop(slot.pk)
        assert row.reviewer_id == slot.reviewer_id and row.item_id == slot.item_id
        places[slot.item_id].append((slot.arbitrates, row))
    assert not standing
    items = list(ReviewItem.objects.all())
    assert Counter(item.needed for item in items) == {1: CLAIMS - CLAIMS // 10, 2: CLAIMS // 10}
    for item in items:
        independent = [row for arbitrates, row in places[item.pk] if not arbitrates]
        arbiters = [row for arbitrates, row in places[item.pk] if arbitrates]
        assert len(independent) == item.needed
        assert len(arbiters) == (len({row.label for row in independent}) > 1)
        assert len({row.reviewer_id for row in independent + arbiters}) == len(places[item.pk])
    return sum(map(len, places.values()))


def nothing_that_was_kept_is_lost(ledger: Ledger) -> None:
    """Of every label that a page called kept there is a row: the label itself, or the one that this person had given
    to the same claim in another window, which the page then showed."""
    rows = {row.idempotency_key: row for row in Adjudication.objects.all()}
    items = {str(code): item for code, item in Slot.objects.values_list("code", "item")}
    said = {(row.item_id, row.reviewer_id) for row in rows.values()}
    for person, form, label in ledger.sent:
        row = rows.get(form.key)
        if row is not None:
            assert (row.reviewer_id, row.label, row.item_id) == (person.pk, label, items[form.code])
        else:
            assert (items[form.code], person.pk) in said
    assert {form.key for _, form, _ in ledger.sent} >= set(rows)


def figures(ledger: Ledger, words: int, took: float) -> str:
    """What the run measured, in a few lines."""
    lines = [f"{words} labels count, in {took:.1f} s: {words / took:.0f} a second; answers {len(ledger.sent)}"]
    for name, times in ledger.times.items():
        cuts = statistics.quantiles([1000 * one for one in times], n=100)
        lines.append(f"{name}: {len(times)}, median {cuts[49]:.0f} ms, 95 % {cuts[94]:.0f} ms")
    lines.append(f"extra opinions: {Adjudication.objects.filter(slot=None).count()}")
    lines.append(f"pages without a claim: {dict(ledger.pages)}")
    return "\n".join(lines)

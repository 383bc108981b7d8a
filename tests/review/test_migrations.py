"""What an earlier version stored is still there after the update."""

import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from audits.models import Project
from review.models import Adjudication, Slot
from tests.review.factory import C, S, make_audit

BEFORE = [("review", "0001_initial")]


def migrate(target: list[tuple[str, str]]) -> Any:
    executor = MigrationExecutor(connection)
    executor.migrate(target)
    return MigrationExecutor(connection).loader.project_state(target).apps


@pytest.mark.django_db(transaction=True)
def test_labels_keep_whether_the_verdicts_were_shown_and_slots_get_their_codes() -> None:
    audit = make_audit(Project.objects.create(name="Bank", slug="bank"), [(S, C)] * 3)
    expert = User.objects.create_user("expert")
    claims = list(audit.claims.values_list("pk", flat=True))
    try:
        old = migrate(BEFORE)
        plan = old.get_model("review", "ReviewPlan").objects.create(
            audit_id=audit.pk, asked=0, strata={}, strata_hash="", nonce="7", seed_hex="00" * 8
        )
        for number, claim in enumerate(claims):
            item = old.get_model("review", "ReviewItem").objects.create(
                plan=plan, claim_id=claim, kind="dispute", stratum="disputed", order=number
            )
            slot = old.get_model("review", "Slot").objects.create(item=item, state="done", reviewer_id=expert.pk)
            old.get_model("review", "Adjudication").objects.create(
                item=item,
                slot=slot,
                reviewer_id=expert.pk,
                label=S,
                revealed=number == 1,
                idempotency_key=uuid.uuid4(),
            )
    finally:
        migrate(MigrationExecutor(connection).loader.graph.leaf_nodes())  # other tests need all of them
    rows = list(Adjudication.objects.order_by("item__order"))
    assert [row.revealed for row in rows] == [False, True, False]
    assert rows[1].revelation.created == rows[1].created
    assert len(set(Slot.objects.values_list("code", flat=True))) == 3

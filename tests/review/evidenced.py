"""A certificate in which every part of a statement has something to say, and its evidence package as a folder."""

import uuid
import zipfile
from pathlib import Path
from typing import Any

from audits.models import Audit, Call, Claim, Extraction, PanelMember, Sample, Verdict
from audits.models.dataset import RowError
from review import gold
from review.adjudication import adjudicate, reveal, revise
from review.certify import issue
from review.giving_up import give_up
from review.models import Certificate, ReviewItem, Skip, Slot
from review.package.archive import evidence_package
from review.package.options import Options
from review.recut import accept, propose
from review.settling import waive_second
from review.spotcheck import open_review
from tests.review.factory import MIXED, C, S, U, make_audit

PLAIN = Options()
OTHERWISE = {S: U, U: S, C: U}


def evidenced(project: Any, experts: tuple[Any, Any, Any], manager: Any, plan: Any = None) -> Certificate:
    """Two looks' worth of acts on one look: marks, second thoughts, an arbiter, a waiver, a cut, a skip, a claim that
    nobody can decide, a claim with a known label; answers without claims, refused rows, calls. plan: as stored."""
    pairs = [*MIXED, (S, ""), (S, S), *[(S, C)] * 6]
    fields: dict[str, Any] = {"plan": plan} if plan else {}
    audit = make_audit(
        project, pairs, per_answer=3, vague=(1, 4), spot_check=30, double_percent=40, scope="dataset", **fields
    )
    _cut(audit)
    _calls(audit)
    plan_of = open_review(audit)
    assert plan_of is not None
    items = ReviewItem.objects.filter(plan=plan_of)
    known = Claim.objects.filter(audit=audit, review_item__isnull=True).first()
    assert known is not None
    gold.add(audit, known, label=S, reason="Known", by=manager)
    single, double = (items.filter(kind="dispute", needed=n).order_by("pk") for n in (1, 2))
    lost = single[0]
    Skip.objects.create(item=lost, reviewer=experts[0], reason="unclear")
    Skip.objects.create(item=known.review_item, reviewer=experts[0], reason="unclear")
    assert give_up(lost, manager, "Nobody knows")
    split = propose(single[1], user=experts[0], texts=["Branch 50 opened.", "It opened in 2000."])
    assert accept(split, manager)
    spot = items.filter(kind="spot_check", needed=2).order_by("pk")
    assert waive_second(spot[0], manager).items == 1
    _label_all(audit, experts, differ_on={double[0].pk} if double else {spot[1].pk})
    changed = items.filter(kind="spot_check", stratum="supported", needed=1, replaced_at=None).order_by("pk")
    word = changed[1].adjudications.get()
    assert reveal(word.reviewer, word)
    revise(word.reviewer, word, label=U, idempotency_key=uuid.uuid4(), marks=[(0, 0, 10)])
    return issue(Audit.objects.get(pk=audit.pk), manager)


def _cut(audit: Audit) -> None:
    """What extraction left, and rows that it never saw."""
    rows = list(Extraction.objects.filter(audit=audit).order_by("pk"))
    for row in rows:
        row.sentences = [[0, 5], [6, 9], [10, 20], [21, 30]]
    rows[0].no_claims, rows[0].unaccounted = {"2": "question", "3": "greeting"}, [4]
    for position in (900, 901):
        sample = Sample.objects.create(
            dataset=audit.dataset, position=position, line=position + 2, external_id=f"q{position}", question="?",
            answer="I do not know.", contexts=["Nothing."], flags=["no_context"] if position == 901 else [],
        )  # fmt: skip
        Extraction.objects.create(audit=audit, sample=sample, status="done", is_refusal=True, sentences=[[0, 14]])
    Extraction.objects.bulk_update(rows, ["sentences", "no_claims", "unaccounted"])
    Sample.objects.filter(dataset=audit.dataset, position=0).update(flags=["duplicate"])
    for column in ("answer", "contexts"):
        RowError.objects.create(dataset=audit.dataset, line=7, column=column, code="missing", reason="It is missing.")


def _calls(audit: Audit) -> None:
    extractor = PanelMember.objects.create(
        audit=audit, judge=audit.panel[0].judge, role="extractor", position=0, vendor="openai", model="cutter",
        family="openai", notes=["temperature"],
    )  # fmt: skip
    for member, purpose in [(extractor, "claims"), *((member, "verdict") for member in audit.panel)]:
        for answered in ("Model-b", "model-a", "Model-b"):
            Call.objects.create(
                audit=audit, member=member, purpose=purpose, request_hash="0" * 64, prompt_version="v1.en",
                prompt_hash="ab" * 32, model_answered=answered, outcome="ok",
            )  # fmt: skip


def _label_all(audit: Audit, experts: tuple[Any, Any, Any], differ_on: set[int]) -> None:
    """Judge A's label from everybody; second experts say another thing on some items, a third decides."""
    said = dict(Verdict.objects.filter(claim__audit=audit, member__position=0).values_list("claim", "label"))
    for _round in range(2):  # arbiters' places come with the labels that differ
        waiting = Slot.objects.filter(item__plan__audit=audit, state="waiting", item__replaced_at=None)
        for slot in waiting.exclude(item__kind="gold").select_related("item").order_by("item", "number"):
            label = said.get(slot.item.claim_id) or U
            if slot.number == 2 and slot.item_id in differ_on:
                label = OTHERWISE[label]
            adjudicate(
                slot, None, user=experts[slot.number - 1], label=label, idempotency_key=uuid.uuid4(),
                marks=[(0, 0, 26), (1, 0, 6)],
            )  # fmt: skip


def unpacked(certificate: Certificate, folder: Path, options: Options = PLAIN) -> Path:
    """The package as a folder."""
    with evidence_package(certificate, options) as file, zipfile.ZipFile(file) as archive:
        archive.extractall(folder)
    return folder

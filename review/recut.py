"""A badly cut claim is sent back with the texts that it should have had; accepted, they stand for it.

The claim stays in history with everything that was said of it, and stays the unit that every number counts: its
outcome is what experts say of its parts (review.outcomes).
"""

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from audits.models import Audit, Event
from audits.pipeline.recutting import recut
from audits.text.normalise import compact
from review.models import Certificate, Recut, ReviewItem, Slot
from review.places import lock, next_order
from review.settling import close

MOST_PARTS = 5
LONGEST = 2_000  # characters of one text


class RecutError(ValueError):
    """The act is not possible; `code` says why.

    propose: closed (not under review), replaced (cut anew already), texts (none, or more than MOST_PARTS), empty,
    long, same (as the claim), twice. accept: closed, replaced, certified (a valid certificate rests on the audit),
    part (of a claim that was cut anew itself), gold (it has a known label).
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def propose(of: ReviewItem | Slot, *, user: Any, texts: Sequence[str], note: str = "") -> Recut:
    """Say how a claim should have been cut: one to five texts. The same twice is one proposal. Raises RecutError.

    Every claim may be proposed for, also those that `accept` refuses: a refusal here would tell an expert why the
    claim came up.
    """
    item = of.item if isinstance(of, Slot) else of
    texts, note = checked_texts(item.claim.text, texts), note.strip()[:LONGEST]
    with transaction.atomic():
        item = _replaceable(item)
        same = Recut.objects.filter(item=item, proposer=user, texts=texts, state=Recut.State.PROPOSED).first()
        if same:
            return same
        row = Recut.objects.create(item=item, proposer=user, texts=texts, note=note)
        audit = item.plan.audit
        rows = [row, audit] if audit.mark_labelled() else [row]  # claims and verdicts stay as they are
        facts = {"recut": row.pk, "item": item.pk, "texts": texts}
        Event.record("recut_proposed", project=audit.project, audit=audit, actor=user, rows=rows, **facts)
    return row


def checked_texts(claim: str, texts: Sequence[str]) -> list[str]:
    """The texts without blanks around them, fit to be parts of this claim. Raises RecutError."""
    found = [text.strip() for text in texts]
    if not 1 <= len(found) <= MOST_PARTS:
        raise RecutError("texts")
    if not all(found):
        raise RecutError("empty")
    if any(len(text) > LONGEST for text in found):
        raise RecutError("long")
    alike = [compact(text).text or text for text in found]
    if (compact(claim).text or claim) in alike:
        raise RecutError("same")
    if len(set(alike)) < len(alike):
        raise RecutError("twice")
    return found


def _replaceable(item: ReviewItem) -> ReviewItem:
    """The item as it is now, its row ours until the transaction ends. Raises RecutError."""
    rows = ReviewItem.objects.select_related("claim__sample", "plan__audit__project")
    now = rows.select_for_update(of=("self",)).get(pk=item.pk)
    if now.plan.audit.status != Audit.Status.REVIEWING:
        raise RecutError("closed")
    if now.replaced_at is not None:
        raise RecutError("replaced")
    return now


def accept(proposal: Recut, by: Any) -> bool:
    """Put the proposed texts in the claim's place; True for exactly one caller. Raises RecutError.

    Other open proposals for the claim are declined. What was labelled stays; a label that is on its way is kept as an
    extra opinion.
    """
    with transaction.atomic():
        # Plan, item, audit: everybody locks in this order, so that nobody waits in a circle.
        lock(proposal.item.plan)
        if not Recut.objects.filter(pk=proposal.pk, state=Recut.State.PROPOSED).exists():
            return False  # asked under the lock: of two who press at once, one comes here late
        item = _replaceable(proposal.item)
        # Not while a certificate is made.
        Audit.objects.select_for_update(no_key=True).get(pk=item.plan.audit_id)
        _check_acceptable(item)
        if not _decide(proposal, Recut.State.ACCEPTED, by):
            return False
        parts = _replace(item, proposal.texts)
        others = Recut.objects.filter(item=item, state=Recut.State.PROPOSED)
        closed = list(others)
        others.update(state=Recut.State.DECLINED, decided_by=by, decided_at=timezone.now())
        audit = item.plan.audit
        facts = {"recut": proposal.pk, "item": item.pk, "parts": [part.pk for part in parts], "texts": proposal.texts}
        rows = [proposal, *closed, item, *parts, *(part.claim for part in parts)]
        Event.record("recut_accepted", project=audit.project, audit=audit, actor=by, rows=rows, **facts)
    proposal.refresh_from_db()
    return True


def decline(proposal: Recut, by: Any, reply: str = "") -> bool:
    """Leave the claim as it is, with a word to who proposed; True for exactly one caller."""
    reply = reply.strip()[:LONGEST]
    audit = proposal.item.plan.audit
    with transaction.atomic():
        if not _decide(proposal, Recut.State.DECLINED, by, reply):
            return False
        facts = {"recut": proposal.pk, "item": proposal.item_id, "reply": reply}
        Event.record("recut_declined", project=audit.project, audit=audit, actor=by, rows=[proposal], **facts)
    proposal.refresh_from_db()
    return True


def _decide(proposal: Recut, state: str, by: Any, reply: str = "") -> bool:
    undecided = Recut.objects.filter(pk=proposal.pk, state=Recut.State.PROPOSED)
    return bool(undecided.update(state=state, decided_by=by, decided_at=timezone.now(), reply=reply))


def _check_acceptable(item: ReviewItem) -> None:
    if item.kind == ReviewItem.Kind.GOLD:
        raise RecutError("gold")
    if item.parent_id is not None:
        raise RecutError("part")
    if Certificate.objects.valid().filter(audit=item.plan.audit_id).exists():
        raise RecutError("certified")


def _replace(item: ReviewItem, texts: Sequence[str]) -> list[ReviewItem]:
    """Make the parts' items with their slots, at the claim's place in the queue; close the item itself."""
    first = next_order(item.plan)
    parts = [
        ReviewItem.objects.create(
            plan=item.plan,
            claim=claim,
            kind=item.kind,
            stratum=item.stratum,
            order=order,
            rank=item.rank,
            needed=item.needed,
            parent=item,
        )
        for order, claim in enumerate(recut(item.claim, texts), start=first)
    ]
    Slot.objects.bulk_create(Slot(item=part, number=n) for part in parts for n in range(1, part.needed + 1))
    ReviewItem.objects.filter(pk=item.pk).update(replaced_at=timezone.now())
    close(Slot.objects.filter(item=item, state=Slot.State.WAITING))
    return parts

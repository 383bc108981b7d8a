"""The review of an audit as it was when a certificate was issued, whatever happened since."""

from functools import cached_property

from audits.models import Claim
from review.agreement.asides import waived
from review.looks import draws
from review.models import Adjudication, Certificate, ReviewItem, ReviewPlan
from review.outcomes import Outcome, outcomes_of, settled_items
from review.package.drawing import drawn_places
from review.spotcheck import strata_of

TWO = 2  # labels that an item needs before its second one is waived


class AsIssued:
    """Each part is read once, when it is asked for."""

    def __init__(self, certificate: Certificate) -> None:
        self.certificate = certificate
        self.at = certificate.issued_at

    @cached_property
    def waived(self) -> set[int]:
        """Items whose second label a manager had done without."""
        return waived(self.certificate.audit, self.at)

    @cached_property
    def items(self) -> list[ReviewItem]:
        """The experts' list without known labels, in its order."""
        found, drawn = [], self._drawn
        later = waived(self.certificate.audit) - self.waived
        rows = ReviewItem.objects.filter(plan__audit=self.certificate.audit_id).exclude(kind=ReviewItem.Kind.GOLD)
        for item in rows.select_related("parent", "claim").defer("claim__text").order_by("order", "pk"):
            whole = item.parent or item
            if drawn is not None and whole.claim_id not in drawn:
                continue  # of a later look
            if item.parent is not None and item.parent.replaced_at and item.parent.replaced_at > self.at:
                continue
            for name in ("replaced_at", "given_up_at"):
                if (at := getattr(item, name)) and at > self.at:
                    setattr(item, name, None)
            if item.pk in later:
                item.needed = TWO
            found.append(item)
        return found

    @property
    def _drawn(self) -> set[int] | None:
        """Claims of the looks that the certificate rests on; None where there was no later one."""
        audit, plan = self.certificate.audit, ReviewPlan.objects.get(audit=self.certificate.audit_id)
        stated = self.certificate.envelope["statement"].get("draws", [])
        if not stated or len(draws(plan)) == len(stated):
            return None
        places = drawn_places(strata_of(audit), stated, plan.seed, audit.double_percent)
        return {place.claim_id for place in places}

    @cached_property
    def outcomes(self) -> dict[int, Outcome]:
        """By claim."""
        said = settled_items(self.certificate.audit, self.items, self.at)
        rows = Claim.objects.filter(audit=self.certificate.audit_id).values_list("pk", "sample", "decision", "vague")
        return {one.claim: one for one in outcomes_of(rows, self.items, said)}

    @cached_property
    def standing(self) -> set[int]:
        """Labels that were not taken back and not replaced by a later one of the same person."""
        rows = Adjudication.objects.filter(item__plan__audit=self.certificate.audit_id, created__lte=self.at)
        newest: dict[tuple[int, int], tuple[int, str]] = {}
        ordered = rows.order_by("revision").values_list("item", "reviewer", "pk", "label")
        for item, reviewer, pk, label in ordered.iterator(chunk_size=5000):
            newest[item, reviewer] = (pk, label)
        return {pk for pk, label in newest.values() if label}

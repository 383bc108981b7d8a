"""Who judged and who labelled, as tables of an evidence package."""

import json
from collections.abc import Iterator, Sequence

from django.contrib.auth import get_user_model
from django.utils.crypto import salted_hmac

from audits.exporting import Cell
from audits.models import PanelMember
from review.models import Adjudication, Certificate, ReviewItem, Skip
from review.package.issued import AsIssued
from review.package.options import Options


def pseudonyms(certificate: Certificate) -> dict[str, str]:
    """User name -> expert-1, expert-2 … in an order that nobody can compute from names or ids."""
    rows = Adjudication.objects.filter(item__plan__audit=certificate.audit_id).order_by()
    people = set(rows.values_list("reviewer__username", flat=True))

    def place(name: str) -> str:
        return salted_hmac("review.package.people", f"{certificate.pk}:{name}").hexdigest()

    return {name: f"expert-{number}" for number, name in enumerate(sorted(people, key=place), start=1)}


def reviewers(certificate: Certificate, options: Options) -> Iterator[Sequence[Cell]]:
    """Everybody in adjudications.csv, sorted by what is shown: their name in the table, and in the certificate."""
    rows = Adjudication.objects.filter(item__plan__audit=certificate.audit_id, created__lte=certificate.issued_at)
    words = rows.exclude(item__kind=ReviewItem.Kind.GOLD).order_by().values("reviewer")
    people = get_user_model().objects.filter(pk__in=words)
    names = pseudonyms(certificate) if options.pseudonymised else {}
    yield from sorted(
        (names[one.get_username()], "") if names else (one.get_username(), one.get_full_name() or one.get_username())
        for one in people
    )


def skips(issued: AsIssued) -> Iterator[Sequence[Cell]]:
    """Every time that somebody passed over a claim; of claims with known labels it is not told which they are."""
    listed = {item.pk for item in issued.items}
    rows = Skip.objects.filter(item__plan__audit=issued.certificate.audit_id, created__lte=issued.at).order_by("pk")
    known: dict[int, str] = {}
    for item, reason in rows.values_list("item", "reason"):
        if item in listed:
            yield item, reason
        else:
            yield known.setdefault(item, f"known-{len(known) + 1}"), reason


def panel(certificate: Certificate) -> Iterator[Sequence[Cell]]:
    """The judges by their numbers, then the extractor."""
    members = sorted(
        certificate.audit.members.all(), key=lambda one: (one.role != PanelMember.Role.JUDGE, one.position)
    )
    for one in members:
        number = one.position + 1 if one.role == PanelMember.Role.JUDGE else None
        yield one.role, number, one.vendor, one.model, one.family, json.dumps(one.notes, ensure_ascii=False)

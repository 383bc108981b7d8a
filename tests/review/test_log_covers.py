"""Whatever a number, a certificate or the evidence package rests on: changed by SQL, verify_log says so."""

import datetime
import uuid
from collections.abc import Callable, Iterator
from copy import copy
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.db import IntegrityError, models, transaction

from audits.pipeline.sealing import seal
from review.log_check import check_log
from tests.review import whole_audit
from tests.vendor_server.server import VendorServer

pytestmark = pytest.mark.django_db

WORKING = "how the work is shared out among workers at the moment; no number, certificate or package reads it"
DESK = "how the work is shared out among experts at the moment; the label itself says when it was taken, and by whom"
LIVE = "what a judge is set to now; what an audit used is frozen in its panel, and what was sent in the ledger"
OWN_PROOF = "carries a signature of its own, which verify_certificate checks"
LEFT_OUT = {
    "Membership.created": "when a role was given stands in its event",
    "Dataset.confidence": "how sure the guess of the encoding was, for its page",
    "Dataset.failure": "why an import failed; the dataset is ready",
    "Dataset.progress": "of the import, while it runs",
    "Dataset.previous": "a pointer for the comparison of versions; the version deleted, it is emptied",
    "Audit.spent": "counted for the budget; what an audit cost is the sum of the ledger",
    "Audit.stopped_by": WORKING,
    "Audit.headless": WORKING,
    "PanelMember.without_batches": WORKING,
    "Extraction.batch": WORKING,
    "Extraction.direct": WORKING,
    "Judging.batch": WORKING,
    "Judging.direct": WORKING,
    "Certificate.timestamp": OWN_PROOF,
    "Certificate.countersignature": OWN_PROOF,
    "IssuerKey.since": "when the key signed first, for its list",
    "ReviewItem.rank": "place in the queue; moves with every claim that is mixed in",
    "User.username": "a person's name may change; certificate and package carry the name of the day",
    "User.first_name": "as the user name",
    "User.last_name": "as the user name",
    "User.email": "where mail goes",
    "User.password": "changed by its owner; who signs in is an event",
    "User.last_login": "who signs in is an event",
    "User.date_joined": "for the list of people",
    "Group.name": "rights are those of the group, whatever its name",
}
LEASED = ("Dataset", "Extraction", "Judging", "Probe")
LIMITS = ("limit_now", "limit_reason", "resumes_at", "stopped_fault", "stopped_message")
LEFT_OUT |= {f"{name}.{field}": WORKING for name in LEASED for field in ("lease", "leased_until")}
LEFT_OUT |= {f"PanelMember.{name}": WORKING for name in LIMITS} | {"Audit.rung_at": WORKING}
LEFT_OUT |= {f"Slot.{name}": DESK for name in ("code", "reserved_for", "token", "lease_until", "taken_at")}
MODELS_LEFT_OUT = {
    "Judge": LIVE,
    "FamilyRule": "asked when an audit starts; the family is frozen in its panel",
    "Allowance": "money held by workers for calls on their way",
    "Batch": "calls on their way to a vendor; what came of them is in the ledger",
    "BatchItem": "as the batch",
    "Mention": "whom a mail goes to",
    "Assignment": "which claims an expert is offered first; assigning is an event",
    "DeskSettings": "how one person likes the desk",
}
# Not only the last row: these tables hold rows of several kinds, which different events answer for.
EVERY_ROW = ("Claim.text", "ReviewItem.order", "ReviewItem.needed", "ReviewItem.stratum")


def tables() -> list[type[models.Model]]:
    found: list[Any] = [*apps.get_app_config("audits").get_models(), *apps.get_app_config("review").get_models()]
    return [model for model in [*found, get_user_model(), Group] if model.__name__ not in MODELS_LEFT_OUT]


def another(field: Any, value: Any) -> Any:
    """A value that is not this one and that the column takes."""
    match field:
        case models.BooleanField():
            return not value
        case models.DateTimeField():
            return value - datetime.timedelta(days=3) if value else datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
        case models.DateField():
            return value - datetime.timedelta(days=3)
        case models.DecimalField():
            return (value or Decimal(0)) + Decimal("0.01")
        case models.IntegerField() | models.FloatField() | models.ForeignKey():
            return (value or 0) + 1
        case models.JSONField():
            return [value, "x"]
        case models.UUIDField():
            return uuid.uuid4()
    return "" if value else "x"


def changes() -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """(what, row, changed columns) of every field of every table: in the last row in which it holds something."""
    for model in tables():
        rows: list[Any] = list(models.QuerySet(model).order_by("pk"))
        for field in model._meta.concrete_fields:
            name = f"{model.__name__}.{field.name}"
            if not field.primary_key and name not in LEFT_OUT:
                chosen = [row for row in rows if getattr(row, field.attname)][-1:] or rows[-1:]
                for row in rows if name in EVERY_ROW else chosen:
                    yield name, row, {field.attname: another(field, getattr(row, field.attname))}


class Undone(Exception):
    """Ends what nobody shall see."""


def is_found(act: Callable[[], Any]) -> bool:
    """Whether anything is said after this act, which is taken back. True, too, where the database refuses it."""
    finding = None
    try:
        with transaction.atomic():
            act()
            finding = next(check_log(files=False), None)
            raise Undone
    except IntegrityError:
        return True
    except Undone:
        return finding is not None


def rows_of(row: Any) -> "models.QuerySet[Any]":
    """The row, past the guards of the application."""
    found: models.QuerySet[Any] = models.QuerySet(type(row))
    return found.filter(pk=row.pk)


UNIQUE = ("position", "order", "number", "revision", "version", "line", "start", "context")


def doubled(row: Any) -> None:
    """The same row once more, under another key and with other unique values where they must be."""
    row.pk = None
    for name in (*UNIQUE, "end"):
        if isinstance(getattr(row, name, None), int):
            setattr(row, name, getattr(row, name) + 1000)
    if hasattr(row, "idempotency_key"):
        row.idempotency_key = uuid.uuid4()
    models.QuerySet(type(row)).bulk_create([row])


def test_whatever_is_changed_behind_the_back_is_found(
    vendor_server: VendorServer, rightful: Any, settings: Any, tmp_path: Path
) -> None:
    settings.SIGNING_KEY_FILE = tmp_path / "signing-key.pem"
    whole_audit.run(vendor_server, rightful)
    seal()
    assert list(check_log(files=False)) == []
    fields = {f"{model.__name__}.{field.name}" for model in tables() for field in model._meta.concrete_fields}
    assert set(LEFT_OUT) <= fields, "what is left out exists"
    rows: list[Any] = [models.QuerySet(model).order_by("pk").last() for model in tables()]
    assert None not in rows, "every table is put to the test"

    def missed(acts: Iterator[tuple[str, Callable[[], Any]]]) -> set[str]:
        return {name for name, act in acts if not is_found(act)}

    assert missed((name, partial(rows_of(row).update, **change)) for name, row, change in changes()) == set()
    gone = missed((type(row).__name__, partial(rows_of(row)._raw_delete, "default")) for row in rows)
    assert gone == {"Group", "User"}, "without them nobody may do more than before"
    added = missed((type(row).__name__, partial(doubled, copy(row))) for row in rows)
    assert added == set(), "what nothing rests on yet"

"""Signing keys: recorded on first use, rotated without losing what was signed, refused where they were stolen."""

import copy
import datetime
import stat
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from audits.models import Audit, Event
from review.certify import issue
from review.keys import RotationError, against_record, mark_compromised, rotate, signing_key, trusted_keys
from review.models import Certificate, IssuerKey
from review.signature import envelope, key_id, load_private, verify
from tests.review.factory import MIXED, make_audit, settle_all

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def key_file(settings: Any, tmp_path: Path) -> Path:
    """Each test signs with a key of its own."""
    settings.SIGNING_KEY_FILE = tmp_path / "signing-key.pem"
    return tmp_path / "signing-key.pem"


@pytest.fixture
def audit(project: Any, expert: Any) -> Audit:
    """An audit with everything settled."""
    audit = make_audit(project, MIXED, spot_check=40)
    settle_all(audit, expert)
    return audit


def checked(certificate: Certificate) -> Any:
    """What verifying it on this server finds."""
    return against_record(verify(certificate.envelope, trusted_keys()))


def test_a_retired_key_is_kept_and_what_it_signed_stays_valid(audit: Audit, manager: Any, key_file: Path) -> None:
    first = issue(audit, manager)
    old = signing_key()
    assert IssuerKey.objects.get().key_id == key_id(old.public_key())
    call_command("rotate_key")
    kept = key_file.with_name(f"signing-key.{key_id(old.public_key())}.pem.retired")
    assert load_private(kept.read_bytes()).private_bytes_raw() == old.private_bytes_raw()
    assert {stat.S_IMODE(path.stat().st_mode) for path in (kept, key_file)} == {0o600}
    assert sorted(path.name for path in key_file.parent.iterdir()) == sorted([kept.name, key_file.name])
    second = issue(audit, manager)
    assert second.envelope["signature"]["key_id"] != first.envelope["signature"]["key_id"]
    assert checked(first).valid and checked(second).valid
    assert IssuerKey.objects.get(key_id=key_id(old.public_key())).retired_at is not None
    assert Event.objects.get(kind="key_rotated").data["retired"] == key_id(old.public_key())


def test_a_retired_key_signs_nothing_more(audit: Audit, manager: Any, key_file: Path) -> None:
    old = key_file.parent / "old"
    signing_key()
    old.write_bytes(key_file.read_bytes())
    rotate()
    old.replace(key_file)
    with pytest.raises(RotationError, match="retired"):
        issue(audit, manager)
    assert not Certificate.objects.exists()


def test_of_a_stolen_key_only_what_was_issued_here_before_is_believed(audit: Audit, manager: Any) -> None:
    stolen = signing_key()
    identity = key_id(stolen.public_key())
    before = issue(audit, manager)
    since = timezone.now()
    after = issue(audit, manager)
    with pytest.raises(RotationError, match="rotate first"):
        mark_compromised(identity, since)
    call_command("rotate_key", "--compromised", identity, "--since", since.isoformat())
    assert checked(before).valid
    assert checked(after).problems == ("key_compromised",)
    forged = copy.deepcopy(before.envelope["statement"])
    forged["result"]["decision"] = "PASS"
    backdated = against_record(verify(envelope(forged, stolen), trusted_keys()))
    assert backdated.problems == ("key_compromised",), "the date in the file is the thief's"
    assert signing_key().private_bytes_raw() != stolen.private_bytes_raw()


def test_an_earlier_moment_replaces_a_later_one_and_never_the_other_way(audit: Audit, manager: Any) -> None:
    identity = key_id(signing_key().public_key())
    issue(audit, manager)
    rotate()
    now = timezone.now()
    mark_compromised(identity, now)
    earlier = now - datetime.timedelta(days=3)
    assert mark_compromised(identity, earlier).compromised_at == earlier
    assert mark_compromised(identity, now).compromised_at == earlier


@pytest.mark.parametrize(
    "given",
    [
        ("--compromised", "abc"),
        ("--since", "2026-01-01"),
        ("--compromised", "abc", "--since", "2026-01-01"),
        ("--compromised", "abc", "--since", "soon"),
    ],
)
def test_a_command_that_makes_no_sense_changes_nothing(given: tuple[str, ...]) -> None:
    before = signing_key().private_bytes_raw()
    with pytest.raises(CommandError):
        call_command("rotate_key", *given)
    assert signing_key().private_bytes_raw() == before and not IssuerKey.objects.exists()


def test_a_moment_to_come_is_refused_before_anything_is_rotated() -> None:
    before = signing_key()
    later = (timezone.now() + datetime.timedelta(days=1)).isoformat()
    with pytest.raises(CommandError, match="still to come"):
        call_command("rotate_key", "--compromised", key_id(before.public_key()), "--since", later)
    assert signing_key().private_bytes_raw() == before.private_bytes_raw()

"""Issuing when others do, and when something fails: one number after the other, and none left out."""

import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import connections

from review import certify
from review.certify import issue
from review.models import Certificate
from tests.review.factory import C, S, make_audit, patiently, settle_all


@pytest.fixture(autouse=True)
def _own_key(settings: Any, tmp_path: Path) -> None:
    settings.SIGNING_KEY_FILE = tmp_path / "signing-key.pem"


@pytest.mark.django_db(transaction=True)
def test_many_who_issue_at_the_same_moment_get_numbers_without_a_gap(project: Any, expert: Any, manager: Any) -> None:
    people = 8  # more than a certificate is tried anew when its number is taken
    audits = [make_audit(project, [(S, C)]) for _ in range(people)]
    for audit in audits:
        settle_all(audit, expert)
    start = threading.Barrier(people)

    def press(audit: Any) -> None:
        try:
            start.wait()
            patiently(partial(issue, audit, manager))
        finally:
            connections.close_all()

    presses = [threading.Thread(target=press, args=(audit,)) for audit in audits]
    for one in presses:
        one.start()
    for one in presses:
        one.join()
    rows = Certificate.objects.order_by("pk")
    numbers = [row.number for row in rows]
    assert [number[-4:] for number in numbers] == [f"{place:04d}" for place in range(1, people + 1)]
    assert [row.issued_at for row in rows] == sorted(row.issued_at for row in rows)


@pytest.mark.django_db
def test_a_failure_in_the_middle_of_issuing_takes_no_number(
    project: Any, expert: Any, manager: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    audit = make_audit(project, [(S, C)])
    settle_all(audit, expert)

    def fail(*_: Any) -> Any:
        raise OSError("no space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(certify, "envelope", fail)
        with pytest.raises(OSError, match="no space"):
            issue(audit, manager)
    assert issue(audit, manager).number[-4:] == "0001"

"""The passages that a certificate lists: of labels that hold, the gravest first, bounded, each once."""

from typing import Any

import pytest

from audits.models import Project, Role, Sample
from review.certify import issue
from review.evidence_marks import store
from review.keys import trusted_keys
from review.marked_evidence import CUT, LISTED, marked_evidence
from review.models import Adjudication, ReviewItem
from review.signature import file_bytes, verify_file
from tests.review.factory import C, S, U, make_audit, settle_all
from tests.review.words import double, items_of, say

pytestmark = pytest.mark.django_db
TEXT = "😀 The branch opened in 1950. " + "字" * 400


@pytest.fixture
def items(project: Project) -> list[ReviewItem]:
    """Three disputed claims and one agreed claim."""
    audit = make_audit(project, [(S, C), (S, U), (U, C), (S, S)], spot_check=1)
    Sample.objects.update(contexts=["Else.", TEXT])
    return items_of(audit)


def listed(items: list[ReviewItem]) -> list[tuple[str, str, str]]:
    found = marked_evidence(items[0].plan.audit)
    assert found.total == len(found.listed)
    return [(one.sample, one.label, one.text) for one in found.listed]


def test_the_gravest_come_first_and_supported_claims_only_where_judges_differed(
    items: list[ReviewItem], expert: Any
) -> None:
    for item, label in zip(items, (S, U, C, S), strict=True):
        store(say(item, expert, label), [(1, 0, 5)])
    assert listed(items) == [("q2", C, TEXT[:5]), ("q1", U, TEXT[:5]), ("q0", S, TEXT[:5])]
    (first, *_) = marked_evidence(items[0].plan.audit).listed
    assert (first.context, first.start, first.end, first.claim) == (1, 0, 5, items[2].claim.text)


def test_marks_of_labels_that_do_not_hold_are_left_out(
    items: list[ReviewItem], expert: Any, person: Any, project: Project
) -> None:
    store(say(items[0], expert, C), [(1, 0, 5)])
    store(say(items[0], expert, U), [(1, 2, 5)])  # replaces it
    store(say(items[1], expert, U), [(1, 0, 5)])
    say(items[1], expert, "")  # takes it back
    store(say(items[2], expert, U, number=None), [(1, 0, 5)])  # an extra opinion
    assert listed(items) == [("q0", U, TEXT[2:5])]
    other, third = (person(name, project, Role.EXPERT) for name in ("emil", "erna"))
    double(items[0])
    store(say(items[0], other, C, number=2), [(1, 7, 9)])
    assert listed(items) == []  # open: the two differ
    store(say(items[0], third, C, number=3, arbitrates=True), [(1, 7, 9), (0, 0, 4)])
    assert listed(items) == [("q0", C, "Else"), ("q0", C, TEXT[7:9])]  # the same place once


def test_only_the_first_fifty_are_listed_and_long_ones_cut(items: list[ReviewItem], expert: Any) -> None:
    for item in items[:3]:
        store(say(item, expert, U), [(1, at * 3, at * 3 + 1) for at in range(20)] + [(1, 70, len(TEXT))])
    found = marked_evidence(items[0].plan.audit)
    assert (len(found.listed), found.total) == (LISTED, 63)
    assert max(len(one.text) for one in found.listed) == CUT


def test_a_known_label_is_no_evidence(items: list[ReviewItem], expert: Any) -> None:
    ReviewItem.objects.update(kind="gold", gold_label=U)
    store(say(items[0], expert, U), [(1, 0, 5)])
    assert listed(items) == []


def test_it_is_signed_with_the_certificate(
    project: Project, expert: Any, manager: Any, settings: Any, tmp_path: Any
) -> None:
    settings.SIGNING_KEY_FILE = tmp_path / "signing-key.pem"
    audit = make_audit(project, [(S, C)] * 3 + [(S, S)] * 3, spot_check=3)
    settle_all(audit, expert, label=U)
    store(Adjudication.objects.filter(item__kind="dispute")[0], [(0, 4, 8)])
    envelope = issue(audit, manager).envelope
    assert envelope["statement"]["evidence"]["total"] == 1
    (one,) = envelope["statement"]["evidence"]["listed"]
    assert (one["text"], one["label"], one["context"]) == ("bank", U, 0)
    data = file_bytes(envelope)
    assert verify_file(data, trusted_keys()).valid
    assert not verify_file(data.replace(b'"bank"', b'"tank"'), trusted_keys()).valid

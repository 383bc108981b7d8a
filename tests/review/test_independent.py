"""Which label of a person is independent: agreement and arbitration rest on it."""

from dataclasses import dataclass
from typing import Any

import pytest

from review.independent import first_independent, independent_labels
from tests.review.factory import C, S, U, make_audit
from tests.review.words import items_of, say


@dataclass(frozen=True)
class Said:
    """A word; blind unless said otherwise."""

    label: str
    blind: bool = True


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ([], None),
        ([Said(S)], 0),
        ([Said(S), Said(C)], 0),  # a change of mind is a later series
        ([Said(S), Said("")], None),  # a slip that was taken back was never given
        ([Said(S), Said(""), Said(C)], 2),
        ([Said(S), Said(""), Said(C), Said(""), Said(U), Said(S)], 4),
        ([Said(S), Said(C, False)], 0),  # what was seen cannot change it
        ([Said(S), Said("", False), Said(C, False)], 0),  # nor undo it
        ([Said(S), Said(""), Said(C, False)], None),  # the verdicts were seen after the slip, before any label
        ([Said(S, False)], None),
        ([Said(S, False), Said(C)], None),
    ],
)
def test_the_first_blind_label_counts_unless_it_was_taken_back_blind(words: list[Said], place: int | None) -> None:
    assert first_independent(words) is (None if place is None else words[place])


@pytest.mark.django_db
def test_labels_are_read_in_one_query(
    project: Any, expert: Any, manager: Any, analyst: Any, django_assert_num_queries: Any
) -> None:
    audit = make_audit(project, [(S, C), (S, S)], spot_check=2)
    first, second = items_of(audit)
    say(first, expert, S)
    say(first, expert, "")
    say(first, expert, C, shown=True)
    say(first, expert, U)
    say(first, manager, S, number=2)
    say(first, analyst, C, number=3, arbitrates=True)
    say(second, manager, U, number=None)
    with django_assert_num_queries(1):
        found = independent_labels(audit)
    rows = {(one.item, one.reviewer): one for one in found}
    assert len(rows) == len(found) == 4
    corrected = rows[first.pk, expert.pk]
    assert (corrected.label, corrected.number, corrected.kind) == (C, 1, "dispute")
    assert rows[first.pk, analyst.pk].arbitrates and not rows[first.pk, manager.pk].arbitrates
    extra = rows[second.pk, manager.pk]
    assert (extra.number, extra.claim, extra.stratum) == (None, second.claim_id, "supported")

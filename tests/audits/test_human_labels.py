"""What labels of people come to: one claim once, by majority, and nothing made of what nobody decided."""

import pytest

from audits.human_labels import Truth, read_labels, truth_of
from audits.labels import Label

S, C, U, NOT, UNSURE, NONE = "SUPPORTED", "CONTRADICTED", "UNVERIFIED", "NOT_SUPPORTED", "UNCERTAIN", ""


@pytest.mark.parametrize(
    ("labels", "truth"),
    [
        ([S], Truth(False, Label.SUPPORTED)),
        ([C], Truth(True, Label.CONTRADICTED)),
        ([NOT], Truth(True, None)),
        ([NOT, U], Truth(True, None)),  # half of them only name it
        ([U, U, NOT], Truth(True, Label.UNVERIFIED)),
        ([C, U], Truth(True, None)),
        ([S, S, C], Truth(False, Label.SUPPORTED)),
        ([S, UNSURE], Truth(False, Label.SUPPORTED)),
        ([S, C], None),
        ([UNSURE], None),
        ([NONE], None),
        ([], None),
    ],
)
def test_the_most_decide_and_a_tie_decides_nothing(labels: list[str], truth: Truth | None) -> None:
    assert truth_of(labels) == truth


def test_claims_with_labels_are_what_counts_and_each_text_once() -> None:
    given = read_labels([("", C), ("One.", S), ("Two. ", NOT), ("One.", S), ("Three.", NONE), ("Four.", UNSURE)])
    assert list(given.claims) == ["One.", "Two."]
    assert given.claims["Two."] == Truth(True, None)
    assert given.answer is None and given.unusable == 2 and given.usable


def test_without_labelled_claims_the_answer_is_what_counts() -> None:
    given = read_labels([("", U), ("", U), ("", S), ("Never labelled.", NONE)])
    assert given.claims == {} and given.answer == Truth(True, Label.UNVERIFIED) and given.unusable == 1
    assert not read_labels([("", UNSURE)]).usable
    assert read_labels([("", UNSURE)]).unusable == 1

"""From the verdicts of a panel to a decision: agreement counts only where every judge saw and showed it."""

from itertools import product

import pytest

from audits.decision import Voice, decide
from audits.labels import Decision, Label


@pytest.mark.parametrize("label", Label)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_panel_that_agrees_with_evidence_decides(label: Label, size: int) -> None:
    assert decide([Voice(label, True)] * size) == Decision(str(label))


@pytest.mark.parametrize(("one", "other"), [pair for pair in product([*Label, None], repeat=2) if pair[0] != pair[1]])
def test_labels_that_differ_and_missing_ones_are_disputed(one: Label | None, other: Label | None) -> None:
    assert decide([Voice(one, True), Voice(other, True)]) is Decision.DISPUTED


def test_nobody_saying_anything_is_disputed_and_nobody_at_all_an_error() -> None:
    assert decide([Voice(None, False)] * 2) is Decision.DISPUTED
    with pytest.raises(ValueError, match="panel"):
        decide([])


@pytest.mark.parametrize("label", Label)
def test_a_verdict_without_a_real_quote_carries_no_agreement(label: Label) -> None:
    assert decide([Voice(label, True), Voice(label, False)]) is Decision.DISPUTED


@pytest.mark.parametrize("label", Label)
@pytest.mark.parametrize("conflicts", [(True, False), (False, True), (True, True)])
def test_contexts_that_contradict_each_other_go_to_a_person_whoever_saw_it(
    label: Label, conflicts: tuple[bool, bool]
) -> None:
    assert decide([Voice(label, True, conflict) for conflict in conflicts]) is Decision.DISPUTED
    assert decide([Voice(label, True, False)] * 2) == Decision(str(label))

"""Judges against people: counts by hand, limits that respect answers, and figures that say why they are undefined."""

from collections.abc import Sequence

import pytest

from audits.labels import HALLUCINATED, Label
from audits.stats.calibration import Unit, advantage, calibrate
from audits.stats.clustered import clustered_share

S, C, U = Label.SUPPORTED, Label.CONTRADICTED, Label.UNVERIFIED


def unit(answer: int, human: Label, *labels: Label | None) -> Unit:
    """A claim; the panel decides it where all judges gave one label."""
    decided = labels[0] if len(set(labels)) == 1 else None
    return Unit(
        answer=answer,
        human=human in HALLUCINATED,
        said=tuple(None if label is None else label in HALLUCINATED for label in labels),
        panel=None if decided is None else decided in HALLUCINATED,
        human_label=human,
        labels=labels,
    )


def spread(rows: Sequence[tuple[int, Label, Label | None, Label | None]]) -> list[Unit]:
    """(how often, people, first judge, second judge), five claims to an answer."""
    flat = [row[1:] for row in rows for _ in range(row[0])]
    return [unit(number // 5, *labels) for number, labels in enumerate(flat)]


UNITS = spread(
    [
        (50, S, S, S),
        (6, S, C, S),
        (4, S, U, U),  # both wrong
        (10, C, C, C),
        (2, C, U, U),  # found, by another label
        (8, U, S, S),  # both miss it
        (5, U, U, S),
        (3, U, None, U),
        (2, S, None, S),
    ]
)


def test_counts_and_shares_are_those_by_hand() -> None:
    found = calibrate(UNITS)
    first, second = found.judges
    assert (found.units, found.answers) == (90, 18)
    # First judge: alarms 6 + 4 + 10 + 2 + 5 = 27, of which 17 are hallucinated; 8 missed of 25; 50 of 60 passed.
    assert (first.hits, first.false_alarms, first.misses, first.passes, first.missing) == (17, 10, 8, 50, 3)
    assert first.precision.value == pytest.approx(17 / 27) and first.precision.n == 27
    assert first.recall.value == pytest.approx(17 / 25) and first.recall.n == 25
    assert first.specificity.value == pytest.approx(50 / 60) and first.specificity.n == 60
    assert first.coverage.value == pytest.approx(85 / 90) and first.coverage.n == 90
    assert (second.hits, second.false_alarms, second.misses, second.passes) == (15, 4, 13, 58)
    # kappa of the second: observed 73 / 90; chance (28 * 19 + 62 * 71) / 90^2.
    chance = (28 * 19 + 62 * 71) / 8100
    assert second.kappa.value == pytest.approx((73 / 90 - chance) / (1 - chance))
    assert second.three is not None and second.three.table == ((58, 0, 4), (0, 10, 2), (13, 0, 3))
    assert first.three is not None and (first.three.n, first.three.excluded) == (85, 5)


def test_the_panel_shares_errors_and_lets_some_slip() -> None:
    together = calibrate(UNITS).together
    # Both scored 85; both wrong on 4 + 8; of 25 hallucinated ones both call 8 supported.
    assert together.n == 85 and together.shared_errors.value == pytest.approx(12 / 85)
    assert together.missed_by_all.value == pytest.approx(8 / 25) and together.missed_by_all.n == 25
    # Decided 90: disputed 6 + 5 + 3 + 2 = 16; of 28 hallucinated ones 12 found, 8 open, 8 slipped.
    assert together.disputed.value == pytest.approx(16 / 90)
    shares = [together.found.value, together.open.value, together.slipped.value]
    assert shares == pytest.approx([12 / 28, 8 / 28, 8 / 28]) and sum(filter(None, shares)) == pytest.approx(1)
    assert together.wrong.value == pytest.approx(12 / 74) and together.wrong.n == 74
    assert together.people.value == pytest.approx(28 / 90) and together.naive.value == pytest.approx(16 / 74)
    assert together.gap.value == pytest.approx(16 / 74 - 28 / 90)


def test_limits_are_clustered_by_answer() -> None:
    first = calibrate(UNITS).judges[0]
    rows = [(one.answer, one.said[0]) for one in UNITS if one.human and one.said[0] is not None]
    expected = clustered_share([float(bool(said)) for _, said in rows], [answer for answer, _ in rows])
    assert (first.recall.low, first.recall.high) == (expected.low, expected.high)
    apart = calibrate([Unit(n, u.human, u.said, u.panel, u.human_label, u.labels) for n, u in enumerate(UNITS)])
    one, other = first.specificity, apart.judges[0].specificity
    assert one.low is not None and one.high is not None and other.low is not None and other.high is not None
    assert one.low < other.low and one.high > other.high


def test_undefined_figures_say_why() -> None:
    only_bad = calibrate(spread([(30, C, C, S)])).judges
    assert only_bad[0].recall.value == 1 and only_bad[0].specificity.reason == "people_none_supported"
    # Every alarm would be right: 100 % precision would say nothing about the judge.
    assert (only_bad[0].precision.value, only_bad[0].precision.reason) == (None, "people_none_supported")
    only_good = calibrate(spread([(30, S, S, C)]))
    assert only_good.judges[0].precision.reason == "no_alarms"
    assert only_good.judges[0].recall.reason == "people_none_hallucinated"
    assert only_good.together.slipped.reason == "people_none_hallucinated"
    assert only_good.together.naive.reason == "nothing_agreed" == only_good.together.gap.reason
    silent = calibrate(spread([(10, S, None, S)])).judges[0]
    assert silent.coverage.value == 0 and silent.precision.reason == "no_shared_items" == silent.kappa.reason
    nothing = calibrate([])
    assert nothing.judges == () and nothing.together.people.value is None


def test_labels_of_two_kinds_have_no_table_of_three() -> None:
    units = [Unit(n, n % 2 == 0, (True,), True, None if n % 2 == 0 else S, (C,)) for n in range(40)]
    assert calibrate(units).judges[0].three is None
    with pytest.raises(ValueError, match="different sizes"):
        calibrate([unit(1, S, S), unit(2, S, S, S)])


def test_two_judges_differ_by_the_units_on_which_they_differ() -> None:
    rows = [(n // 2, True, n < 20, n < 30) for n in range(40)] + [
        (100 + n // 2, False, n < 4, n < 9) for n in range(60)
    ]
    found = advantage(rows)
    # The second finds 10 of 40 more, and raises 5 of 60 false alarms more: right on 5 of 100 more.
    assert found.n == 100 and found.right.value == pytest.approx(0.05)
    assert found.recall.value == pytest.approx(0.25) and found.recall.n == 40
    assert found.specificity.value == pytest.approx(-5 / 60)
    assert found.recall.low is not None and found.recall.low > 0


def test_judges_that_never_differ_are_not_proven_alike() -> None:
    same = advantage([(n, True, n % 2 == 0, n % 2 == 0) for n in range(40)])
    assert same.recall.value == 0
    assert same.recall.low is not None and same.recall.low < -0.02
    assert same.specificity.reason == "people_none_supported"
    perfect = calibrate(spread([(30, S, S, S), (10, C, C, C)])).together
    assert perfect.gap.value == 0
    assert perfect.gap.low is not None and perfect.gap.high is not None
    assert perfect.gap.low < -0.02 and perfect.gap.high > 0.02

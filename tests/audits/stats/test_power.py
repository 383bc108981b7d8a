"""Plans against sizes that were found by simulating whole audits, and at their edges."""

import pytest

from audits.stats.power import SIZES, Judging, Plan, Setup, chance_to_pass, plan

# Error shares of two judges whose errors are shared in half of the cases. Good ones find 95 % of the hallucinated
# claims and leave 98 % of the supported ones; leaky ones 70 % and 99 %.
GOOD = Judging(missed=0.026, disputed=0.0475, alarmed=0.0102, unsure=0.0196)
LEAKY = Judging(missed=0.195, disputed=0.21, alarmed=0.00505, unsure=0.0099)


def setup(claims: int, threshold: float, judging: Judging = GOOD, looks: int = 1) -> Setup:
    return Setup(threshold, "traffic", 0.95, claims // 5, 5, looks, judging)


def rung(size: int) -> int:
    return min(range(len(SIZES)), key=lambda number: abs(SIZES[number] - size))


@pytest.mark.parametrize(
    ("claims", "judging", "threshold", "share", "simulated"),
    [
        (1000, GOOD, 0.05, 0.1, 100),
        (1000, GOOD, 0.05, 0.25, 125),
        (1000, GOOD, 0.02, 0.1, 200),
        (1000, LEAKY, 0.10, 0.5, 125),
        (5000, GOOD, 0.02, 0.5, 500),
        (5000, GOOD, 0.01, 0.1, 400),
        (5000, LEAKY, 0.05, 0.75, 1250),
        (5000, LEAKY, 0.05, 0.5, 250),
    ],
)
def test_sizes_are_those_of_simulated_audits(
    claims: int, judging: Judging, threshold: float, share: float, simulated: int
) -> None:
    found = plan(setup(claims, threshold, judging), threshold * share).spot_check
    assert found is not None and abs(rung(found) - rung(simulated)) <= 1


def test_near_the_threshold_no_spot_check_helps_but_more_answers_do() -> None:
    found = plan(setup(1000, 0.02), 0.01)
    assert found.spot_check is None
    assert found.answers is not None and found.answers > 200
    more = Setup(0.02, "traffic", 0.95, found.answers, 5, judging=GOOD)
    assert plan(more, 0.01).spot_check is not None


def test_at_or_above_the_threshold_nothing_passes() -> None:
    assert chance_to_pass(setup(5000, 0.02), 0.02, 5000) < 0.05
    assert chance_to_pass(setup(5000, 0.02), 0.05, 5000) == 0.0


def test_the_chance_grows_with_the_spot_check_and_falls_with_the_rate_and_the_looks() -> None:
    chances = [chance_to_pass(setup(5000, 0.05), 0.02, size) for size in (60, 125, 250, 500)]
    assert chances == sorted(chances) and chances[0] < chances[-1]
    rates = [chance_to_pass(setup(5000, 0.05), rate, 250) for rate in (0.0, 0.01, 0.02, 0.03, 0.04)]
    assert rates == sorted(rates, reverse=True)
    assert chance_to_pass(setup(5000, 0.05, looks=4), 0.02, 200) < chance_to_pass(setup(5000, 0.05), 0.02, 200)


def test_what_can_never_pass_says_so() -> None:
    assert chance_to_pass(setup(5000, 0.05), 0.0, 0) == 0.0  # nobody looked
    assert chance_to_pass(Setup(0.05, "traffic", 0.95, 29, 5), 0.0, 100) == 0.0  # too few answers for the traffic
    assert chance_to_pass(Setup(0.05, "dataset", 0.95, 29, 5), 0.0, 100) == 1.0
    with pytest.raises(ValueError, match="no rate"):
        chance_to_pass(setup(1000, 0.05), -0.1, 10)


def test_labels_and_hours_count_disputes_and_second_labels() -> None:
    alone = plan(setup(1000, 0.05), 0.005)
    both = plan(setup(1000, 0.05), 0.005, doubles=0.1)
    assert alone == Plan(100, None, alone.chance, alone.labels, alone.labels * 70 / 3600)
    assert alone.labels > 100 and both.labels > alone.labels

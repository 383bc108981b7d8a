"""The order of the queue: nothing lost, weightiest first, answers together, and no place that tells a spot check."""

import random
from itertools import groupby

import pytest

from review.ordering import (
    CONTRADICTED_UNVERIFIED,
    SUPPORTED_CONTRADICTED,
    SUPPORTED_UNVERIFIED,
    UNSCORED,
    WITHOUT_QUOTE,
    Entry,
    impact_of,
    sequence,
)
from tests.review.factory import C, S, U


def made(seed: int, answers: int, most: int, disputed: float, checked: float) -> list[Entry]:
    """Answers of 1 to `most` claims, each listed as a dispute or a spot check with these probabilities."""
    chance, entries, claim = random.Random(seed), [], 0
    for answer in range(answers):
        for place in range(chance.randint(1, most)):
            claim += 1
            drawn = chance.random()
            if drawn < disputed + checked:
                impact = chance.randrange(5) if drawn < disputed else None
                entries.append(Entry(claim, answer, place, impact))
    return entries


@pytest.mark.parametrize("most", [1, 4])
@pytest.mark.parametrize(("disputed", "checked"), [(0.4, 0.3), (0.0, 0.5), (0.5, 0.0), (0.05, 0.6)])
def test_nothing_is_lost_and_the_same_seed_gives_the_same_order(most: int, disputed: float, checked: float) -> None:
    entries = made(1, 60, most, disputed, checked)
    once = sequence(entries, 2**64 - 5)
    assert sorted(once) == sorted(entry.claim for entry in entries)
    assert once == sequence(random.Random(3).sample(entries, len(entries)), 2**64 - 5)
    assert once != sequence(entries, 2**64 - 6)


def test_an_empty_list_has_an_order() -> None:
    assert sequence([], 1) == []


def test_answers_stand_together_in_reading_order_by_their_weightiest_dispute() -> None:
    entries = {entry.claim: entry for entry in made(4, 80, 5, 0.3, 0.2)}
    listed = [entries[claim] for claim in sequence(entries.values(), 11)]
    blocks = [list(block) for _, block in groupby(listed, key=lambda entry: entry.answer)]
    assert len(blocks) == len({entry.answer for entry in listed})
    assert all([e.place for e in block] == sorted(e.place for e in block) for block in blocks)
    assert any({e.impact is None for e in block} == {True, False} for block in blocks), "a block of both kinds"
    impacts = [min(e.impact for e in block if e.impact is not None) for block in blocks if block_disputes(block)]
    assert impacts == sorted(impacts)
    assert len(set(impacts)) == 5


def block_disputes(block: list[Entry]) -> int:
    return sum(entry.impact is not None for entry in block)


@pytest.mark.parametrize(("answers", "most", "listed", "tolerance"), [(100, 1, 0.35, 0.06), (120, 4, 0.12, 0.08)])
def test_every_tenth_of_the_queue_holds_about_the_same_share_of_spot_checks(
    answers: int, most: int, listed: float, tolerance: float
) -> None:
    """300 orders, 10 parts: a part's share has a standard error of about 0.02 (fixed seeds, so never by chance).

    Where an answer has several claims, disputes of the last class stand with spot checks of their own more often: a
    block with a weightier dispute among them stands further up.
    """
    entries = made(5, answers, most, listed, listed)
    is_check = {entry.claim: entry.impact is None for entry in entries}
    share = sum(is_check.values()) / len(is_check)
    parts = [0.0] * 10
    counted = [0] * 10
    for seed in range(300):
        for place, claim in enumerate(sequence(entries, seed)):
            part = place * 10 // len(entries)
            parts[part] += is_check[claim]
            counted[part] += 1
    assert [part / n for part, n in zip(parts, counted, strict=True)] == pytest.approx([share] * 10, abs=tolerance)


def test_spot_checks_come_neither_early_nor_late() -> None:
    """Mean rank of the spot checks against that of all claims (Wilcoxon), over 200 orders.

    For m checks among n claims the mean rank of a uniform mixture has the variance (n - m)(n + 1) / 12m; the mean of
    200 orders lies within 3 standard errors.
    """
    entries = made(6, 120, 1, 0.3, 0.3)
    checks = {entry.claim for entry in entries if entry.impact is None}
    n, m, orders = len(entries), len(checks), 200
    means = [sum(place for place, c in enumerate(sequence(entries, s), 1) if c in checks) / m for s in range(orders)]
    error = ((n - m) * (n + 1) / (12 * m) / orders) ** 0.5
    assert abs(sum(means) / orders - (n + 1) / 2) < 3 * error


def test_where_disputed_answers_hold_many_spot_checks_the_others_go_elsewhere() -> None:
    weighty = [Entry(answer * 10 + place, answer, place, 0 if place == 0 else None)
               for answer in range(10) for place in range(6)]  # fmt: skip
    light = [Entry(1000 + answer, answer, 0, 3) for answer in range(100, 150)]
    alone = [Entry(2000 + answer, answer, 0, None) for answer in range(200, 220)]
    listed = sequence([*weighty, *light, *alone], 9)
    assert all(claim < 1000 for claim in listed[:60]), "five spot checks to a dispute already"
    places = [place for place, claim in enumerate(listed) if claim >= 2000]
    assert 60 <= min(places) < 75 and max(places) > 115


@pytest.mark.parametrize(
    ("labels", "impact"),
    [
        ((S, C), SUPPORTED_CONTRADICTED),
        ((U, S), SUPPORTED_UNVERIFIED),
        ((C, U), CONTRADICTED_UNVERIFIED),
        ((S, U, C), SUPPORTED_CONTRADICTED),
        ((S, S), WITHOUT_QUOTE),
        ((S, ""), UNSCORED),
        (("", ""), UNSCORED),
        ((), UNSCORED),
    ],
)
def test_impact(labels: tuple[str, ...], impact: int) -> None:
    assert impact_of(labels) == impact

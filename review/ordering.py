"""In which order experts see the claims of an audit: what matters most first, answers together, spot checks anywhere.

Pure: numbers in, numbers out. The same entries and the same seed give the same order, in whatever order they come.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from audits.labels import Label

SUPPORTED_CONTRADICTED, SUPPORTED_UNVERIFIED, CONTRADICTED_UNVERIFIED, WITHOUT_QUOTE, UNSCORED = range(5)
"""Impact classes of a dispute, the weightiest first."""

STREAM = 1  # the generator is PCG64([seed, STREAM]): not the one of the draw, whose numbers are used up there


@dataclass(frozen=True)
class Entry:
    """A claim on the experts' list. place: within its answer. impact: None for a spot check."""

    claim: int
    answer: int
    place: int
    impact: int | None


@dataclass(frozen=True)
class _Block:
    """The listed claims of one answer, in reading order."""

    claims: tuple[int, ...]
    disputes: int
    impact: int | None  # of its weightiest dispute; None without one

    @property
    def checks(self) -> int:
        """Its spot checks."""
        return len(self.claims) - self.disputes


def impact_of(labels: Iterable[str]) -> int:
    """The impact class of a disputed claim by what the judges said of it, "" for an unscored verdict.

    Judges of one label dispute a claim where one of them showed no quote or found contexts that contradict each
    other: such a claim comes after those on which the labels differ.
    """
    said = set(labels)
    if said >= {Label.SUPPORTED, Label.CONTRADICTED}:
        return SUPPORTED_CONTRADICTED
    if said >= {Label.SUPPORTED, Label.UNVERIFIED}:
        return SUPPORTED_UNVERIFIED
    if said >= {Label.CONTRADICTED, Label.UNVERIFIED}:
        return CONTRADICTED_UNVERIFIED
    return UNSCORED if "" in said or not said else WITHOUT_QUOTE


def sequence(entries: Iterable[Entry], seed: int) -> list[int]:
    """The claims in the order in which experts see them.

    Claims of one answer are a block in reading order. Blocks with disputes come by their weightiest dispute, at
    random among equals. Blocks that hold only spot checks are dealt in between so that at every place of the queue
    the chance of a spot check is about the share of spot checks among all claims; exactly that, where every answer
    has one claim.
    """
    from numpy.random import PCG64, Generator

    random = Generator(PCG64([seed, STREAM]))
    blocks = _blocks(entries)
    blocks = [blocks[int(i)] for i in random.permutation(len(blocks))]
    disputed = sorted((block for block in blocks if block.impact is not None), key=lambda block: block.impact or 0)
    checks = [block for block in blocks if block.impact is None]
    chances = random.random(len(blocks)).tolist()
    return [claim for block in _dealt(disputed, checks, chances) for claim in block.claims]


def _blocks(entries: Iterable[Entry]) -> list[_Block]:
    """One block per answer, by the answers' numbers."""
    answers: dict[int, list[Entry]] = defaultdict(list)
    for entry in sorted(entries, key=lambda entry: (entry.answer, entry.place, entry.claim)):
        answers[entry.answer].append(entry)
    found = []
    for listed in answers.values():
        impacts = [entry.impact for entry in listed if entry.impact is not None]
        found.append(_Block(tuple(entry.claim for entry in listed), len(impacts), min(impacts, default=None)))
    return found


def _dealt(disputed: Sequence[_Block], checks: Sequence[_Block], chances: Sequence[float]) -> list[_Block]:
    """Both lists as one, each in its own order: the next block is one of spot checks with odds that keep the shares.

    With blocks of one claim each, that is a uniformly random mixture of the two lists.
    """
    mixed: list[_Block] = []
    waiting_checks, waiting = deque(checks), deque(disputed)
    room = _room(disputed, sum(block.checks for block in checks))
    left_room, left_checks = sum(room[block.impact] for block in disputed), sum(block.checks for block in checks)
    for chance in chances:
        if waiting_checks and _takes_check(chance, waiting_checks[0], waiting, room, left_checks, left_room):
            mixed.append(waiting_checks.popleft())
            left_checks -= mixed[-1].checks
        else:
            mixed.append(waiting.popleft())
            left_room -= room[mixed[-1].impact]
    return mixed


def _takes_check(
    chance: float,
    check: _Block,
    waiting: Sequence[_Block],
    room: Mapping[int | None, Fraction],
    left_checks: int,
    left_room: Fraction | int,
) -> bool:
    """Whether spot checks come next. Where no room is left for them, they come at once rather than all at the end."""
    if not waiting or not left_room:
        return True
    odds = Fraction(left_checks, check.checks) * room[waiting[0].impact] / left_room
    return chance < odds / (1 + odds)


def _room(disputed: Sequence[_Block], checks: int) -> dict[int | None, Fraction]:
    """Impact -> how many of these `checks` claims belong, on average, before one of its blocks.

    A share of spot checks that is the same in all classes, those counted that lie in blocks with disputes; a class
    that has too many of its own already gets none. Fractions, so that what is left ends at exactly 0.
    """
    blocks: dict[int | None, list[_Block]] = defaultdict(list)
    for block in disputed:
        blocks[block.impact].append(block)
    held = {
        impact: (sum(block.checks for block in found), sum(block.disputes for block in found))
        for impact, found in blocks.items()
    }
    level, water, floor = Fraction(0), checks, 0
    for own, disputes in sorted(held.values(), key=lambda of: Fraction(*of)):
        if floor and Fraction(own, disputes) >= level:
            break
        water, floor = water + own, floor + disputes
        level = Fraction(water, floor)
    return {
        impact: max(Fraction(0), level * disputes - own) / len(blocks[impact])
        for impact, (own, disputes) in held.items()
    }

"""What can be measured between one claim and the contexts without understanding either."""

import re
from collections.abc import Container
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from audits.judges.offline.passages import Match, Passages
from audits.text.language import HAN
from audits.text.normalise import normalise
from audits.text.polarity import negated, negations
from audits.text.quantities import Quantity, quantities
from audits.text.tokens import tokens, units

CITATION = re.compile(r"\s?(?:\[\^?\d{1,3}(?:\s?[,，、\-–]\s?\d{1,3})*\]|【\d{1,3}(?:†[^】]{0,20})?】)")
NEAREST = 8  # passages that are looked at closely
REPEATED = 0.5  # of a clause's content, counted without rarity
_NAME = re.compile(rf"(?<![.!?:]\s)(?<!^)(?<![^\W{HAN}])[A-Z](?:[^\W{HAN}]|['’-])+")
_CLAUSE_END = re.compile(r"[,;!?。、()]|[.:](?!\d)")  # in text that went through `normalise`
_WHETHER = re.compile(rf"([{HAN}])[不没]\1")  # 要不要: asks, does not negate


@dataclass
class Reading:
    """One claim read against some passages. Shares are of the claim's content, weighted by rarity, in 0..1."""

    claim: str
    question: str
    passages: Passages

    def __post_init__(self) -> None:
        self.claim = CITATION.sub("", self.claim)  # the 3 of "[3]" is no number of the claim
        self.normalised = normalise(self.claim).text
        self.units = [unit.key for unit in units(self.normalised)]
        self.weights = {unit: self.passages.weight(unit) for unit in self.units}
        self.nearest: list[Match] = self.passages.ranked(self.weights, NEAREST)

    def share(self, held: Container[str], among: set[str] | None = None) -> float:
        """The share of the claim's units (or of those in `among`) that are held; 0 when there are none."""
        weights = {unit: weight for unit, weight in self.weights.items() if among is None or unit in among}
        total = sum(weights.values())
        return sum(weight for unit, weight in weights.items() if unit in held) / total if total else 0.0

    @cached_property
    def covered(self) -> float:
        """Share held by all contexts together."""
        return self.share(self.passages.holders)

    @cached_property
    def best(self) -> float:
        """Share held by the nearest passage."""
        return self.share(self.nearest[0].passage.units) if self.nearest else 0.0

    @cached_property
    def pair(self) -> list[Match]:
        """The nearest passage and the one that adds most to it, if any adds something."""
        if not self.nearest:
            return []
        first = self.nearest[0]
        missing = {unit: weight for unit, weight in self.weights.items() if unit not in first.passage.units}
        gains = [sum(w for unit, w in missing.items() if unit in match.passage.units) for match in self.nearest]
        gain = max(gains)
        return [first, self.nearest[gains.index(gain)]] if gain > 0 else [first]

    @cached_property
    def best_two(self) -> float:
        """Share held by the pair."""
        return self.share(frozenset[str]().union(*(match.passage.units for match in self.pair)))

    @cached_property
    def best_context(self) -> float:
        """Share held by the best single context."""
        return max((self.share(units) for units in self.passages.units_by_context), default=0.0)

    @cached_property
    def new(self) -> set[str]:
        """The units that the question does not hold: what the claim really tells."""
        return set(self.weights) - question_units(self.question)

    @cached_property
    def new_covered(self) -> float:
        """Share of the new units held by all contexts together, 1 when the question holds everything."""
        return self.share(self.passages.holders, self.new) if self.new else 1.0

    @cached_property
    def order(self) -> float:
        """Share of neighbouring units that are neighbours in a near passage too, unweighted."""
        claimed = list(pairwise(self.units))
        if not claimed:
            return self.covered
        there = {couple for match in self.nearest for couple in match.passage.couples}
        return sum(couple in there for couple in claimed) / len(claimed)

    @cached_property
    def missing(self) -> set[str]:
        """Units that no context holds."""
        return {unit for unit in self.weights if unit not in self.passages.holders}

    @cached_property
    def quantities(self) -> list[Quantity]:
        """The claim's numbers, without "one": it is an article more often than a number."""
        return [quantity for quantity in quantities(self.claim) if quantity.value != 1 or quantity.unit == "%"]

    @cached_property
    def missing_quantities(self) -> list[Quantity]:
        """Numbers of the claim that no near passage holds."""
        there = {quantity.value for match in self.nearest for quantity in match.passage.quantities}
        return [quantity for quantity in self.quantities if quantity.value not in there]

    @cached_property
    def touched(self) -> str:
        """The clauses of the nearest passage whose content the claim mostly repeats; "" when there are none."""
        clauses = _CLAUSE_END.split(self.nearest[0].passage.normalised) if self.nearest else []
        return ", ".join(clause for clause in clauses if self._repeats(clause))

    def _repeats(self, clause: str) -> bool:
        keys = [unit.key for unit in units(clause)]
        return bool(keys) and sum(key in self.weights for key in keys) / len(keys) >= REPEATED

    @cached_property
    def signs(self) -> tuple[int, int]:
        """Negations in the claim and in the clauses of the nearest passage that it touches."""
        return negations(_WHETHER.sub(r"\1", self.normalised)), negations(_WHETHER.sub(r"\1", self.touched))

    @cached_property
    def negated_on_one_side(self) -> bool:
        """Whether only one side negates something, and the other side says that same thing without a negation."""
        ours, theirs = self.signs
        if not self.touched or bool(ours) == bool(theirs):
            return False
        if ours:
            return bool(negated(self.normalised) & {unit.key for unit in units(self.touched)})
        return bool(negated(self.touched) & self.weights.keys())

    @cached_property
    def other_quantity(self) -> tuple[Quantity, Quantity, Match] | None:
        """A missing number, the comparable one that stands in a close passage instead, and that passage."""
        for quantity in self.missing_quantities:
            for match in self.nearest[:2]:
                for other in match.passage.quantities:
                    if quantity.is_comparable(other):
                        return quantity, other, match
        return None

    @cached_property
    def foreign_names(self) -> list[str]:
        """Capitalised words within the claim that stand nowhere in the contexts (English)."""
        known = self.passages.words
        names = (normalise(name).text.removesuffix("'s") for name in _NAME.findall(self.claim))
        return [name for name in names if name not in known]


@lru_cache(maxsize=64)
def question_units(question: str) -> frozenset[str]:
    """The content units of a question."""
    return frozenset(tokens(question)) if question else frozenset()

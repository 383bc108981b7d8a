"""Judges held against labels that people gave beforehand: what each finds, and which errors the panel shares.

Every unit has a label, so nothing is weighted. Units of one answer are not independent: shares have Korn-Graubard
limits at the effective sample size (audits.stats.clustered), kappa and AC1 those of audits.stats.agreement.
"Hallucinated" is contradicted or unverified; what a judge calls so is its alarm. A unit without a usable label of a
judge is in none of that judge's rates and stands beside them as coverage.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from audits.labels import HALLUCINATED, Label
from audits.stats.agreement import Shared, Table, constant_rater
from audits.stats.clustered import clustered_share
from audits.stats.difference import rate_difference
from audits.stats.estimate import Estimate, group_numbers, undefined
from audits.stats.paired import Pair, paired_shift

FEWEST_UNITS = 30  # of a language or tag: under it no figure is shown


@dataclass(frozen=True)
class Unit:
    """A claim, or a whole answer, that people and judges labelled.

    answer: what it belongs to; intervals respect it. human: whether people call it hallucinated. human_label: which
    label they gave, None where they did not say which. said: whether each judge calls it hallucinated, None where it
    is unscored. labels: the label of each judge; empty for whole answers. panel: the decision of all judges together,
    None while it is disputed. decided: False for a unit on which the panel has not spoken.
    """

    answer: Hashable
    human: bool
    said: tuple[bool | None, ...]
    panel: bool | None
    human_label: Label | None = None
    labels: tuple[Label | None, ...] = ()
    decided: bool = True


@dataclass(frozen=True)
class ThreeWay:
    """The table of three labels: rows people, columns the judge, in the order of LABELS, with kappa and AC1.

    n: units to which both gave one of the three. excluded: the others.
    """

    n: int
    excluded: int
    table: Table
    percent: Estimate
    kappa: Estimate
    ac1: Estimate
    note: str = ""


@dataclass(frozen=True)
class AgainstPeople:
    """One judge, or the panel as one, against people.

    n: units with a label of people. coverage: share of them with a usable label of the judge (of the panel: decided
    and not disputed). hits, false_alarms, misses, passes: those units, by judge and people; missing: hallucinated
    units among the others. precision: of the alarms, the share that is hallucinated. recall: of the hallucinated
    units, the share with an alarm. specificity: of the supported units, the share without. percent, kappa, ac1: of
    the table of two labels. three: of three labels, None where there are none of people or judge.

    Undefined: "no_shared_items"; "no_alarms" (precision); "people_none_hallucinated" (recall);
    "people_none_supported" (specificity, and precision: every alarm would be right by construction); "one_label".
    """

    n: int
    coverage: Estimate
    hits: int
    false_alarms: int
    misses: int
    passes: int
    missing: int
    precision: Estimate
    recall: Estimate
    specificity: Estimate
    percent: Estimate
    kappa: Estimate
    ac1: Estimate
    note: str
    three: ThreeWay | None

    @property
    def scored(self) -> int:
        """Units with a usable label of the judge."""
        return self.hits + self.false_alarms + self.misses + self.passes


@dataclass(frozen=True)
class Together:
    """What the judges of a panel do together.

    n: units that all judges scored. shared_errors: of these, the share on which all are wrong. missed_by_all: of the
    hallucinated ones among these, the share that all call supported.
    decided: units on which the panel has spoken. disputed: of these, the share that goes to experts. slipped, open,
    found: of the hallucinated ones among these, the share decided as supported, disputed, decided as hallucinated.
    wrong: of the units decided without dispute, the share with the wrong decision.
    people: the rate of hallucination by people over all decided units. naive: the rate that the panel alone would
    report, over those without dispute. gap: naive minus people.
    Undefined: "no_shared_items", "people_none_hallucinated", "nothing_agreed".
    """

    n: int
    shared_errors: Estimate
    missed_by_all: Estimate
    decided: int
    disputed: Estimate
    found: Estimate
    open: Estimate
    slipped: Estimate
    wrong: Estimate
    people: Estimate
    naive: Estimate
    gap: Estimate


@dataclass(frozen=True)
class Calibration:
    """units, answers: how many. judges: in the panel's order. panel: the agreed decisions as one rater's."""

    units: int
    answers: int
    judges: tuple[AgainstPeople, ...]
    panel: AgainstPeople
    together: Together


@dataclass(frozen=True)
class Advantage:
    """The second judge minus the first, on the units that both scored (n). Above 0 the second is better.

    right: difference of the shares that are right; recall and specificity as in AgainstPeople.
    """

    n: int
    right: Estimate
    recall: Estimate
    specificity: Estimate


Row = tuple[Hashable, bool, bool]  # answer, whether people call it hallucinated, whether the judge does


def calibrate(units: Sequence[Unit], confidence: float = 0.95) -> Calibration:
    """All figures over these units. ValueError when units hold different numbers of judges."""
    sizes = {len(unit.said) for unit in units}
    if len(sizes) > 1:
        raise ValueError("the units were judged by panels of different sizes")
    panel = against_people([(unit, unit.panel) for unit in units], confidence)
    judges = (_judge(units, number, confidence) for number in range(sizes.pop() if sizes else 0))
    answers = len({unit.answer for unit in units})
    return Calibration(len(units), answers, tuple(judges), panel, _together(units, confidence))


def _judge(units: Sequence[Unit], number: int, confidence: float) -> AgainstPeople:
    three = _three([unit for unit in units if unit.labels], number, confidence)
    return against_people([(unit, unit.said[number]) for unit in units], confidence, three)


def against_people(
    rated: Sequence[tuple[Unit, bool | None]], confidence: float = 0.95, three: ThreeWay | None = None
) -> AgainstPeople:
    """rated: units, each with what the rater calls it (True: hallucinated, None: no usable label)."""
    rows: list[Row] = [(unit.answer, unit.human, said) for unit, said in rated if said is not None]
    answers = [unit.answer for unit, _ in rated]
    shared = _two_labels(rows)
    return AgainstPeople(
        n=len(rated),
        coverage=clustered_share([float(said is not None) for _, said in rated], answers, confidence, "no_units"),
        hits=sum(human and said for _, human, said in rows),
        false_alarms=sum(said and not human for _, human, said in rows),
        misses=sum(human and not said for _, human, said in rows),
        passes=sum(not human and not said for _, human, said in rows),
        missing=sum(unit.human for unit, said in rated if said is None),
        precision=_precision(rows, confidence),
        recall=_recall(rows, confidence),
        specificity=_specificity(rows, confidence),
        percent=shared.percent(confidence),
        kappa=shared.coefficient("kappa", confidence),
        ac1=shared.coefficient("ac1", confidence),
        note=constant_rater(shared.table.tolist()),
        three=three,
    )


def _two_labels(rows: Sequence[Row]) -> Shared:
    """People and the judge on two labels: hallucinated (0) and supported (1)."""
    import numpy as np

    answers = group_numbers([answer for answer, _, _ in rows])
    columns = ([not human for _, human, _ in rows], [not said for _, _, said in rows], answers)
    first, second, numbers = (np.asarray(column, dtype=int) for column in columns)
    return Shared(first, second, numbers, 2)


def _share(rows: Sequence[tuple[Hashable, bool]], confidence: float, empty: str) -> Estimate:
    return clustered_share([float(is_so) for _, is_so in rows], [answer for answer, _ in rows], confidence, empty)


def _precision(rows: Sequence[Row], confidence: float) -> Estimate:
    if rows and all(human for _, human, _ in rows):
        return undefined("people_none_supported", len(rows), confidence)
    return _share([(answer, human) for answer, human, said in rows if said], confidence, _empty(rows, "no_alarms"))


def _recall(rows: Sequence[Row], confidence: float) -> Estimate:
    kept = [(answer, said) for answer, human, said in rows if human]
    return _share(kept, confidence, _empty(rows, "people_none_hallucinated"))


def _specificity(rows: Sequence[Row], confidence: float) -> Estimate:
    kept = [(answer, not said) for answer, human, said in rows if not human]
    return _share(kept, confidence, _empty(rows, "people_none_supported"))


def _empty(rows: Sequence[object], reason: str) -> str:
    return reason if rows else "no_shared_items"


def _three(units: Sequence[Unit], number: int, confidence: float) -> ThreeWay | None:
    pairs = [(unit.answer, unit.human_label, unit.labels[number]) for unit in units]
    shared = Shared.of(pairs)
    # Where people only said "hallucinated", the one label that is known of them says nothing about the three.
    if not any(human in HALLUCINATED for _, human, _ in pairs):
        return None
    table = shared.table.tolist()
    return ThreeWay(
        n=shared.n,
        excluded=len(pairs) - shared.n,
        table=tuple(tuple(row) for row in table),
        percent=shared.percent(confidence),
        kappa=shared.coefficient("kappa", confidence),
        ac1=shared.coefficient("ac1", confidence),
        note=constant_rater(table),
    )


def _together(units: Sequence[Unit], confidence: float) -> Together:
    scored = [unit for unit in units if None not in unit.said and unit.said]
    wrong = [(unit.answer, all(said != unit.human for said in unit.said)) for unit in scored]
    missed = [(unit.answer, not any(unit.said)) for unit in scored if unit.human]
    decided = [unit for unit in units if unit.decided]
    bad = [unit for unit in decided if unit.human]
    agreed = [unit for unit in decided if unit.panel is not None]
    people = [(unit.answer, unit.human) for unit in decided]
    naive = [(unit.answer, bool(unit.panel)) for unit in agreed]
    nothing_bad = _empty(decided, "people_none_hallucinated")

    def of_bad(panel: bool | None) -> Estimate:
        return _share([(unit.answer, unit.panel is panel) for unit in bad], confidence, nothing_bad)

    return Together(
        n=len(scored),
        shared_errors=_share(wrong, confidence, "no_shared_items"),
        missed_by_all=_share(missed, confidence, _empty(scored, "people_none_hallucinated")),
        decided=len(decided),
        disputed=_share([(unit.answer, unit.panel is None) for unit in decided], confidence, "no_shared_items"),
        found=of_bad(True),
        open=of_bad(None),
        slipped=of_bad(False),
        wrong=_share([(unit.answer, unit.panel != unit.human) for unit in agreed], confidence, "nothing_agreed"),
        people=_share(people, confidence, "no_shared_items"),
        naive=_share(naive, confidence, "nothing_agreed"),
        gap=_gap(people, naive, agreed, confidence),
    )


def _gap(
    people: Sequence[tuple[Hashable, bool]],
    naive: Sequence[tuple[Hashable, bool]],
    agreed: Sequence[Unit],
    confidence: float,
) -> Estimate:
    """The rate of the panel over what it agreed on, minus that of people over everything.

    MOVER with the correlation of the two rates; but never narrower than what the agreed units alone tell of panel
    against people, since two rates that never differ would leave an interval of nothing.
    """
    if not naive:
        return undefined("nothing_agreed", 0, confidence)
    found = rate_difference(people, naive, confidence=confidence).difference
    alone = paired_shift([(unit.answer, unit.human, bool(unit.panel)) for unit in agreed], confidence=confidence)
    ends = (found.value, found.low, found.high, alone.estimate.value, alone.estimate.low, alone.estimate.high)
    value, low, high, shift, least, most = (0.0 if end is None else end for end in ends)
    if None in ends:
        return Estimate(found.value, None, None, len(people), confidence, found.reason or alone.estimate.reason)
    low, high = min(low, value + least - shift), max(high, value + most - shift)
    return Estimate(value, max(-1.0, low), min(1.0, high), len(people), confidence)


def advantage(rows: Sequence[tuple[Hashable, bool, bool, bool]], confidence: float = 0.95) -> Advantage:
    """rows: (answer, whether people call it hallucinated, what the first judge says, what the second says).

    Of two judges on the same units only those tell something on which they differ: Agresti & Min 2005, with the
    design effect of answers (audits.stats.paired). Undefined as the rates are.
    """
    bad = [row for row in rows if row[1]]
    good = [row for row in rows if not row[1]]
    return Advantage(
        n=len(rows),
        right=_difference([(a, x == human, y == human) for a, human, x, y in rows], confidence, "no_shared_items"),
        recall=_difference([(a, x, y) for a, _, x, y in bad], confidence, _empty(rows, "people_none_hallucinated")),
        specificity=_difference(
            [(a, not x, not y) for a, _, x, y in good], confidence, _empty(rows, "people_none_supported")
        ),
    )


def _difference(rows: Sequence[Pair], confidence: float, empty: str) -> Estimate:
    return paired_shift(rows, confidence=confidence, empty=empty).estimate

"""Audits made up at random, with the truth known: answers of several claims, two judges whose errors are correlated.

An answer hallucinates with a rate of its own (beta, mean `rate`, intraclass correlation `icc`), a judge errs with a
rate of its own per answer (intraclass correlation 0.1); with probability `shared` both judges make the same draw,
so that they are wrong together. A tenth of the claims is vague; on these the judges miss half as many again.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from audits.stats.audited import AuditedClaim, AuditedEstimate, Stratum, dataset_limits, theta, traffic_limits
from audits.stats.clustered import design_effect
from audits.stats.estimate import Estimate, beyond, tail
from audits.stats.planning import allocate

SUPPORTED, CONTRADICTED, UNVERIFIED = 0, 1, 2
STRATA = ("supported", "supported_vague", "contradicted", "unverified", "disputed")
DISPUTED = STRATA.index("disputed")
MEAN_CLAIMS = 5
JUDGE_ICC = 0.1
VAGUE = 0.1
CONFUSED = 0.1  # of a judge's right alarms name the other kind of hallucination
INVENTED = 0.7  # of a judge's false alarms say UNVERIFIED, the others CONTRADICTED


@dataclass(frozen=True)
class Judges:
    """sensitivity: share of hallucinated claims that a judge finds; specificity: of the supported ones it leaves."""

    name: str
    sensitivity: float
    specificity: float


GOOD, NOISY, LEAKY = Judges("good", 0.95, 0.98), Judges("noisy", 0.85, 0.95), Judges("leaky", 0.70, 0.99)


@dataclass(frozen=True)
class MadeUp:
    """One audit as arrays over claims: the answer's number, the truth (True = hallucinated), the stratum's number,
    and whether the judges' own word calls the claim hallucinated (disputed ones: the truth, experts settle them)."""

    answer: np.ndarray
    truth: np.ndarray
    stratum: np.ndarray
    called: np.ndarray


def make_up(random: Generator, claims: int, rate: float, judges: Judges, shared: float, icc: float) -> MadeUp:
    """About `claims` claims in claims / 5 answers of 1 + Poisson(4) claims each."""
    answers = max(2, claims // MEAN_CLAIMS)
    answer = np.repeat(np.arange(answers), 1 + random.poisson(MEAN_CLAIMS - 1, answers))
    n = len(answer)
    truth = random.random(n) < _by_answer(random, answers, rate, icc)[answer]
    vague = random.random(n) < VAGUE
    missed = _by_answer(random, answers, 1 - judges.sensitivity, JUDGE_ICC)[answer] * np.where(vague, 1.5, 1.0)
    alarmed = _by_answer(random, answers, 1 - judges.specificity, JUDGE_ICC)[answer]
    wrong = np.where(truth, missed, alarmed)
    kind = np.where(truth, np.where(random.random(n) < 0.35, CONTRADICTED, UNVERIFIED), SUPPORTED)
    together = random.random(n) < shared
    first = _said(random.random((3, n)), kind, wrong)
    again = random.random((3, n))
    second = np.where(together, first, _said(again, kind, wrong))
    stratum = np.select(
        [first != second, first == CONTRADICTED, first == UNVERIFIED, vague], [DISPUTED, 2, 3, 1], default=0
    )
    called = np.where(stratum == DISPUTED, truth, first != SUPPORTED)
    return MadeUp(answer, truth, stratum, called)


def _by_answer(random: Generator, answers: int, mean: float, icc: float) -> np.ndarray:
    if icc <= 0:
        return np.full(answers, mean)
    scale = (1 - icc) / icc
    return random.beta(mean * scale, (1 - mean) * scale, answers)


def _said(draws: np.ndarray, kind: np.ndarray, wrong: np.ndarray) -> np.ndarray:
    errs, which, confused = draws
    alarm = np.where(which < INVENTED, UNVERIFIED, CONTRADICTED)
    if_wrong = np.where(kind == SUPPORTED, alarm, SUPPORTED)
    if_right = np.where((kind != SUPPORTED) & (confused < CONFUSED), CONTRADICTED + UNVERIFIED - kind, kind)
    said: np.ndarray = np.where(errs < wrong, if_wrong, if_right)
    return said


def spot_checked(random: Generator, audit: MadeUp, size: int) -> list[AuditedClaim]:
    """The audit after review: all disputed claims and a spot check of `size`, drawn as the product does."""
    drawn = _drawn(random, audit, size)
    known = drawn | (audit.stratum == DISPUTED)
    return _rows(audit, drawn.tolist(), known.tolist())


def counted(random: Generator, audit: MadeUp, size: int, confidence: float = 0.95) -> AuditedEstimate:
    """What audits.stats.audited.estimate makes of spot_checked(random, audit, size), counted from arrays: eight times
    faster, by the same functions for limits and design effect. size: at least 1; 30 answers or more."""
    drawn = _drawn(random, audit, size)
    strata, shares = [], np.zeros(len(STRATA))
    for number, name in enumerate(STRATA):
        inside = audit.stratum == number
        seen = inside if number == DISPUTED else inside & drawn
        if inside.any():
            presumed = 0.0 if name.startswith("supported") else 1.0
            counts = (int(inside.sum()), int(seen.sum()), int(audit.truth[seen].sum()))
            strata.append(Stratum(name, *counts, presumed=presumed, drawn=number != DISPUTED))
            shares[number] = strata[-1].share
    expected = np.where(audit.stratum == DISPUTED, audit.truth, shares[audit.stratum])
    n, answers, deff = len(expected), int(audit.answer[-1]) + 1, design_effect(expected, audit.answer)
    rate, each, one = theta(strata), tail(confidence), beyond(confidence)
    return AuditedEstimate(
        strata=tuple(strata),
        claims=n,
        answers=answers,
        deff=deff,
        confidence=confidence,
        rate=rate,
        dataset=Estimate(rate, *dataset_limits(strata, each), n, confidence),
        traffic=Estimate(rate, *traffic_limits(strata, answers, deff, each), n, confidence),
        dataset_limits=dataset_limits(strata, one),
        traffic_limits=traffic_limits(strata, answers, deff, one),
        blocking=(),
        warnings=(),
    )


def _drawn(random: Generator, audit: MadeUp, size: int) -> np.ndarray:
    sizes = {name: int((audit.stratum == number).sum()) for number, name in enumerate(STRATA[:DISPUTED])}
    wanted = allocate({name: count for name, count in sizes.items() if count}, size)
    drawn = np.zeros(len(audit.answer), dtype=bool)
    for number, name in enumerate(STRATA[:DISPUTED]):
        places = np.flatnonzero(audit.stratum == number)
        drawn[random.permutation(places)[: wanted.get(name, 0)]] = True
    return drawn


def _rows(audit: MadeUp, drawn: Sequence[bool], known: Sequence[bool]) -> list[AuditedClaim]:
    columns = zip(audit.answer.tolist(), audit.stratum.tolist(), audit.truth.tolist(), drawn, known, strict=True)
    return [
        AuditedClaim(answer, STRATA[stratum], truth if is_known else None, is_drawn)
        for answer, stratum, truth, is_drawn, is_known in columns
    ]

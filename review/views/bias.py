"""The bias report of one audit: what sways its judges beside the evidence."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from audits.access import verdicts_for
from audits.blindness import shows_verdicts
from audits.stats.bias import Third
from audits.stats.estimate import Estimate
from review.bias import BiasReport, Kind, Measure, bias_report
from review.bias.words import margin_text, p_text, sentence, size_text

Rows = list[tuple[str, Estimate]]


@dataclass(frozen=True)
class Part:
    """Measures of one kind, ready to be shown. what: key of its explanation; unit: of its estimates.

    margin: effects up to this are called small. rows: of the chart and of the table.
    """

    what: str
    unit: str
    margin: str
    rows: tuple["Row", ...]

    @property
    def chart(self) -> Rows:
        """(judge, estimate)."""
        return [(row.name, row.measure.finding.estimate) for row in self.rows]


@dataclass(frozen=True)
class Row:
    """One measure with its words. seen: the smallest effect that would be seen, "" where none would."""

    name: str
    measure: Measure
    sentence: str
    seen: str
    p: str
    adjusted: str


@require_safe
@shows_verdicts
def bias(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The bias page of one audit."""
    audit = verdicts_for(request, slug, pk)
    found = bias_report(audit)
    context = {"project": audit.project, "audit": audit, "tab": "bias", "found": found, **_parts(found)}
    return render(request, "review/bias.html", context)


def _parts(found: BiasReport) -> dict[str, Any]:
    judges, planted = found.judges, found.planted
    return {
        "length": _part([judge.length for judge in judges], "length_slope", "number"),
        "thirds": _thirds(found),
        "excess": _part([judge.excess for judge in judges], "excess_flips"),
        "early": _part([judge.early for judge in judges], "early_context"),
        "flips": _flips(found),
        "own": [(pair, _part([pair.measure], "judge_gap")) for pair in found.pairs],
        "vagueness": _part([judge.vagueness for judge in judges], "vague_gap"),
        "support": _support(found),
        "fooled": _fooled(found),
        "vague_more": _part([judge.vague_more for judge in planted.judges], "planted_share"),
        "kinds": {kind.name: kind.value for kind in Kind},
    }


def _part(measures: Sequence[Measure], what: str, unit: str = "percent") -> Part:
    rows = [
        Row(
            name=_judge(one.who)
            if len(one.who) == 1
            else _("{first} minus {second}").format(first=one.who[0], second=one.who[1:]),
            measure=one,
            sentence=sentence(one),
            seen="" if one.finding.detectable is None else size_text(one.kind, one.finding.detectable),
            p=p_text(one.finding.p),
            adjusted=p_text(one.adjusted),
        )
        for one in measures
    ]
    return Part(what, unit, margin_text(measures[0].kind) if measures else "", tuple(rows))


def _judge(letter: str) -> str:
    return _("Judge {letter}").format(letter=letter)


def _thirds(found: BiasReport) -> Rows:
    return [
        (f"{judge.member.letter} · {_claims(third)}", third.wrong) for judge in found.judges for third in judge.thirds
    ]


def _claims(third: Third) -> str:
    if third.least < third.most:
        return _("{least} to {most} claims").format(least=third.least, most=third.most)
    return ngettext("{n} claim", "{n} claims", third.most).format(n=third.most)


def _flips(found: BiasReport) -> Rows:
    rows = []
    for judge in found.judges:
        rows.append((_("{letter} · same question again").format(letter=judge.member.letter), judge.repeat.rate))
        rows.append(
            (_("{letter} · contexts in the opposite order").format(letter=judge.member.letter), judge.reorder.rate)
        )
    return rows


def _support(found: BiasReport) -> Rows:
    rows = []
    for judge in found.judges:
        rows.append((_("{letter} · vague").format(letter=judge.member.letter), judge.vague))
        rows.append((_("{letter} · specific").format(letter=judge.member.letter), judge.specific))
    return rows


def _fooled(found: BiasReport) -> Rows:
    rows: Rows = []
    for judge in found.planted.judges:
        rows.append((_("{letter} · vague").format(letter=judge.member.letter), judge.vague))
        rows.append((_("{letter} · specific").format(letter=judge.member.letter), judge.specific))
    if rows:
        specific, vague, every = found.planted.by_all
        rows += [
            (_("All judges · vague"), vague),
            (_("All judges · specific"), specific),
            (_("All judges · both kinds"), every),
        ]
    return rows

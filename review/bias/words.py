"""What a measure of bias comes to, in a sentence. It is never said that there is no bias: only what was not seen."""

import math
from collections.abc import Callable

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audits.templatetags.explanations import reason_text
from audits.templatetags.figures import number_text
from review.bias.measures import MARGINS, Kind, Measure, Standing

Words = tuple[str | Promise, str | Promise]

# What was told, above and below 0. {who}: letter of the judge, of the first of two; {other}: of the second.
TOLD: dict[Kind, Words] = {
    Kind.LENGTH: (
        gettext_lazy("Judge {who} calls claims of longer answers supported more often, at equal truth: {effect}."),
        gettext_lazy("Judge {who} calls claims of longer answers supported less often, at equal truth: {effect}."),
    ),
    Kind.EXCESS: (
        gettext_lazy("Judge {who} goes by the order of its contexts: in the opposite order its label changes more "
                     "often than in a plain repeat, by {effect}."),
        gettext_lazy("Judge {who} changes its label less often in the opposite order than in a plain repeat, by "
                     "{effect}. No effect of the order does that: look for another cause."),
    ),
    Kind.EARLY: (
        gettext_lazy("Judge {who} calls a claim supported more often when the first context of the file comes early: "
                     "{effect}."),
        gettext_lazy("Judge {who} calls a claim supported less often when the first context of the file comes early: "
                     "{effect}."),
    ),
    Kind.VAGUENESS: (
        gettext_lazy("Judge {who} lets vague hallucinated claims pass more often than specific ones: {effect}."),
        gettext_lazy("Judge {who} lets vague hallucinated claims pass less often than specific ones: {effect}."),
    ),
    Kind.OWN: (
        gettext_lazy("Held against judge {other}, judge {who} is kinder to answers of its own family than to others: "
                     "{effect}."),
        gettext_lazy("Held against judge {other}, judge {who} is stricter with answers of its own family than with "
                     "others: {effect}."),
    ),
    Kind.GENERATORS: (
        gettext_lazy("Held against judge {other}, judge {who} is kinder to answers of the first generator: "
                     "{effect}."),
        gettext_lazy("Held against judge {other}, judge {who} is stricter with answers of the first generator: "
                     "{effect}."),
    ),
    Kind.LENIENCY: (
        gettext_lazy("Judge {who} lets hallucinated claims pass more often than judge {other}: {effect}."),
        gettext_lazy("Judge {who} lets hallucinated claims pass less often than judge {other}: {effect}."),
    ),
    Kind.PLANTED: (
        gettext_lazy("Judge {who} falls for vague planted claims more often than for specific ones: {effect}."),
        gettext_lazy("Judge {who} falls for vague planted claims less often than for specific ones: {effect}."),
    ),
}  # fmt: skip


def effect_text(kind: Kind, size: float) -> str:
    """The size of an effect as a person says it: a factor of odds, or points of a percentage. Without its sign."""
    if kind is Kind.LENGTH:
        return _("a factor of {factor} in the odds per standard deviation").format(
            factor=number_text(math.exp(abs(size)), 2)
        )
    return _("{points} percentage points").format(points=number_text(100 * abs(size), 1))


def size_text(kind: Kind, size: float) -> str:
    """The same, short enough for a table."""
    if kind is Kind.LENGTH:
        return _("odds × {factor}").format(factor=number_text(math.exp(abs(size)), 2))
    return _("{points} points").format(points=number_text(100 * abs(size), 1))


def p_text(p: float | None) -> str:
    """Three decimals, never 0; a dash where nothing was tested."""
    return "–" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"


def sentence(one: Measure) -> str:
    """What can be said, and what cannot."""
    estimate = one.finding.estimate
    names = {"who": one.who[:1], "other": one.who[1:], "judges": _judges(one.who)}
    return _SENTENCES[one.standing](one, names | {"reason": reason_text(estimate.reason)})


def _judges(who: str) -> str:
    if len(who) == 1:
        return _("Judge {letter}").format(letter=who)
    return _("Judges {first} and {second}").format(first=who[0], second=who[1:])


def _told(one: Measure, names: dict[str, str]) -> str:
    value = one.finding.estimate.value or 0.0
    return str(TOLD[one.kind][value < 0]).format(**names, effect=effect_text(one.kind, value))


def _small(one: Measure, names: dict[str, str]) -> str:
    estimate = one.finding.estimate
    reach = max(abs(estimate.low or 0.0), abs(estimate.high or 0.0))
    words = _(
        "{judges}: no effect was told from chance, and the interval leaves room for a small one only: {effect}."
    )
    return words.format(**names, effect=effect_text(one.kind, reach))


def _unclear(one: Measure, names: dict[str, str]) -> str:
    seen = one.finding.detectable
    if seen is None:
        return _(
            "{judges}: not enough data to tell. With so few claims no effect would be seen, however large."
        ).format(**names)
    words = _("{judges}: not enough data to tell. Effects below this would mostly not be seen: {effect}.")
    return words.format(**names, effect=effect_text(one.kind, seen))


def _undefined(one: Measure, names: dict[str, str]) -> str:
    return _("{judges}: undefined, because {reason}.").format(**names)


_SENTENCES: dict[Standing, Callable[[Measure, dict[str, str]], str]] = {
    Standing.TOLD: _told,
    Standing.SMALL: _small,
    Standing.UNCLEAR: _unclear,
    Standing.UNDEFINED: _undefined,
}


def margin_text(kind: Kind) -> str:
    """What counts as small, for who wants to know."""
    return effect_text(kind, MARGINS[kind])

"""The sentences of a comparison of two audits. Numbers are fractions; differences are told in percentage points."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from audits.models import Audit
from audits.stats.difference import RateDifference
from audits.stats.estimate import Estimate
from audits.templatetags.explanations import reason_text
from audits.templatetags.figures import EstimateText, number_text, percent_text
from review.comparison import Audited, Comparison, Kind

MOST_DECIMALS = 3
KIND_WORDS: dict[Kind, tuple[Promise, Promise]] = {
    Kind.WORSE: (gettext_lazy("Worse"), gettext_lazy("supported before, hallucinated after")),
    Kind.OTHER: (
        gettext_lazy("Hallucinated otherwise"),
        gettext_lazy("contradicted before and unverified after, or the reverse"),
    ),
    Kind.OPEN: (gettext_lazy("Still open"), gettext_lazy("without a label in one audit, or in both")),
    Kind.ONLY_AFTER: (gettext_lazy("Only after"), gettext_lazy("the answer before made no such claim")),
    Kind.ONLY_BEFORE: (gettext_lazy("Only before"), gettext_lazy("the answer after makes no such claim")),
    Kind.BETTER: (gettext_lazy("Better"), gettext_lazy("hallucinated before, supported after")),
    Kind.SAME: (gettext_lazy("The same"), gettext_lazy("the same label before and after")),
}
SETTING_WORDS: dict[str, Promise] = {
    "judges": gettext_lazy("Judges"),
    "extractor": gettext_lazy("Extractor"),
    "prompts": gettext_lazy("Prompts"),
    "claims_per_call": gettext_lazy("Claims per call"),
    "threshold": gettext_lazy("Accepted hallucination rate"),
    "confidence": gettext_lazy("Confidence"),
    "scope": gettext_lazy("Statement about"),
    "dataset": gettext_lazy("Dataset"),
}


@dataclass(frozen=True)
class Headline:
    """The difference in one sentence, and as a number with its interval; text is None where it is undefined."""

    sentence: str
    text: EstimateText | None
    lines: tuple[str, ...]  # of the explanation


def headline(found: Comparison) -> Headline:
    """What the comparison says. Where it says nothing, why."""
    rates = found.rates
    before, after, difference = rates.before.value, rates.after.value, rates.difference.value
    if before is None or after is None or difference is None:
        why = [_missing(each) for each in (found.before, found.after) if not each.rate.decided]
        return Headline(" ".join(why), None, ())
    decimals = _decimals((before, after, difference))
    values = {
        "before": percent_text(before, decimals),
        "after": percent_text(after, decimals),
        "difference": points(difference, decimals),
    }
    if difference < 0:
        sentence = _("The rate fell from %(before)s to %(after)s: difference %(difference)s points") % values
    elif difference > 0:
        sentence = _("The rate rose from %(before)s to %(after)s: difference %(difference)s points") % values
    else:
        sentence = _("The rate is %(after)s before and after: difference %(difference)s points") % values
    rest = _interval(rates.difference, decimals)
    return Headline(f"{sentence}{rest}", _text(rates.difference, decimals), tuple(_lines(rates)))


def points(difference: float, decimals: int = 1) -> str:
    """-0.029 -> "-2.9": percentage points with their sign, which also what is rounded to 0 keeps: "-0.0"."""
    return f"{100 * difference:+.{decimals}f}" if difference else f"{0:.{decimals}f}"


def shown_values(code: str, values: Sequence[str]) -> list[str]:
    """The values of a setting as the reader sees them."""
    if code in ("threshold", "confidence"):
        return [_("{number} %").format(number=f"{100 * float(value):g}") for value in values]
    if code == "scope":
        names = dict(Audit.Scope.choices)
        return [str(names.get(value, value)) for value in values]
    return list(values)


def reach_text(found: Comparison) -> str:
    """Where the difference ends once all is settled; "" where nothing is open."""
    reach, open_claims = found.reach, found.before.rate.disputed + found.after.rate.disputed
    if reach is None or not open_claims:
        return ""
    text = ngettext(
        "Once the %(n)s open claim is settled, the difference over all claims lies between %(low)s and %(high)s "
        "points.",
        "Once the %(n)s open claims are settled, the difference over all claims lies between %(low)s and %(high)s "
        "points.",
        open_claims,
    )
    return text % {"n": number_text(open_claims), "low": points(reach[0]), "high": points(reach[1])}


def _missing(each: Audited) -> str:
    name = {"audit": each.audit.name}
    if each.rate.total:
        return _("The difference is undefined: no claim of “%(audit)s” is decided yet.") % name
    return _("The difference is undefined: “%(audit)s” has no claims.") % name


def _interval(difference: Estimate, decimals: int) -> str:
    if difference.low is None or difference.high is None:
        return _(". No interval can be stated: %(reason)s.") % {"reason": reason_text(difference.reason)}
    changed = difference.low > 0 or difference.high < 0
    verdict = _("the data rule out no change") if changed else _("the data do not rule out no change")
    return _(", %(confidence)s %% interval %(low)s to %(high)s: %(verdict)s.") % {
        "confidence": f"{100 * difference.confidence:g}",
        "low": points(difference.low, decimals),
        "high": points(difference.high, decimals),
        "verdict": verdict,
    }


def _text(difference: Estimate, decimals: int) -> EstimateText:
    value = _("%(difference)s points") % {"difference": points(difference.value or 0.0, decimals)}
    n = number_text(difference.n)
    if difference.low is None or difference.high is None:
        why = reason_text(difference.reason)
        return EstimateText(value, _("(no interval: {why}; n = {n})").format(why=why, n=n), True)
    low, high = (points(limit, decimals) for limit in (difference.low, difference.high))
    return EstimateText(value, _("({low} to {high}, n = {n})").format(low=low, high=high, n=n), True)


def _lines(rates: RateDifference) -> list[str]:
    share = _("{number} %").format(number=f"{100 * rates.difference.confidence:g}")
    words = _("The interval is built so that it contains the true value in {share} of cases.")
    lines = [words.format(share=share)] if rates.difference.low is not None else []
    text = ngettext(
        "%(n)s answer with decided claims is in both audits.",
        "%(n)s answers with decided claims are in both audits.",
        rates.answers,
    )
    return [*lines, text % {"n": number_text(rates.answers)}]


def _decimals(values: Sequence[float]) -> int:
    """The fewest with which nothing is shown as 0 that is not."""
    given = [100 * value for value in values if value]
    for decimals in range(1, MOST_DECIMALS):
        if all(round(value, decimals) for value in given):
            return decimals
    return MOST_DECIMALS

"""What a number is, in plain words, and why one may be undefined. Keyed by the codes that the statistics use."""

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from audits.templatetags import explanations_bias, explanations_calibration, explanations_rates

Words = str | Promise

WHAT: dict[str, tuple[Words, Words]] = {
    "hallucination_rate": (
        _("Hallucination rate"),
        _(
            "Of all scored claims, the share that the retrieved context contradicts or does not mention. "
            "The interval takes the answers for a sample and the claims of one answer for alike; "
            "errors that both judges share are not in it."
        ),
    ),
    "faithfulness": (
        _("Faithfulness"),
        _("Of all scored claims, the share that the retrieved context supports: 1 minus the hallucination rate."),
    ),
    "coverage": (
        _("Coverage"),
        _("Claims with a usable label, divided by all claims that the judges were asked about."),
    ),
    "agreement": (
        _("Agreement"),
        _("The share of claims to which both raters gave the same label. Raters that agree can both be wrong."),
    ),
    "kappa": (
        _("Cohen's kappa"),
        _(
            "Agreement beyond chance: 1 is perfect, 0 is what chance would give. When nearly all claims carry one"
            " label, kappa is low although the raters agree; read it beside the agreement and AC1."
        ),
    ),
    "ac1": (
        _("Gwet's AC1"),
        _("Agreement beyond chance, by a measure that stays stable when nearly all claims carry one label."),
    ),
    "alpha": (
        _("Krippendorff's alpha"),
        _(
            "Agreement beyond chance, for any number of raters and also where not everybody labelled every claim: 1 "
            "is perfect, 0 is what chance would give. Like kappa it is low when nearly all claims carry one label."
        ),
    ),
    "base_rate": (
        _("Base rate"),
        _(
            "How often this rater gives the label at all. Two raters with very different rates cannot agree often, "
            "and a label that is rare for both makes kappa and alpha low."
        ),
    ),
    "specific_agreement": (
        _("Agreement on one label"),
        _("Of the claims to which one of the two gives this label, how often the other gives it, too."),
    ),
    "precision": (
        _("Precision"),
        _(
            "Of the claims that the judge calls contradicted or unverified, the share that the experts call so, too: "
            "how far its alarms can be trusted."
        ),
    ),
    "recall": (
        _("Recall"),
        _(
            "Of the claims that the experts call contradicted or unverified, the share that the judge calls so, too: "
            "how much it finds. What it misses lies among the claims that it calls supported."
        ),
    ),
    "peer_agreement": (
        _("Agreement with colleagues"),
        _(
            "Of the claims that this expert and a colleague labelled without knowing of each other, the share with "
            "the same label. Either of the two may be wrong."
        ),
    ),
    "gold_agreement": (
        _("Agreement with known labels"),
        _("Of the claims with a known label that this expert was given, unmarked, the share with the same label."),
    ),
    "error_rate": (
        _("Error rate"),
        _("Of the claims that experts checked, the share on which the expert's label differs."),
    ),
    "flip_rate": (
        _("Flip rate"),
        _(
            "Of the claims that a judge labelled both times, the share with another label the second time. The "
            "interval takes the claims of one answer for alike. It says nothing of which label is right."
        ),
    ),
    "": (_("Estimate"), _("A value from a sample, with the interval in which the true value plausibly lies.")),
}

REASONS: dict[str, Words] = {
    "no_claims": _("there are no claims"),
    "no_decided_claims": _("no claim is decided yet"),
    "no_shared_items": _("no claim was labelled by both"),
    "one_label": _("only one label occurs, so there is no variation to measure"),
    "constant_rater": _("one rater used a single label, so kappa is 0 by arithmetic"),
    "nothing_counted": _("nothing was counted"),
    "not_judged_again": _("no claim was labelled both times"),
    "not_checked": _("no expert has checked any of these claims"),
    "stratum_not_checked": _("one group of claims has not been checked by an expert"),
    "label_not_used": _("neither of the two gave this label"),
    "few_items": _("under 30 claims, too few for an interval of this figure"),
    "unequal_raters": _("not every claim has labels of equally many people"),
    "no_alarms": _("the judge calls no claim contradicted or unverified"),
    "none_hallucinated": _("the experts call no claim contradicted or unverified"),
    "none_supported": _("the experts call no claim supported"),
    "one_answer": _("all claims come from one answer"),
    "few_answers": _("too few answers to speak of the traffic they came from"),
    "supported_not_checked": _("agreed claims have not been checked by an expert"),
    "spot_check_incomplete": _("the spot check is not finished"),
    "disputed_open": _("disputed claims are still open"),
    "threshold_inside_limits": _("the threshold lies inside the interval"),
    "rule_changed": _("the acceptance rule was changed after the audit began"),
    "judges_never_disagree": _("the judges never disagreed"),
}


WHAT |= explanations_bias.WHAT | explanations_calibration.WHAT | explanations_rates.WHAT
REASONS |= explanations_bias.REASONS | explanations_calibration.REASONS


def reason_text(code: str) -> str:
    """The words for a reason's code; an unknown code is readable as it is."""
    if not code:
        return gettext("no data")
    known = REASONS.get(code)
    return str(known) if known is not None else code.replace("_", " ")


def what_text(code: str) -> tuple[str, str]:
    """Title and explanation of a statistic; anything unknown is explained as an estimate."""
    title, text = WHAT.get(code) or WHAT[""]
    return str(title), str(text)

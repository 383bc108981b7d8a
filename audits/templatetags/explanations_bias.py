"""What the numbers of the bias report are, in plain words, and why one may be undefined."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Words = str | Promise

WHAT: dict[str, tuple[Words, Words]] = {
    "length_slope": (
        _("Pull of length"),
        _(
            "The logarithm of the odds with which the judge calls a claim supported, for each standard deviation by "
            "which its answer is longer, at equal truth. 0: length does not matter; above 0: longer answers are "
            "called supported more often."
        ),
    ),
    "wrong_share": (
        _("Wrong labels"),
        _(
            "Of all claims, the share on which the judge and the experts differ about whether the claim holds. "
            "Each reviewed claim stands for the claims of its group that experts did not see."
        ),
    ),
    "excess_flips": (
        _("Flips beyond noise"),
        _(
            "How much more often the judge changes its label when its contexts come in the opposite order than when "
            "the same question is asked again. Only this difference is owed to the order."
        ),
    ),
    "early_context": (
        _("Pull of the first context"),
        _(
            "How much more often a claim is called supported when the first context of the file comes early in what "
            "the judge reads than when it comes late."
        ),
    ),
    "judge_gap": (
        _("Gap of two judges"),
        _(
            "How much more often the first of two judges calls the same claims supported than the second. It says "
            "which of the two is kinder, not which of them is right."
        ),
    ),
    "false_support": (
        _("False support"),
        _(
            "Of the claims that the experts call contradicted or unverified, the share that the judge calls "
            "supported."
        ),
    ),
    "vague_gap": (
        _("Vague minus specific"),
        _("How much more often the judge lets vague claims pass that are hallucinated than specific ones."),
    ),
    "planted_share": (
        _("Planted claims called supported"),
        _(
            "Of the claims that were made false on purpose, the share that was called supported all the same. The "
            "claims were chosen because a rule can make them false for certain, so it says nothing of other claims."
        ),
    ),
}

REASONS: dict[str, Words] = {
    "same_length": _("all answers have equally many claims"),
    "too_few_errors": _("the judge is wrong on fewer than 10 of the reviewed claims, too few for a slope"),
    "too_few_answers": _("the claims come from fewer than 10 answers"),
    "separation": _("the judge's labels split perfectly, so no slope fits"),
    "one_outcome": _("the judge gave all these claims the same label"),
    "no_vague_hallucinated": _("the experts call no vague claim contradicted or unverified"),
    "no_specific_hallucinated": _("the experts call no specific claim contradicted or unverified"),
    "one_generator": _("all claims that can be compared are of one generator"),
    "no_planted": _("no planted claim has a label yet"),
    "no_planted_pairs": _("no claim has a label for both its variants"),
}

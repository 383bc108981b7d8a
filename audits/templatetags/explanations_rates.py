"""What the audited figures of an audit are, in plain words. See explanations.py."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Words = str | Promise

WHAT: dict[str, tuple[Words, Words]] = {
    "corrected_rate": (
        _("Corrected hallucination rate"),
        _(
            "Of all claims, the share that experts call contradicted or unverified. Experts labelled the disputed "
            "claims and a random part of the agreed ones, without knowing what the judges said; each group counts "
            "with the number of its claims. The interval holds whatever errors the judges share. It is that of these "
            "answers: nothing is said of others."
        ),
    ),
    "traffic_rate": (
        _("Corrected rate of the traffic"),
        _(
            "The same share in the traffic that these answers were drawn from at random. It has the value of the "
            "rate of these answers and a wider interval: other answers could have been drawn, and claims of one "
            "answer are alike. If the answers were picked in any other way, it says nothing."
        ),
    ),
    "macro_rate": (
        _("Rate per answer"),
        _(
            "The hallucinated share of each answer's claims, averaged over the answers, so that a long answer counts "
            "as much as a short one. n counts answers. Answers without claims are in neither rate."
        ),
    ),
    "judged_rate": (
        _("The judges' verdict, not audited"),
        _(
            "Of the claims on which the judges agree, the share that they call contradicted or unverified. Errors "
            "that they share are not in its interval, so it is no estimate of the hallucination rate."
        ),
    ),
    "stratum_rate": (
        _("Hallucinated among these"),
        _(
            "Of the claims in this group, the share that experts call contradicted or unverified, with exact limits "
            "for a random draw from so many claims. Where experts saw all of them, the share is known and has no "
            "margin."
        ),
    ),
    "design_effect": (
        _("Design effect"),
        _(
            "How many times larger the variance is than if every claim had come from an answer of its own. Never "
            "taken below what a correlation of 0.2 within an answer gives: few hallucinations show too little of it."
        ),
    ),
    "refusal_rate": (
        _("Refusals"),
        _(
            "Of the answers whose claims were cut, the share that declines to answer and makes no claim: neither "
            "hallucination nor success, and in no rate. The interval takes the answers for a random sample."
        ),
    ),
    "without_claims_rate": (
        _("Answers without claims"),
        _(
            "Of the answers whose claims were cut, the share without a single claim, refusals included. They have no "
            "rate. The interval takes the answers for a random sample."
        ),
    ),
}

"""What the figures of a calibration are, in plain words, and why one may be undefined. See explanations.py."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Words = str | Promise

WHAT: dict[str, tuple[Words, Words]] = {
    "cal_coverage": (
        _("Coverage"),
        _("Of what people labelled, the share with a usable label of the judge. The rest is in no other figure."),
    ),
    "cal_precision": (
        _("Precision"),
        _("Of what the judge calls hallucinated, the share that people call so, too: how far to trust its alarms."),
    ),
    "cal_recall": (
        _("Recall"),
        _("Of what people call hallucinated, the share that the judge calls so, too. The rest it calls supported."),
    ),
    "cal_specificity": (
        _("Specificity"),
        _("Of what people call supported, the share that the judge leaves alone. The rest are false alarms."),
    ),
    "cal_shared": (
        _("Shared errors"),
        _(
            "Of what all judges labelled, the share on which all of them are wrong together. Agreement hides these "
            "errors: no dispute brings them to an expert."
        ),
    ),
    "cal_missed": (
        _("Missed by all"),
        _("Of what people call hallucinated and all judges labelled, the share that every judge calls supported."),
    ),
    "cal_disputed": (
        _("Disputed"),
        _("The share on which the panel comes to no decision, so that experts would be asked."),
    ),
    "cal_slipped": (
        _("Slipped through"),
        _(
            "Of what people call hallucinated, the share that the panel decides as supported. Only a spot check of "
            "agreed claims finds these."
        ),
    ),
    "cal_found": (
        _("Found by the judges"),
        _("Of what people call hallucinated, the share that the panel decides as contradicted or unverified."),
    ),
    "cal_open": (_("Left to experts"), _("Of what people call hallucinated, the share that the panel disputes.")),
    "cal_wrong": (
        _("Wrong decisions"),
        _("Of what the panel decides without dispute, the share that people see the other way round."),
    ),
    "cal_people": (
        _("Hallucination rate by people"),
        _("Of what people labelled, the share that they call hallucinated. It says nothing of other answers."),
    ),
    "cal_naive": (
        _("Hallucination rate by the judges alone"),
        _(
            "What would be reported if agreed decisions were taken for the truth: their hallucinated share, disputed "
            "ones left out."
        ),
    ),
    "cal_gap": (
        _("Judges minus people"),
        _("How far the rate of the judges alone lies from that of people. Below zero it flatters the system."),
    ),
    "cal_versus": (
        _("Difference"),
        _(
            "This judge minus the one that it is compared with, on what both labelled. Above zero it is better. "
            "An interval that contains zero leaves open which of the two is."
        ),
    ),
}

REASONS: dict[str, Words] = {
    "no_units": _("nothing has a usable label of people"),
    "people_none_hallucinated": _("people call nothing hallucinated here"),
    "people_none_supported": _("people call nothing supported here"),
    "nothing_agreed": _("the panel came to no decision"),
}

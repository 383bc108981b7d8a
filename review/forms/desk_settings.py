"""The form of a person's own desk: pace and keys."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from review.desk_keys import DEFAULTS, Problem, moved, normal, problems
from review.models import DeskSettings
from review.preferences import Preferences

ACTS = {
    "supported": _("Supported"),
    "contradicted": _("Contradicted"),
    "unverified": _("Unverified"),
    "skip": _("Skip"),
    "next": _("Next claim, begin"),
    "undo": _("Take the last label back, or change it"),
    "verdicts": _("See what the judges said of the last claim"),
    "keep": _("Keep the label after the verdicts"),
    "change": _("Change the label after the verdicts"),
    "evidence": _("Unfold or fold all contexts"),
    "search": _("Search the contexts"),
    "highlights": _("Show or hide the passages worth reading"),
    "mark": _("Mark the selected text as evidence"),
    "guidelines": _("Guidelines"),
    "help": _("Show the keys"),
}
SENTENCES = {
    Problem.MISSING: _("Choose a key for this."),
    Problem.NOT_ONE: _("One letter, one digit or one sign."),
    Problem.RESERVED: _("Browsers use this key themselves. Choose another one."),
    Problem.TWICE: _("Two acts have this key. Give one of them another key."),
}


class DeskSettingsForm(forms.Form):
    """pace, single_keys, and one field per act, named key_ACT."""

    pace = forms.ChoiceField(
        label=_("After a label"), choices=DeskSettings.Pace.choices, widget=forms.RadioSelect, required=True
    )
    single_keys = forms.BooleanField(label=_("Use single keys"), required=False)

    def __init__(self, data: Any, *, now: Preferences) -> None:
        first = {"pace": now.pace, "single_keys": now.single_keys}
        super().__init__(data, initial=first, auto_id="desk_%s", label_suffix="")
        for act, words in ACTS.items():
            box = forms.TextInput(attrs={"maxlength": 4, "size": 2, "autocomplete": "off", "autocapitalize": "none"})
            self.fields[f"key_{act}"] = forms.CharField(
                label=words, required=False, widget=box, initial=now.keys[act].upper()
            )

    @property
    def key_fields(self) -> list[forms.BoundField]:
        """The fields of the keys, in the order of the acts."""
        return [self[f"key_{act}"] for act in ACTS]

    def clean(self) -> dict[str, Any]:
        """Keys that cannot be had become errors of their fields."""
        cleaned: dict[str, Any] = super().clean() or {}
        keys = {act: normal(cleaned.get(f"key_{act}", "")) for act in DEFAULTS}
        for act, problem in problems(keys).items():
            self.add_error(f"key_{act}", SENTENCES[problem])
        cleaned["keys"] = keys
        return cleaned

    def remember(self, user: Any) -> None:
        """Store the choices of a valid form."""
        chosen = self.cleaned_data
        DeskSettings.remember(
            user, pace=chosen["pace"], single_keys=chosen["single_keys"], keys=moved(chosen["keys"])
        )

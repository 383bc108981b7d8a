"""The form that says what a dataset is a sample of."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _


def _day(label: Any) -> forms.DateField:
    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    return forms.DateField(label=label, required=False, input_formats=["%Y-%m-%d"], widget=widget)


class OriginForm(forms.Form):
    """Period of the traffic, and how the answers were drawn from it."""

    period_from = _day(_("First day"))
    period_to = _day(_("Last day"))
    drawn = forms.CharField(
        label=_("How the answers were drawn"),
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("For instance: 300 answers of October, drawn at random from the log of the loan desk."),
    )

    def clean(self) -> dict[str, Any]:
        """A period does not end before it begins."""
        data: dict[str, Any] = super().clean() or {}
        first, last = data.get("period_from"), data.get("period_to")
        if first and last and last < first:
            self.add_error("period_to", _("The last day lies before the first one."))
        return data

"""How many claims a further look adds, and why a claim is given up."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from review.giving_up import LONGEST


class LookForm(forms.Form):
    """more: claims, from 1 to `unseen`."""

    def __init__(self, *args: Any, unseen: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        widget = forms.NumberInput(attrs={"inputmode": "numeric", "id": "more"})
        label = _("Claims that this look adds")
        self.fields["more"] = forms.IntegerField(label=label, min_value=1, max_value=max(1, unseen), widget=widget)


class GiveUpForm(forms.Form):
    """The reason, which is kept and goes into the evidence."""

    reason = forms.CharField(
        max_length=LONGEST,
        error_messages={"required": _("A claim is given up with a reason. Nothing was changed.")},
    )

"""Forms of those who run a review: its rules, which skips are shown, which tags an expert looks at."""

from collections.abc import Collection
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator
from django.utils.translation import gettext_lazy as _

from review.models import Skip

TAGS_SHOWN = 100  # boxes on one page; more are found by searching


class RulesForm(forms.Form):
    """What holds for all audits of the project."""

    reveal = forms.BooleanField(
        label=_("Experts may see what the judges said after their own label"),
        help_text=_("Off: nobody is shown a verdict at the desk, and every later label stays blind."),
        required=False,
    )
    gold_bar = forms.IntegerField(
        label=_("Bar for known labels, in percent"),
        help_text=_(
            "An expert who meets fewer of the known labels than this is pointed out to you. Nobody is blocked."
        ),
        min_value=0,
        validators=[MaxValueValidator(100)],
        widget=forms.NumberInput(attrs={"max": 100}),
    )


class SkipFilter(forms.Form):
    """Which skipped claims are shown. What is on no list counts as not chosen."""

    reason = forms.ChoiceField(label=_("Reason"), required=False, choices=[("", _("any")), *Skip.Reason.choices])
    only_open = forms.BooleanField(label=_("only claims that are still open"), required=False)


class TagsForm(forms.Form):
    """Which tags one expert looks at: those that are ticked. Ticked ones are always shown, whatever is searched."""

    find = forms.CharField(label=_("Find a tag"), required=False, max_length=200)
    tags = forms.MultipleChoiceField(
        label=_("Looks at"), required=False, widget=forms.CheckboxSelectMultiple, choices=()
    )

    def __init__(self, data: Any, *, known: Collection[tuple[str, int]], ticked: Collection[str]) -> None:
        super().__init__(data, initial={"tags": list(ticked)})
        ticked = set(data.getlist("tags") if data is not None else ticked)
        wanted = (data.get("find", "") if data is not None else "").strip().casefold()
        matching = [(tag, n) for tag, n in known if tag in ticked or wanted in tag.casefold()]
        matching.sort(key=lambda pair: pair[0] not in ticked)
        most = max(TAGS_SHOWN, len(ticked))
        self.hidden = len(known) - len(matching[:most])
        self.searchable = len(known) > TAGS_SHOWN // 4
        field = self.fields["tags"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [(tag, f"{tag} ({n:,})") for tag, n in matching[:most]]

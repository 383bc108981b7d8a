"""The filter of the own labels."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from audits.labels import Label
from audits.models import Project
from audits.templatetags.labelling import WORDS

ANY = ("", _("any"))
LABELS = [(label.value, WORDS[label.value.lower()]) for label in Label]


class MineFilter(forms.Form):
    """Which of the own labels are shown. What is on no list counts as not chosen."""

    q = forms.CharField(
        label=_("Words in the claim"),
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search"}),
    )
    project = forms.ChoiceField(label=_("Project"), required=False)
    label = forms.ChoiceField(label=_("Label"), required=False, choices=[ANY, *LABELS])

    def __init__(self, data: Any, projects: QuerySet[Project]) -> None:
        super().__init__(data)
        field = self.fields["project"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [ANY, *projects.order_by("name").values_list("slug", "name")]
        self.is_valid()

    def apply(self, labels: QuerySet[Any]) -> QuerySet[Any]:
        """Those that pass."""
        chosen = self.cleaned_data
        if chosen.get("q"):
            labels = labels.filter(item__claim__text__icontains=chosen["q"])
        if chosen.get("project"):
            labels = labels.filter(item__plan__audit__project__slug=chosen["project"])
        if chosen.get("label"):
            labels = labels.filter(label=chosen["label"])
        return labels

    @property
    def is_active(self) -> bool:
        """Whether anything is filtered."""
        return any(self.cleaned_data.values())

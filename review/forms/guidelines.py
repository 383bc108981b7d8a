"""The form of a project's guidelines: a text, and rows of examples that come and go without scripts."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, cast

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audits.labels import Label
from audits.templatetags.labelling import WORDS
from review.guidelines import MOST_EXAMPLES, PART_LIMIT, TEXT_LIMIT, Example, Guide

PARTS = ("context", "claim", "label", "why")
PREFIX = "example"
LABELS = [("", gettext_lazy("choose")), *((label.value, WORDS[label.value.lower()]) for label in Label)]


def _part(label: Any, rows: int = 2) -> forms.CharField:
    area = forms.Textarea(attrs={"rows": rows})
    return forms.CharField(label=label, max_length=PART_LIMIT, required=False, widget=area)


class GuidelinesForm(forms.Form):
    """The text. based_on: the version that the author read."""

    based_on = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    text = forms.CharField(
        label=gettext_lazy("What experts should know"),
        max_length=TEXT_LIMIT,
        help_text=gettext_lazy("Plain text; an empty line begins a new paragraph."),
        widget=forms.Textarea(attrs={"rows": 16}),
    )


class ExampleForm(forms.Form):
    """One example; a row that is left empty is no example."""

    context = _part(gettext_lazy("Context"))
    claim = _part(gettext_lazy("Claim"))
    label = forms.ChoiceField(label=gettext_lazy("Label"), choices=LABELS, required=False)
    why = _part(gettext_lazy("Why"))

    def clean(self) -> dict[str, Any]:
        """A row that says anything needs a claim and a label."""
        given: dict[str, Any] = super().clean() or {}
        if any(given.values()):
            if not given.get("claim") and "claim" not in self.errors:
                self.add_error("claim", _("An example needs a claim."))
            if not given.get("label") and "label" not in self.errors:
                self.add_error("label", _("An example needs a label."))
        return given


class ExampleRows(forms.BaseFormSet):  # type: ignore[type-arg]  # generic in its stubs only
    """The rows of examples."""

    default_error_messages = {
        "too_many_forms": gettext_lazy("At most %(num)d examples fit. Take some away."),
        "missing_management_form": gettext_lazy("The examples did not arrive whole. Nothing was saved. Try again."),
    }


ExampleFormSet = cast(
    type[ExampleRows],
    forms.formset_factory(
        ExampleForm,
        formset=ExampleRows,
        extra=0,
        max_num=MOST_EXAMPLES,
        validate_max=True,
        absolute_max=MOST_EXAMPLES + 1,
    ),
)


def rows_of(guide: Guide) -> ExampleRows:
    """The rows with the examples of these guidelines."""
    return ExampleFormSet(initial=[asdict(example) for example in guide.examples], prefix=PREFIX)


def rearranged(sent: ExampleRows, *, add: bool = False, remove: int | None = None) -> ExampleRows:
    """The rows as they were typed, with an empty one more or without one of them; nothing is checked yet."""
    rows = [{part: form[part].value() or "" for part in PARTS} for form in sent.forms]
    if remove is not None:
        rows = [row for number, row in enumerate(rows) if number != remove]
    if add and len(rows) < MOST_EXAMPLES:
        rows.append(dict.fromkeys(PARTS, ""))
    return ExampleFormSet(initial=rows, prefix=PREFIX)


def examples_in(rows: ExampleRows) -> Sequence[Example]:
    """The examples of rows that are valid, without the empty ones."""
    filled = [form.cleaned_data for form in rows.forms if form.cleaned_data.get("claim")]
    return [Example(**{part: _plain(row[part]) for part in PARTS}) for row in filled]


def _plain(text: str) -> str:
    """Line ends as they are stored; a browser sends others."""
    return text.replace("\r\n", "\n")

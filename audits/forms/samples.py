"""The filter of a dataset's samples: words, flag, tag, and the value of a column that travelled along."""

from collections import Counter
from typing import Any

from django import forms
from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audits.from_file import FileOrder
from audits.json_queries import Holds, TextOf
from audits.models import Dataset, Sample
from audits.templatetags.dataset_words import FLAG_WORDS

MOST = 100  # tags or values that are offered, the most frequent
LOOKED_AT = 5_000  # samples among which tags are looked for
NAMED_BY = 50  # samples among which columns are looked for
LONGEST = 120  # characters of a value that is offered; longer ones are texts, not kinds
NOTHING = "-"  # the choice "has no value"; a value is sent with a "=" before it
ANY = ("", gettext_lazy("any"))


class SampleFilter(forms.Form):
    """Which samples are shown. What is on no list counts as not chosen."""

    q = forms.CharField(
        label=gettext_lazy("Search questions, answers, identifiers"),
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search"}),
    )
    flag = forms.ChoiceField(label=gettext_lazy("Flag"), required=False, choices=[ANY, *FLAG_WORDS.items()])
    tag = forms.ChoiceField(label=gettext_lazy("Tag"), required=False)
    column = forms.ChoiceField(label=gettext_lazy("Other column"), required=False)
    value = forms.ChoiceField(label=gettext_lazy("Its value"), required=False)

    def __init__(self, data: Any, *, dataset: Dataset, with_metadata: bool) -> None:
        """with_metadata: whether the person may see the columns that travelled along."""
        super().__init__(data, auto_id="filter_%s", label_suffix="")
        self._samples, self._order = dataset.samples.order_by(), FileOrder(dataset)
        self._offer("tag", [(tag, tag) for tag in self._tags()])
        columns = self._columns() if with_metadata else []
        self._offer("column", [(name, name) for name in columns])
        chosen = str(data.get("column") or "")
        self._offer("value", self._values(chosen) if chosen in columns else [])

    def _offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        if choices:
            field.choices = [ANY, *choices]
        else:
            del self.fields[name]

    def _tags(self) -> list[str]:
        lists = self._samples.exclude(tags=[]).values_list("tags", flat=True)[:LOOKED_AT]
        return [tag for tag, _times in Counter(tag for tags in lists for tag in tags).most_common(MOST)]

    def _columns(self) -> list[str]:
        rows = self._samples.order_by("position").values_list("metadata", flat=True)[:NAMED_BY]
        return [*self._order.sorted(dict.fromkeys(name for row in rows for name in row))]

    def _values(self, column: str) -> list[tuple[str, str]]:
        counted = self._samples.annotate(value=TextOf("metadata", column)).values("value").annotate(n=Count("pk"))
        found = [
            (NOTHING, _("has none")) if value is None else (f"={value}", value)
            for value in counted.order_by("-n", "value").values_list("value", flat=True)[:MOST]
            if value is None or len(value) <= LONGEST
        ]
        return found

    def apply(self, samples: QuerySet[Sample]) -> QuerySet[Sample]:
        """The samples that pass the filter."""
        self.is_valid()
        chosen = {name: value for name, value in self.cleaned_data.items() if value}
        if words := chosen.get("q"):
            samples = samples.filter(
                Q(question__icontains=words) | Q(answer__icontains=words) | Q(external_id__icontains=words)
            )
        for name, field in (("flag", "flags"), ("tag", "tags")):
            if name in chosen:
                samples = samples.filter(Holds(field, chosen[name]))
        if "value" in chosen:
            samples = samples.annotate(value=TextOf("metadata", chosen["column"]))
            wanted = None if chosen["value"] == NOTHING else chosen["value"][1:]
            samples = samples.filter(value__isnull=True) if wanted is None else samples.filter(value=wanted)
        return samples

"""Forms of a dataset: the file, how it is read, and which column is what."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from audits.models import Dataset

ACCEPTED = ".csv,.tsv,.txt,.xlsx,.xlsm,.jsonl,.ndjson,.json"
ENCODINGS = ("utf-8", "gb18030", "big5", "utf-16", "windows-1252", "shift_jis", "euc_kr")
DELIMITERS = ((",", _("comma ,")), (";", _("semicolon ;")), ("\t", _("tab")), ("|", _("bar |")))
GENERATOR_LABEL = _("Generator model")
GENERATOR_HELP = _("The model that wrote these answers, if you know it: no judge of its family may judge them.")


class UploadForm(forms.Form):
    """A file and what is known of it. The file comes last: the name survives an upload that is stopped."""

    name = forms.CharField(
        label=_("Name"), max_length=200, required=False, help_text=_("Left empty, the file's name is used.")
    )
    file = forms.FileField(
        label=_("Drop the file here, or choose it"),
        allow_empty_file=True,  # the reader says it better
        widget=forms.FileInput(attrs={"accept": ACCEPTED}),
        error_messages={"required": _("No file has arrived. Choose a file, then upload it.")},
    )

    def __init__(self, *args: Any, too_large: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.too_large = too_large
        text = _("CSV, XLSX, JSONL or JSON, up to %(limit)s MB. One row per answer: question, answer, contexts.")
        self.fields["file"].help_text = text % {"limit": settings.ASSAY_MAX_UPLOAD_MB}

    def clean(self) -> dict[str, Any] | None:
        """A file that was stopped at the limit is missing from the request; that is what the person must hear."""
        if self.too_large:
            self.errors.pop("file", None)
            text = _("The file is larger than %(limit)s MB. Nothing was imported. Split it and upload the parts.")
            self.add_error("file", forms.ValidationError(text, "too_large", {"limit": settings.ASSAY_MAX_UPLOAD_MB}))
        return super().clean()


class ReadingForm(forms.Form):
    """How the file is read: only what its format leaves open."""

    encoding = forms.ChoiceField(label=_("Encoding"), required=False)
    delimiter = forms.ChoiceField(label=_("Columns are separated by"), required=False)
    sheet = forms.ChoiceField(label=_("Sheet"), required=False)

    def __init__(self, *args: Any, dataset: Dataset, sheets: Sequence[str] = (), **kwargs: Any) -> None:
        kwargs["initial"] = {name: getattr(dataset, name) for name in ("encoding", "delimiter", "sheet")}
        super().__init__(*args, **kwargs)
        text = bool(dataset.encoding) and dataset.format in {"csv", "jsonl", "json"}
        known = [(name, name.upper()) for name in ENCODINGS]
        self._offer("encoding", text, _with_current(known, dataset.encoding))
        self._offer("delimiter", dataset.format == "csv", _with_current(DELIMITERS, dataset.delimiter))
        self._offer("sheet", len(sheets) > 1, [(name, name) for name in sheets])

    def _offer(self, name: str, open_here: bool, choices: Sequence[tuple[str, Any]]) -> None:
        if open_here:
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = choices
        else:
            del self.fields[name]


class MappingForm(forms.Form):
    """Which column is the question, the answer, the contexts and the id."""

    answer = forms.ChoiceField(
        label=_("Answer"), error_messages={"required": _("Choose which column holds the answer.")}
    )
    contexts = forms.MultipleChoiceField(
        label=_("Contexts"),
        widget=forms.CheckboxSelectMultiple,
        help_text=_("What was retrieved for the answer. Several columns follow each other in the file's order."),
        error_messages={"required": _("Choose at least one column that holds the contexts.")},
    )
    question = forms.ChoiceField(label=_("Question"), required=False)
    id = forms.ChoiceField(
        label=_("Identifier"),
        required=False,
        help_text=_("Names a sample in tables and exports. Without one, rows are numbered."),
    )
    generator = forms.CharField(label=GENERATOR_LABEL, max_length=200, required=False, help_text=GENERATOR_HELP)

    def __init__(self, *args: Any, dataset: Dataset, **kwargs: Any) -> None:
        found = dataset.mapping
        initial = {name: found.get(name) or "" for name in ("question", "answer", "id")}
        initial |= {"contexts": _listed(found.get("contexts")), "generator": dataset.generator}
        super().__init__(*args, **{**kwargs, "initial": initial})
        columns = [(name, name) for name in dataset.columns]
        nothing = {"answer": _("Choose a column"), "question": _("not in the file"), "id": _("not in the file")}
        for name, word in nothing.items():
            self._choices(name, [("", word), *columns])
        self._choices("contexts", columns)

    def _choices(self, name: str, choices: Sequence[tuple[str, Any]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices

    @property
    def mapping(self) -> dict[str, Any]:
        """What is chosen so far, complete or not; columns that are not in the file do not count."""
        if not self.is_bound:
            chosen: Mapping[str, Any] = self.initial
        else:
            self.is_valid()
            chosen = self.cleaned_data
        contexts = list(chosen.get("contexts") or [])
        return {
            "id": chosen.get("id") or None,
            "question": chosen.get("question") or "",
            "answer": chosen.get("answer") or None,
            "contexts": (contexts[0] if len(contexts) == 1 else contexts) or None,
        }


def _listed(columns: str | list[str] | None) -> list[str]:
    return [columns] if isinstance(columns, str) else list(columns or [])


def _with_current(choices: Sequence[tuple[str, Any]], current: str) -> list[tuple[str, Any]]:
    known = list(choices)
    return known if not current or current in dict(known) else [(current, current.upper()), *known]

"""The form that says how a file is read: only what its format leaves open."""

from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audits.formats.encoding import ENCODINGS
from audits.formats.shapes import SHAPES
from audits.models import Dataset
from audits.understood import DELIMITERS, delimiter_word, encoding_word

UNREAD = ""  # the format of a file that could not be read at all: anything may help, but
HELPING = {  # what helps after these failures
    "several_files": {"member"},
    "unknown_member": {"member"},
    "merged_header": {"member", "header"},
    "unknown_sheet": {"member"},
    "undecodable": {"member", "encoding"},
    "unknown_encoding": {"member", "encoding"},
}
WITH_ENCODING = {"csv", "jsonl", "json", "html", UNREAD}
WITH_HEADER = {"csv", "xlsx", "xls", "html", UNREAD}
PLACES = {"json": gettext_lazy("List of the rows"), "html": gettext_lazy("Table")}  # what `sheet` names; else a sheet
Choices = list[tuple[str, str]]


class ReadingForm(forms.Form):
    """File of an archive, sheet, kind of export, encoding, separator, header, written line breaks."""

    member = forms.ChoiceField(label=gettext_lazy("File in the archive"), required=False)
    sheet = forms.ChoiceField(label=gettext_lazy("Sheet"), required=False)
    shape = forms.ChoiceField(label=gettext_lazy("Read as"), required=False)
    encoding = forms.ChoiceField(label=gettext_lazy("Encoding"), required=False)
    delimiter = forms.ChoiceField(label=gettext_lazy("Columns are separated by"), required=False)
    header = forms.ChoiceField(label=gettext_lazy("Header"), required=False)
    escapes = forms.ChoiceField(label=gettext_lazy("\\n in a text"), required=False)

    def __init__(
        self, *args: Any, dataset: Dataset, sheets: Sequence[str] = (), members: Sequence[str] = (), **kwargs: Any
    ) -> None:
        """sheets, members: what there is to choose from; may be empty when the file cannot be read."""
        kwargs["initial"] = _now(dataset)
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        self.fields["sheet"].label = PLACES.get(dataset.format, self.fields["sheet"].label)
        is_text = dataset.format in WITH_ENCODING and (bool(dataset.encoding) or dataset.format == UNREAD)
        offered: dict[str, Choices] = {
            "member": _named(members, dataset.member) if len(members) > 1 else [],
            "sheet": _named(sheets, dataset.sheet) if len(sheets) > 1 else [],
            "shape": [("", _("a plain table")), *((name, _(shape.label)) for name, shape in SHAPES.items())],
            "encoding": _encodings(dataset) if is_text else [],
            "delimiter": _delimiters(dataset) if dataset.format in {"csv", UNREAD} else [],
            "header": _header_choices() if dataset.format in WITH_HEADER else [],
            "escapes": _escapes_choices() if dataset.format == "csv" else [],
        }
        helping = HELPING.get(dataset.failure.get("code", "")) if dataset.format == UNREAD else None
        for name, choices in offered.items():
            self._offer(name, choices if helping is None or name in helping else [])

    def _offer(self, name: str, choices: Choices) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        if choices:
            field.choices = choices
        else:
            del self.fields[name]

    @property
    def changed(self) -> dict[str, Any]:
        """What a person chose that is not so yet, as pipeline.understand_again takes it; only of a valid form."""
        given = {name: self.cleaned_data[name] for name in self.changed_data}
        switches = {"yes": True, "no": False, "": None}
        return {name: switches[value] if name in {"header", "escapes"} else value for name, value in given.items()}


def _now(dataset: Dataset) -> dict[str, str]:
    names = ("member", "sheet", "shape", "encoding", "delimiter")
    has_header = dataset.header is not False and (dataset.header_line is not None or dataset.format == UNREAD)
    escapes = {True: "yes", False: "no", None: ""}[dataset.escapes]
    return {
        **{name: getattr(dataset, name) for name in names},
        "header": "yes" if has_header else "no",
        "escapes": escapes,
    }


def _named(names: Iterable[str], current: str) -> Choices:
    choices = [(name, name) for name in names]
    return choices if not current or current in dict(choices) else [(current, current), *choices]


def _encodings(dataset: Dataset) -> Choices:
    nothing = [] if dataset.encoding else [("", _("as found"))]
    names = dict.fromkeys([*filter(None, [dataset.encoding]), *ENCODINGS])
    return [*nothing, *((name, encoding_word(name)) for name in names)]


def _delimiters(dataset: Dataset) -> Choices:
    nothing = [] if dataset.delimiter else [("", _("as found"))]
    signs = dict.fromkeys([*filter(None, [dataset.delimiter]), *DELIMITERS])
    return [*nothing, *((sign, delimiter_word(sign)) for sign in signs)]


def _header_choices() -> Choices:
    return [("yes", _("the first row names the columns")), ("no", _("there is none: the first row is data"))]


def _escapes_choices() -> Choices:
    return [("", _("as found")), ("yes", _("stands for a line break")), ("no", _("stays as it is"))]

"""Forms of the ways in: a file, and rows pasted from a spreadsheet."""

from typing import Any

from django import forms
from django.conf import settings
from django.core.files.base import ContentFile
from django.utils.translation import gettext_lazy as _

from audits.models import Dataset, Project

ACCEPTED = ".csv,.tsv,.txt,.xlsx,.xlsm,.xls,.json,.jsonl,.ndjson,.parquet,.zip,.gz,.html"
PASTED_NAME = "pasted.tsv"  # what pasted rows are called as a file


class WayIn(forms.Form):
    """What every way in asks: a name, and which dataset is corrected. given: the file that has come in."""

    name = forms.CharField(
        label=_("Name"), max_length=200, required=False, help_text=_("Left empty, the file's name is used.")
    )
    previous = forms.ModelChoiceField(
        Dataset.objects.none(),
        required=False,
        widget=forms.HiddenInput,
        error_messages={
            "invalid_choice": _(
                "The dataset that this file corrects is gone. Upload the file as a new dataset instead."
            )
        },
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        previous = self.fields["previous"]
        assert isinstance(previous, forms.ModelChoiceField)
        previous.queryset = project.datasets.all()

    @property
    def given(self) -> dict[str, Any]:
        """What pipeline.receive_upload takes; only of a valid form."""
        return {name: value for name, value in self.cleaned_data.items() if value is not None}


class UploadForm(WayIn):
    """A file and what is known of it. The file comes last: the name survives an upload that is stopped."""

    file = forms.FileField(
        label=_("Drop the file here, or choose it"),
        allow_empty_file=True,  # the reader says it better
        widget=forms.FileInput(attrs={"accept": ACCEPTED}),
        error_messages={"required": _("No file has arrived. Choose a file, then upload it.")},
    )

    def __init__(self, *args: Any, too_large: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.too_large = too_large
        text = _(
            "CSV, TSV, Excel (XLSX, XLSM, XLS), JSON, JSONL, Parquet or a web table, alone or in a ZIP or GZ; "
            "up to %(limit)s MB. One row per answer: question, answer, contexts."
        )
        self.fields["file"].help_text = text % {"limit": settings.ASSAY_MAX_UPLOAD_MB}

    def clean(self) -> dict[str, Any] | None:
        """A file that was stopped at the limit is missing from the request; that is what the person must hear."""
        if self.too_large:
            self.errors.pop("file", None)
            text = _("The file is larger than %(limit)s MB. Nothing was imported. Split it and upload the parts.")
            self.add_error("file", forms.ValidationError(text, "too_large", {"limit": settings.ASSAY_MAX_UPLOAD_MB}))
        return super().clean()


class MendForm(forms.Form):
    """The table of rows that were not imported, corrected."""

    file = forms.FileField(
        label=_("Drop the corrected table here, or choose it"),
        help_text=_(
            "The table of the rows that were not imported, as CSV or saved as XLSX, its first columns as they were."
        ),
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".csv,.xlsx"}),
        error_messages={"required": _("No file has arrived. Choose a file, then upload it.")},
    )


class PasteForm(WayIn):
    """Rows as a spreadsheet copies them: separated by tabs, the first row the names of the columns."""

    pasted = forms.CharField(
        label=_("Rows with their header"),
        help_text=_("Mark the cells in the spreadsheet, header included, copy them and paste them here."),
        strip=False,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false", "data-as-file": PASTED_NAME}),
        error_messages={
            "required": _("Nothing was pasted. Copy the cells in the spreadsheet, then paste them here.")
        },
    )

    def clean_pasted(self) -> str:
        """Blank rows are none."""
        rows: str = self.cleaned_data["pasted"]
        if not rows.strip():
            raise forms.ValidationError(self.fields["pasted"].error_messages["required"])
        return rows

    @property
    def given(self) -> dict[str, Any]:
        """The same, the rows as a file."""
        given = super().given
        rows = given.pop("pasted")
        return given | {"file": ContentFile(rows.encode("utf-8", "replace"), name=PASTED_NAME)}

"""What the page of a file's columns shows: how the file was read, the form, and the first rows under the choice."""

from contextlib import suppress
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from audits.first_rows import COUNTED, Checked, Examples, check
from audits.format_messages import Explained, explain, explain_failure, warning
from audits.formats.base import FormatError
from audits.formats.child import Understood
from audits.forms.datasets import MappingForm, suggestion_sentence
from audits.forms.label_words import LabelWords
from audits.forms.reading import ReadingForm
from audits.models import Dataset
from audits.parts import render_parts
from audits.pipeline import members_of, open_file, remembered_mapping
from audits.pipeline.receiving import reading_of
from audits.understood import how_understood

SAID_BELOW = {"unsplit_contexts"}  # warnings that stand where something can be done about them
OF_ARCHIVES = {"several_files", "unknown_member"}  # failures after which a file of the archive can be chosen
ASKING = {"guessed_encoding", "no_header", "header_guessed_missing", "escapes", "other_sheets"}
"""Warnings that ask whether the file is read well: the form that changes it stands open."""
MOST_TWINS = 5
PARTS = ("mapping", "mapping-preview")


class MappingPage:
    """form, words: None when the file cannot be read as it is; then only the reading can be changed."""

    def __init__(self, request: HttpRequest, dataset: Dataset, posted: QueryDict | None = None) -> None:
        """posted: what the form of the mapping sent; None: the form stands as the file was understood."""
        self._request, self._dataset = request, dataset
        self._problem = explain_failure(dataset.failure) if dataset.failure else None
        self._understood = self._open()
        self._guessing = request.GET.get("guess") == "1"  # not as last time
        self._checked: Checked | None = None
        self.form: MappingForm | None = None
        self.words: LabelWords | None = None
        self.mapping: dict[str, Any] = {}
        if self._understood:
            self._examples = Examples(self._understood.understanding)
            names, inside = self._examples.by_name, self._examples.inside
            known = dict(self._understood.understanding.mapping) if self._guessing else dataset.mapping
            self.form = MappingForm(posted, dataset=dataset, mapping=known, examples=names, inside=inside)
            self._check(self.form.mapping, known, posted)

    def _open(self) -> Understood | None:
        try:
            return open_file(self._dataset)
        except FormatError as error:
            self._problem = self._problem or explain(error)
            return None

    def _check(self, mapping: dict[str, Any], before: dict[str, Any], posted: QueryDict | None) -> None:
        try:
            self._checked = check(self._dataset, reading_of(self._dataset), mapping)
        except FormatError as error:  # the rest of the file is broken, not its head
            self._problem = self._problem or explain(error)
        counted = self._checked.words if self._checked else {}
        self.words = LabelWords(counted, mapping=mapping, before=before, posted=posted)
        self.mapping = mapping | ({"words": found} if (found := self.words.meanings) else {})
        if self._checked:
            self._checked.give_meaning(self.words.meanings)

    def reading(self, posted: Any = None) -> ReadingForm:
        """The form that says how the file is read."""
        members: tuple[str, ...] = ()
        if self._dataset.unpacked_as or self._dataset.failure.get("code") in OF_ARCHIVES:
            with suppress(FormatError):  # the archive is gone or damaged; the page says so
                members = members_of(self._dataset)
        sheets = self._understood.sheets if self._understood else ()
        return ReadingForm(posted, dataset=self._dataset, sheets=sheets, members=members)

    def response(self, problem: Explained | None = None, status: int = 200) -> HttpResponse:
        """The page, or the part of it that HTMX asks for."""
        dataset = self._dataset
        problem = problem or self._problem
        unsure = bool(ASKING.intersection(map(_code, dataset.warnings)))
        context = {
            "project": dataset.project,
            "dataset": dataset,
            "understood": how_understood(dataset),
            "reading": SimpleLazyObject(self.reading),
            "reading_open": bool(problem) or unsure or self._request.GET.get("reading") == "open",
            "form": self.form,
            "warnings": [warning(each) for each in dataset.warnings if _code(each) not in SAID_BELOW],
            "twins": dataset.project.datasets.filter(sha256=dataset.sha256).exclude(pk=dataset.pk)[:MOST_TWINS],
            "remembered": None if self._guessing else self._remembered(),
            "problem": problem,
        }
        context |= self._rows() if self.form else {}
        return render_parts(self._request, "audits/dataset_mapping.html", context, parts=PARTS, status=status)

    def _remembered(self) -> Dataset | None:
        """The dataset whose columns were chosen as these are filled in; None where they are guessed."""
        dataset = self._dataset
        found = remembered_mapping(dataset.project, dataset.columns, dataset.shape)
        if found is None or any(dataset.mapping.get(role) != column for role, column in found[0].items() if column):
            return None
        return found[1]

    def _rows(self) -> dict[str, Any]:
        suggestion = self._examples.suggestion(self.mapping)
        return {
            "checked": self._checked,
            "example": self._examples.first,
            "words": self.words,
            "words_counted": COUNTED,
            "suggestion": suggestion if suggestion != self.mapping["split"] else "",
            "suggested": suggestion_sentence(suggestion) if suggestion else "",
            "has_id": bool(self.mapping["id"]),
        }


def open_words(number: int) -> Explained:
    """Words of the human labels that a person must still say something about."""
    return Explained(
        ngettext(
            "%(n)s word of the human labels has no meaning yet.",
            "%(n)s words of the human labels have no meaning yet.",
            number,
        )
        % {"n": number},
        _("Nothing was imported."),
        _("Choose for each word below what it means, or that it is no label."),
    )


def _code(stored: Any) -> str:
    return str(stored.get("code", "")) if isinstance(stored, dict) else ""

"""The form that says which column of a file is what, and how a cell of several contexts is split."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audits.format_messages import METHODS as SPLIT_WORDS
from audits.formats.joined import shown
from audits.formats.splitting import METHODS
from audits.models import Dataset
from audits.templatetags.assay import lang_of
from audits.templatetags.dataset_words import ROLE_WORDS

GENERATOR_LABEL = gettext_lazy("Generator model")
GENERATOR_HELP = gettext_lazy(
    "The model that wrote these answers, if you know it: no judge of its family may judge them."
)
OWN = "own"  # the choice of a separator of one's own
SPLITS = (
    ("", gettext_lazy("not at all: a text is one context")),
    ("numbered", gettext_lazy("numbered lists: 1. … 2. …")),
    ("bullets", gettext_lazy("lists with bullets: - … • …")),
    ("blank_lines", gettext_lazy("at blank lines")),
    ("lines", gettext_lazy("at every line break")),
    (OWN, gettext_lazy("at a separator:")),
)
FIELDS = {  # role -> name of its field; a model for all answers is another field than a column of models
    **{role: role for role in ("answer", "question", "id", "reference", "timestamp", "tags", "label", "claims")},
    "generator": "generator_column",
    "claim_label": "claim_label",
}
MORE = ("reference", "generator_column", "timestamp", "tags", "label", "claims", "claim_label")
HELP = {
    "id": gettext_lazy("Names a sample in tables and exports. Without one, rows are numbered."),
    "reference": gettext_lazy("The right answer, as somebody wrote it. Judges do not see it."),
    "generator_column": gettext_lazy("Where several models wrote the answers."),
    "timestamp": gettext_lazy("When the answer was given."),
    "tags": gettext_lazy("Kinds of questions, to filter by."),
    "label": gettext_lazy("What a human said of the whole answer. For calibrating; no judge and no expert sees it."),
    "claims": gettext_lazy("Single statements of the answer, with or without their labels in the same cell."),
    "claim_label": gettext_lazy("Where the labels of the claims stand in a column of their own."),
}


class ColumnSelect(forms.Select):
    """A list of columns, each in the language of its name and example."""

    def create_option(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """One option."""
        option: dict[str, Any] = super().create_option(*args, **kwargs)
        option["attrs"]["lang"] = lang_of(option["label"])
        return option


class MappingForm(forms.Form):
    """Roles and columns. examples: column or path -> a value of it; inside: those that are paths."""

    answer = forms.ChoiceField(
        label=gettext_lazy("Answer"),
        widget=ColumnSelect,
        error_messages={"required": gettext_lazy("Choose which column holds the answer.")},
    )
    contexts = forms.MultipleChoiceField(
        label=gettext_lazy("Contexts"),
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy(
            "What was retrieved for the answer. Several columns follow each other in the file's order."
        ),
        error_messages={"required": gettext_lazy("Choose at least one column that holds the contexts.")},
    )
    split = forms.ChoiceField(
        label=gettext_lazy("How a cell with several contexts is split"),
        widget=forms.RadioSelect,
        choices=SPLITS,
        required=False,
        help_text=gettext_lazy("Lists written as JSON or by Python are always read as lists."),
    )
    separator = forms.CharField(label=gettext_lazy("Separator"), max_length=40, required=False, strip=False)
    generator = forms.CharField(label=GENERATOR_LABEL, max_length=200, required=False, help_text=GENERATOR_HELP)

    def __init__(
        self,
        *args: Any,
        dataset: Dataset,
        mapping: Mapping[str, Any] | None = None,
        examples: Mapping[str, str] | None = None,
        inside: Collection[str] = (),
        **kwargs: Any,
    ) -> None:
        """mapping: what the form begins with, the dataset's own when it is not given."""
        initial = _initial(dataset.mapping if mapping is None else mapping) | {"generator": dataset.generator}
        super().__init__(*args, **{"label_suffix": "", **kwargs, "initial": initial})
        self.examples, self.inside = examples or {}, inside
        self._columns: list[str] = dataset.columns
        columns = [name for name in dataset.columns if name not in inside]
        paths = [name for name in dataset.columns if name in inside]
        for role, name in FIELDS.items():
            if name != "answer":
                label = gettext_lazy("Generator model of each row") if role == "generator" else ROLE_WORDS[role]
                about: dict[str, Any] = {"label": label, "help_text": HELP.get(name, "")}
                self.fields[name] = forms.ChoiceField(required=False, widget=ColumnSelect, **about)
            nothing = _("Choose a column") if name == "answer" else _("not in the file")
            self._choices(name, [("", nothing), *_grouped(columns, paths, self._with_example)])
        self._choices("contexts", _grouped(columns, paths, str))
        self.opened_more = any(initial.get(name) for name in MORE)

    def _with_example(self, name: str) -> str:
        example = self.examples.get(name)
        return f"{name} · {example}" if example else name

    def _choices(self, name: str, choices: Sequence[tuple[str, Any]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices

    def clean(self) -> dict[str, Any] | None:
        """A separator of one's own must be there."""
        cleaned = super().clean() or {}
        if cleaned.get("split") == OWN and not cleaned.get("separator"):
            self.add_error("separator", _("Type the separator, or choose another way to split."))
        return cleaned

    @property
    def more(self) -> list[forms.BoundField]:
        """The fields that few files have."""
        return [self[name] for name in MORE]

    @property
    def context_columns(self) -> list[dict[str, Any]]:
        """A checkbox for each column and path, with an example; the chosen ones first, so that they are seen."""
        found = [
            {"box": each, "name": name, "example": self.examples.get(name, ""), "inside": name in self.inside}
            for each in self["contexts"].subwidgets
            if (name := str(each.data["value"]))
        ]
        return sorted(found, key=lambda column: not column["box"].data["selected"])

    def _in_order(self, column: str) -> tuple[int, int]:
        """Contexts follow each other as they were found, then as the file has them."""
        found = self.initial["contexts"]
        return (found.index(column) if column in found else len(found), self._columns.index(column))

    @property
    def mapping(self) -> dict[str, Any]:
        """What is chosen so far, complete or not; columns that are not in the file do not count."""
        if not self.is_bound:
            chosen: Mapping[str, Any] = self.initial
        else:
            self.is_valid()
            chosen = self.cleaned_data
        roles: dict[str, Any] = {role: chosen.get(name) or None for role, name in FIELDS.items()}
        contexts = sorted(chosen.get("contexts") or [], key=self._in_order)
        split = chosen.get("split") or ""
        return roles | {
            "question": chosen.get("question") or "",
            "contexts": (contexts[0] if len(contexts) == 1 else contexts) or None,
            "split": (chosen.get("separator") or "") if split == OWN else split,
        }


def _initial(found: Mapping[str, Any]) -> dict[str, Any]:
    split = found.get("split") or ""
    own = split if split and split not in METHODS else ""
    contexts = found.get("contexts") or []
    return {
        **{name: found.get(role) or "" for role, name in FIELDS.items()},
        "contexts": [contexts] if isinstance(contexts, str) else list(contexts),
        "split": OWN if own else split,
        "separator": own,
    }


def _grouped(columns: Sequence[str], paths: Sequence[str], label: Any) -> list[tuple[str, Any]]:
    """Choices: columns, then the paths in a group of their own."""
    plain: list[tuple[str, Any]] = [(name, label(name)) for name in columns]
    return [*plain, (_("Inside lists"), [(name, label(name)) for name in paths])] if paths else plain


def with_suggestion(posted: QueryDict) -> QueryDict:
    """What the form sent, with the proposed way to split instead of the chosen one when its button was pressed."""
    how = posted.get("split_so", "")
    if not how:
        return posted
    changed = posted.copy()
    changed["split"] = how if how in METHODS else OWN
    changed["separator"] = "" if how in METHODS else how
    return changed


def suggestion_sentence(how: str) -> str:
    """What the cells look like: a word of splitting.METHODS, or a separator."""
    if how in SPLIT_WORDS:
        return _("The cells look like %(how)s.") % {"how": _(SPLIT_WORDS[how])}
    return _("The cells seem to be joined by “%(separator)s”.") % {"separator": shown(how)}

"""The form with which an expert works on a part of the queue: project, tag, language."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from audits.models import Audit, Project, Sample

MOST = 100  # tags that are offered, the most frequent
LOOKED_AT = 5_000  # samples among which tags are looked for
LANGUAGES = {"en": _("English"), "zh": _("Chinese")}
ANY = ("", _("any"))


class DeskFilterForm(forms.Form):
    """Sent with GET to the desk. What no sample under review has is not offered."""

    project = forms.ChoiceField(label=_("Project"), required=False)
    tag = forms.ChoiceField(label=_("Tag"), required=False)
    language = forms.ChoiceField(label=_("Language of the answer"), required=False)

    def __init__(self, projects: Iterable[Project], **chosen: str) -> None:
        """projects: where the person is an expert. chosen: what is in force now, by field."""
        super().__init__(initial=chosen, auto_id="filter_%s", label_suffix="")
        projects = list(projects)
        samples = Sample.objects.filter(
            claims__review_item__plan__audit__project__in=projects,
            claims__review_item__plan__audit__status=Audit.Status.REVIEWING,
        ).order_by()
        named = [(one.slug, one.name) for one in projects]
        self._offer("project", [ANY, *named] if len(named) > 1 else [])
        self._offer("tag", [ANY, *((tag, tag) for tag in _with(_tags(samples), chosen.get("tag")))])
        spoken = samples.values_list("language", flat=True).distinct()
        languages = _with(sorted(spoken), chosen.get("language"))
        self._offer("language", [ANY, *((code, LANGUAGES.get(code, code)) for code in languages)])

    def _offer(self, name: str, choices: list[tuple[str, Any]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices
        if len(choices) < 2:
            del self.fields[name]


def _tags(samples: QuerySet[Sample]) -> list[str]:
    lists = samples.exclude(tags=[]).values_list("tags", flat=True)[:LOOKED_AT]
    return [tag for tag, _times in Counter(tag for tags in lists for tag in tags).most_common(MOST)]


def _with(values: list[str], chosen: str | None) -> list[str]:
    """What is chosen now stands in the list also when nothing under review has it any more."""
    return values if not chosen or chosen in values else [*values, chosen]

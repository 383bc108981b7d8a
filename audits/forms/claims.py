"""The filter of an audit's claims: by their words and verdicts, and by what their samples brought from the file."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.db.models import Exists, OuterRef
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from audits.forms.samples import NOTHING, SampleFilter
from audits.labels import Decision, Label
from audits.models import Dataset, PanelMember, Verdict
from audits.models.judging import ClaimQuerySet
from audits.templatetags.labelling import WORDS

ANY = ("", _("any"))
DECISIONS = [(decision.value, WORDS[decision.value.lower()]) for decision in Decision]
LABELS = [(label.value, WORDS[label.value.lower()]) for label in Label]
TOLD = ("tag", "column", "value")  # fields of SampleFilter that are offered here


@dataclass(frozen=True)
class Condition:
    """One thing asked of the samples: "city" is "Berlin". fields: what to take out of the address to lift it."""

    name: str
    value: str
    fields: tuple[str, ...]


class ClaimFilter(forms.Form):
    """Which claims of an audit are shown. What is on no list counts as not chosen."""

    q = forms.CharField(
        label=_("Words in the claim"),
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search"}),
    )
    decision = forms.ChoiceField(
        label=_("Decision"), required=False, choices=[ANY, *DECISIONS, ("pending", _("not yet judged"))]
    )
    judge = forms.ChoiceField(label=_("Judge"), required=False)
    label = forms.ChoiceField(
        label=_("Verdict"), required=False, choices=[ANY, *LABELS, ("unscored", WORDS["unscored"])]
    )
    vague = forms.BooleanField(label=_("Only vague claims"), required=False)
    flagged = forms.BooleanField(label=_("Only with text that tries to sway the judges"), required=False)

    def __init__(self, data: Any, *, panel: list[PanelMember], dataset: Dataset) -> None:
        super().__init__(data)
        chosen = {name: data.get(name, "") for name in TOLD}
        self.told = SampleFilter(chosen, dataset=dataset, with_metadata=True)  # verdicts are shown, so labels may be
        self._samples = dataset.samples.order_by()
        self.panel = {member.letter: member for member in panel}
        judge = self.fields["judge"]
        assert isinstance(judge, forms.ChoiceField)
        named = [(letter, f"{letter} · {member.name}") for letter, member in self.panel.items()]
        judge.choices = [("", _("any judge")), *named]

    def apply(self, claims: ClaimQuerySet) -> ClaimQuerySet:
        """The claims that pass the filter."""
        self.is_valid()
        chosen = self.cleaned_data
        if chosen.get("q"):
            claims = claims.filter(text__icontains=chosen["q"])
        if chosen.get("decision"):
            claims = claims.filter(decision="" if chosen["decision"] == "pending" else chosen["decision"])
        if chosen.get("vague"):
            claims = claims.filter(vague=True)
        if chosen.get("flagged"):
            claims = claims.exclude(flags=[])
        if chosen.get("label"):
            claims = claims.filter(Exists(self._verdicts(chosen)))
        if self.conditions:
            claims = claims.filter(sample__in=self.told.apply(self._samples).values("pk"))
        return claims

    def _verdicts(self, chosen: dict[str, Any]) -> Any:
        label = "" if chosen["label"] == "unscored" else chosen["label"]
        said = Verdict.objects.filter(claim=OuterRef("pk"), label=label)
        judge = self.panel.get(chosen.get("judge") or "")
        return said.filter(member=judge) if judge else said

    @cached_property
    def conditions(self) -> list[Condition]:
        """What is asked of the samples, in the words of the page."""
        self.told.is_valid()
        found = []
        if tag := self.told.cleaned_data.get("tag"):
            found.append(Condition(str(self.told.fields["tag"].label), tag, ("tag",)))
        if value := self.told.cleaned_data.get("value"):
            said = str(_("has none")) if value == NOTHING else value[1:]
            found.append(Condition(self.told.cleaned_data["column"], said, ("column", "value")))
        return found

    @property
    def is_active(self) -> bool:
        """Whether anything is filtered."""
        own = any(self.cleaned_data.get(name) for name in ("q", "decision", "label", "vague", "flagged"))
        return own or bool(self.conditions)

"""Forms about money: the budget of an audit, and which calls of its ledger are shown."""

from decimal import Decimal
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from audits.models import Call, PanelMember
from audits.progress import FAULTS
from audits.templatetags.ledger import OUTCOMES, PURPOSES

CENT = Decimal("0.01")
MOST = Decimal(1_000_000)  # US dollars


class BudgetForm(forms.Form):
    """Another budget for an audit."""

    budget = forms.DecimalField(
        label=_("New budget (USD)"), min_value=CENT, max_value=MOST, max_digits=9, decimal_places=2
    )


class LedgerFilter(forms.Form):
    """Which calls are shown. What is on no list counts as not chosen."""

    judge = forms.ChoiceField(label=_("Judge"), required=False)
    purpose = forms.ChoiceField(label=_("Purpose"), required=False, choices=[("", _("any")), *PURPOSES.items()])
    outcome = forms.ChoiceField(
        label=_("Outcome"),
        required=False,
        choices=[
            ("", _("any")),
            ("failed", _("failed, for any reason")),
            *((key, word) for key, word in OUTCOMES.items() if key == "ok" or key in FAULTS),
        ],
    )

    def __init__(self, data: Any, *, members: list[PanelMember]) -> None:
        super().__init__(data)
        self.members = {f"{member.role}-{member.position}": member for member in members}
        judge = self.fields["judge"]
        assert isinstance(judge, forms.ChoiceField)
        judge.choices = [("", _("any")), *((key, _said(member)) for key, member in self.members.items())]

    def apply(self, calls: "QuerySet[Call]") -> "QuerySet[Call]":
        """The calls that pass the filter."""
        self.is_valid()
        chosen = self.cleaned_data
        if member := self.members.get(chosen.get("judge") or ""):
            calls = calls.filter(member=member)
        if chosen.get("purpose"):
            calls = calls.filter(purpose=chosen["purpose"])
        if chosen.get("outcome") == "failed":
            calls = calls.filter(outcome__in=FAULTS)
        elif chosen.get("outcome"):
            calls = calls.filter(outcome=chosen["outcome"])
        return calls

    @property
    def is_active(self) -> bool:
        """Whether anything is filtered."""
        return any(self.cleaned_data.values())


def _said(member: PanelMember) -> str:
    if member.role == PanelMember.Role.JUDGE:
        return f"{member.letter} · {member.name}"
    return f"{member.get_role_display()} · {member.name}"

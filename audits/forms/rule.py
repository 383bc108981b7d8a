"""The acceptance rule as a form: part of starting an audit, and a form of its own to change it."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from audits.models import Audit
from audits.planning import MOST_LOOKS, STEP, Rule

CONFIDENCES = (("0.9", "90 %"), ("0.95", "95 %"), ("0.99", "99 %"))


class RuleFields(forms.Form):
    """Threshold, scope, confidence; the expected rate and the looks that the plan reckons with. Rates in percent."""

    threshold = forms.DecimalField(
        label=_("Accepted hallucination rate, at most (%)"),
        min_value=Decimal("0.01"),
        max_value=Decimal(50),
        max_digits=4,
        decimal_places=2,
        initial=Decimal(2),
        help_text=_("Set before the first verdict. Once an expert has given a label, a changed rule cannot pass."),
    )
    scope = forms.ChoiceField(
        label=_("The statement is about"), choices=Audit.Scope.choices, initial=Audit.Scope.DATASET,
        widget=forms.RadioSelect,
    )  # fmt: skip
    confidence = forms.TypedChoiceField(
        label=_("Confidence of the statement"),
        choices=CONFIDENCES,
        coerce=Decimal,
        initial="0.95",
        help_text=_("At 95 %, a system worse than accepted passes in at most 5 of 100 audits."),
    )
    expected_rate = forms.DecimalField(
        label=_("Expected hallucination rate (%)"),
        required=False,
        min_value=Decimal(0),
        max_value=Decimal(50),
        max_digits=4,
        decimal_places=2,
        help_text=_(
            "For planning alone. The nearer it is to the accepted rate, the more labels it takes. Left empty, a "
            "quarter of the accepted rate is taken."
        ),
    )
    looks = forms.TypedChoiceField(
        label=_("Looks at the spot check"),
        choices=[(number, str(number)) for number in range(1, MOST_LOOKS + 1)],
        coerce=int,
        initial=1,
        help_text=_(
            "A look is a moment at which the result is read and, if it does not suffice, the spot check may be "
            "extended once more. Each look that is planned makes every single one stricter, so that the confidence "
            "stays what it is."
        ),
    )


def rule_of(chosen: Mapping[str, Any]) -> Rule:
    """The rule that cleaned values of RuleFields say. KeyError where one of them was not valid."""
    expected = chosen["expected_rate"]
    return Rule(
        threshold=(chosen["threshold"] / 100).quantize(STEP),
        scope=chosen["scope"],
        confidence=chosen["confidence"],
        looks=chosen["looks"],
        expected_rate=None if expected is None else (expected / 100).quantize(STEP),
    )


class RuleForm(RuleFields):
    """Another rule for an audit that runs already. labelled: experts have given labels; that must be confirmed."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Recorded with both rules, for whoever checks the audit."),
    )
    confirmed = forms.BooleanField(
        label=_("Change the rule all the same: this audit can then never pass"),
        error_messages={"required": _("Tick this box to say that you know it.")},
    )

    def __init__(self, *args: Any, labelled: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not labelled:
            del self.fields["confirmed"]


def rule_initial(audit: Audit) -> dict[str, Any]:
    """The rule of an audit as values of the form."""
    rule = Rule.of(audit)
    return {
        "threshold": _percent(rule.threshold),
        "scope": rule.scope,
        "confidence": f"{rule.confidence.normalize():f}",
        "expected_rate": _percent(rule.expected),
        "looks": rule.looks,
    }


def _percent(fraction: Decimal) -> str:
    return f"{(fraction * 100).normalize():f}"

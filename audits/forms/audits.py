"""The form that starts an audit."""

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from audits.forms.rule import RuleFields
from audits.judges import VENDORS
from audits.models import Audit, Dataset, Judge, Project, Role
from audits.pipeline.panel import judge_family
from audits.pipeline.planting import MOST_PLANTED

MOST = Decimal(1_000_000)  # US dollars
DOUBLES = 10  # percent of the experts' claims that two label, where a project has two experts
BATCH_VENDORS = ", ".join(vendor.label for vendor in VENDORS.values() if vendor.batch)

PANEL_WORDS = {
    "dataset_not_ready": ("dataset", _("This dataset is not imported yet. Wait until it is ready.")),
    "too_few_judges": ("second", _("An audit needs two judges. Choose a second one.")),
    "same_family": (
        "second",
        _(
            "Both judges are of the same vendor family, so they would share their errors. "
            "Choose a second judge of another vendor."
        ),
    ),
    "generator_family": (
        "override_reason",
        _(
            "A judge is of the family of the model that wrote the answers, and judges favour their own. "
            "Choose another judge, or say here why it must be this one: the certificate prints the reason."
        ),
    ),
    "no_labels": (
        "calibration",
        _("People labelled nothing in this dataset that a judge could be held against. Choose another dataset."),
    ),
    "other_panel": (
        "calibrated_by",
        _("That calibration is of other judges. Choose its judges above, or no calibration."),
    ),
}


class AuditForm(RuleFields):
    """Dataset, panel and acceptance rule of a new audit."""

    name = forms.CharField(label=_("Name"), max_length=200)
    dataset = forms.ModelChoiceField(Dataset.objects.none(), label=_("Dataset"), empty_label=None)
    primary = forms.ModelChoiceField(Judge.objects.none(), label=_("Primary judge"), empty_label=None)
    second = forms.ModelChoiceField(
        Judge.objects.none(),
        label=_("Second judge"),
        empty_label=None,
        help_text=_("Of another vendor. It judges the same claims and never sees the first one's verdicts."),
    )
    extractor = forms.ModelChoiceField(
        Judge.objects.none(),
        label=_("Extractor"),
        empty_label=None,
        help_text=_("Cuts each answer into claims, once, for both judges."),
    )
    spot_check_size = forms.IntegerField(
        label=_("Spot check: agreed claims for the experts"),
        required=False,
        min_value=0,
        max_value=1_000_000,
        help_text=_("Drawn at random and hidden among the disputed claims. Left empty, the proposed size is taken."),
    )
    double_percent = forms.IntegerField(
        label=_("Claims that two experts label (%)"),
        required=False,
        min_value=0,
        max_value=100,
        help_text=_(
            "A second label for a share of the experts' claims, given without seeing the first one, to measure how "
            "far experts agree. It costs that many more labels. 10 % are usual."
        ),
    )
    override_reason = forms.CharField(
        label=_("Why this judge may judge its own family"),
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    budget = forms.DecimalField(
        label=_("Budget in US dollars"),
        required=False,
        min_value=Decimal("0.01"),
        max_value=MOST,
        max_digits=9,
        decimal_places=2,
        widget=forms.NumberInput(attrs={"placeholder": _("no limit")}),
        help_text=_(
            "The audit pauses before a call that could exceed it, and goes on when you raise it. Needs the prices of "
            "all judges."
        ),
    )
    batch = forms.BooleanField(
        label=_("In batches, at half price"),
        required=False,
        help_text=format_lazy(
            _("Where the vendor offers it ({vendors}). Answers take minutes to a day instead of seconds."),
            vendors=BATCH_VENDORS,
        ),
    )
    reuse = forms.BooleanField(
        label=_("Use answers that this project has paid for already"),
        required=False,
        initial=True,
        help_text=_("Only to exactly the same request to the same judge. Switch it off to have all asked anew."),
    )
    probe_percent = forms.IntegerField(
        label=_("Claims that are judged again (%)"),
        required=False,
        initial=0,
        min_value=0,
        max_value=100,
        help_text=_(
            "Measures how stable each judge is: the same question again, and with its contexts in another order. "
            "5 to 10 % are usual. It changes no verdict."
        ),
    )
    planted = forms.IntegerField(
        label=_("Planted claims"),
        required=False,
        initial=0,
        min_value=0,
        max_value=MOST_PLANTED,
        help_text=_(
            "So many claims that both judges call supported are made false by rule, with another number, date or "
            "name and in vague words, and put to the judges like any claim. It shows errors that they share, without "
            "an expert. 100 to 200 are usual, 0 for none. It changes no verdict and no rate."
        ),
    )
    calibration = forms.BooleanField(
        label=_("Calibrate the judges with the labels of this dataset"),
        required=False,
        help_text=_(
            "The judges are asked about what people labelled, without seeing the labels, and held against them. No "
            "expert is asked, and no certificate follows."
        ),
    )
    calibrated_by = forms.ModelChoiceField(
        Audit.objects.none(),
        label=_("Panel chosen on the figures of"),
        required=False,
        empty_label=_("no calibration"),
        help_text=_("A calibration of these very judges. The certificate names it."),
    )
    token = forms.CharField(required=False, max_length=40, widget=forms.HiddenInput)

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._offer("dataset", Dataset.objects.filter(project=project, status=Dataset.Status.READY))
        for name in ("primary", "second", "extractor"):
            self._offer(name, Judge.objects.usable_in(project))
        self._offer("calibrated_by", project.audits.filter(calibration=True, status=Audit.Status.REVIEWING))

    def _offer(self, name: str, choices: Any) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = choices

    def clean_probe_percent(self) -> int:
        """Left empty, no claim is judged again."""
        return self.cleaned_data["probe_percent"] or 0

    def clean_planted(self) -> int:
        """Left empty, no claim is planted."""
        return self.cleaned_data["planted"] or 0

    def clean_double_percent(self) -> int:
        """Left empty, every claim has one expert."""
        return self.cleaned_data["double_percent"] or 0

    def clean(self) -> dict[str, Any]:
        """A budget needs every price: else nobody could say what is left of it."""
        data: dict[str, Any] = super().clean() or {}
        chosen = [judge for name in ("primary", "second", "extractor") if (judge := data.get(name))]
        names = dict.fromkeys(str(judge) for judge in chosen if not judge.prices.known)
        if data.get("budget") and names:
            said = _(
                "No price is known for %(names)s, so no budget can be kept. Enter its prices under Judges first, or "
                "leave the budget empty."
            )
            self.add_error("budget", said % {"names": ", ".join(names)})
        return data

    def add_panel_error(self, code: str, message: str) -> None:
        """Put the reason why the pipeline refused the panel beside the field that mends it."""
        field, words = PANEL_WORDS.get(code, (None, message))
        self.add_error(field, str(words))

    @property
    def chosen(self) -> dict[str, Any]:
        """The values that are valid, whatever is wrong with the others."""
        self.is_valid()
        return self.cleaned_data


def experts_of(project: Project) -> int:
    """How many people may label claims of the project."""
    return project.memberships.filter(role=Role.EXPERT).count()


def default_panel(project: Project) -> dict[str, int]:
    """What is chosen before a person chooses: the panel of the project's last audit, else two different families.

    Judges that call a vendor come before offline ones. Fewer fields when the project has no such judges.
    """
    usable = list(Judge.objects.usable_in(project))
    last = project.audits.first()
    if last is not None:
        seats = {seat.role + str(seat.position): seat.judge_id for seat in last.members.all()}
        names = {"extractor": "extractor0", "primary": "judge0", "second": "judge1"}
        panel = {name: seats[seat] for name, seat in names.items() if seat in seats}
        if len(panel) == len(names) and set(panel.values()) <= {judge.pk for judge in usable}:
            return panel
    usable.sort(key=lambda judge: judge.vendor == "offline")
    if not usable:
        return {}
    first = usable[0]
    others = [judge for judge in usable if judge_family(judge) != judge_family(first)]
    panel = {"primary": first.pk, "extractor": first.pk}
    return panel | ({"second": others[0].pk} if others else {})

"""Who may judge what: the families of a panel and of the model that wrote the answers."""

from collections.abc import Sequence

from audits.judges.families import are_kin, family_of, is_known
from audits.models import Dataset, FamilyRule, Judge
from audits.text.reasons import reason_in


class PanelError(Exception):
    """The audit cannot start like this. `code` names the reason; the message says what to do."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def check_panel(*, dataset: Dataset, judges: Sequence[Judge], override_reason: str = "") -> None:
    """Two judges of different families, neither of the generator's. Raises PanelError."""
    if len(judges) < 2:
        raise PanelError("too_few_judges", "An audit needs two judges. Choose a second one.")
    if _any_kin(judges):
        raise PanelError(
            "same_family",
            "Both judges are of one vendor family, so they share their errors. Choose judges of different vendors.",
        )
    if of_generators_family(dataset, judges) and not reason_in(override_reason):
        raise PanelError(
            "generator_family",
            "A judge is of the family of the model that wrote the answers, and judges favour their own. "
            "Choose another judge, or give the reason why it must be this one; the certificate prints it.",
        )


def judge_family(judge: Judge) -> str:
    """The family of a judge, as it is frozen on a panel."""
    return family_of(judge.vendor, judge.model, FamilyRule.objects.pairs())


def of_generators_family(dataset: Dataset, judges: Sequence[Judge]) -> list[Judge]:
    """The judges that share a family or a name with a model that wrote answers; none where it is not stated."""
    generators, rules = dataset.generators(), FamilyRule.objects.pairs()
    return [judge for judge in judges if any(are_kin(("", name), _named(judge), rules) for name in generators)]


def unknown_generators(dataset: Dataset) -> list[str]:
    """The models that wrote answers by names whose family is not known, so that none can be kept off the panel.

    "" stands for a model that is not stated at all.
    """
    rules = FamilyRule.objects.pairs()
    return [name for name in dataset.generators() or [""] if not is_known("", name, rules)]


def of_unknown_family(judges: Sequence[Judge]) -> list[Judge]:
    """The judges whose own names tell no family, so that they count as their vendor's."""
    rules = FamilyRule.objects.pairs()
    return [judge for judge in judges if not is_known(*_named(judge), rules)]


def _any_kin(judges: Sequence[Judge]) -> bool:
    rules = FamilyRule.objects.pairs()
    names = [_named(judge) for judge in judges]
    return any(are_kin(first, second, rules) for at, first in enumerate(names) for second in names[:at])


def _named(judge: Judge) -> tuple[str, str]:
    return judge.vendor, judge.model

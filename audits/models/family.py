"""Whose model a model is: additions of this installation to the table in audits/judges/families.py."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _

from audits.judges.families import problem_with

PROBLEMS: dict[str, Any] = {
    "no_pattern": _("This is no regular expression. A plain beginning of a name, such as our-judge, is one."),
    "matches_all": _("This fits every name, so all models would be of one family. Write at least one letter."),
    "too_complex": _(
        "Write it more simply: at most three of * + ? {, at most three groups in parentheses, none of them repeated. "
        "Several rules may lead to the same family."
    ),
}


class FamilyRuleQuerySet(models.QuerySet["FamilyRule"]):
    """Rules in the order in which they are asked."""

    def pairs(self) -> tuple[tuple[str, str], ...]:
        """(pattern, family) of all rules, as judges.families takes them."""
        return tuple(self.order_by("position", "pk").values_list("pattern", "family"))


class FamilyRule(models.Model):
    """A pattern of model names and the vendor family that they belong to; asked before the built-in table."""

    pattern = models.CharField(
        _("pattern"), max_length=200, unique=True, help_text=_("A regular expression for the beginning of a name.")
    )
    family = models.CharField(_("family"), max_length=60)
    position = models.PositiveSmallIntegerField(_("position"), default=0)  # smaller is asked first

    objects = FamilyRuleQuerySet.as_manager()

    class Meta:
        ordering = ("position", "pk")
        verbose_name = _("family rule")
        verbose_name_plural = _("family rules")

    def __str__(self) -> str:
        return f"{self.pattern} → {self.family}"

    def clean(self) -> None:
        """Refuse a pattern that cannot be used; write the family as the built-in table writes it."""
        self.family = self.family.strip().lower()
        if problem := problem_with(self.pattern):
            raise ValidationError({"pattern": PROBLEMS[problem]})

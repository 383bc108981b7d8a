"""Whose model a model is: additions of this installation to the table in audits/judges/families.py."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class FamilyRule(models.Model):
    """A pattern of model names and the vendor family that they belong to; asked before the built-in table."""

    pattern = models.CharField(
        _("pattern"), max_length=200, unique=True, help_text=_("A regular expression for the beginning of a name.")
    )
    family = models.CharField(_("family"), max_length=60)
    position = models.PositiveSmallIntegerField(_("position"), default=0)  # smaller is asked first

    class Meta:
        ordering = ("position", "pk")
        verbose_name = _("family rule")
        verbose_name_plural = _("family rules")

    def __str__(self) -> str:
        return f"{self.pattern} → {self.family}"

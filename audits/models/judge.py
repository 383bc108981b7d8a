"""Judges that can be chosen for a panel."""

from decimal import Decimal
from typing import Any

from django.db import models, transaction
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from audits.judges.base import Usage
from audits.models.project import Project
from audits.prices import FREE, WHOLE, Prices
from audits.secrets import decrypt, encrypt


class JudgeQuerySet(models.QuerySet["Judge"]):
    """Judges by where they may be used."""

    def usable_in(self, project: Project) -> "JudgeQuerySet":
        """Judges of this project and those shared by all."""
        return self.filter(Q(project=project) | Q(project__isnull=True), active=True)

    def add(self, *, project: Project, user: Any, api_key: str = "", **fields: Any) -> "Judge":
        """Add a judge to a project."""
        judge = self.model(project=project, **fields)
        judge.api_key = api_key
        with transaction.atomic():
            judge.save()
            judge.note("judge_added", project=project, user=user, key_given=bool(api_key))
        return judge


class Judge(models.Model):
    """One model of one vendor, with its address, key and prices. Prices are US dollars per million tokens."""

    project = models.ForeignKey(Project, models.CASCADE, null=True, blank=True, related_name="judges")
    vendor = models.CharField(_("vendor"), max_length=40)
    model = models.CharField(_("model"), max_length=200)
    base_url = models.URLField(_("base URL"), blank=True)
    key_encrypted = models.TextField(blank=True, editable=False)
    params = models.JSONField(default=dict, blank=True)
    concurrency = models.PositiveSmallIntegerField(_("calls at a time"), default=8)
    price_in = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)  # None: unknown, never 0
    price_out = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    # Of input tokens read from and written to the vendor's prompt cache; None: at the price of other input.
    price_cache_read = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    price_cache_write = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    rpm = models.PositiveIntegerField(_("requests per minute"), null=True, blank=True)  # None: no limit of ours
    tpm = models.PositiveIntegerField(_("tokens per minute"), null=True, blank=True)
    context_tokens = models.PositiveIntegerField(_("context window in tokens"), null=True, blank=True)
    active = models.BooleanField(default=True)
    created = models.DateTimeField(auto_now_add=True)

    objects = JudgeQuerySet.as_manager()

    class Meta:
        ordering = ("vendor", "model")
        constraints = (
            models.UniqueConstraint(fields=("project", "vendor", "model", "base_url"), name="one_judge_per_model"),
            models.UniqueConstraint(
                fields=("vendor", "model", "base_url"),
                condition=Q(project__isnull=True),
                name="one_shared_judge_per_model",
            ),
        )

    def __str__(self) -> str:
        return f"{self.vendor}:{self.model}"

    @property
    def api_key(self) -> str:
        """The key in clear, or "" when the environment's is used."""
        return decrypt(self.key_encrypted) if self.key_encrypted else ""

    @api_key.setter
    def api_key(self, value: str) -> None:
        self.key_encrypted = encrypt(value) if value else ""

    @property
    def used(self) -> bool:
        """Whether an audit has it on its panel: then vendor and model stay what they are."""
        return self.seats.exists()

    def change(self, *, project: Project, user: Any, api_key: str = "", **fields: Any) -> None:
        """Store new values; an empty key keeps the one that is stored. `project` is where the change is recorded."""
        changed = [name for name, value in fields.items() if getattr(self, name) != value]
        for name in changed:
            setattr(self, name, fields[name])
        if api_key:
            self.api_key = api_key
            changed.append("key_encrypted")
        if changed:
            with transaction.atomic():
                self.save(update_fields=changed)
                self.note("judge_changed", project=project, user=user, fields=changed)

    def switch(self, *, project: Project, user: Any, active: bool) -> bool:
        """Offer the judge for new audits or stop offering it; False when that is so already."""
        with transaction.atomic():
            if not Judge.objects.filter(pk=self.pk, active=not active).update(active=active):
                return False
            self.active = active
            self.note("judge_activated" if active else "judge_deactivated", project=project, user=user)
        return True

    def note(self, kind: str, *, project: Project, user: Any, **data: Any) -> None:
        """Append an event about this judge, without its key."""
        project.events.create(kind=kind, actor=user, data={"judge": str(self), "base_url": self.base_url, **data})

    @property
    def prices(self) -> Prices:
        """As entered; settled(vendor) fills in the cache prices that were left empty."""
        return FREE if self.vendor == "offline" else Prices(*(getattr(self, name) for name in PRICE_FIELDS))


PRICE_FIELDS = ("price_in", "price_out", "price_cache_read", "price_cache_write")  # in the order of Prices


def price(
    price_in: Decimal | None,
    price_out: Decimal | None,
    tokens_in: int | None,
    tokens_out: int | None,
    *,
    cache_read: int | None = None,
    cache_write: int | None = None,
    price_cache_read: Decimal | None = None,
    price_cache_write: Decimal | None = None,
    share: Decimal = WHOLE,
) -> Decimal | None:
    """US dollars for so many tokens at prices per million; None as soon as something needed is unknown.

    tokens_in counts all input, cached tokens included. A cache price that is None is that of other input.
    """
    prices = Prices(price_in, price_out, price_cache_read, price_cache_write)
    return prices.cost(Usage(tokens_in, tokens_out, cache_read, cache_write), share)

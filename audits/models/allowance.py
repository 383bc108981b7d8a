"""Money that a worker holds for calls that it has in flight."""

from django.db import models

from audits.models.audit import Audit


class Allowance(models.Model):
    """A part of an audit's budget, held by one stretch of work; what it spends moves to the audit's `spent`.

    When its worker dies, what it held stays counted as spent: those calls may have been billed.
    """

    audit = models.ForeignKey(Audit, models.CASCADE, related_name="allowances")
    token = models.UUIDField(unique=True)
    amount = models.DecimalField(max_digits=14, decimal_places=8, default=0)  # US dollars
    leased_until = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.audit} · {self.amount}"

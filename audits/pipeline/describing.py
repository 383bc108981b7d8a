"""Saying what a dataset is a sample of: its period and how its answers were drawn, as the certificate prints it."""

import datetime
from typing import Any

from django.db import transaction

from audits.models import Dataset, Event


def describe_dataset(
    dataset: Dataset,
    user: Any,
    *,
    period_from: datetime.date | None,
    period_to: datetime.date | None,
    drawn: str,
) -> bool:
    """Record first and last day and how the answers were drawn; True if anything changed. A certificate that was
    issued keeps what it says. ValueError for a period that ends before it begins."""
    if period_from and period_to and period_to < period_from:
        raise ValueError(f"a period does not end before it begins: {period_from} to {period_to}")
    with transaction.atomic():
        now = Dataset.objects.select_for_update(no_key=True).get(pk=dataset.pk)
        before = _said(now.period_from, now.period_to, now.drawn)
        after = _said(period_from, period_to, drawn.strip())
        if before == after:
            return False
        Dataset.objects.filter(pk=now.pk).update(period_from=period_from, period_to=period_to, drawn=drawn.strip())
        Event.record(
            "dataset_described", project=dataset.project, actor=user, rows=[now], dataset=dataset.pk,
            before=before, after=after,
        )  # fmt: skip
    dataset.refresh_from_db()
    return True


def _said(first: datetime.date | None, last: datetime.date | None, drawn: str) -> dict[str, str]:
    return {
        "period_from": first.isoformat() if first else "",
        "period_to": last.isoformat() if last else "",
        "drawn": drawn,
    }

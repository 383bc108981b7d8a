"""The ledger of an audit as rows of a table: every attempt with all that is known of it, oldest first."""

import datetime
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from audits.exporting import Cell
from audits.models import Audit, Call

CHUNK = 1000
# Column -> where it is read from. Column names are the same in every language.
COLUMNS = {
    "call": "pk",
    "created": "created",
    "judge_vendor": "member__vendor",
    "judge_model": "member__model",
    "role": "member__role",
    "position": "member__position",
    "purpose": "purpose",
    "outcome": "outcome",
    "status": "status",
    "message": "message",
    "finish": "finish",
    "model_asked": "model_asked",
    "model_answered": "model_answered",
    "tokens_in": "tokens_in",
    "tokens_out": "tokens_out",
    "cache_read": "cache_read",
    "cache_write": "cache_write",
    "cost_usd": "cost",
    "at_most_usd": "at_most",
    "latency_ms": "latency_ms",
    "attempt": "attempt",
    "replicate": "replicate",
    "batch": "batch_id",
    "reusable": "reusable",
    "vendor_request_id": "vendor_request_id",
    "request_hash": "request_hash",
    "prompt_version": "prompt_version",
    "prompt_hash": "prompt_hash",
    "reply": "reply",
}


def ledger_columns() -> list[str]:
    """The header of ledger_rows."""
    return list(COLUMNS)


def ledger_rows(audit: Audit) -> Iterator[list[Cell]]:
    """One row per attempt, read in chunks. What is unknown is empty; US dollars are written in full."""
    calls = Call.objects.filter(audit=audit).order_by("pk").values_list(*COLUMNS.values())
    for row in calls.iterator(chunk_size=CHUNK):
        yield [_cell(value) for value in row]


def _cell(value: Any) -> Cell:
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    return value if value is None or isinstance(value, int | bool) else str(value)

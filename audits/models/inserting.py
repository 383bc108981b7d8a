"""Inserting rows of one model without asking every field of every row how it is to be stored.

For what workers store all day. Rows get their ids; nothing of what bulk_create does for relations that are not saved
yet is done here. PostgreSQL gets all rows as one JSON text, since thousands of parameters take long to be put in.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from operator import attrgetter
from typing import Any

from django.db import connection, models
from django.utils import timezone

MOST_VALUES = 30_000  # in one statement; SQLite takes 32,766
PLAIN = (models.IntegerField, models.BooleanField, models.ForeignKey)  # stored as they are


@dataclass(frozen=True)
class _Plan:
    table: str  # with its columns in brackets
    columns: tuple[str, ...]  # in double quotes
    types: tuple[str, ...]
    key: str  # the column of the ids
    values: Callable[[Any], tuple[Any, ...]]
    texts: tuple[int, ...]  # columns whose values may be members of an enumeration
    others: tuple[tuple[int, Any], ...]  # columns with fields that must be asked
    stamps: tuple[str, ...]  # columns for the time of inserting
    most: int  # rows of one statement


def insert(rows: Sequence[models.Model], *, ignore_conflicts: bool = False) -> None:
    """Insert rows and give them their ids. With ignore_conflicts, rows that exist stand, and no ids are given."""
    if not rows:
        return
    if not connection.features.can_return_rows_from_bulk_insert:
        type(rows[0])._default_manager.bulk_create(rows, ignore_conflicts=ignore_conflicts)
        return
    plan = _plan(type(rows[0]), connection.vendor)
    now = timezone.now() if plan.stamps else None
    for name in plan.stamps:
        for row in rows:
            setattr(row, name, now)
    with connection.cursor() as cursor:
        for at in range(0, len(rows), plan.most):
            _insert(cursor, plan, rows[at : at + plan.most], ignore_conflicts)


def _insert(cursor: Any, plan: _Plan, rows: Sequence[models.Model], ignore_conflicts: bool) -> None:
    end = " ON CONFLICT DO NOTHING" if ignore_conflicts else f" RETURNING {plan.key}"
    sql, values = (_recordset if connection.vendor == "postgresql" else _values)(plan, rows)
    cursor.execute(f"INSERT INTO {plan.table} {sql}{end}", values)
    if not ignore_conflicts:
        for row, (pk,) in zip(rows, cursor.fetchall(), strict=True):
            row.pk = pk
            row._state.adding, row._state.db = False, connection.alias


def _values(plan: _Plan, rows: Sequence[models.Model]) -> tuple[str, list[Any]]:
    """Every value as a parameter."""
    one = f"({', '.join(['%s'] * len(plan.columns))})"
    values: list[Any] = []
    for row in rows:
        stored = _texts(plan, row)
        for at, field in plan.others:
            if stored[at] is not None:
                stored[at] = field.get_db_prep_save(stored[at], connection)
        values += stored
    return f"VALUES {', '.join([one] * len(rows))}", values


def _recordset(plan: _Plan, rows: Sequence[models.Model]) -> tuple[str, list[Any]]:
    """All rows in one parameter, in their order."""
    names = [column.strip('"') for column in plan.columns]
    told = json.dumps([dict(zip(names, _texts(plan, row), strict=True)) for row in rows], default=str)
    typed = ", ".join(f"{name} {kind}" for name, kind in zip(plan.columns, plan.types, strict=True))
    select = f"SELECT {', '.join(plan.columns)} FROM json_to_recordset(%s::json)"  # noqa: S608 (our own names)
    return f"{select} AS given({typed})", [told]


def _texts(plan: _Plan, row: models.Model) -> list[Any]:
    """The values of a row, with plain text for members of enumerations."""
    values = list(plan.values(row))
    for at in plan.texts:
        if isinstance(values[at], Enum):
            values[at] = values[at].value
    return values


@cache
def _plan(model: type[models.Model], vendor: str) -> _Plan:
    """vendor: of the database, in whose way names are quoted and types are called."""
    fields: list[Any] = [field for field in model._meta.local_concrete_fields if not field.primary_key]
    quote = connection.ops.quote_name
    columns = tuple(quote(field.column) for field in fields)
    texts = [at for at, field in enumerate(fields) if isinstance(field, (models.CharField, models.TextField))]
    others = [(at, field) for at, field in enumerate(fields) if at not in texts and not isinstance(field, PLAIN)]
    key: Any = model._meta.pk
    return _Plan(
        table=f"{quote(model._meta.db_table)} ({', '.join(columns)})",
        columns=columns,
        types=tuple(field.db_type(connection) for field in fields),
        key=quote(key.column),
        values=attrgetter(*(field.attname for field in fields)),
        texts=tuple(texts),
        others=tuple(others),
        stamps=tuple(field.attname for field in fields if getattr(field, "auto_now_add", False)),
        most=MOST_VALUES // len(fields),
    )

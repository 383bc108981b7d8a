"""Inserting rows of one model without asking every field of every row how it is to be stored.

For what workers store all day. Rows get their ids; nothing of what bulk_create does for relations that are not saved
yet is done here. PostgreSQL gets all rows as one JSON text, since thousands of parameters take long to be put in.

`insert_values` is for rows that nobody needs as objects: a file's, ready as text.
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
AT_ONCE = 100  # rows of values in one statement of SQLite, which is fastest so
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


def insert_values(model: type[models.Model], names: Sequence[str], values: Sequence[str], **same: int) -> None:
    """Insert rows that are texts as the database itself writes its values: JSON as JSON, moments in UTC.

    values: one row after the other, of each its `names`; "" is NULL where a field takes it. same: whole numbers that
    all rows have. No ids are given, and a row that exists is an IntegrityError: who might insert rows twice moves a
    mark in the same transaction.
    """
    if not values:
        return
    quote, meta = connection.ops.quote_name, model._meta
    fields: list[Any] = [meta.get_field(name) for name in (*same, *names)]
    table = f"{quote(meta.db_table)} ({', '.join(quote(field.column) for field in fields)})"
    empty = [at for at, field in enumerate(fields[len(same) :]) if field.null]
    write = _copy if connection.vendor == "postgresql" else _insert_texts
    write(table, values, len(names), empty, [*same.values()])


def _insert_texts(table: str, values: Sequence[str], width: int, empty: Sequence[int], same: Sequence[int]) -> None:
    """A hundred rows in one statement, straight to the driver: Django would rewrite every placeholder each time."""
    given: list[str | None] = list(values)
    for at in empty:
        given[at::width] = [value or None for value in given[at::width]]
    row = f"({', '.join([*map(str, same), *['?'] * width])})"
    connection.ensure_connection()
    with connection.wrap_database_errors:
        for at in range(0, len(given), width * AT_ONCE):
            part = given[at : at + width * AT_ONCE]
            sql = f"INSERT INTO {table} VALUES {', '.join([row] * (len(part) // width))}"  # noqa: S608 (our own names)
            connection.connection.execute(sql, part)


def _copy(table: str, values: Sequence[str], width: int, empty: Sequence[int], same: Sequence[int]) -> None:
    """COPY in its text format. All texts are escaped as one, which takes a moment, and then cut apart again."""
    told = "\x00".join(values)
    for char, escape in (("\\", "\\\\"), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
        told = told.replace(char, escape)
    fields = told.split("\x00")
    for at in empty:
        fields[at::width] = [value or "\\N" for value in fields[at::width]]
    rows = zip(*[iter(fields)] * width, strict=True)
    # Django wraps the errors of a cursor's methods, but not those of what they give back.
    with (
        connection.cursor() as cursor,
        connection.wrap_database_errors,
        cursor.copy(f"COPY {table} FROM STDIN") as copy,
    ):
        start = "".join(f"{number}\t" for number in same)
        copy.write("".join([f"{start}{row}\n" for row in map("\t".join, rows)]))


def risk_recent() -> None:
    """Let this transaction be lost by a crash of the database's server: its commit does not wait for the disk.

    For work that is simply done again from where the database then stands. SQLite in its journal mode never waits.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL synchronous_commit TO OFF")

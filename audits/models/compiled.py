"""Statements that run every few calls of an audit: written with the ORM, compiled once, and then only filled in.

Compiling a query costs several times what running it costs. A statement is compiled for each form it takes (how many
ids, which columns) and kept for the life of the process.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection, models
from django.db.models import BigIntegerField, Expression, QuerySet
from django.db.models.sql import UpdateQuery


class Slot(Expression):
    """A value that is not known yet. `place`: which one of a list under its name; None: the value itself."""

    def __init__(self, name: str, field: Any = None, place: int | None = None) -> None:
        super().__init__(output_field=field or BigIntegerField())
        self.name, self.place = name, place

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        """Called by Django: a placeholder, and itself as the parameter."""
        return "%s", (self,)

    def fill(self, values: dict[str, Any]) -> Any:
        """The parameter for the database."""
        value = values[self.name]
        if self.place is not None:
            value = value[min(self.place, len(value) - 1)]
        return value if type(value) is int else self.output_field.get_db_prep_value(value, connection)


def slots(name: str, number: int, field: Any = None) -> list[Any]:
    """Slots for a list of values under one name; ids unless a field says otherwise."""
    return [Slot(name, field, place) for place in range(number)]


def roomy(number: int) -> int:
    """How many slots to make for so many values, so that there are few forms; the last value fills what is left."""
    return 1 << max(0, number - 1).bit_length()


Update = tuple["QuerySet[Any, Any]", dict[str, Any]]
"""The rows to be changed, and what is set."""


@dataclass(frozen=True)
class _Compiled:
    sql: str
    params: tuple[Any, ...]
    converters: tuple[tuple[int, tuple[Any, ...], Any], ...] = ()  # column, functions, expression
    model: type[models.Model] | None = None
    names: tuple[str, ...] = ()  # of the model's columns, which come first
    annotations: tuple[tuple[str, int], ...] = ()


_kept: dict[Hashable, _Compiled] = {}


def select(key: Hashable, build: Callable[[], "QuerySet[Any, Any]"], **values: Any) -> list[Any]:
    """Objects of a query, or tuples where it asks for values. key: tells its form; values: what fills its slots."""
    found = _kept.get((key, connection.alias)) or _keep(key, _compiled(build()))
    with connection.cursor() as cursor:
        cursor.execute(found.sql, _filled(found, values))
        rows: Iterable[Sequence[Any]] = cursor.fetchall()
    if found.converters:
        rows = _converted(found, rows)
    return list(rows) if found.model is None else [_object(found, row) for row in rows]


def update(key: Hashable, build: Callable[[], Update], **values: Any) -> int:
    """Run an update; the number of rows that it changed. build: the rows, and what is set."""
    found = _kept.get((key, connection.alias)) or _keep(key, _compiled_update(*build()))
    with connection.cursor() as cursor:
        cursor.execute(found.sql, _filled(found, values))
        return int(cursor.rowcount)


def _keep(key: Hashable, found: _Compiled) -> _Compiled:
    _kept[key, connection.alias] = found
    return found


def _filled(found: _Compiled, values: dict[str, Any]) -> list[Any]:
    return [each.fill(values) if isinstance(each, Slot) else each for each in found.params]


def _compiled(rows: "QuerySet[Any, Any]") -> _Compiled:
    compiler: Any = rows.query.get_compiler(connection=connection)
    sql, params = compiler.as_sql()
    columns = [each[0] for each in compiler.select]
    converters = compiler.get_converters(columns)
    told = tuple((at, tuple(functions), expression) for at, (functions, expression) in converters.items())
    if rows._fields is not None:  # type: ignore[attr-defined]  # values are asked for
        return _Compiled(sql, tuple(params), told)
    chosen = compiler.klass_info["select_fields"]
    names = tuple(column.target.attname for column in columns[: len(chosen)])
    annotations = tuple(compiler.annotation_col_map.items())
    return _Compiled(sql, tuple(params), told, compiler.klass_info["model"], names, annotations)


def _compiled_update(rows: "QuerySet[Any, Any]", fields: dict[str, Any]) -> _Compiled:
    query: Any = rows.query.chain(UpdateQuery)
    query.add_update_values(fields)
    sql, params = query.get_compiler(connection=connection).as_sql()
    return _Compiled(sql, tuple(params))


def _converted(found: _Compiled, rows: Iterable[Sequence[Any]]) -> Iterable[list[Any]]:
    for each in rows:
        row = list(each)
        for at, functions, expression in found.converters:
            for function in functions:
                row[at] = function(row[at], expression, connection)
        yield row


def _object(found: _Compiled, row: Sequence[Any]) -> Any:
    assert found.model is not None
    made = found.model.from_db(connection.alias, found.names, row[: len(found.names)])
    for name, at in found.annotations:
        setattr(made, name, row[at])
    return made

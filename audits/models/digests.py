"""What the log keeps of rows beside what was done: SHA-256 over their columns, so that a change of any of them shows.

A form is a list of columns under a name that ends in a number. Forms in use never change: who adds a column makes the
next form beside it, and what was written with an old one can still be checked. Every form is in `FORMS`; the columns
are chosen in audits/models/witnessed.py and review/models/witnessed.py.
"""

import datetime
import hashlib
import json
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db import models

CHUNK = 2000
AT_ONCE = 500  # keys in one query
SIMPLE = {str, int, bool, type(None)}
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


@dataclass(frozen=True)
class Form:
    """columns: names as `values_list` takes them; the key comes before them."""

    name: str
    model: type[models.Model]
    columns: tuple[str, ...]

    def lines(self, rows: "models.QuerySet[Any] | None" = None) -> Iterator[tuple[int, bytes]]:
        """(key, line) of these rows of the model, in the order of their keys; all rows without any."""
        found = models.QuerySet(self.model) if rows is None else rows
        ordered = found.order_by("pk").values_list("pk", *self.columns)
        for row in ordered.iterator(chunk_size=CHUNK):
            yield row[0], line(row)

    def of(self, keys: Iterable[int]) -> Iterator[tuple[int, str]]:
        """(key, SHA-256) of the rows with these keys; those that do not exist are left out."""
        wanted = sorted(keys)
        for at in range(0, len(wanted), AT_ONCE):
            rows: models.QuerySet[Any] = models.QuerySet(self.model).filter(pk__in=wanted[at : at + AT_ONCE])
            for key, text in self.lines(rows):
                yield key, hashlib.sha256(text).hexdigest()

    def digest(self, rows: "models.QuerySet[Any]", tick: Callable[[], None] = lambda: None) -> dict[str, Any]:
        """How many rows these are, and one SHA-256 over their lines. tick: called now and then."""
        number, hashed = 0, hashlib.sha256()
        for number, (_, text) in enumerate(self.lines(rows), start=1):  # the last one is wanted
            hashed.update(text)
            if number % CHUNK == 0:
                tick()
        return {"rows": number, "sha256": hashed.hexdigest()}


FORMS: dict[str, Form] = {}
_WITNESSED: dict[type[models.Model], Form] = {}  # the form in which single rows of a model are witnessed


def register(name: str, model: type[models.Model], columns: Sequence[str], *, single: bool = True) -> None:
    """Add a form. single: rows that events name one by one are written in it."""
    FORMS[name] = Form(name, model, tuple(columns))
    if single:
        _WITNESSED[model] = FORMS[name]


def witness(rows: Iterable[models.Model]) -> dict[str, str]:
    """ "form:key" -> SHA-256, of the rows as they are in the database now. Only of rows that nobody else can change
    before the transaction ends: new ones, or those that it holds; else the log would tell an old state after a new
    one."""
    keys: dict[type[models.Model], list[int]] = defaultdict(list)
    for row in rows:
        keys[type(row)].append(row.pk)
    found: dict[str, str] = {}
    for model, wanted in keys.items():
        form = _WITNESSED[model]
        found |= {f"{form.name}:{key}": hashed for key, hashed in form.of(wanted)}
    return found


def line(values: Sequence[Any]) -> bytes:
    """The one byte form of a row: a JSON list without blanks, names sorted, UTF-8, and a line break."""
    plain = [value if type(value) in SIMPLE else _plain(value) for value in values]
    return _ENCODER.encode(plain).encode("utf-8", "surrogatepass") + b"\n"


def _plain(value: Any) -> Any:
    """What every database gives back alike: times in UTC, numbers without trailing zeros."""
    if type(value) in SIMPLE:
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.UTC).isoformat(timespec="microseconds")
    if isinstance(value, Decimal):
        return format(value.normalize(), "f") if value else "0"
    return str(value) if isinstance(value, uuid.UUID | datetime.date) else value

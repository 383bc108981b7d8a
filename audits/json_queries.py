"""Asking the database about texts inside JSON, in the same words for SQLite and PostgreSQL.

Django's own paths take a key of digits for a place in a list, and cannot ask SQLite whether a list holds a text.
"""

from typing import Any

from django.db.models import BooleanField, Func, TextField, Value


class _InJson(Func):
    """One text about one JSON field. sqlite: the head and tail of a query over json_each."""

    sqlite: tuple[str, str]

    def __init__(self, field: Any, text: Any, **extra: Any) -> None:
        super().__init__(field, Value(text) if isinstance(text, str) else text, **extra)

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """json_each finds a key of any spelling; the paths of SQLite cannot spell every key."""
        head, tail = self.sqlite
        template = f"({head} FROM json_each(%(expressions)s)"
        return self.as_sql(
            compiler, connection, template=template, arg_joiner=f") AS one WHERE one.{tail} = ", **context
        )


class TextOf(_InJson):
    """TextOf("metadata", "city"): the value of this key as text, NULL where the object lacks it."""

    function = "jsonb_extract_path_text"
    sqlite = ("SELECT CASE WHEN one.type IN ('true', 'false') THEN one.type ELSE CAST(one.value AS TEXT) END", "key")
    output_field = TextField()


class Holds(_InJson):
    """Holds("tags", "refunds"): whether a list of texts holds this text."""

    function = "jsonb_exists"
    sqlite = ("SELECT COUNT(*) > 0", "value")
    output_field = BooleanField()

"""Rows that belong together, wherever in the file they stand: joined by a key, in bounded memory."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import groupby
from operator import itemgetter

from audits.formats.base import Row, RowProblem, SourceRow
from audits.formats.messages import row_problem

MAX_PARTS = 10_000  # rows of one answer
_CACHE = 32 << 10  # KiB that stay in memory; a larger file spills to the disk

_SCHEMA = """
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    CREATE TABLE keys (number INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, parts INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE parts (key INTEGER, part INTEGER, line INTEGER, body TEXT, PRIMARY KEY (key, part)) WITHOUT ROWID;
"""
_COUNT = """
    INSERT INTO keys (name) VALUES (?) ON CONFLICT (name) DO UPDATE SET parts = parts + 1 RETURNING number, parts
"""


def grouped(
    rows: Iterator[SourceRow | RowProblem], key: Callable[[Row], str], *, named: str
) -> Iterator[list[SourceRow] | RowProblem]:
    """The rows with the same key, in the order in which the keys first appear; within a group in file order.

    Problems come first, as they are met. named: what the key is called in the file, for rows without one.
    Everything is read before the first group comes. The values of rows must be JSON. Memory: one group and a cache.
    """
    # "" is a database in memory that SQLite moves to a nameless temporary file when it outgrows its cache.
    with closing(sqlite3.connect("", isolation_level=None, check_same_thread=False)) as base:
        base.executescript(f"PRAGMA cache_size = -{_CACHE};{_SCHEMA} BEGIN;")
        for row in rows:
            problem = row if isinstance(row, RowProblem) else _keep(base, row, key(row.values), named)
            if problem:
                yield problem
        found = base.execute("SELECT key, line, body FROM parts ORDER BY key, part")
        for _, parts in groupby(found, key=itemgetter(0)):
            yield [SourceRow(line, json.loads(body)) for _, line, body in parts]


def _keep(base: sqlite3.Connection, row: SourceRow, name: str, named: str) -> RowProblem | None:
    if not name:
        return row_problem(row.line, "no_key", values=row.values, key=named)
    number, part = base.execute(_COUNT, [json.dumps(name)]).fetchone()  # as JSON: SQLite knows no half characters
    if part >= MAX_PARTS:
        return row_problem(row.line, "too_many_parts", limit=MAX_PARTS)
    base.execute("INSERT INTO parts VALUES (?, ?, ?, ?)", [number, part, row.line, json.dumps(row.values)])
    return None

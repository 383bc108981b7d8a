"""Threads on a real database: on the tests' own PostgreSQL, or on a SQLite file in place of the one in memory."""

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import connection, connections


@contextmanager
def on_disk(folder: Path) -> Iterator[None]:
    """Let connections that are opened from now on, by other threads, see a copy of the tests' database in a file."""
    settings = connections.settings[connection.alias]
    name = settings["NAME"]
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        path = folder / "threads.sqlite3"
        with sqlite3.connect(path) as copy:
            connection.connection.backup(copy)
        copy.close()
        settings["NAME"] = str(path)
    try:
        yield
    finally:
        settings["NAME"] = name


def run(functions: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run each in a thread of its own, all at once; what they gave back, in order. The first error is raised."""
    given: list[Any] = [None] * len(functions)
    errors: list[BaseException] = []
    start = threading.Barrier(len(functions))

    def one(place: int) -> None:
        try:
            start.wait(timeout=30)
            given[place] = functions[place]()
        except BaseException as error:  # reported below
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=one, args=(place,)) for place in range(len(functions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return given

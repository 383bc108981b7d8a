"""What each process of a test run does before its first test, made cheap: collecting, and migrating a database."""

import gc
import hashlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import django
import pytest
from django.apps import apps
from django.db import connection


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is collected stays to the end: to look through it for garbage again and again is in vain."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


def _name_of_state() -> str:
    """A digest of all that an empty database is made of: what the migrations say, and who reads them."""
    said = hashlib.sha256(f"{django.__version__} {sqlite3.sqlite_version}".encode())
    for app in apps.get_app_configs():
        for path in sorted((Path(app.path) / "migrations").glob("*.py")):
            said.update(f"{app.label} {path.name}".encode() + path.read_bytes())
    return said.hexdigest()


@pytest.fixture(scope="session")
def kept_database(
    pytestconfig: pytest.Config, django_db_use_migrations: bool, django_db_modify_db_settings: None
) -> Iterator[Path | None]:
    """The file in which a migrated database is kept from run to run; where it is there, the one in memory is filled.

    None where nothing is kept: no cache, or no database in memory.
    """
    name = str(connection.creation._get_test_db_name()) if connection.vendor == "sqlite" else ""
    cache: Any = getattr(pytestconfig, "cache", None)
    if "mode=memory" not in name or cache is None or not django_db_use_migrations:
        yield None
        return
    path = cache.mkdir("databases") / f"{_name_of_state()}.sqlite3"
    with closing(sqlite3.connect(name, uri=True)) as memory:  # open until Django's own connection is
        if path.exists():
            with closing(sqlite3.connect(path)) as file:
                file.backup(memory)
        yield path


@pytest.fixture(scope="session")
def django_db_setup(kept_database: Path | None, django_db_setup: None, django_db_blocker: Any) -> None:
    """pytest-django's own, which still runs whatever migration the database lacks; its outcome is kept."""
    if kept_database is None or kept_database.exists():
        return
    draft = kept_database.with_name(f"{kept_database.name}.{os.getpid()}")
    with django_db_blocker.unblock(), closing(sqlite3.connect(draft)) as file:
        connection.connection.backup(file)
    draft.replace(kept_database)  # whole or not at all, for a process that begins meanwhile
    for older in set(kept_database.parent.glob("*.sqlite3")) - {kept_database}:
        older.unlink(missing_ok=True)

"""A place of its own for a bench: a temporary data folder, a database and a broker that nobody else uses.

PostgreSQL and Redis when they are reachable on this machine, else SQLite and the broker in a folder. Everything is
dropped at the end.
"""

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
import redis

ROOT = Path(__file__).resolve().parents[1]
HOST = "127.0.0.1"
MARK = "assay-bench"  # key that marks a Redis database as taken
AMBIENT = ("PROXY", "OPENAI_", "ANTHROPIC_", "ASSAY_")  # parts of names that could change what is measured


@dataclass(frozen=True)
class Place:
    """Where a bench runs. environment: of the processes in it, whole."""

    folder: Path
    environment: dict[str, str]
    database: str  # "postgresql" | "sqlite"
    broker: str  # "redis" | "folder"


@contextmanager
def place() -> Iterator[Place]:
    """Make a place, and clear it away whatever happens. DATABASE_URL and REDIS_URL name servers to use, if set."""
    folder = Path(tempfile.mkdtemp(prefix="assay-bench-"))
    try:
        with _postgresql() as database, _redis() as broker:
            environment = {k: v for k, v in os.environ.items() if not any(part in k.upper() for part in AMBIENT)}
            environment |= {
                "ASSAY_DATA_DIR": str(folder),
                "DATABASE_URL": database or f"sqlite:///{folder / 'assay.sqlite3'}",
                "REDIS_URL": broker or "",
                "DJANGO_SETTINGS_MODULE": "config.settings",
                "PYTHONDONTWRITEBYTECODE": "1",
                "SECRET_KEY": secrets.token_urlsafe(32),
                "LOG_LEVEL": "WARNING",
            }
            names = "postgresql" if database else "sqlite", "redis" if broker else "folder"
            yield Place(folder, environment, *names)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _postgresql() -> Iterator[str | None]:
    """The URL of a new database, dropped afterwards; None where no server lets us make one."""
    server = _server()
    if server is None:
        yield None
        return
    name = f"assay_bench_{secrets.token_hex(6)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    try:
        yield urlunsplit(urlsplit(server)._replace(path=f"/{name}"))
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def _server() -> str | None:
    given = os.environ.get("DATABASE_URL", "")
    if given.startswith("sqlite"):  # asked for
        return None
    user = os.environ.get("USER") or "postgres"
    for url in filter(None, (given, f"postgres://{user}@{HOST}/postgres", f"postgres://postgres@{HOST}/postgres")):
        with suppress(psycopg.Error), psycopg.connect(url, connect_timeout=2) as connection:
            found = connection.execute("SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = user").fetchone()
            if found and found[0]:
                return url
    return None


@contextmanager
def _redis() -> Iterator[str | None]:
    """The URL of an empty Redis database, emptied afterwards; None where there is no server or no empty one."""
    given = os.environ.get("REDIS_URL") or f"redis://{HOST}:6379/0"
    server = urlunsplit(urlsplit(given)._replace(path=""))
    for number in range(15, 0, -1):
        client: Any = redis.Redis.from_url(f"{server}/{number}", socket_connect_timeout=2)
        try:
            free = client.dbsize() == 0 and client.set(MARK, os.getpid(), nx=True)
        except redis.ConnectionError:
            break
        except redis.ResponseError:  # it has fewer databases
            continue
        if free:
            try:
                yield f"{server}/{number}"
            finally:
                client.flushdb()
            return
    yield None

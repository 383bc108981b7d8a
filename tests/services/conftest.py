"""Workers, a broker and a database of their own for the tests that kill and restart them."""

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from tests.services.servers import OwnPostgres, OwnRedis, Redis
from tests.services.workers import Nursery, Worker, database_url
from tests.vendor_server.server import VendorServer

pytest.register_assert_rewrite("tests.services.scenario")
Start = Callable[..., Worker]


@pytest.fixture(scope="session")
def nursery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nursery]:
    """Where workers come from."""
    nursery = Nursery(tmp_path_factory.mktemp("workers"))
    yield nursery
    nursery.close()


@pytest.fixture(scope="session")
def _running_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redis]:
    binary = OwnRedis.binary()
    if binary is None:
        if not os.environ.get("REDIS_URL"):
            pytest.skip("REDIS_URL is not set; run make services")
        yield Redis(os.environ["REDIS_URL"])
        return
    server = OwnRedis(binary, tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.kill()


@pytest.fixture
def broker(_running_broker: Redis) -> Redis:
    """The Redis of the workers: their own, where there is a server to start."""
    _running_broker.empty()
    return _running_broker


@pytest.fixture
def worker(nursery: Nursery, broker: Redis, vendor_server: VendorServer, transactional_db: None) -> Iterator[Start]:
    """A function that starts a worker process; all are ended afterwards."""
    if connection.vendor == "sqlite" and "memory" in str(connection.settings_dict["NAME"]):
        pytest.skip("other processes cannot see an in-memory database; run make services")
    started: list[Worker] = []

    def start(**environment: str) -> Worker:
        started.append(nursery.start(REDIS_URL=broker.url, **environment))
        return started[-1]

    yield start
    for process in started:
        process.kill()


@pytest.fixture(scope="session")
def _running_postgres() -> Iterator[OwnPostgres]:
    binaries = OwnPostgres.binaries()
    if binaries is None:
        pytest.skip("NO PROGRAMS OF A PostgreSQL SERVER HERE: what happens when it restarts is NOT TESTED")
    # Not in pytest's folder, into which it lets no other user.
    with tempfile.TemporaryDirectory(prefix="assay-postgres-") as folder:
        server = OwnPostgres(binaries, Path(folder))
        server.start()
        yield server
        server.stop()


@pytest.fixture
def own_postgres(_running_postgres: OwnPostgres, transactional_db: None, tmp_path: Path) -> Iterator[OwnPostgres]:
    """A PostgreSQL that may be restarted; the test's own connection leads to a new database there meanwhile."""
    if connection.vendor != "postgresql":
        pytest.skip("the schema is copied from a PostgreSQL; run make services")
    copy = tmp_path / "schema.sql"
    subprocess.run(["pg_dump", "--no-owner", "-f", str(copy), database_url()], check=True)
    before: dict[str, Any] = dict(connection.settings_dict)
    connection.close()
    here = {"HOST": "127.0.0.1", "PORT": _running_postgres.port, "USER": "postgres", "PASSWORD": ""}
    try:
        connection.settings_dict.update(here, NAME="postgres")
        with connection.cursor() as cursor:
            cursor.execute("DROP DATABASE IF EXISTS assay WITH (FORCE)")
            cursor.execute("CREATE DATABASE assay")
        connection.close()
        connection.settings_dict["NAME"] = "assay"
        psql = ["psql", "-q", "-v", "ON_ERROR_STOP=1", "-o", "/dev/null", "-f", str(copy), database_url()]
        subprocess.run(psql, check=True)
        yield _running_postgres
    finally:
        connection.close()
        connection.settings_dict.update(before)

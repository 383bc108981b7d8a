"""Starting, killing and disturbing worker processes, and waiting for what they do."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection

ROOT = Path(__file__).resolve().parents[2]
DEADLINE = 120  # seconds until a test gives up; no test waits that long when all is well


def wait_for(what: Callable[[], Any], message: str) -> None:
    """Poll a condition until it holds; a database that is away for a moment is asked again."""
    end = time.monotonic() + DEADLINE
    while True:
        try:
            if what():
                return
        except (OperationalError, InterfaceError):
            connection.close()
        assert time.monotonic() < end, message
        time.sleep(0.02)


def database_url() -> str:
    """The database of this test, for a process of its own."""
    found = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{found['NAME']}"
    host, port = found["HOST"] or "127.0.0.1", found["PORT"] or 5432
    return f"postgres://{found['USER']}:{found['PASSWORD']}@{host}:{port}/{found['NAME']}"


@dataclass(frozen=True)
class Worker:
    """A worker process."""

    name: str  # as the vendor sees it
    pid: int
    output: Path

    @property
    def lives(self) -> bool:
        """Whether it still runs."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        return True

    def send(self, number: int) -> None:
        """Send a signal."""
        os.kill(self.pid, number)

    def kill(self) -> None:
        """kill -9, and wait until it is gone."""
        with contextlib.suppress(ProcessLookupError):
            self.send(signal.SIGKILL)
        wait_for(lambda: not self.lives, "the worker does not die")


class Nursery:
    """Starts workers quickly: see nursery.py."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0
        # What is imported is compiled once for all runs, outside the work tree.
        compiled = str(Path(sys.prefix) / "compiled")
        environment = os.environ | {"PYTHONPYCACHEPREFIX": compiled, "OPENBLAS_NUM_THREADS": "1"}
        for name in ("PYTHONDONTWRITEBYTECODE", "DJANGO_SETTINGS_MODULE"):  # settings are for each worker to read
            environment.pop(name, None)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.services.nursery"],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def start(self, **environment: str) -> Worker:
        """A new worker on the database of this test, with the vendors that the test's environment names."""
        self._count += 1
        name = f"worker-{self._count}"
        output = self._folder / f"{name}.log"
        usual = {
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATABASE_URL": database_url(),
            "ASSAY_DATA_DIR": str(settings.DATA_DIR),
            "ASSAY_LEASE_SECONDS": "4",
            "ASSAY_SWEEP_SECONDS": "1",
            "ASSAY_RETRY_BASE_MS": "10",
            "SECRET_KEY": settings.SECRET_KEY,
            # Headers of its requests tell the vendor whose they are.
            "OPENAI_ORG_ID": name,
            "ANTHROPIC_CUSTOM_HEADERS": f"OpenAI-Organization: {name}",
        }
        order = {"environment": os.environ | usual | environment, "output": str(output)}
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps(order), file=self._process.stdin, flush=True)
        return Worker(name, int(self._process.stdout.readline()), output)

    def close(self) -> None:
        """End, with all workers."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(20)

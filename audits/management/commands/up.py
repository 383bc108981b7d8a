"""Everything on one machine: migrate, sample data, web server and worker, until Ctrl-C."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from argparse import ArgumentParser
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from audits.migrating import migrate

PR_SET_PDEATHSIG = 1


def _die_with_parent() -> None:
    """In a child: end when the parent ends, even if it was killed. Only Linux has it; elsewhere nothing happens."""
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    except (OSError, AttributeError):
        return


def _answers(address: tuple[str, int]) -> bool:
    try:
        with socket.create_connection(address, timeout=1):
            return True
    except OSError:
        return False


class Command(BaseCommand):
    """manage.py up"""

    help = "Runs Assay on this machine: database, sample data, web server and worker."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Options."""
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--no-demo", action="store_true", help="without the sample project and its logins")

    def handle(self, *args: Any, **options: Any) -> None:
        """Prepare, start both processes, watch them, stop both."""
        host, port = options["host"], options["port"]
        self._check_free(host, port)
        migrate()
        if not options["no_demo"]:
            call_command("demo", stdout=self.stdout)
        manage = [sys.executable, "manage.py"]
        self._watch(
            {"web": [*manage, "web", f"--host={host}", f"--port={port}"], "worker": [*manage, "worker"]}, (host, port)
        )

    def _check_free(self, host: str, port: int) -> None:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError as error:
                raise CommandError(
                    f"Port {port} on {host} is taken ({error.strerror}). Is Assay already running? "
                    f"Stop it, or choose another port: make run PORT={port + 1}"
                ) from error

    def _watch(self, commands: dict[str, list[str]], address: tuple[str, int]) -> None:
        """Keep every process alive, say when pages answer; a first signal stops all of them in order."""
        stopping = announced = False

        def stop(_signal: int, _frame: FrameType | None) -> None:
            nonlocal stopping
            stopping = True

        signal.signal(signal.SIGINT, stop)
        signal.signal(signal.SIGTERM, stop)
        running = {name: self._start(command) for name, command in commands.items()}
        while not stopping:
            for name, process in running.items():
                if process.poll() is not None and not stopping:
                    self.stderr.write(f"The {name} process ended ({process.returncode}); it is started again.")
                    running[name] = self._start(commands[name])
            if not announced and _answers(address):
                announced = True
                self.stdout.write(f"\n  Assay is at http://{address[0]}:{address[1]}/   (Ctrl-C stops it)\n")
                self.stdout.flush()
            time.sleep(0.3)
        self.stdout.write("Stopping …")
        self._stop(list(running.values()))

    def _start(self, command: list[str]) -> "subprocess.Popen[bytes]":
        # A session of its own: Ctrl-C reaches this process alone, which then stops the others in order.
        return subprocess.Popen(  # noqa: S603  # our own fixed command lines
            command,
            cwd=settings.BASE_DIR,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
            start_new_session=True,
            preexec_fn=_die_with_parent,
        )

    def _stop(self, processes: "list[subprocess.Popen[bytes]]") -> None:
        for process in processes:
            process.terminate()
        deadline = time.monotonic() + 15
        for process in processes:
            try:
                process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

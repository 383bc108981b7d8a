"""The web server: migrates, collects static files, then becomes gunicorn."""

import os
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand

from audits.migrating import migrate


class Command(BaseCommand):
    """manage.py web"""

    help = "Runs the web server in the foreground."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Options."""
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--workers", type=int, default=1, help="processes (default 1)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Prepare, then replace this process by gunicorn, so that signals reach it."""
        migrate()
        call_command("collectstatic", verbosity=0, interactive=False)
        arguments = f"--bind {options['host']}:{options['port']} --workers {options['workers']}"
        # No control socket: it would be a second way in. Threads: pages wait for the database, not for the processor.
        arguments += " --worker-class gthread --threads 8 --timeout 120 --log-level warning --no-control-socket"
        command = [sys.executable, "-m", "gunicorn", "config.wsgi", *arguments.split()]
        os.execv(sys.executable, command)  # noqa: S606  # our own fixed command line

"""The background worker: a Celery worker that also sweeps for owed work. Run as many as there are cores to use."""

import warnings
from argparse import ArgumentParser
from typing import Any

from celery.platforms import SecurityWarning
from django.core.management.base import BaseCommand

from config.celery import app


class Command(BaseCommand):
    """manage.py worker"""

    help = "Runs a worker in the foreground: imports, judging, opening of reviews."
    requires_system_checks = ()  # the pages are not its business

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Options."""
        parser.add_argument("--threads", type=int, default=4, help="tasks at a time in this worker (default 4)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Start and stay."""
        # Messages are JSON and hold ids only: running as root in a container is no way in.
        warnings.simplefilter("ignore", SecurityWarning)
        quiet = ["--loglevel=WARNING", "--without-gossip", "--without-mingle", "--without-heartbeat"]
        app.worker_main(["--quiet", "worker", "--pool=threads", f"--concurrency={options['threads']}", *quiet])

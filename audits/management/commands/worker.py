"""The background worker: a Celery worker that also sweeps for owed work. Run as many as there are cores to use."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from config.celery import app


class Command(BaseCommand):
    """manage.py worker"""

    help = "Runs a worker in the foreground: imports, judging, opening of reviews."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Options."""
        parser.add_argument("--threads", type=int, default=4, help="tasks at a time in this worker (default 4)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Start and stay."""
        quiet = ["--loglevel=WARNING", "--without-gossip", "--without-mingle", "--without-heartbeat"]
        app.worker_main(["worker", "--pool=threads", f"--concurrency={options['threads']}", *quiet])

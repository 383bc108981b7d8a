"""Bringing the database up to date when several processes start at once."""

import fcntl

from django.conf import settings
from django.core.management import call_command


def migrate() -> None:
    """Apply what migrations are missing. Processes that share a data folder do it one after the other."""
    # A file, because an empty database has no row to lock. It ends with the process, however that ends.
    with (settings.DATA_DIR / "migrate.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        call_command("migrate", verbosity=0)

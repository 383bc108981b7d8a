"""manage.py verify_log: hold everything that is stored against the log of what people did."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from audits.models import Event
from audits.pipeline.sealing import head
from review.log_check import check_log, not_covered

AGREES, DIFFERS = 0, 1


class Command(BaseCommand):
    """Exit status: 0 everything agrees, 1 something does not. Reads only. Output is plain English lines."""

    help = "Check the chain of events, and all that numbers and certificates rest on, against it."

    def add_arguments(self, parser: CommandParser) -> None:
        """--no-files."""
        parser.add_argument("--no-files", action="store_true", help="do not read the uploaded files")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check and say what was found."""
        found = 0
        for finding in check_log(files=not options["no_files"]):
            found += 1
            self.stdout.write(f"- {finding.about}: {finding.problem}")
        sequence, hash_ = head()
        waiting = Event.objects.filter(sequence__isnull=True).count()
        self.stdout.write(f"{'DIFFERS' if found else 'AGREES'}: {sequence} events, {waiting} not chained yet")
        for older in not_covered():
            self.stdout.write(f"Not covered in full: {older}, older than the digests of the log.")
        self.stdout.write(f"Head: {sequence} {hash_}")
        if not found:
            self.stdout.write("Compare the head with one that you kept: a certificate holds it as event_log.")
        sys.exit(DIFFERS if found else AGREES)

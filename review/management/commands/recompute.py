"""manage.py recompute CERTIFICATE.json PACKAGE.zip: the draw and the figures once more, from the exported data."""

import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from review.differences import Difference
from review.package.reading import Package, PackageError
from review.package.redoing import redo
from review.signature import LARGEST_FILE, verify_file

SAME, DIFFERENT, UNREADABLE = 0, 1, 2
SHOWN = 20  # differences of one part that are listed


class Command(BaseCommand):
    """Exit status: 0 the same, 1 something differs, 2 a file cannot be read. Plain English lines, for scripts too."""

    help = "Repeat the draw and the figures of a certificate from its evidence package, without a database."
    requires_system_checks: list[str] = []  # a statistician has no database and no settings of ours

    def add_arguments(self, parser: CommandParser) -> None:
        """CERTIFICATE and PACKAGE."""
        parser.add_argument("certificate", help="the certificate, a JSON file")
        parser.add_argument("package", help="its evidence package: the ZIP, or the folder it was unpacked to")

    def handle(self, *args: Any, **options: Any) -> None:
        """Repeat, compare and say what was found."""
        try:
            status = self._recompute(Path(options["certificate"]), Path(options["package"]))
        except (OSError, PackageError) as error:
            self.stderr.write(f"Cannot read: {error}")
            status = UNREADABLE
        sys.exit(status)

    def _recompute(self, certificate: Path, path: Path) -> int:
        with certificate.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
        checked = verify_file(data)
        if checked.statement is None or not checked.valid:
            self.stdout.write(f"DIFFERENT: the certificate is not as it was signed ({', '.join(checked.problems)})")
            return DIFFERENT
        package = Package(path)
        different = False
        if package.json("certificate.json") != json.loads(data):
            different = True
            self.stdout.write("- certificate.json: the package belongs to another certificate")
        for part in redo(checked.statement, package):
            self.stdout.write(f"  {part.name}: {'same' if part.same else 'DIFFERENT'}")
            different = different or not part.same
            for one in part.differences[:SHOWN]:
                self._tell(one)
            if len(part.differences) > SHOWN:
                self.stdout.write(f"    and {len(part.differences) - SHOWN} more")
        number = checked.statement.get("number")
        self.stdout.write(f"DIFFERENT: {number}" if different else f"same: {number}")
        return DIFFERENT if different else SAME

    def _tell(self, one: Difference) -> None:
        self.stdout.write(f"    {one.path}: expected {one.signed}, found {one.found}")

"""manage.py verify FILE: check a certificate without a server, a database or a network."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from review.attached import is_pdf
from review.signature import LARGEST_FILE, KeyFileError, key_id, load_public, verify_file

VALID, INVALID, UNREADABLE = 0, 1, 2
WHERE = {
    "malformed": "The file is not a certificate: its form is wrong.",
    "not_canonical": "The file is not byte for byte as it was issued; it differs first at byte {offset}, from 0.",
    "statement_changed": "The statement was changed after it was signed: its SHA-256 is another one.",
    "signature_invalid": "The signature does not belong to this statement and key.",
    "unknown_key": "It is signed, but not with the key that was given.",
}


class Command(BaseCommand):
    """Exit status: 0 valid, 1 invalid, 2 a file cannot be read. Output is plain English lines, for scripts too."""

    help = "Verify a certificate file (JSON) offline."
    requires_system_checks: list[str] = []  # an auditor has no database and no settings of ours

    def add_arguments(self, parser: CommandParser) -> None:
        """FILE and --key."""
        parser.add_argument("file", help="the certificate, a JSON file")
        parser.add_argument(
            "--key", help="public key (PEM) that must have signed it; else the one in the file is used"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Check and say what was found."""
        sys.exit(self._verify(Path(options["file"]), options["key"]))

    def _verify(self, path: Path, key: str | None) -> int:
        trusted = None
        try:
            with path.open("rb") as file:
                data = file.read(LARGEST_FILE + 1)
            if key:
                public = load_public(Path(key).read_bytes())
                trusted = {key_id(public): public}
        except (OSError, KeyFileError) as error:
            self.stderr.write(f"Cannot read: {error}")
            return UNREADABLE
        checked = verify_file(data, trusted)
        if not checked.valid:
            self.stdout.write("INVALID")
            for problem in checked.problems:
                self.stdout.write(f"- {WHERE[problem].format(offset=checked.offset)}")
            if is_pdf(data):
                self.stdout.write("It is a PDF. Take the certificate out of it: pdfdetach -save 1 FILE.pdf")
            return INVALID
        self._tell(checked.statement or {}, checked.sha256, checked.key_id, key)
        return VALID

    def _tell(self, statement: Any, sha256: str, identity: str, key: str | None) -> None:
        result = statement.get("result", {}) if isinstance(statement.get("result"), dict) else {}
        specimen = " SPECIMEN" if statement.get("specimen") else ""
        self.stdout.write(f"VALID{specimen}: {statement.get('number')} version {statement.get('version')}")
        self.stdout.write(f"Decision: {result.get('decision')}")
        self.stdout.write(f"Issued: {statement.get('issued_at')} by {statement.get('issuer')}")
        self.stdout.write(f"SHA-256: {sha256}")
        self.stdout.write(f"Key: {identity}")
        if not key:
            self.stdout.write("The key came with the file: compare its id with one you trust, or give --key.")
        self.stdout.write("Whether it was revoked or superseded only the issuer's page can say.")

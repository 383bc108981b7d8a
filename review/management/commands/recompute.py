"""manage.py recompute CERTIFICATE.json PACKAGE.zip: the draw and the figures once more, from the exported data."""

import base64
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from review.differences import Difference
from review.package.errors import PackageError
from review.package.limits import not_repeated
from review.package.parts import Part
from review.package.reading import Package
from review.package.redoing import redo
from review.signature import LARGEST_FILE, KeyFileError, key_id, load_public, verify_file

SAME, DIFFERENT, UNREADABLE = 0, 1, 2
SHOWN = 20  # differences of one part that are listed
LONGEST = 200  # characters of a value that are shown


class Command(BaseCommand):
    """Exit status: 0 the same, 1 something differs, 2 a file cannot be read. Plain English lines, for scripts too."""

    help = "Repeat the draw and the figures of a certificate from its evidence package, without a database."
    requires_system_checks: list[str] = []  # a statistician has no database and no settings of ours

    def add_arguments(self, parser: CommandParser) -> None:
        """CERTIFICATE, PACKAGE and --key."""
        parser.add_argument("certificate", help="the certificate, a JSON file")
        parser.add_argument("package", help="its evidence package: the ZIP, or the folder it was unpacked to")
        parser.add_argument(
            "--key",
            action="append",
            default=[],
            help="public key (PEM) of the issuer, once for each it has had; else the one in the certificate is used",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Repeat, compare and say what was found."""
        try:
            keys = [load_public(Path(path).read_bytes()) for path in options["key"]]
            status = self._recompute(Path(options["certificate"]), Path(options["package"]), keys)
        except (OSError, PackageError, KeyFileError) as error:
            self.stderr.write(f"Cannot read: {error}")
            status = UNREADABLE
        sys.exit(status)

    def _recompute(self, certificate: Path, path: Path, keys: Sequence[Ed25519PublicKey]) -> int:
        with certificate.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
        checked = verify_file(data, {key_id(key): key for key in keys} if keys else None)
        if "malformed" in checked.problems:
            self.stderr.write("Cannot read: the certificate is no certificate file")
            return UNREADABLE
        if checked.statement is None or not checked.valid:
            self.stdout.write(f"DIFFERENT: the certificate is not as it was signed ({', '.join(checked.problems)})")
            return DIFFERENT
        package, signed = Package(path), json.loads(data)
        different = package.json("certificate.json") != signed
        if different:
            self.stdout.write("- certificate.json: the package belongs to another certificate")
        missing = []
        for part in redo(checked.statement, package, keys or [_own_key(signed)]):
            different = different or not part.same
            missing += [f"{part.name}: {part.missing}."] if part.missing else []
            self._tell(part)
        for sentence in (*missing, *not_repeated(checked.statement)):
            self.stdout.write(f"not repeated: {sentence}")
        made_by = checked.statement.get("software_version")
        if different and made_by != settings.ASSAY_VERSION:
            self.stdout.write(
                f"The certificate was made by version {made_by} of the program, this is {settings.ASSAY_VERSION}. "
                "A later version may compute a figure in a better way: recompute with the version that made it."
            )
        number = checked.statement.get("number")
        self.stdout.write(f"DIFFERENT: {number}" if different else f"same: {number}")
        return DIFFERENT if different else SAME

    def _tell(self, part: Part) -> None:
        if not part.missing:
            self.stdout.write(f"  {part.name}: {'same' if part.same else 'DIFFERENT'}")
        for one in part.differences[:SHOWN]:
            self._tell_one(one)
        if len(part.differences) > SHOWN:
            self.stdout.write(f"    and {len(part.differences) - SHOWN} more")

    def _tell_one(self, one: Difference) -> None:
        signed, found = (
            text if len(text) <= LONGEST else text[: LONGEST - 1] + "…" for text in (one.signed, one.found)
        )
        self.stdout.write(f"    {one.path}: expected {signed}, found {found}")


def _own_key(certificate: Mapping[str, Any]) -> Ed25519PublicKey:
    """The key in a certificate that holds."""
    return Ed25519PublicKey.from_public_bytes(base64.b64decode(certificate["signature"]["public_key"]))

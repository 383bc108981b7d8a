"""manage.py rotate_key: sign certificates with a new key from now on."""

from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from review.keys import RotationError, mark_compromised, rotate, signing_key
from review.models import IssuerKey
from review.signature import KeyFileError, key_id


class Command(BaseCommand):
    """What the old key signed stays valid, but for what a stolen key signed. Output is plain English lines."""

    help = "Make a new signing key and retire the old one, or say since when a key was not its owner's alone."

    def add_arguments(self, parser: CommandParser) -> None:
        """--compromised and --since."""
        parser.add_argument("--compromised", metavar="ID", help="id of a key that others may have got hold of")
        parser.add_argument(
            "--since", help="the first moment at which they may have, UTC: 2026-11-30 or 2026-11-30T12:00:00"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Rotate, unless only an earlier key is to be marked; then mark it."""
        stolen, since = options["compromised"], options["since"]
        if bool(stolen) != bool(since):
            raise CommandError("--compromised and --since belong together.")
        try:
            moment = _moment(since) if since else None
            signs = key_id(signing_key().public_key())
            if stolen and stolen != signs and not IssuerKey.objects.filter(key_id=stolen).exists():
                raise RotationError(f"no key {stolen} has signed here")
            if not stolen or stolen == signs:
                before, after = rotate()
                self.stdout.write(f"Retired: {before.key_id}")
                self.stdout.write(f"Signs now: {after.key_id}. Publish its public key: /verify/key/")
            if moment is not None:
                row = mark_compromised(stolen, moment)
                self.stdout.write(f"Not to be trusted since {row.compromised_at:%Y-%m-%dT%H:%M:%SZ}: {row.key_id}")
        except (RotationError, KeyFileError) as error:
            raise CommandError(str(error)) from error


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise RotationError(f"--since is no moment: {text}") from error
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if moment > timezone.now():
        raise RotationError("that moment is still to come")
    return moment

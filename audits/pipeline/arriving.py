"""Files on their way in: below incoming/ until a dataset names them, and gone when none ever does."""

import hashlib
import os
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from django.conf import settings

from audits.uploads import incoming_folder

FORGOTTEN = 6 * 3600  # seconds without a byte after which a file that is coming in never will have come


class Arrival:
    """A file that has come in, and room for what is unpacked of it. Nothing of it stays unless it settles."""

    def __init__(self, path: Path, sha256: str, size: int, name: str) -> None:
        self.path = path
        self.sha256 = sha256
        self.size = size
        self._stored_as = _new_name(name)
        self.unpacking = Unpacking()

    def settle(self) -> dict[str, str]:
        """Move it to where datasets' files are; what the dataset remembers of that."""
        return {"stored_as": _moved(self.path, self._stored_as)}

    def remove(self) -> None:
        """Leave nothing behind, settled or not."""
        self.path.unlink(missing_ok=True)
        stored(self._stored_as).unlink(missing_ok=True)


class Unpacking:
    """Room for a file that is unpacked of an archive."""

    def __init__(self) -> None:
        self.path = incoming_folder() / f"{uuid.uuid4().hex}.unpacked"
        self._settled = ""

    def settle(self, member: str | None) -> dict[str, str]:
        """Keep what was unpacked under this name; what the dataset remembers of that. None: nothing was."""
        if member is None:
            return {"member": "", "unpacked_as": ""}
        self._settled = _moved(self.path, _new_name(member))
        return {"member": member[:255], "unpacked_as": self._settled}

    def remove(self) -> None:
        """Leave nothing behind, settled or not."""
        self.path.unlink(missing_ok=True)
        if self._settled:
            stored(self._settled).unlink(missing_ok=True)


@contextmanager
def arriving(file: Any) -> Iterator[Arrival]:
    """A file that was uploaded, where it lies, or any other, copied. If the block fails, nothing of it stays."""
    arrival = _uploaded(file) or _copied(file)
    try:
        yield arrival
    except BaseException:
        arrival.remove()
        arrival.unpacking.remove()
        raise
    arrival.unpacking.path.unlink(missing_ok=True)


@contextmanager
def unpacking() -> Iterator[Unpacking]:
    """Room to unpack anew. If the block fails, nothing of it stays."""
    room = Unpacking()
    try:
        yield room
    except BaseException:
        room.remove()
        raise
    room.path.unlink(missing_ok=True)


def stored(name: str) -> Path:
    """Where the file of this name lies."""
    return Path(settings.MEDIA_ROOT) / name


def remove_forgotten() -> None:
    """Remove what broken uploads have left."""
    before = time.time() - FORGOTTEN
    for path in incoming_folder().iterdir():
        with suppress(OSError):  # it is moved or removed at this very moment
            if path.stat().st_mtime < before:
                path.unlink()


def _uploaded(file: Any) -> Arrival | None:
    """As uploads.py has left it."""
    digest = getattr(file, "sha256", "")
    if not digest:
        return None
    file.flush()
    return Arrival(Path(file.temporary_file_path()), digest, file.size, file.name)


def _copied(file: Any) -> Arrival:
    path = incoming_folder() / f"{uuid.uuid4().hex}.copy"
    digest, size = hashlib.sha256(), 0
    try:
        with open(path, "wb", opener=_private) as target:
            for chunk in file.chunks(1 << 20):
                digest.update(chunk)
                size += target.write(chunk)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return Arrival(path, digest.hexdigest(), size, file.name)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _new_name(name: str) -> str:
    return f"{uuid.uuid4().hex}{Path(name).suffix.lower()[:10]}"


def _moved(path: Path, name: str) -> str:
    os.chmod(path, 0o600)
    os.replace(path, stored(name))
    return name

"""Receiving a file: streamed to disk once, counted and hashed on the way, stopped at the limit."""

import hashlib
import tempfile
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import TemporaryUploadedFile, UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, StopUpload, TemporaryFileUploadHandler


def incoming_folder() -> Path:
    """Where files are while they come in: below MEDIA_ROOT, so that keeping one is a change of its name."""
    folder = Path(settings.MEDIA_ROOT) / "incoming"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


class IncomingFile(TemporaryUploadedFile):
    """An uploaded file in that folder, readable by its owner alone; it goes with the request unless it is moved."""

    sha256 = ""  # hexadecimal, once the file is complete

    def __init__(self, name: str, content_type: str, size: int, charset: str | None, extra: Any = None) -> None:
        file = tempfile.NamedTemporaryFile(suffix=".upload", dir=incoming_folder())  # noqa: SIM115 (kept open)
        UploadedFile.__init__(self, file, name, content_type, size, charset, extra)


class HashingUploadHandler(TemporaryFileUploadHandler):
    """Adds `.sha256` to the uploaded file; refuses what is larger than ASSAY_MAX_UPLOAD_MB while it comes in.

    The limit is that of all files of a request together: a form of ours sends one.

    A refused upload leaves `request.META["assay.upload_too_large"]`, so that the view can say so.
    """

    _size = 0  # bytes of the request's files so far; each request has a handler of its own

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Start a file."""
        FileUploadHandler.new_file(self, *args, **kwargs)
        self.file = IncomingFile(
            self.file_name or "", self.content_type or "", 0, self.charset, self.content_type_extra
        )
        self._hash = hashlib.sha256()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Take one piece."""
        self._size += len(raw_data)
        if self._size > settings.ASSAY_MAX_UPLOAD_MB * 1024 * 1024:
            if self.request is not None:
                self.request.META["assay.upload_too_large"] = True
            raise StopUpload(connection_reset=False)
        self._hash.update(raw_data)
        super().receive_data_chunk(raw_data, start)

    def file_complete(self, file_size: int) -> Any:
        """Finish the file."""
        file: Any = super().file_complete(file_size)
        file.sha256 = self._hash.hexdigest()
        return file

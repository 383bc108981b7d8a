"""Receiving a file: streamed to disk, counted and hashed on the way, stopped at the limit."""

import hashlib
from typing import Any

from django.conf import settings
from django.core.files.uploadhandler import StopUpload, TemporaryFileUploadHandler


class HashingUploadHandler(TemporaryFileUploadHandler):
    """Adds `.sha256` to the uploaded file; refuses what is larger than ASSAY_MAX_UPLOAD_MB while it comes in.

    The limit is that of all files of a request together: a form of ours sends one.

    A refused upload leaves `request.META["assay.upload_too_large"]`, so that the view can say so.
    """

    _size = 0  # bytes of the request's files so far; each request has a handler of its own

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Start a file."""
        super().new_file(*args, **kwargs)
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

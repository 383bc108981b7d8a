"""Files are read in the process of the tests: to start one for each dataset takes far longer than to read it.

What is read, mapped and written into frames is the same, and so is how the frames are heard. Tests of the reading
process itself, of imports, and of real workers start real ones.
"""

import json
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

import pytest

from audits.formats.child import __main__ as reading
from audits.formats.child import asking
from audits.formats.child.frames import FrameReader, write_frame

REAL = ("test_child", "test_importing", "test_import_command", "test_archives")  # begin the names of files


class ReadHere(asking._Child):
    """All frames of a file at once, from this process instead of one of its own."""

    def __init__(self, path: Path, request: dict[str, Any]) -> None:
        self._path = path
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 (closed below)
        if failed := reading._do(path, json.loads(json.dumps(request | {"limits": {}})), self._file):
            write_frame(self._file, {"failed": failed})
        self._file.seek(0)
        self._frames = FrameReader(self._file.fileno())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def _death(self) -> NoReturn:
        raise AssertionError("the reader ended without a last frame")


@pytest.fixture(autouse=True)
def files_are_read_here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """See above."""
    real = {"services", "browser"} & {mark.name for mark in request.node.iter_markers()}
    if not real and not request.node.path.name.startswith(REAL):
        monkeypatch.setattr(asking, "_Child", ReadHere)
        monkeypatch.setattr(reading, "limit_memory", lambda *_: None)  # it would hold for the tests

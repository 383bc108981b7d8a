"""The side that asks: starts a child, hears it, says in a sentence what became of it, and ends it at any rate."""

import base64
import fcntl
import json
import logging
import os
import signal
import subprocess
import sys
from array import array
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from audits.formats.base import FormatError, Notice, Options, RowProblem, SourceRow, Understanding
from audits.formats.child.frames import BrokenFrame, Frame, FrameReader
from audits.formats.child.limits import limits_for
from audits.formats.child.rows import Rows, rows_of
from audits.formats.merging import Merged
from audits.formats.messages import FILE_ERRORS, WARNINGS, file_error

log = logging.getLogger(__name__)
ROOT = Path(__file__).resolve().parents[3]
COMMAND = (sys.executable, "-m", "audits.formats.child")
PIPES = (4 << 20, 1 << 20)  # bytes that a child may be ahead; the first size that the system allows
PASSED_ON = (
    "PATH", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME", "PYTHONPYCACHEPREFIX",
)  # fmt: skip
"""Of the environment: how Python runs here, and nothing that is secret."""
SETTINGS = {
    "PYTHONUTF8": "1", "PYTHONWARNINGS": "ignore", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
}  # fmt: skip
if sys.dont_write_bytecode:  # its start is waited for, so its modules are compiled once for all, if not beside them
    SETTINGS["PYTHONPYCACHEPREFIX"] = str(Path(sys.prefix) / "compiled")


T = TypeVar("T")


@dataclass(frozen=True)
class End:
    """All rows have been read."""

    done: int  # rows of the file, good and bad ones
    notices: tuple[Notice, ...]  # what showed only when all of them were read
    flagged: Mapping[str, Sequence[int]]  # flag -> positions of rows that get it only now


@dataclass(frozen=True)
class Understood:
    """What a page shows of a file before it is imported."""

    understanding: Understanding
    sheets: tuple[str, ...]  # what can be chosen
    problems: tuple[RowProblem, ...]  # among the first rows
    unpacked: str | None  # name of the file unpacked out of an archive, "" where it has none; None: no archive


def read_rows(
    path: Path, options: Options, mapping: Mapping[str, Any], *, skip: int = 0, patience: float = 1.0
) -> Generator[Rows | End | None, None, None]:
    """All rows from number `skip` on, mapped and as a database takes them, then End. Close it to end the child.

    None comes whenever there was nothing for `patience` seconds, so that the caller can hold its lease. Memory is
    bounded on both sides: the child waits while its rows are not fetched. Raises FormatError, also when the child
    needs too much memory or time, or dies.
    """
    request = {"job": "rows", "path": str(path), "options": asdict(options), "mapping": dict(mapping), "skip": skip}
    with _Child(path, request) as child:
        while True:
            frame = child.frame(patience)
            if frame is None:
                yield None
            elif "end" in frame[0]:
                yield child.believe(_end, frame)
                return
            else:
                yield child.believe(rows_of, frame)


def understand(
    path: Path, options: Options, *, seconds: float, unpack_to: Path | None = None, most: int = 0
) -> Understood:
    """What is understood of the head of a file, within so many seconds.

    An archive is unpacked to `unpack_to` first, where that is given; most: bytes that it may unpack to. Raises
    FormatError; what was unpacked until then is for the caller to remove.
    """
    request = {"job": "understand", "path": str(path), "options": asdict(options), "most": most}
    return _answer(path, {**request, "unpack_to": str(unpack_to) if unpack_to else None}, seconds, _understood)


def members(path: Path, *, seconds: float) -> tuple[str, ...]:
    """The files of an archive that may be datasets; () of anything else. Raises FormatError."""
    return _answer(path, {"job": "members", "path": str(path)}, seconds, lambda frame: tuple(frame[0]["members"]))


def merge(
    path: Path, options: Options, mapping: Mapping[str, Any], *, mended: Path, target: Path, seconds: float
) -> Merged:
    """Write the file's good rows and the mended ones to target, see merging.py. Raises FormatError."""
    request = {"job": "merge", "path": str(path), "options": asdict(options), "mapping": dict(mapping)}
    request |= {"mended": str(mended), "target": str(target)}
    return _answer(path, request, seconds, lambda frame: Merged(**frame[0]["merged"]))


def _answer(path: Path, request: dict[str, Any], seconds: float, read: Callable[[Frame], T]) -> T:
    with _Child(path, request) as child:
        frame = child.frame(seconds)
        if frame is None:
            raise file_error("too_slow_to_read", limit=round(seconds))
        return child.believe(read, frame)


class _Child:
    """One process, and what comes from it."""

    def __init__(self, path: Path, request: dict[str, Any]) -> None:
        self._path, self._limits = path, limits_for(path)
        self._process = subprocess.Popen(  # noqa: S603 (our own module)
            COMMAND,
            cwd=ROOT,
            env={name: os.environ[name] for name in PASSED_ON if name in os.environ} | SETTINGS,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,  # what a terminal sends to its programs is for us to hear
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._pipes = (self._process.stdin, self._process.stdout)
        for size in PIPES:
            with suppress(OSError, AttributeError):  # Linux; elsewhere pipes are as small as they are
                fcntl.fcntl(self._process.stdout, fcntl.F_SETPIPE_SZ, size)
                break
        with suppress(BrokenPipeError):  # it died at once: its end says so
            self._process.stdin.write(json.dumps(request | {"limits": self._limits}).encode() + b"\n")
        self._frames = FrameReader(self._process.stdout.fileno())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in self._pipes:
            with suppress(BrokenPipeError):
                pipe.close()

    def frame(self, seconds: float) -> Frame | None:
        """The next frame, None when it has not come after so many seconds. Raises FormatError."""
        try:
            frame = self._frames.read(seconds)
        except BrokenFrame:
            raise self._not_believed() from None
        if frame is None:
            if self._frames.ended:
                raise self._death()
            return None
        if "failed" in frame[0]:
            raise self.believe(_failed, frame)
        return frame

    def believe(self, read: Callable[[Frame], T], frame: Frame) -> T:
        """What a frame says; FormatError when it is not as frames are."""
        try:
            return read(frame)
        except (BrokenFrame, KeyError, TypeError, ValueError):
            raise self._not_believed() from None

    def _not_believed(self) -> FormatError:
        log.error("The process that reads %s wrote what is no frame.", self._path)
        return file_error("reader_ended")

    def _death(self) -> FormatError:
        """Why it is gone without having said so."""
        with suppress(subprocess.TimeoutExpired):  # it may have closed the pipe and live on
            self._process.wait(1)
        status = self._process.poll()
        log.warning("The process that reads %s ended with status %s.", self._path, status)
        if status == -signal.SIGXCPU:
            return file_error("too_slow_to_read", limit=self._limits["cpu_seconds"])
        if status == -signal.SIGKILL:  # nobody else does that but a system that runs out of memory
            return file_error("needs_memory")
        return file_error("reader_ended")


def _failed(frame: Frame) -> FormatError:
    told = frame[0]["failed"]
    if "crash" in told:
        log.error("A file could not be read: %s", told["crash"])
        return file_error("reader_ended")
    code = str(told["code"])
    return FormatError(code, FILE_ERRORS.get(code, str(told["template"])), **told["params"])


def _end(frame: Frame) -> End:
    told = frame[0]["end"]
    return End(int(told["done"]), _notices(told["notices"]), _flagged(told["flagged"]))


def _flagged(told: Mapping[str, str]) -> dict[str, "array[int]"]:
    found = {}
    for flag, packed in told.items():
        found[flag] = array("I")
        found[flag].frombytes(base64.b64decode(packed, validate=True))
    return found


def _notices(told: list[Any]) -> tuple[Notice, ...]:
    return tuple(Notice(code, WARNINGS.get(code, code), params) for code, params in told)


def _understood(frame: Frame) -> Understood:
    told = frame[0]
    found = told["understanding"]
    found["preview"] = tuple(SourceRow(line, values) for line, values in found["preview"])
    found["columns"] = tuple(found["columns"])
    found["warnings"] = _notices(found["warnings"])
    problems = tuple(RowProblem(**problem) for problem in told["problems"])
    return Understood(Understanding(**found), tuple(told["sheets"]), problems, told["unpacked"])

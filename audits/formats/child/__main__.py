"""The child: reads one file and writes frames, within its limits. Its life ends with that of who started it."""

import gc
import json
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from audits.formats import open_dataset
from audits.formats.base import FormatError, Notice, RowProblem, SourceRow, Understanding
from audits.formats.cells import storable
from audits.formats.child.frames import write_frame
from audits.formats.child.limits import limit_memory, limit_process
from audits.formats.claim_rows import one_per_answer

MAX_PREVIEW = 8 << 20  # code points of all rows that a page gets to show; the first one is given at any rate
Out = BinaryIO


def main() -> None:
    """Do what the first line of the input asks for, and end."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # whoever asked decides, and ends us
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    request = json.loads(_first_line())
    out, sys.stdout = sys.stdout.buffer, sys.stderr  # nothing else may write between frames
    threading.Thread(target=_end_with_parent, daemon=True).start()
    path = Path(request["path"])
    limit_process(request["limits"])
    limit_memory(request["limits"], path)
    gc.set_threshold(50_000, 20, 20)
    if failed := _do(path, request, out):
        write_frame(out, {"failed": failed})
    os._exit(0)


def _do(path: Path, request: dict[str, Any], out: Out) -> dict[str, Any] | None:
    """Do the job; what went wrong, None when nothing did."""
    try:
        _JOBS[request["job"]](path, request, out)
    except FormatError as error:
        return {"code": error.code, "template": error.template, "params": error.params}
    except MemoryError:
        return {"code": "needs_memory", "template": "", "params": {}}
    except Exception as error:  # a fault of ours, or a file that brings a library to one
        return {"crash": _place_of(error)}
    return None


def _first_line() -> bytes:
    """Byte by byte out of a buffer of our own: the other thread reads on where the line ends."""
    line = bytearray()
    while not line.endswith(b"\n") and (piece := os.read(0, 1 << 16)):
        line += piece
    return bytes(line)


def _end_with_parent() -> None:
    """Nothing more is ever written to us: reading ends when the writer is gone, however it went."""
    while os.read(0, 1):
        pass
    os._exit(1)


def _place_of(error: Exception) -> str:
    """What went wrong and where in our code, without a word of the file."""
    steps = traceback.extract_tb(error.__traceback__)[-6:]
    return f"{type(error).__name__} at " + " < ".join(
        f"{Path(step.filename).name}:{step.lineno}" for step in steps[::-1]
    )


def _rows(path: Path, request: dict[str, Any], out: Out) -> None:
    from audits.formats.child.sending import send_rows

    opened = open_dataset(path, **request["options"])
    end = send_rows(path, opened, request["mapping"], request["skip"], out)
    write_frame(out, {"end": end | {"notices": _told(end["notices"])}})


def _understand(path: Path, request: dict[str, Any], out: Out) -> None:
    unpacked = None
    if request["unpack_to"]:
        from audits.formats import archives

        if archives.is_archive(path):
            target = Path(request["unpack_to"])
            unpacked = archives.unpack(path, target, member=request["options"]["member"] or "", limit=request["most"])
            path = target
            limit_memory(request["limits"], path)
    opened = open_dataset(path, **request["options"])
    head = {
        "understanding": _understanding(opened.understanding),
        "sheets": opened.sheets,
        "problems": [vars(_short(problem)) for problem in opened.problems],
        "unpacked": unpacked,
    }
    write_frame(out, head)


def _members(path: Path, request: dict[str, Any], out: Out) -> None:
    from audits.formats import archives

    write_frame(out, {"members": archives.members_of(path) if archives.is_archive(path) else ()})


def _merge(path: Path, request: dict[str, Any], out: Out) -> None:
    from audits.formats.merging import mended_rows, merge

    table = open_dataset(Path(request["mended"]), shape="")
    mended = mended_rows(table.columns, table.rows())
    opened = open_dataset(path, **request["options"])
    mapping = request["mapping"]
    merged = merge(one_per_answer(opened.rows(), mapping), mapping, mended, Path(request["target"]))
    write_frame(out, {"merged": vars(merged)})


_JOBS: dict[str, Callable[[Path, dict[str, Any], Out], None]] = {
    "rows": _rows,
    "understand": _understand,
    "members": _members,
    "merge": _merge,
}


def _understanding(found: Understanding) -> dict[str, Any]:
    rows = [(row.line, row.values) for row in _few(found.preview)]
    return {**vars(found), "preview": rows, "warnings": _told(found.warnings)}


def _few(rows: tuple[SourceRow, ...]) -> Iterator[SourceRow]:
    """The first rows, as many as a page can take."""
    size = 0
    for number, row in enumerate(rows):
        size += len(json.dumps(row.values, ensure_ascii=False))
        if number and size > MAX_PREVIEW:
            return
        yield row


def _short(problem: RowProblem) -> RowProblem:
    """Without the row: a page shows the reason only."""
    return replace(problem, values=None, value=storable(problem.value))


def _told(notices: Iterable[Notice]) -> list[tuple[str, dict[str, Any]]]:
    return [(each.code, dict(each.params)) for each in notices]


if __name__ == "__main__":
    main()

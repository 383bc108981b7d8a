"""The process that reads: what comes out of it is what the readers say, and nothing that it does harms who asks."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from audits.formats import FormatError, Options, Record, open_dataset
from audits.formats.child import COLUMNS, End, Rows, asking, limits, members, read_rows, understand
from audits.formats.child.frames import LENGTHS
from audits.formats.columns import RowMapper
from tests.audits.formats.conftest import refused

ROWS = [
    {
        "id": f"q{number}",
        "question": 'Tab\there, "quoted", back\\slash, \\N',
        "contexts": ["第一段。\n第二行。", "😀 second\r\nline"],
        "answer": "A" if number % 2 else "这是回答。",
        "note": {"deep": [1, None, "x"]},
    }
    for number in range(1200)
]
MAPPING = {"id": "id", "question": "question", "contexts": "contexts", "answer": "answer"}
DEADLINE = 60


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return written(tmp_path, *ROWS)


def written(folder: Path, *rows: Any) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def read(path: Path, mapping: Any = MAPPING, skip: int = 0) -> tuple[list[Rows], End]:
    found = [frame for frame in read_rows(path, Options(), mapping, skip=skip) if frame is not None]
    rows, end = found[:-1], found[-1]
    assert isinstance(end, End) and all(isinstance(each, Rows) for each in rows)
    return rows, end  # type: ignore[return-value]


def as_dicts(frames: list[Rows]) -> list[dict[str, str]]:
    width = len(COLUMNS)
    return [
        dict(zip(COLUMNS, frame.values[at : at + width], strict=True))
        for frame in frames
        for at in range(0, len(frame.values), width)
    ]


def children() -> list[int]:
    """Processes that read for this one."""
    found = []
    for task in Path(f"/proc/{os.getpid()}/task").iterdir():
        for pid in (task / "children").read_text().split():
            if b"audits.formats.child" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(int(pid))
    return found


def wait_until_gone(pid: int) -> None:
    end = time.monotonic() + DEADLINE
    while Path(f"/proc/{pid}").exists() and "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text():
        assert time.monotonic() < end, "it lives on"
        time.sleep(0.01)


def test_rows_come_as_the_readers_and_the_mapping_make_them(path: Path) -> None:
    frames, end = read(path)
    assert end.done == len(ROWS) and [frame.done for frame in frames] == [500, 1000, 1200]
    mapper = RowMapper(MAPPING)
    for position, (found, row) in enumerate(zip(as_dicts(frames), open_dataset(path).rows(), strict=True)):
        record = mapper(row)
        assert isinstance(record, Record)
        assert (found["position"], found["line"], found["external_id"]) == (
            str(position),
            str(row.line),
            f"q{position}",
        )
        assert (found["question"], found["answer"]) == (record.question, record.answer)
        assert json.loads(found["contexts"]) == list(record.contexts)
        assert json.loads(found["metadata"]) == record.metadata
        assert json.loads(found["flags"]) == list(record.flags)
        assert found["language"] == ("en" if position % 2 else "zh")


def test_what_a_row_says_besides_travels_along(tmp_path: Path) -> None:
    row = {
        "question": "q",
        "contexts": ["c"],
        "answer": "a",
        "right": "r",
        "model": "m",
        "at": "2024-05-06T07:08:09+02:00",
    }
    row |= {"tags": ["x", "y"], "label": "supported"}
    roles = {"reference": "right", "generator": "model", "timestamp": "at", "tags": "tags", "label": "label"}
    words = {"supported": "SUPPORTED"}
    (frame,), _ = read(written(tmp_path, row), MAPPING | {"id": None} | roles | {"words": words})
    (found,) = as_dicts([frame])
    assert (found["external_id"], found["reference"], found["generator"]) == ("1", "r", "m")
    assert found["timestamp"] == "2024-05-06 05:08:09"
    assert json.loads(found["tags"]) == ["x", "y"]
    assert frame.labels == [(0, 0, "", "supported", "SUPPORTED")]


def test_rows_that_do_not_fit_come_with_what_they_hold(tmp_path: Path) -> None:
    bad = {"question": "q\x00", "contexts": ["c"], "answer": {"a": 1}}
    (frame,), end = read(written(tmp_path, ROWS[0], bad, ROWS[1]))
    assert (frame.count, frame.done, end.done) == (2, 3, 3)
    (problem,) = frame.problems
    assert (problem["line"], problem["column"], problem["code"]) == (2, "answer", "not_text")
    assert problem["values"]["question"] == "q"
    assert [row["position"] for row in as_dicts([frame])] == ["0", "2"]


def test_rows_may_be_skipped(path: Path) -> None:
    frames, end = read(path, skip=1100)
    assert [row["position"] for row in as_dicts(frames)] == [str(number) for number in range(1100, 1200)]
    assert end.done == 1200
    assert read(path, skip=1200)[0] == []


def test_heavy_rows_come_a_few_at_a_time(tmp_path: Path) -> None:
    heavy = {"id": "x", "question": "q", "answer": "a", "contexts": ["很" * 400_000, "\x01" * 100_000]}
    frames, end = read(written(tmp_path, *ROWS[:300], *[heavy] * 40, *ROWS[:300]))
    assert end.done == 640 and sum(frame.count for frame in frames) == 640
    assert [row["position"] for row in as_dicts(frames)] == [str(number) for number in range(640)]
    assert sum(frame.count == 1 for frame in frames) > 20  # once their weight is known, each has a frame of its own


def test_what_is_there_twice_is_found_also_across_an_interruption(tmp_path: Path) -> None:
    first, again = ROWS[1], ROWS[1] | {"question": "another"}
    path = written(tmp_path, first, ROWS[2], again, ROWS[2] | {"id": "other"})
    for skip in (0, 2):
        _, end = read(path, skip=skip)
        assert {flag: list(positions) for flag, positions in end.flagged.items()} == {
            "duplicate_id": [0, 2],
            "duplicate_row": [1, 3],
        }
        assert [(each.code, each.params["rows"], each.params["lines"]) for each in end.notices] == [
            ("duplicate_id", 2, "1, 3"),
            ("duplicate_row", 2, "2, 4"),
        ]


def test_a_file_is_understood_as_in_this_process(path: Path) -> None:
    found = understand(path, Options(), seconds=DEADLINE)
    opened = open_dataset(path)
    assert found.understanding == opened.understanding
    assert (found.sheets, found.problems, found.unpacked) == (opened.sheets, opened.problems, None)
    assert members(path, seconds=DEADLINE) == ()


@pytest.mark.parametrize("content", [b"", b"%PDF-1.7 \x00", b"[1, 2", b"question,answer\n"])
def test_what_is_wrong_with_a_file_is_said_as_in_this_process(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    expected = refused(path)
    for ask in (lambda: understand(path, Options(), seconds=DEADLINE), lambda: read(path)):
        with pytest.raises(FormatError) as found:
            ask()
        assert (found.value.code, found.value.params) == (expected.code, expected.params)
        assert str(found.value) == str(expected)


def test_a_file_that_needs_too_much_memory_is_refused_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "huge.csv"
    path.write_text("question,contexts,answer\n" + f'q,"{"x" * 9_000_000}",a\n')
    monkeypatch.setattr(limits, "MEMORY_MB", 60)
    with pytest.raises(FormatError, match="more memory than is allowed") as found:
        understand(path, Options(), seconds=DEADLINE)
    assert found.value.code == "needs_memory"


def test_a_process_that_is_killed_is_a_sentence(tmp_path: Path) -> None:
    reading = read_rows(written(tmp_path, *ROWS * 20), Options(), MAPPING)
    next(frame for frame in reading if frame)
    (pid,) = children()
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(FormatError) as found:
        list(reading)
    assert found.value.code == "needs_memory"


def test_who_no_longer_listens_ends_the_process(tmp_path: Path) -> None:
    reading = read_rows(written(tmp_path, *ROWS * 20), Options(), MAPPING)
    assert isinstance(next(frame for frame in reading if frame), Rows)
    (pid,) = children()
    reading.close()
    assert not Path(f"/proc/{pid}").exists()


def test_the_process_ends_with_who_asked(tmp_path: Path) -> None:
    """kill -9 of a worker leaves nothing behind, not even a reader that waits."""
    path = written(tmp_path, *ROWS * 20)
    program = f"""
import os, pathlib, time
from audits.formats import Options
from audits.formats.child import read_rows
frames = read_rows(pathlib.Path({str(path)!r}), Options(), {MAPPING!r})
while next(frames) is None:
    pass
print(open(f"/proc/{{os.getpid()}}/task/{{os.getpid()}}/children").read().split()[0], flush=True)
time.sleep(600)
"""
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=asking.ROOT, stdout=subprocess.PIPE, text=True
    ) as asker:
        assert asker.stdout is not None
        pid = int(asker.stdout.readline())
        asker.kill()
    wait_until_gone(pid)


def test_the_process_knows_nothing_of_django_and_has_no_secrets(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("SECRET_KEY", "also secret")
    reading = read_rows(path, Options(), MAPPING)
    next(frame for frame in reading if frame)
    (pid,) = children()
    assert b"secret" not in Path(f"/proc/{pid}/environ").read_bytes()
    reading.close()
    program = "import sys, audits.formats.child.__main__, audits.formats.child.twice; print(*sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", program], cwd=asking.ROOT, capture_output=True, text=True, check=True
    )
    assert "audits.formats.child.__main__" in found.stdout
    assert not any(name.startswith(("django", "celery", "config", "audits.models")) for name in found.stdout.split())


def frame(head: Any, body: bytes = b"") -> bytes:
    told = head if isinstance(head, bytes) else json.dumps(head).encode()
    return LENGTHS.pack(len(told), len(body)) + told + body


def rows_frame(**changed: Any) -> dict[str, Any]:
    return {"rows": 1, "done": 1, "fraction": None, "labels": [], "problems": []} | changed


WRONG = {
    "nothing": (b"", "reader_ended"),
    "half a frame": (frame({"end": {}})[:-3], "reader_ended"),
    "text": (b"Traceback (most recent call last):\n" * 9, "reader_ended"),
    "too large": (LENGTHS.pack(1 << 31, 1 << 31), "reader_ended"),
    "no json": (frame(b"{]"), "reader_ended"),
    "deep json": (frame(b"[" * 100_000), "reader_ended"),
    "a list": (frame([1]), "reader_ended"),
    "nothing said": (frame({}), "reader_ended"),
    "no utf-8": (frame(rows_frame(), b"\xff" * 20), "reader_ended"),
    "too few fields": (frame(rows_frame(), b"a\x00b"), "reader_ended"),
    "too many fields": (frame(rows_frame(), b"\x00" * 13), "reader_ended"),
    "no rows": (frame(rows_frame(rows="many"), b"\x00" * 12), "reader_ended"),
    "no position": (frame(rows_frame(), b"x\x001" + b"\x00" * 11), "reader_ended"),
    "no number": (frame(rows_frame(done=1 << 40), b"0\x001" + b"\x00" * 11), "reader_ended"),
    "odd line": (frame(rows_frame(problems=[{"line": -1}]), b"0\x001" + b"\x00" * 11), "reader_ended"),
    "odd labels": (frame(rows_frame(labels=[[0, 0, "claim"]]), b"0\x001" + b"\x00" * 11), "reader_ended"),
    "odd problems": (frame(rows_frame(problems=[5]), b"\x00" * 12), "reader_ended"),
    "odd end": (frame({"end": {"done": "x"}}), "reader_ended"),
    "odd flags": (frame({"end": {"done": 1, "notices": [], "flagged": {"f": "???"}}}), "reader_ended"),
    "odd failure": (frame({"failed": {"code": "x"}}), "reader_ended"),
    "a fault": (frame({"failed": {"crash": "KeyError at x.py:1"}}), "reader_ended"),
    "a code of ours": (frame({"failed": {"code": "encrypted", "template": "", "params": {}}}), "encrypted"),
}


@pytest.mark.parametrize("name", WRONG)
def test_whatever_comes_ends_in_a_sentence(path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    said, code = WRONG[name]
    program = f"import sys; sys.stdout.buffer.write({said!r})"
    monkeypatch.setattr(asking, "COMMAND", (sys.executable, "-S", "-c", program))
    with pytest.raises(FormatError) as found:
        list(read_rows(path, Options(), MAPPING))
    assert found.value.code == code
    assert "Nothing was imported." in str(found.value)


def test_too_much_processor_time_is_said(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = "import os, signal; os.kill(os.getpid(), signal.SIGXCPU)"
    monkeypatch.setattr(asking, "COMMAND", (sys.executable, "-S", "-c", program))
    with pytest.raises(FormatError) as found:
        list(read_rows(path, Options(), MAPPING))
    assert (found.value.code, found.value.params) == ("too_slow_to_read", {"limit": limits.CPU_AT_LEAST})


def test_a_page_does_not_wait_for_ever(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "COMMAND", (sys.executable, "-S", "-c", "import time; time.sleep(600)"))
    with pytest.raises(FormatError) as found:
        understand(path, Options(), seconds=0.1)
    assert found.value.code == "too_slow_to_read"
    frames: Iterator[Any] = read_rows(path, Options(), MAPPING, patience=0.01)
    assert [next(frames), next(frames)] == [None, None]  # an import goes on waiting, and holds its lease


def test_odd_rows_are_counted_for_the_whole_file(write):
    lines = [f"{number},q{number}?,c{number}.,a{number}." for number in range(2, 300)]
    lines[1] = "3,q3?,c\x003.,a3."
    lines[8] = "10,q\u202e10?,c\u200b10.,a10."
    lines[250] = "252,q252?,nan,a252."
    path = write("id,question,context,answer\n" + "\n".join(lines) + "\n")
    mapping = {"id": "id", "question": "question", "contexts": "context", "answer": "answer"}
    end = next(part for part in read_rows(path, Options(), mapping) if isinstance(part, End))
    assert {(notice.code, notice.params["rows"], notice.params["lines"]) for notice in end.notices} == {
        ("rows_nul_removed", 1, "3"),
        ("rows_hidden_text", 1, "10"),
        ("rows_nan", 1, "252"),
        ("rows_no_context", 1, "252"),
    }

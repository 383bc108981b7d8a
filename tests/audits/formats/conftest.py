"""Files are built by each test; these fixtures write them and read them to their end."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from audits.formats import FormatError, Opened, Record, RowProblem, SourceRow, map_record, open_dataset


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def write(content: str | bytes, encoding: str = "utf-8", name: str = "upload") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return path

    return write


def read(opened: Opened, mapping: Any = None) -> tuple[list[Record], list[RowProblem]]:
    """All records and all problems, under the guessed mapping or another one."""
    records: list[Record] = []
    problems: list[RowProblem] = []
    for row in opened.rows():
        result = map_record(row, mapping or opened.understanding.mapping) if isinstance(row, SourceRow) else row
        (problems if isinstance(result, RowProblem) else records).append(result)  # type: ignore[arg-type]
    return records, problems


def refused(path: Path, **options: Any) -> FormatError:
    """The error with which a file is refused, on opening or on reading it to its end."""
    with pytest.raises(FormatError) as caught:
        list(open_dataset(path, **options).rows())
    return caught.value

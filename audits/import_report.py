"""What `manage.py import` says of a file: how it was understood, what came of its rows, the first of them."""

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.conf import settings

from audits import pipeline
from audits.formats import child
from audits.formats.base import FormatError, Notice, Options, Understanding
from audits.formats.columns import check_mapping
from audits.formats.messages import WARNINGS, file_error
from audits.formats.roles import ROLES
from audits.models import Dataset

_JSON = ("contexts", "tags", "flags", "metadata")
MOST_ERRORS = 1000  # that are listed
UNPACK_SECONDS = 600


def looked_at(path: Path, options: Options, mapping: Mapping[str, Any], rows: int) -> dict[str, Any]:
    """Read a file to its end and store nothing. rows: how many samples are told. Raises FormatError.

    mapping: laid over the guessed one. "imported" counts the rows that an import would store; "problem" says why none
    would be, where the columns are not known.
    """
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        inner, most = Path(folder) / "unpacked", settings.ASSAY_MAX_UPLOAD_MB << 20
        found = child.understand(path, options, seconds=UNPACK_SECONDS, unpack_to=inner, most=most)
        understood = found.understanding
        chosen = {**understood.mapping, **mapping}
        seen = _Seen(rows)
        try:
            check_mapping(chosen, understood.columns)
        except FormatError as error:
            return (
                report(understood, chosen, found.unpacked, ()) | seen.told() | {"rows": None, "problem": str(error)}
            )
        reading = _as_understood(options, understood)
        for part in child.read_rows(inner if found.unpacked is not None else path, reading, chosen):
            seen.take(part)
    if not seen.imported:
        raise file_error("no_row_imported" if seen.rows else "no_rows")
    return report(understood, chosen, found.unpacked, seen.notices) | seen.told()


def report(
    understood: Understanding, mapping: Mapping[str, Any], member: str | None, notices: Sequence[Notice]
) -> dict[str, Any]:
    """How a file was understood. notices: what showed only when all rows were read."""
    return {
        "format": understood.format,
        "encoding": understood.encoding,
        "confidence": understood.confidence,
        "delimiter": understood.delimiter,
        "shape": understood.shape,
        "sheet": understood.sheet,
        "header_line": understood.header_line,
        "member": member,
        "mapping": {role: mapping.get(role) for role in ROLES} | {"split": mapping.get("split") or ""},
        "columns": list(understood.columns),
        "warnings": [str(each) for each in (*understood.warnings, *notices)],
    }


def _as_understood(options: Options, understood: Understanding) -> Options:
    return replace(
        options,
        encoding=understood.encoding,
        delimiter=understood.delimiter,
        sheet=understood.sheet,
        shape=understood.shape,
        member=None,
    )


class _Seen:
    """What has been read so far, in bounded memory."""

    def __init__(self, samples: int) -> None:
        self.rows = self.imported = 0
        self._wanted = samples
        self._samples: list[dict[str, Any]] = []
        self._errors: list[dict[str, Any]] = []
        self.notices: tuple[Notice, ...] = ()

    def take(self, part: child.Rows | child.End | None) -> None:
        if isinstance(part, child.End):
            self.rows, self.notices = part.done, part.notices
        elif part is not None:
            self.rows = part.done
            self.imported += part.count
            more = MOST_ERRORS - len(self._errors)
            self._errors += [error_told(problem) for problem in part.problems[:more]]
            if len(self._samples) < self._wanted:
                self._samples += list(_samples(part))[: self._wanted - len(self._samples)]

    def told(self) -> dict[str, Any]:
        return {"rows": self.rows, "imported": self.imported, "errors": self._errors, "samples": self._samples}


def error_told(problem: Mapping[str, Any]) -> dict[str, Any]:
    """A row that does not fit, as one object of the list of errors."""
    return {name: problem[name] for name in ("line", "column", "code", "reason", "value")}


def _samples(part: child.Rows) -> Iterator[dict[str, Any]]:
    width = len(child.COLUMNS)
    for at in range(0, len(part.values), width):
        row = dict(zip(child.COLUMNS, part.values[at : at + width], strict=True))
        yield sample_told({**row, **{name: json.loads(row[name]) for name in _JSON}})


def sample_told(row: Mapping[str, Any]) -> dict[str, Any]:
    """A sample, as one object of the list of samples."""
    names = ("question", "contexts", "answer", "reference", "generator", "tags", "flags", "metadata")
    told = {"id": row["external_id"], "line": int(row["line"])} | {name: row[name] for name in names}
    return told | {"timestamp": str(row["timestamp"]) if row["timestamp"] else None}


def stored_report(dataset: Dataset, rows: int) -> dict[str, Any]:
    """The same of a file that was imported. Raises FormatError when it is gone from the disk."""
    understood = pipeline.preview(dataset)
    notices = [
        Notice(each["code"], WARNINGS.get(each["code"], each["code"]), each["params"]) for each in dataset.notices
    ]
    member = dataset.member if dataset.unpacked_as else None
    errors = dataset.row_errors.values("line", "column", "code", "reason", "value")[:MOST_ERRORS]
    return report(understood, dataset.mapping, member, notices) | {
        "confidence": dataset.confidence,
        "rows": dataset.rows_total,
        "imported": dataset.samples.count(),
        "errors": list(errors),
        "samples": [sample_told(row) for row in dataset.samples.values()[:rows]],
    }

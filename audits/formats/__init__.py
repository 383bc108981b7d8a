"""Files to rows: what kind it is, what was understood of it, and every row with its place. No Django, no database."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from audits.formats.base import (
    FormatError,
    GivenLabel,
    Notice,
    Options,
    Reader,
    Record,
    RowProblem,
    SourceRow,
    Understanding,
)
from audits.formats.columns import check_mapping, guess_mapping, map_record
from audits.formats.encoding import ENCODINGS
from audits.formats.messages import file_error
from audits.formats.opened import Opened
from audits.formats.readers import READERS
from audits.formats.sniff import kind_and_encoding

MAX_BYTES = 10_000 << 20  # the upload has its own, lower limit


def open_dataset(path: Path, **chosen: Any) -> Opened:
    """Find out what a file is, by its content, and read its head. chosen: fields of Options; they override the guess.

    path: of a file that is no archive, see archives.py. Raises FormatError (codes in messages.FILE_ERRORS) when it is
    no dataset; nothing has been imported then.
    """
    options = Options(**chosen)
    if path.stat().st_size > MAX_BYTES:
        raise file_error("too_large", limit=MAX_BYTES >> 20)
    kind, guess = kind_and_encoding(path, options)
    reader = READERS[kind](path, replace(options, encoding=guess.name if guess else None))
    return Opened(reader, options, confidence=guess.confidence if guess else None)


__all__ = [
    "ENCODINGS",
    "READERS",
    "FormatError",
    "GivenLabel",
    "Notice",
    "Opened",
    "Options",
    "Reader",
    "Record",
    "RowProblem",
    "SourceRow",
    "Understanding",
    "check_mapping",
    "guess_mapping",
    "map_record",
    "open_dataset",
]

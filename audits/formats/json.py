"""One JSON document: a list of objects, an envelope around such a list, columns, or a single object."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from audits.formats import encoding as encodings
from audits.formats.arrays import (
    EACH,
    WHOLE,
    Found,
    Place,
    best_place,
    has_answers,
    has_paths,
    inner_rows,
    is_answer,
    name_of,
    survey,
    walk,
)
from audits.formats.base import Notice, Options, Row, RowProblem, SourceRow
from audits.formats.columns import guess_mapping
from audits.formats.jsonl import checked
from audits.formats.messages import file_error, row_problem
from audits.formats.nested import MAX_DEPTH, depth, spread
from audits.formats.shapes import recognise
from audits.formats.turned import MAX_BYTES, turned_inside, turned_rows
from audits.formats.window import Window

_MAX_ROW = 8 << 20  # bytes of a document that may be one row


class JsonReader:
    """Rows are numbered by element, from 1; "sheets" are the lists of objects in the document."""

    name = "json"
    delimiter: str | None = None
    columns: tuple[str, ...] = ()
    warnings: tuple[Notice, ...] = ()
    header_line: int | None = None

    def __init__(self, path: Path, options: Options) -> None:
        """Reads the document once to its end: a broken one raises FormatError before any row is given."""
        self._path = path
        self._size = path.stat().st_size
        self._read = 0
        self._codec = options.encoding or "utf-8"
        self.encoding: str | None = self._codec
        self._turned: list[Row] | None = None
        self.sheets: tuple[str, ...] = ()
        self.sheet: str | None = None
        self._place = self._find_place(options.sheet)

    @property
    def fraction(self) -> float | None:
        """See Reader."""
        return min(1.0, self._read / self._size) if self._size else 1.0

    def rows(self) -> Iterator[SourceRow | RowProblem]:
        """See Reader."""
        if self._turned is not None:
            self._read = self._size
            yield from (checked(number, row) for number, row in enumerate(self._turned, start=1))
            return
        with self._window() as window:
            if self._place is None:
                yield checked(1, window.value())
                return
            outer = self._place[: self._place.index(EACH) + 1]
            number = 0
            for place, element in walk(window):
                self._read = window.read
                if place == outer:
                    number += 1
                    yield from self._rows_of(number, element, self._place[len(outer) :])

    def _rows_of(self, number: int, element: Any, below: Place) -> Iterator[SourceRow | RowProblem]:
        if not below or not isinstance(element, dict) or depth(element) > MAX_DEPTH:
            yield checked(number, element)
            return
        inner = inner_rows(element, below)
        if not inner:
            yield row_problem(number, "no_item", values=element)
        for part in inner or ():
            yield checked(number, part)

    def _find_place(self, wanted: str | None) -> Place | None:
        """Where the rows are; None: the whole document is one, or was turned. Sets sheets and sheet."""
        with self._window() as window:
            bare = window.peek() == "["
            found, outermost = survey(window)
        names = {name_of(place): place for place in found}
        whole = self._whole(outermost)
        self.sheets = (*names, *([] if whole is None else [WHOLE]))
        if wanted:
            return self._chosen(wanted, names)
        best = best_place(found)
        if whole is not None and self._is_whole(whole, found[best] if best else Found()):
            return None
        if best is None and bare:
            return (EACH,)
        if best is None or _are_columns(outermost):
            raise file_error("column_oriented" if _are_columns(outermost) else "no_objects")
        self.sheet = name_of(best)
        if self.sheets == (EACH,):  # there is nothing to choose
            self.sheets, self.sheet = (), None
        return best

    def _is_whole(self, whole: Row, best: Found) -> bool:
        """Whether the document is a row, or could be turned into rows, rather than the envelope of its best list."""
        answers_inside = has_answers(best)
        if rows := turned_rows(whole):
            self._turned, self.sheets = rows, ()
        elif _is_row(whole, answers_inside=answers_inside):
            self.sheet = WHOLE
        elif rows := turned_inside(whole):
            self._turned, self.sheets = rows, ()
        elif _is_row(spread(whole), answers_inside=answers_inside) or (
            not has_answers(best, asked=True) and has_paths([whole])
        ):
            self.sheet = WHOLE
        return self.sheet == WHOLE or self._turned is not None

    def _chosen(self, wanted: str, names: dict[str, Place]) -> Place | None:
        self.sheet = wanted
        if wanted == WHOLE and WHOLE in self.sheets:
            return None
        if wanted not in {**names, EACH: (EACH,)}:
            raise file_error("unknown_array", array=wanted[:80], arrays=", ".join(self.sheets)[:400])
        return names.get(wanted, (EACH,))

    def _whole(self, outermost: dict[str, str]) -> Row | None:
        """The document as one object; None for a list, and for one that is too large for what it may be."""
        columns = _are_columns(outermost) or {"columns", "data"} <= set(outermost)
        if not outermost or self._size > (MAX_BYTES if columns else _MAX_ROW):
            return None
        with encodings.open_text(self._path, self._codec, strict=True) as stream:
            try:
                found = json.loads(stream.read().lstrip("\ufeff"))
            except RecursionError:  # the survey steps into the outermost levels without it
                return None
        return found if isinstance(found, dict) else None

    @contextmanager
    def _window(self) -> Iterator[Window]:
        with encodings.open_text(self._path, self._codec, strict=True) as stream:
            try:
                yield Window(stream)
            except UnicodeDecodeError:
                line = encodings.first_bad_line(self._path, self._codec)
                raise file_error("undecodable", line=line, encoding=self._codec) from None


def _is_row(document: Row, *, answers_inside: bool) -> bool:
    """Whether a document is itself a row, and no envelope: answers_inside says that a list in it holds answers."""
    if depth(document) > MAX_DEPTH:
        return False
    if recognise([document]):
        return True
    mapping = guess_mapping([*document])
    answer = mapping["answer"]
    if not isinstance(answer, str) or isinstance(document[answer], list | dict) or not is_answer([*document]):
        return False
    return bool(mapping["question"] and mapping["contexts"]) or not answers_inside


def _are_columns(outermost: dict[str, str]) -> bool:
    """Whether the members of a document look like columns of a table: an answer, a question and more, none a text."""
    return is_answer([name for name, first in outermost.items() if first in {"[", "{"}])

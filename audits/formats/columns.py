"""From a row to a Record, under a mapping of roles to columns; and whether a mapping fits a file."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from audits.formats.base import Record, Row, RowProblem, SourceRow
from audits.formats.cells import CellError, contexts_of, storable, text_of
from audits.formats.extras import generator_of, reference_of, tags_of, timestamp_of
from audits.formats.given import LABEL_ROLES, LabelReader
from audits.formats.leftover import Leftover, column_of
from audits.formats.messages import file_error, row_problem
from audits.formats.nested import decoded
from audits.formats.oddities import FLAGS
from audits.formats.paths import lookup
from audits.formats.roles import CORE, MAX_COLUMNS, MAX_NAME, NEEDED, ROLES, guess_mapping, known_roles

ColumnMapping = Mapping[str, Any]
"""Role -> column; None: not found. "contexts" may be several columns; "question" may be "": the file has none.

Also "split" (see splitting.py) and "words" (see wording.py): formats.base.Understanding.mapping.
"""


def context_columns(mapping: ColumnMapping) -> list[str]:
    """The columns chosen for the contexts, in order."""
    chosen = mapping.get("contexts") or []
    return [chosen] if isinstance(chosen, str) else [column for column in chosen if column]


def check_mapping(mapping: ColumnMapping, columns: Sequence[str]) -> None:
    """Raise FormatError when a needed column is not chosen ("missing_column") or not in the file ("unknown_column").

    Needed: answer, contexts, question; question may be "" for a file without questions. "no_header" when nothing
    is chosen and no name is known. "shown_label" when a column of labels is also one that judges read.
    """
    chosen = {role: _chosen(mapping, role) for role in ROLES}
    found = ", ".join(column[:40] for column in columns[:30]) + (" …" if len(columns) > 30 else "")
    if not any(chosen[role] for role in CORE) and not known_roles(columns):
        raise file_error("no_header", columns=found)
    needed = ("answer", "contexts", "question", *(("claims",) if chosen["claim_label"] else ()))
    for role in needed:
        if not chosen[role] and not (role == "question" and mapping.get("question") == ""):
            raise file_error("missing_column", column=role, columns=found)
    for role, names in chosen.items():
        for name in names:
            if name not in columns:
                raise file_error("unknown_column", column=role, name=str(name)[:80], columns=found)
    read = {name: role for role in ("reference", *NEEDED) for name in chosen[role]}
    for name in (*chosen["label"], *chosen["claim_label"]):
        if name in read:
            raise file_error("shown_label", column=read[name], name=name[:80])


def _chosen(mapping: ColumnMapping, role: str) -> list[str]:
    if role == "contexts":
        return context_columns(mapping)
    column = mapping.get(role)
    return [column] if isinstance(column, str) and column else []


def map_record(row: SourceRow, mapping: ColumnMapping) -> Record | RowProblem:
    """One row under a mapping; for many rows, build one RowMapper."""
    return RowMapper(mapping)(row)


class RowMapper:
    """A mapping, compiled once and called with every row."""

    def __init__(self, mapping: ColumnMapping) -> None:
        chosen = {role: _chosen(mapping, role) for role in ROLES}
        single = {role: names[0] if names else "" for role, names in chosen.items()}
        self._id, self._question, self._answer = single["id"], single["question"], single["answer"]
        self._contexts = tuple(chosen["contexts"])
        self._split = split if isinstance(split := mapping.get("split"), str) else ""
        self._labels = LabelReader(mapping) if any(single[role] for role in LABEL_ROLES) else None
        self._extras = tuple((role, single[role], read) for role, read in _EXTRAS.items() if single[role])
        self._timestamp = single["timestamp"]
        labels = [single[role] for role in LABEL_ROLES]
        self._leftover = Leftover((name for names in chosen.values() for name in names), labels)

    def __call__(self, row: SourceRow) -> Record | RowProblem:
        """The row as a Record with FLAGS for what is missing or odd; a RowProblem where a cell cannot be used.

        Columns that are not mapped travel in metadata, and so does a time that cannot be told.
        """
        values, odd = row.values, set[str]()
        column, contexts, extras = "", [], {}
        try:
            identifier = text_of(_cell(values, column), odd).strip() if (column := self._id) else ""
            question = text_of(_cell(values, column), odd) if (column := self._question) else ""
            answer = text_of(_cell(values, column), odd) if (column := self._answer) else ""
            for column in self._contexts:
                contexts += contexts_of(_listed_cell(values, column), odd, self._split)
            for role, column, read in self._extras:
                extras[role] = read(_cell(values, column), odd)
            labels = self._labels.labels(values, odd) if self._labels else ()
        except CellError as error:
            return _problem(row, error, column)
        if not (question or answer or contexts) and self._question and self._answer and self._contexts:
            return row_problem(row.line, "nothing_to_audit", values=storable(values))
        metadata = self._leftover(values)
        if not (question and answer and contexts):
            odd.update(_missing(question, answer, contexts))
        if "odd_timestamp" in odd:
            metadata[self._timestamp] = storable(_cell(values, self._timestamp))
        flags = tuple(flag for flag in FLAGS if flag in odd) if odd else ()
        return Record(
            row.line, identifier, question, answer, tuple(contexts), metadata, flags, labels=labels, **extras
        )


_EXTRAS: dict[str, Callable[[Any, set[str]], Any]] = {
    "reference": reference_of,
    "generator": generator_of,
    "timestamp": timestamp_of,
    "tags": tags_of,
}


def _cell(values: Row, column: str) -> Any:
    value = values[column] if column in values else lookup(values, column)
    if value is None and any(name.startswith(column + ".") for name in values):
        raise CellError("not_text")  # an object here, where other rows have a text
    return value


def _listed_cell(values: Row, column: str) -> Any:
    """The same, where a path may lead into a list that a text writes out. Raises CellError when that was damaged."""
    value = _cell(values, column)
    if value is None and column not in values:
        whole = values.get(column_of(column, values))
        if isinstance(whole, str) and whole.lstrip()[:1] in {"[", "{"} and decoded(whole) is whole:
            raise CellError("bad_list")
    return value


def _missing(question: str, answer: str, contexts: Sequence[str]) -> set[str]:
    missing = {"no_question": not question, "no_answer": not answer, "no_context": not contexts}
    return {flag for flag, holds in missing.items() if holds}


def _problem(row: SourceRow, error: CellError, column: str) -> RowProblem:
    params = {name: value for name, value in error.params.items() if name != "column"}
    column = error.params.get("column", column)
    values = storable(row.values)
    return row_problem(row.line, error.code, column, value=storable(lookup(values, column)), values=values, **params)


__all__ = [
    "FLAGS",
    "MAX_COLUMNS",
    "MAX_NAME",
    "ROLES",
    "ColumnMapping",
    "RowMapper",
    "check_mapping",
    "context_columns",
    "guess_mapping",
    "known_roles",
    "map_record",
]

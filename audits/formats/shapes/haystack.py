"""Haystack: generated answers, alone or inside what a pipeline returned."""

from collections.abc import Iterator, Sequence
from typing import Any

from audits.formats.base import Row, RowProblem, SourceRow
from audits.formats.messages import row_problem
from audits.formats.nested import decoded
from audits.formats.shapes.base import Rows, gettext_noop
from audits.formats.shapes.documents import contexts_in
from audits.formats.shapes.names import member, mostly, plain, text_member
from audits.formats.shapes.payloads import answer_in
from audits.formats.shapes.traces import ITEM

_LEVELS = 5
_OWN = frozenset({"data", "query", "documents", "replies", "type", "initparameters"})


class HaystackAnswers:
    """One row per answer, or per run of a pipeline, with one item for each of its answers."""

    name = "haystack"
    label = gettext_noop("answers of Haystack")

    def fits(self, rows: Sequence[Row]) -> bool:
        """See Shape."""
        return mostly(rows, lambda row: next(_answers(row), None))

    def mapping(self, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, Any]:
        """See Shape."""
        return dict(ITEM)

    def rows(self, rows: Rows) -> Rows:
        """See Shape."""
        for row in rows:
            if isinstance(row, RowProblem):
                yield row
                continue
            found = list(_answers(row.values))
            if not found:
                yield row_problem(row.line, "no_item", values=row.values)
            for answer in found:
                yield SourceRow(row.line, _item(row.values, answer))


def _item(values: Row, answer: Row) -> Row:
    notes = {name: value for name, value in values.items() if not isinstance(decoded(value), dict | list)}
    item = {
        "id": text_member(values, "id"),
        "question": text_member(answer, "query") or text_member(values, "query", "question"),
        "contexts": contexts_in(member(answer, "documents")),
        "answer": text_member(answer, "data") or answer_in(member(answer, "replies")),
    }
    return item | {name: value for name, value in notes.items() if plain(name) not in _OWN and name not in item}


def _answers(value: Any, level: int = 0) -> Iterator[Row]:
    """The generated answers in a value; several replies of a model beside documents are one."""
    value = decoded(value)
    if level > _LEVELS:
        return
    if isinstance(value, list):
        for part in value if all(isinstance(part, dict) for part in value) else ():
            yield from _answers(part, level + 1)
    elif isinstance(value, dict):
        inner = decoded(member(value, "init_parameters"))
        whole = inner if isinstance(inner, dict) else value
        if _is_answer(whole):
            yield whole
        elif level or len(value) <= 2 or "answer_builder" in value:
            for part in value.values():
                yield from _answers(part, level + 1)


def _is_answer(value: Row) -> bool:
    """The members of GeneratedAnswer, or a query and documents beside the replies of a model."""
    if not isinstance(decoded(value.get("documents")), list) or not isinstance(value.get("query"), str):
        return False
    data, replies = value.get("data"), decoded(value.get("replies"))
    return isinstance(data, str) or (isinstance(replies, list) and bool(answer_in(replies)))

"""Dify: messages of an app, as its API and its logs give them, and runs of workflows."""

from collections.abc import Sequence
from typing import Any

from audits.formats.base import Row
from audits.formats.nested import decoded
from audits.formats.shapes.base import Rows, each, gettext_noop
from audits.formats.shapes.choosing import chosen
from audits.formats.shapes.names import found, member, names_of, plain, plain_names

_MARKS = frozenset(
    plain_names(
        "conversation_id message_files feedback feedbacks agent_thoughts parent_message_id from_end_user_id "
        "from_source workflow_run_id message_tokens answer_tokens inputs"
    )
)
_RESOURCES = ("retriever_resources", "metadata.retriever_resources", "message_metadata.retriever_resources")
_DECODED = frozenset(plain_names("inputs outputs metadata message_metadata retriever_resources process_data"))


class DifyMessages:
    """One row per message, with question, answer and what was retrieved for it."""

    name = "dify"
    label = gettext_noop("a Dify message log")

    def fits(self, rows: Sequence[Row]) -> bool:
        """See Shape."""
        names = names_of(rows)
        if not {"query", "answer"} <= names:
            return False
        return any(_has_resources(row) for row in rows) or ("conversationid" in names and len(names & _MARKS) >= 3)

    def mapping(self, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, Any]:
        """See Shape."""
        ids = ("message_id", "id", "conversation_id")
        return chosen(columns, rows) | found(columns, question=("query",), answer=("answer",), id=ids)

    def rows(self, rows: Rows) -> Rows:
        """See Shape."""
        return _payloads(rows)


class DifyWorkflow:
    """One row per run of a workflow, with inputs and outputs."""

    name = "dify_workflow"
    label = gettext_noop("a Dify workflow log")

    def fits(self, rows: Sequence[Row]) -> bool:
        """See Shape."""
        names = names_of([_opened(row) for row in rows])
        sides = all(any(name.startswith(side) for name in names) for side in ("inputs", "outputs"))
        return sides and bool(names & {"workflowid", "workflowrunid"}) and "runtype" not in names

    def mapping(self, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, Any]:
        """See Shape."""
        texts = chosen(columns, rows, inputs=("inputs",), outputs=("outputs",))
        return texts | found(columns, id=("workflow_run_id", "id", "task_id"))

    def rows(self, rows: Rows) -> Rows:
        """See Shape."""
        return _payloads(rows)


def _payloads(rows: Rows) -> Rows:
    return each(rows, _opened)


def _opened(values: Row) -> Row:
    """The row with its JSON texts decoded, and an event of a workflow without its envelope."""
    data = decoded(values.get("data"))
    if isinstance(data, dict) and ("event" in values or "workflow_run_id" in values):
        values = {name: value for name, value in values.items() if name != "data"} | data
    return {name: decoded(value) if plain(name) in _DECODED else value for name, value in values.items()}


def _has_resources(values: Row) -> bool:
    return any(isinstance(decoded(member(values, name)), list) for name in _RESOURCES)

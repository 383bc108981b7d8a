"""TruLens: records with their calls, from get_records_and_feedback."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from audits.formats.base import Row
from audits.formats.nested import decoded
from audits.formats.shapes.base import Rows, each, gettext_noop
from audits.formats.shapes.documents import contexts_in, found_contexts
from audits.formats.shapes.names import found, member, names_of, plain, plain_names
from audits.formats.shapes.payloads import answer_in, question_in

_MARKS = frozenset(plain_names("record_json app_json app_id app_name cost_json perf_json total_tokens total_cost"))
_RETRIEVES = re.compile(r"retriev|relevant_doc|search|context|recall|lookup", re.I)
_FEEDBACK = ("context", "source", "contexts", "statement_source")


class TruLensRecords:
    """One row per record."""

    name = "trulens"
    label = gettext_noop("an export of TruLens records")

    def fits(self, rows: Sequence[Row]) -> bool:
        """See Shape."""
        names = names_of(rows)
        sides = all(any(name.startswith(side) for name in names) for side in ("input", "output"))
        calls = any(name.startswith("recordjson") for name in names)
        return "recordid" in names and sides and (calls or len(names & _MARKS) >= 2)

    def mapping(self, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, Any]:
        """See Shape."""
        return dict(
            found(columns, id=("record_id",), question=("input",), contexts=("contexts",), answer=("output",))
        )

    def rows(self, rows: Rows) -> Rows:
        """See Shape."""
        return each(rows, _record)


def _record(values: Row) -> Row:
    """The row with its texts as texts, and the contexts from the record instead of the record."""
    record = decoded(member(values, "record_json", "record"))
    record = record if isinstance(record, dict) else {}
    contexts = _retrieved(record) or _from_feedback(values) or found_contexts(values)
    kept = {
        name: value for name, value in values.items() if not (contexts and plain(name) in {"recordjson", "appjson"})
    }
    question = question_in(member(values, "input")) or question_in(member(record, "main_input"))
    answer = answer_in(member(values, "output")) or answer_in(member(record, "main_output"))
    sides = {"input": question, "output": answer}
    return {name: sides.get(plain(name), value) for name, value in kept.items()} | {"contexts": contexts}


def _retrieved(record: Row) -> list[str]:
    """What the calls that retrieve returned; failing these, the first call that returned a list."""
    calls = decoded(member(record, "calls"))
    calls = [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    for call in calls:
        if _RETRIEVES.search(_method(call)) and (texts := contexts_in(member(call, "rets"))):
            return list(dict.fromkeys(texts))
    lists = (contexts_in(rets) for call in calls if isinstance(rets := member(call, "rets"), list))
    return list(dict.fromkeys(next((texts for texts in lists if texts), [])))


def _method(call: Row) -> str:
    """Name and place of the method that was called: the last one of the stack."""
    stack = member(call, "stack")
    frame = stack[-1] if isinstance(stack, list) and stack else {}
    return (
        " ".join(str(member(frame, name) or "") for name in ("method.name", "path"))
        if isinstance(frame, dict)
        else ""
    )


def _from_feedback(values: Row) -> list[str]:
    """The contexts that were judged, from the columns of calls to feedback functions."""
    for name, value in values.items():
        if plain(name).endswith("calls") and isinstance(calls := decoded(value), list):
            texts = [text for call in calls if isinstance(call, dict) for text in _judged(call)]
            if texts:
                return list(dict.fromkeys(texts))
    return []


def _judged(call: Row) -> Iterator[str]:
    arguments = member(call, "args")
    if isinstance(arguments, dict):
        yield from contexts_in(member(arguments, *_FEEDBACK))

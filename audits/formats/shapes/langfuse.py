"""Langfuse: traces with input, output and metadata; observations, of which several belong to one trace."""

from collections.abc import Sequence
from typing import Any

from audits.formats.base import Row, SourceRow
from audits.formats.nested import decoded
from audits.formats.shapes.base import Rows, each, gettext_noop
from audits.formats.shapes.choosing import chosen
from audits.formats.shapes.names import found, member, mostly, names_of, plain, plain_names, text_member
from audits.formats.shapes.payloads import unquoted
from audits.formats.shapes.traces import ITEM, Span, items

_KINDS = frozenset(
    {"SPAN", "GENERATION", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL"}
)
_OF_A_TRACE = frozenset(
    plain_names("user_id session_id release bookmarked public html_path total_cost observations project_id")
)
_BESIDE = frozenset(
    plain_names("timestamp metadata name version tags latency environment created_at updated_at scores")
)
_OF_AN_OBSERVATION = frozenset(
    plain_names(
        "parent_observation_id start_time started_at end_time level status_message usage_details trace_name model"
    )
)


class LangfuseTraces:
    """One row per trace."""

    name = "langfuse_traces"
    label = gettext_noop("an export of Langfuse traces")

    def fits(self, rows: Sequence[Row]) -> bool:
        """See Shape."""
        names = names_of(rows)
        sides = {"id", "input", "output"} <= names and "runtype" not in names
        return sides and len(names & _OF_A_TRACE) >= 2 and len(names & _BESIDE) >= 2

    def mapping(self, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, Any]:
        """See Shape."""
        return chosen(columns, rows, inputs=("input",), outputs=("output",)) | found(columns, id=("id",))

    def rows(self, rows: Rows) -> Rows:
        """See Shape."""
        return each(rows, _payloads)


class LangfuseObservations:
    """One row per observation, or one per trace that holds its observations."""

    name = "langfuse_observations"
    label = gettext_noop("an export of Langfuse observations")

    def fits(self, rows: Sequence[Row]) -> bool:
        """See Shape."""
        return mostly(rows, _is_observation) or any(_observations(row) for row in rows)

    def mapping(self, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, Any]:
        """See Shape."""
        return dict(ITEM)

    def rows(self, rows: Rows) -> Rows:
        """See Shape."""
        return items(_apart(rows), key=_trace_of, named="trace id", span=_span)


def _payloads(values: Row) -> Row:
    """The row with what the application logged as it was: objects, lists and texts are written as JSON."""
    return {name: _payload(name.casefold(), value) for name, value in values.items()}


def _payload(name: str, value: Any) -> Any:
    if name not in {"input", "output", "metadata"} or not isinstance(value, str):
        return value
    inner = decoded(value)
    return unquoted(value) if inner is value else inner


def _is_observation(values: Row) -> bool:
    names = names_of([values])
    kind = text_member(values, "type")
    return bool(
        kind.upper() in _KINDS and "traceid" in names and names & {"input", "output"} and names & _OF_AN_OBSERVATION
    )


def _observations(values: Row) -> list[Any]:
    inner = decoded(member(values, "observations"))
    if not isinstance(inner, list) or not {"id", "input", "output"} <= names_of([values]):
        return []
    return [one for one in inner if isinstance(one, dict) and str(one.get("type", "")).upper() in _KINDS]


def _apart(rows: Rows) -> Rows:
    """A trace that holds its observations as the rows that an export of observations has."""
    for row in rows:
        if not isinstance(row, SourceRow) or _is_observation(row.values):
            yield row
            continue
        whole = {name: value for name, value in row.values.items() if name != "observations"}
        trace = text_member(whole, "id")
        yield SourceRow(row.line, whole | {"traceId": trace, "type": "TRACE"})
        for one in _observations(row.values):
            yield SourceRow(row.line, {"traceId": trace, "parentObservationId": trace} | _told(one))


def _told(values: Row) -> Row:
    return {name: value for name, value in values.items() if value is not None and plain(name) != "traceid"}


def _trace_of(values: Row) -> str:
    return text_member(values, "traceid")


def _span(values: Row) -> Span:
    kind = text_member(values, "type").upper()
    return Span(
        kind={"GENERATION": "llm"}.get(kind, kind.lower()),
        name=text_member(values, "name"),
        input=decoded(member(values, "input")),
        output=decoded(member(values, "output")),
        start="" if kind == "TRACE" else text_member(values, "starttime", "startedat"),
        root=member(values, "parentobservationid") is None,
        values={name: value for name, value in values.items() if name not in {"id", "traceId", "trace_id", "type"}},
    )

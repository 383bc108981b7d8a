"""LangSmith: runs (the whole application, or each step of it), datasets and experiments."""

from collections.abc import Sequence
from typing import Any

from audits.formats.base import Row, RowProblem, SourceRow
from audits.formats.messages import row_problem
from audits.formats.nested import decoded
from audits.formats.shapes.base import AsTheyAre, Rows, gettext_noop
from audits.formats.shapes.choosing import chosen
from audits.formats.shapes.names import found, gathered, member, mostly, names_of, plain, plain_names, text_member
from audits.formats.shapes.traces import ITEM, Span, items

_KINDS = frozenset({"chain", "llm", "retriever", "tool", "embedding", "prompt", "parser"})
_OF_A_DATASET = frozenset(plain_names("dataset_id source_run_id example_id reference_outputs dataset_split"))
_INPUTS = ("inputs", "input")
_OUTPUTS = ("outputs", "output")


class LangSmithRuns:
    """Only whole runs of the application, one row each."""

    name = "langsmith_runs"
    label = gettext_noop("an export of LangSmith runs")

    def fits(self, rows: Sequence[Row]) -> bool:
        """See Shape."""
        whole = all(_is_root(row) and not _children(row) for row in rows)
        return whole and mostly(rows, _is_run)

    def mapping(self, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, Any]:
        """See Shape."""
        texts = chosen(columns, rows, inputs=_INPUTS, outputs=_OUTPUTS)
        return texts | found(columns, id=("run_id", "id", "trace_id"))

    def rows(self, rows: Rows) -> Rows:
        """See Shape. A step further down, when only whole runs were expected, is no item of its own."""
        for row in rows:
            if isinstance(row, RowProblem):
                yield row
            elif _is_root(row.values):
                yield SourceRow(row.line, _payloads(row.values))
            else:
                yield row_problem(row.line, "no_item", values=row.values)


class LangSmithTraces:
    """Runs and their steps, joined by trace."""

    name = "langsmith_traces"
    label = gettext_noop("an export of LangSmith runs with their steps")

    def fits(self, rows: Sequence[Row]) -> bool:
        """See Shape."""
        return mostly(rows, _is_run)

    def mapping(self, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, Any]:
        """See Shape."""
        return dict(ITEM)

    def rows(self, rows: Rows) -> Rows:
        """See Shape."""
        return items(_apart(rows), key=_trace_of, named="trace_id", span=_span)


class LangSmithDataset(AsTheyAre):
    """Examples of a dataset, or what an experiment answered to them."""

    name = "langsmith_dataset"
    label = gettext_noop("a LangSmith dataset")

    def fits(self, rows: Sequence[Row]) -> bool:
        """See Shape."""
        names = names_of(rows)
        if any(_split_of(row) for row in rows):
            return True
        payloads = all(any(name.startswith(side) for name in names) for side in ("input", "output"))
        return payloads and bool(names & _OF_A_DATASET) and "runtype" not in names

    def mapping(self, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, Any]:
        """See Shape."""
        return chosen(columns, rows, inputs=_INPUTS, outputs=_OUTPUTS)


def _is_run(values: Row) -> bool:
    kind = text_member(values, "run_type").lower()
    return kind in _KINDS and any(plain(name).startswith(_INPUTS + _OUTPUTS) for name in values)


def _is_root(values: Row) -> bool:
    return member(values, "parent_run_id") is None


def _children(values: Row) -> list[Row]:
    children = decoded(member(values, "child_runs"))
    return [child for child in children if isinstance(child, dict)] if isinstance(children, list) else []


def _payloads(values: Row) -> Row:
    """The row with inputs and outputs that are JSON texts decoded."""
    return {name: decoded(value) if plain(name) in _INPUTS + _OUTPUTS else value for name, value in values.items()}


def _split_of(values: Row) -> Any:
    return member(values, "metadata.dataset_split", "extra.metadata.dataset_split")


def _apart(rows: Rows) -> Rows:
    """A run that holds its steps, as the rows that an export of all of them has."""
    for row in rows:
        if isinstance(row, RowProblem):
            yield row
            continue
        waiting = [row.values]
        while waiting:
            values = waiting.pop()
            trace = _trace_of(row.values)
            waiting += [{"trace_id": trace, "parent_run_id": trace} | child for child in reversed(_children(values))]
            yield SourceRow(row.line, {name: value for name, value in values.items() if plain(name) != "childruns"})


def _trace_of(values: Row) -> str:
    return text_member(values, "trace_id") or text_member(values, "run_id", "id")


def _span(values: Row) -> Span:
    return Span(
        kind=text_member(values, "run_type").lower(),
        name=text_member(values, "name"),
        input=decoded(_side(values, _INPUTS)),
        output=decoded(_side(values, _OUTPUTS)),
        start=text_member(values, "start_time", "dotted_order"),
        root=_is_root(values),
        values={name: value for name, value in values.items() if plain(name) not in {"id", "runid", "traceid"}},
    )


def _side(values: Row, names: tuple[str, ...]) -> Any:
    """inputs or outputs, put together again where they are spread over columns: "inputs.question"."""
    whole = member(values, *names)
    if whole is not None:
        return whole
    return gathered(values, names)

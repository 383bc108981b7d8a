"""promptfoo: results of an evaluation, one per test and prompt; the table of it, as JSON and as CSV."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from audits.formats.base import Row, RowProblem, SourceRow
from audits.formats.messages import row_problem
from audits.formats.nested import decoded
from audits.formats.shapes.base import AsTheyAre, Rows, gettext_noop
from audits.formats.shapes.choosing import chosen
from audits.formats.shapes.names import found, names_of, plain_names

_OF_A_RESULT = frozenset(
    plain_names(
        "prompt_idx test_idx prompt_id test_case named_scores grading_result latency_ms failure_reason success"
    )
)
_OUTPUT = re.compile(r"\[[^\]]+\] .*", re.S)  # a column "[openai:gpt-4o] the prompt's label"
_VERDICT = re.compile(r"\[(?:PASS|FAIL|ERROR)\](?: \([\d.]+\))?\s?")
_OF_AN_OUTPUT = re.compile(r"(?:Status|Score|Named Scores|Grader Reason|Comment|Metric: .*)(?: \(\d+\))?", re.S)
_ESCAPED = re.compile(r"'(?=[\s\u200b-\u200d]*[=+@-])")


class PromptfooResults(AsTheyAre):
    """One row per result."""

    name = "promptfoo"
    label = gettext_noop("promptfoo results")

    def fits(self, rows: Sequence[Row]) -> bool:
        """See Shape."""
        names = names_of(rows)
        vars_, response = (any(name.startswith(part) for name in names) for part in ("vars", "response"))
        return vars_ and response and len(names & _OF_A_RESULT) >= 3

    def mapping(self, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, Any]:
        """See Shape."""
        texts = chosen(columns, rows, inputs=("vars",), outputs=("response",))
        return found(columns, question=("prompt.raw",), id=("id",), generator=("provider.id", "provider")) | texts


class PromptfooTable:
    """One row per test, which holds its outputs."""

    name = "promptfoo_table"
    label = gettext_noop("a promptfoo table")

    def fits(self, rows: Sequence[Row]) -> bool:
        """See Shape."""
        return all("vars" in row and _outputs(row) for row in rows)

    def mapping(self, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, Any]:
        """See Shape."""
        return chosen(columns, rows, inputs=("vars",)) | {"answer": "output", "id": "id"}

    def rows(self, rows: Rows) -> Rows:
        """See Shape."""
        for row in rows:
            if isinstance(row, RowProblem):
                yield row
                continue
            test = decoded(row.values.get("test"))
            variables = test.get("vars") if isinstance(test, dict) else row.values.get("vars")
            if not (outputs := _outputs(row.values)):
                yield row_problem(row.line, "no_item", values=row.values)
            for number, output in enumerate(outputs, start=1):
                notes = {name: output.get(name) for name in ("provider", "pass", "score", "latencyMs")}
                name = str(output.get("id") or f"{row.values.get('testIdx', row.line)}-{number}")
                yield SourceRow(row.line, {"id": name, "vars": variables, "output": output.get("text")} | notes)


class PromptfooCsv:
    """A table with a column for each prompt and model."""

    name = "promptfoo_csv"
    label = gettext_noop("a promptfoo table")

    def fits(self, rows: Sequence[Row]) -> bool:
        """See Shape."""
        outputs = _output_columns(rows[0])
        judged = any(_VERDICT.match(str(row.get(name) or "")) for row in rows for name in outputs)
        return bool(outputs) and (judged or {"Status", "Score", "Grader Reason"} <= set(rows[0]))

    def mapping(self, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, Any]:
        """See Shape."""
        return {"answer": "output", "generator": "provider"}

    def rows(self, rows: Rows) -> Rows:
        """See Shape."""
        for row in rows:
            if isinstance(row, RowProblem):
                yield row
            elif _output_columns(row.values):
                yield from _of_each_output(row)
            else:
                yield row_problem(row.line, "no_item", values=row.values)


def _outputs(values: Row) -> list[Row]:
    listed = decoded(values.get("outputs"))
    if not isinstance(listed, list):
        return []
    outputs = [output for output in listed if isinstance(output, dict)]
    return outputs if outputs and all("text" in output and "pass" in output for output in outputs) else []


def _output_columns(values: Row) -> list[str]:
    return [name for name in values if _OUTPUT.fullmatch(name)]


def _of_each_output(row: SourceRow) -> Iterator[SourceRow]:
    outputs = _output_columns(row.values)
    own = {
        name: value for name, value in row.values.items() if name not in outputs and not _OF_AN_OUTPUT.fullmatch(name)
    }
    for name in outputs:
        values: Row = {key: _unescaped(value) for key, value in own.items()}
        values["output"] = _text(_unescaped(row.values[name]))
        values["provider"] = name[1:].partition("]")[0]
        yield SourceRow(row.line, values)


def _text(value: Any) -> Any:
    """The output without the verdict that older versions wrote before it."""
    if not isinstance(value, str) or not (verdict := _VERDICT.match(value)):
        return value
    text = value[verdict.end() :]
    reason, rule, output = text.partition("\n---\n")
    return output if rule and not value.startswith("[PASS]") else text if not rule else output or reason


def _unescaped(value: Any) -> Any:
    """The text without the apostrophe that keeps a spreadsheet from taking it for a formula."""
    return value[1:] if isinstance(value, str) and _ESCAPED.match(value) else value

"""Datasets of evaluation libraries, one row per answer: ragas and deepeval."""

from collections.abc import Sequence
from typing import Any

from audits.formats.base import Row
from audits.formats.shapes.base import AsTheyAre, gettext_noop
from audits.formats.shapes.choosing import chosen
from audits.formats.shapes.names import column, member, mostly, names_of
from audits.formats.written import NotWritten, listed


class Ragas(AsTheyAre):
    """The columns of ragas since 0.2; the user's input may be a conversation."""

    name = "ragas"
    label = gettext_noop("a ragas export")

    def fits(self, rows: Sequence[Row]) -> bool:
        """See Shape."""
        names = names_of(rows)
        others = {"retrievedcontexts", "referencecontexts", "synthesizername", "rubrics"}
        return "userinput" in names and bool(names & others or {"response", "reference"} <= names)

    def mapping(self, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, Any]:
        """See Shape."""
        talk = chosen([name for name in columns if "[" in name], rows, inputs=("userinput",), outputs=("userinput",))
        return {
            "question": talk.get("question") or column(columns, "user_input"),
            "contexts": column(columns, "retrieved_contexts"),
            "answer": column(columns, "response") or talk.get("answer"),
            "reference": column(columns, "reference"),
        }


class OldRagas(AsTheyAre):
    """The columns of ragas before 0.2: question, contexts, answer, and ground truth."""

    name = "ragas_old"
    label = gettext_noop("an export of an older ragas")

    def fits(self, rows: Sequence[Row]) -> bool:
        """See Shape."""
        names = names_of(rows)
        marked = {"question", "answer", "contexts"} <= names and bool(names & {"groundtruth", "groundtruths"})
        return marked and mostly(rows, lambda row: _is_list(member(row, "contexts")))

    def mapping(self, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, Any]:
        """See Shape."""
        reference = column(columns, "ground_truth")
        several = column(columns, "ground_truths")
        return {
            "question": column(columns, "question"),
            "contexts": column(columns, "contexts"),
            "answer": column(columns, "answer"),
            "reference": reference or (f"{several}[0]" if several else None),
        }


def _is_list(value: Any) -> bool:
    """Whether contexts are a list, or a text that writes one; none at all is no sign against it."""
    try:
        return value is None or isinstance(listed(value) if isinstance(value, str) else value, list)
    except NotWritten:
        return True


class DeepEval(AsTheyAre):
    """Test cases and goldens of deepeval. Its context is the gold one, not what was retrieved."""

    name = "deepeval"
    label = gettext_noop("a deepeval export")

    def fits(self, rows: Sequence[Row]) -> bool:
        """See Shape."""
        names = names_of(rows)
        others = {"retrievalcontext", "expectedoutput", "context", "toolscalled", "metricsdata", "additionalmetadata"}
        return {"input", "actualoutput"} <= names and bool(names & others)

    def mapping(self, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, Any]:
        """See Shape."""
        return {
            "question": column(columns, "input"),
            "contexts": column(columns, "retrieval_context"),
            "answer": column(columns, "actual_output"),
            "reference": column(columns, "expected_output"),
        }

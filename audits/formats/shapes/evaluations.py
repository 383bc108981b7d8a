"""Datasets of evaluation libraries, one row per answer: ragas and deepeval."""

from collections.abc import Sequence
from typing import Any

from audits.formats.base import Row
from audits.formats.nested import decoded
from audits.formats.shapes.base import AsTheyAre, gettext_noop
from audits.formats.shapes.choosing import chosen
from audits.formats.shapes.names import column, member, names_of


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
        lists = all(isinstance(decoded(member(row, "contexts")), list) for row in rows if member(row, "contexts"))
        return {"question", "answer", "contexts"} <= names and lists and bool(names & {"groundtruth", "groundtruths"})

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

"""Exports of well-known tools, recognised by content: the first shape that fits, the special before the general."""

from collections.abc import Sequence

from audits.formats.base import Row
from audits.formats.messages import file_error
from audits.formats.shapes.base import Shape
from audits.formats.shapes.context_rows import ContextRows
from audits.formats.shapes.conversations import Conversations
from audits.formats.shapes.dify import DifyMessages, DifyWorkflow
from audits.formats.shapes.evaluations import DeepEval, OldRagas, Ragas
from audits.formats.shapes.fastgpt import FastGptAnswers, FastGptChats, FastGptTurns
from audits.formats.shapes.frameworks import LangChain, LlamaIndex
from audits.formats.shapes.haystack import HaystackAnswers
from audits.formats.shapes.langfuse import LangfuseObservations, LangfuseTraces
from audits.formats.shapes.langsmith import LangSmithDataset, LangSmithRuns, LangSmithTraces
from audits.formats.shapes.message_rows import MessageRows
from audits.formats.shapes.phoenix import PhoenixAnswers, PhoenixDocuments, PhoenixSpans
from audits.formats.shapes.promptfoo import PromptfooCsv, PromptfooResults, PromptfooTable
from audits.formats.shapes.trulens import TruLensRecords

SHAPES: dict[str, Shape] = {
    shape.name: shape
    for shape in (
        LangSmithRuns(),
        LangSmithTraces(),
        PhoenixDocuments(),
        PhoenixAnswers(),
        PhoenixSpans(),
        TruLensRecords(),
        LangfuseObservations(),
        LangfuseTraces(),
        FastGptChats(),
        FastGptTurns(),
        FastGptAnswers(),
        DifyMessages(),
        DifyWorkflow(),
        PromptfooResults(),
        PromptfooTable(),
        PromptfooCsv(),
        DeepEval(),
        Ragas(),
        OldRagas(),
        LangSmithDataset(),
        HaystackAnswers(),
        LlamaIndex(),
        LangChain(),
        Conversations(),
        MessageRows(),
        ContextRows(),
    )
}


def recognise(rows: Sequence[Row]) -> Shape | None:
    """The shape of a file with these first rows, None for a plain table."""
    return next((shape for shape in SHAPES.values() if shape.fits(rows)), None) if rows else None


def shape_named(name: str) -> Shape:
    """A chosen shape. Raises FormatError("unknown_shape")."""
    if name not in SHAPES:
        raise file_error("unknown_shape", shape=name[:40], shapes=", ".join(SHAPES))
    return SHAPES[name]


__all__ = ["SHAPES", "Shape", "recognise", "shape_named"]

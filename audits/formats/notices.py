"""What a person should know of a file before it is imported; nothing is refused for it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from audits.formats.base import Notice, Row, RowProblem, SourceRow
from audits.formats.columns import RowMapper, context_columns, known_roles
from audits.formats.messages import notice
from audits.formats.suspicion import looks_wrongly_decoded

SURE = 0.95  # confidence in an encoding below which a person is asked to look
_LOOKED_AT = 2_000  # code points of a text


def notices_of(
    rows: Sequence[SourceRow], names: Sequence[str], mapping: Mapping[str, Any], *, confidence: float | None
) -> Iterator[Notice]:
    """Notices for these first rows under the guessed mapping.

    names: of the columns, when they come from a header; confidence: in the encoding.
    """
    if confidence is not None and confidence < SURE:
        yield notice("guessed_encoding")
    if any(looks_wrongly_decoded(text) for row in rows for text in _texts(row.values)):
        yield notice("mojibake")
    if mapping.get("answer") and context_columns(mapping) and rows and not _any_contexts(rows, mapping):
        yield notice("no_contexts")
    if names and not known_roles(names) and not any(mapping.values()):
        yield notice("no_header")


def _any_contexts(rows: Sequence[SourceRow], mapping: Mapping[str, Any]) -> bool:
    """Whether a row has a context, or one that cannot be read, of which the row tells."""
    read = RowMapper(mapping)
    return any(isinstance(found := read(row), RowProblem) or found.contexts for row in rows)


def _texts(values: Row) -> Iterable[str]:
    return (value[:_LOOKED_AT] for value in values.values() if isinstance(value, str))

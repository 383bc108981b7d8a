"""What a person should know of a file before it is imported; nothing is refused for it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from audits.formats.base import Notice, Row, SourceRow
from audits.formats.columns import context_columns
from audits.formats.messages import notice
from audits.formats.paths import lookup
from audits.formats.suspicion import looks_wrongly_decoded

SURE = 0.95  # confidence in an encoding below which a person is asked to look
_LOOKED_AT = 2_000  # code points of a text


def notices_of(
    rows: Sequence[SourceRow], mapping: Mapping[str, Any], *, confidence: float | None, header: bool, many: bool
) -> Iterator[Notice]:
    """Notices for these first rows under the guessed mapping.

    confidence: in the encoding. header: the columns have their names from one. many: more columns than are listed.
    """
    if confidence is not None and confidence < SURE:
        yield notice("guessed_encoding")
    if any(looks_wrongly_decoded(text) for row in rows for text in _texts(row.values)):
        yield notice("mojibake")
    if header and not any(mapping.values()):
        yield notice("no_header")
    if many:
        yield notice("many_columns")
    alone = columns if len(columns := context_columns(mapping)) == 1 else []
    if any(_looks_joined(lookup(row.values, column)) for row in rows for column in alone):
        yield notice("joined_contexts")


def _texts(values: Row) -> Iterable[str]:
    return (value[:_LOOKED_AT] for value in values.values() if isinstance(value, str))


def _looks_joined(value: object) -> bool:
    return isinstance(value, str) and "|" in value and value.lstrip()[:1] not in {"[", "|"}

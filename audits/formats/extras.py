"""The cells that a row may have beside question, contexts and answer: reference, generator, time, tags."""

import re
from datetime import datetime
from typing import Any

from audits.formats import times
from audits.formats.cells import NO_CONTEXT, CellError, contexts_of, is_missing, parts_of, text_of

MAX_GENERATOR = 200  # code points of a model's name
MAX_TAGS = 100
MAX_TAG = 200  # code points
_BETWEEN_TAGS = re.compile(r"[,;、，；\n]")
_TAG_KEYS = ("name", "tag", "label", "value")


def reference_of(value: Any, odd: set[str]) -> str:
    """A reference answer; of several, each in a line. Raises CellError."""
    return "\n".join(contexts_of(value, odd))


def generator_of(value: Any, odd: set[str]) -> str:
    """The model that wrote the answer. Raises CellError when it is no name."""
    if isinstance(value, dict):
        value = next((value[key] for key in ("name", "model", "id") if isinstance(value.get(key), str)), value)
    text = " ".join(text_of(value, odd).split())
    if len(text) > MAX_GENERATOR:
        raise CellError("cell_too_long", limit=MAX_GENERATOR)
    return "" if text.lower() in NO_CONTEXT else text


def timestamp_of(value: Any, odd: set[str]) -> datetime | None:
    """When the answer was written, in UTC; None, with the flag odd_timestamp, when that cannot be told."""
    if is_missing(value) or (isinstance(value, str) and value.strip().lower() in NO_CONTEXT):
        return None
    found = times.parse(value)
    if found is None:
        odd.add("odd_timestamp")
    return found


def tags_of(value: Any, odd: set[str]) -> tuple[str, ...]:
    """Tags in order, none twice: of a list, or of a text split at commas, semicolons and line breaks.

    Raises CellError when there are too many or one is no tag.
    """
    if is_missing(value):
        return ()
    parts = parts_of(value)
    if parts is None:
        parts = _BETWEEN_TAGS.split(text_of(value, odd))
    texts = (" ".join(text_of(_tag_in(part), odd).split()) for part in parts)
    tags = tuple(dict.fromkeys(text for text in texts if text and text.lower() not in NO_CONTEXT))
    if len(tags) > MAX_TAGS:
        raise CellError("too_many_tags", limit=MAX_TAGS)
    if any(len(tag) > MAX_TAG for tag in tags):
        raise CellError("cell_too_long", limit=MAX_TAG)
    return tags


def _tag_in(part: Any) -> Any:
    if isinstance(part, dict):
        return next((part[key] for key in _TAG_KEYS if isinstance(part.get(key), str)), part)
    return part

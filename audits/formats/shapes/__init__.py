"""Exports of well-known tools, recognised by content: the first shape that fits, the special before the general."""

from collections.abc import Sequence

from audits.formats.base import Row
from audits.formats.messages import file_error
from audits.formats.shapes.base import Shape

SHAPES: dict[str, Shape] = {}


def recognise(rows: Sequence[Row]) -> Shape | None:
    """The shape of a file with these first rows, None for a plain table."""
    return next((shape for shape in SHAPES.values() if shape.fits(rows)), None)


def shape_named(name: str) -> Shape:
    """A chosen shape. Raises FormatError("unknown_shape")."""
    if name not in SHAPES:
        raise file_error("unknown_shape", shape=name[:40], shapes=", ".join(SHAPES))
    return SHAPES[name]


__all__ = ["SHAPES", "Shape", "recognise", "shape_named"]

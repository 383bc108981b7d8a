"""Geometry of bars that count things: lying, one row per thing; standing, one per day. Both start at zero."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from audits.templatetags.charts import LEAST_WIDTH, svg_number
from audits.templatetags.figures import number_text, percent_text

MOST_NUMBERED = 14  # columns; more of them carry no number each on a phone
MOST_NAMED = 5  # names under the columns
HEADROOM = 12.0  # percent of the height kept free for the number over the highest column
GAP = 0.22  # of a column's room


@dataclass(frozen=True)
class Bar:
    """One lying bar. width: percent of the room as text, "0" for nothing. share: of all, as text."""

    name: str
    count: float
    width: str
    share: str


@dataclass(frozen=True)
class Bars:
    """Rows in the order given, and what they add up to."""

    rows: list[Bar]
    total: float


def bars(rows: Iterable[tuple[Any, float]]) -> Bars:
    """Pairs (name, count) as bars on one axis from zero to the largest. ValueError for a count below zero."""
    pairs = _pairs(rows)
    largest, total = max((count for _, count in pairs), default=0), math.fsum(count for _, count in pairs)
    drawn = [
        Bar(
            name=name,
            count=count,
            width=svg_number(max(100 * count / largest, LEAST_WIDTH) if count else 0.0),
            share=percent_text(count / total if total else None),
        )
        for name, count in pairs
    ]
    return Bars(drawn, total)


@dataclass(frozen=True)
class Column:
    """One standing bar; x, y, width, height, middle: percent of the drawing as text.

    number: written over it, "" where there is no room. label: written under it, "" for most. anchor: how the label
    lies around its place (the first and the last stay inside the drawing).
    """

    name: str
    count: float
    x: str
    y: str
    width: str
    height: str
    middle: str
    number: str
    label: str
    label_x: str
    anchor: str


@dataclass(frozen=True)
class Columns:
    """Columns from left to right, what they add up to, and the largest."""

    columns: list[Column]
    total: float
    largest: float


def columns(rows: Iterable[tuple[Any, float]]) -> Columns:
    """Pairs (name, count) as columns on one axis from zero. ValueError for a count below zero.

    Every column is numbered while there are few, else only the first of the highest.
    """
    pairs = _pairs(rows)
    largest = max((count for _, count in pairs), default=0)
    highest = next((i for i, (_, count) in enumerate(pairs) if count == largest and count), -1)
    room = 100 / len(pairs) if pairs else 0.0
    named = _named(len(pairs))
    drawn = []
    for i, (name, count) in enumerate(pairs):
        height = (100 - HEADROOM) * count / largest if largest else 0.0
        numbered = count and (len(pairs) <= MOST_NUMBERED or i == highest)
        anchor, place = ("middle", (i + 0.5) * room)
        if len(pairs) > MOST_NAMED:
            anchor, place = {0: ("start", 0.0), len(pairs) - 1: ("end", 100.0)}.get(i, (anchor, place))
        drawn.append(
            Column(
                name=name,
                count=count,
                x=svg_number((i + GAP / 2) * room),
                y=svg_number(100 - height),
                width=svg_number((1 - GAP) * room),
                height=svg_number(height),
                middle=svg_number((i + 0.5) * room),
                number=number_text(count) if numbered else "",
                label=name if i in named else "",
                label_x=svg_number(place),
                anchor=anchor,
            )
        )
    return Columns(drawn, math.fsum(count for _, count in pairs), largest)


def _named(count: int) -> set[int]:
    """Which of `count` columns have their name written under them: all of a few, else some at equal distances."""
    if count <= MOST_NAMED:
        return set(range(count))
    return {round(i * (count - 1) / (MOST_NAMED - 1)) for i in range(MOST_NAMED)}


def _pairs(rows: Iterable[tuple[Any, float]]) -> list[tuple[str, float]]:
    pairs = [(str(name), count) for name, count in rows]
    if any(count < 0 for _, count in pairs):
        raise ValueError("a bar counts, so nothing is below zero")
    return pairs

"""Geometry of the charts, in percent of the width. Numbers for SVG are strings, so that no locale touches them."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from audits.labels import Label
from audits.templatetags.figures import EstimateLike, chosen_text, number_text, percent_text
from audits.templatetags.labelling import KEYS, label_key, label_word

LEAST_WIDTH = 0.6  # percent; a single contradiction among thousands must stay visible
ROOM_FOR_TEXT = 13.0  # percent; narrower segments carry no number of their own on a phone
MARGIN = 3.0  # percent left free at both ends of an interval chart, for the tick labels
HEAT_STEPS = 5


@dataclass(frozen=True)
class Segment:
    """One part of a stacked bar. x, width, middle: percent of the width as text. text: its share fits inside."""

    label: object
    key: str
    word: str
    known: bool
    count: float
    share: str
    x: str
    width: str
    middle: str
    text: bool


def svg_number(value: float) -> str:
    """A position as SVG wants it: a point, at most two decimals, whatever the language of the page."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _pairs(counts: Mapping[Any, float] | Iterable[tuple[Any, float]]) -> list[tuple[Any, float]]:
    pairs = list(counts.items()) if isinstance(counts, Mapping) else [(label, count) for label, count in counts]
    order = {key: i for i, key in enumerate(KEYS)}
    return sorted(pairs, key=lambda pair: order.get(label_key(pair[0]), len(order)))


def _widths(counts: Sequence[float], total: float) -> list[float]:
    """Percent per part; what small parts get to be visible is taken from the largest."""
    widths = [max(100 * c / total, LEAST_WIDTH) if c else 0.0 for c in counts]
    widths[widths.index(max(widths))] -= sum(widths) - 100
    return widths


def bar_segments(counts: Mapping[Any, float] | Iterable[tuple[Any, float]]) -> tuple[list[Segment], float]:
    """Segments in the fixed order of the labels, and the total. Labels that occur zero times keep their row."""
    pairs = _pairs(counts)
    total = sum(count for _, count in pairs)
    widths = _widths([count for _, count in pairs], total) if total else [0.0] * len(pairs)
    segments, x = [], 0.0
    for (label, count), width in zip(pairs, widths, strict=True):
        key = label_key(label)
        segments.append(
            Segment(
                label=label,
                key=key,
                word=label_word(label),
                known=key != "plain",
                count=count,
                share=percent_text(count / total if total else None),
                x=svg_number(x),
                width=svg_number(width),
                middle=svg_number(x + width / 2),
                text=width >= ROOM_FOR_TEXT,
            )
        )
        x += width
    return segments, total


@dataclass(frozen=True)
class IntervalRow:
    """One estimate on the common axis; positions are percent of the width as text, "" where undefined."""

    name: str
    estimate: EstimateLike
    value: str
    low: str
    high: str


@dataclass(frozen=True)
class IntervalChart:
    """Rows, ticks ({"x", "text"}), the position of zero and of the threshold ("" without one).

    drawn: some row has a value.
    """

    rows: list[IntervalRow]
    ticks: list[dict[str, str]]
    zero: str
    limit: str
    limit_text: str
    drawn: bool


def _nice_step(span: float) -> float:
    """A step of 1, 2 or 5 times a power of ten that cuts the span into at most five."""
    power = 10.0 ** math.floor(math.log10(span / 5))
    return next(power * m for m in (1, 2, 5, 10) if power * m * 5 >= span * 0.999999)


def interval_chart(
    rows: Iterable[tuple[Any, EstimateLike]], limit: float | None = None, unit: str = "percent"
) -> IntervalChart:
    """Estimates under each other on one axis that contains zero and the limit."""
    pairs = [(str(name), estimate) for name, estimate in rows]
    ends = [x for _, e in pairs for x in (e.value, e.low, e.high) if x is not None] + [0.0]
    ends += [limit] if limit is not None else []
    bottom, top = min(ends), max(ends)
    step = _nice_step((top - bottom) or 0.05)
    first, last = math.floor(bottom / step + 1e-9), max(math.ceil(top / step - 1e-9), 1)

    def place(value: float | None) -> str:
        if value is None:
            return ""
        return svg_number(MARGIN + (100 - 2 * MARGIN) * (value / step - first) / (last - first))

    write = percent_text if unit == "percent" else number_text
    decimals = max(0, -math.floor(math.log10(step * (100 if unit == "percent" else 1)) + 1e-9))
    ticks = [{"x": place(i * step), "text": write(i * step, decimals)} for i in range(first, last + 1)]
    placed = [IntervalRow(name, e, place(e.value), place(e.low), place(e.high)) for name, e in pairs]
    text = "" if limit is None else chosen_text(limit) if unit == "percent" else write(limit)
    return IntervalChart(placed, ticks, place(0.0), place(limit), text, any(row.value for row in placed))


@dataclass(frozen=True)
class Cell:
    """One cell of a table of agreement. heat: 0 (nothing) to 5 (the largest)."""

    text: str
    share: str
    heat: int
    same: bool


@dataclass(frozen=True)
class MatrixRow:
    """One label of the first rater."""

    label: object
    cells: list[Cell]
    total: str


@dataclass(frozen=True)
class Matrix:
    """A square table with its margins, all as text."""

    labels: list[object]
    rows: list[MatrixRow]
    totals: list[str]
    total: str


def matrix(
    table: Mapping[tuple[Any, Any], float] | Sequence[Sequence[float]],
    labels: Sequence[object] | None = None,
    unit: str = "count",
) -> Matrix:
    """Two raters, label by label. table: rows of the first rater in the order of `labels` (the three labels unless
    given), or a mapping (first, second) -> count. unit: "count", or "share" where the cells are fractions."""
    names = list(labels or Label)
    counts = _square(table, names)
    total = math.fsum(map(math.fsum, counts))
    largest = max((max(row) for row in counts), default=0)
    write = number_text if unit == "count" else percent_text

    def cell(value: float, same: bool) -> Cell:
        # the root keeps small cells apart from empty ones
        heat = math.ceil(HEAT_STEPS * math.sqrt(value / largest)) if value > 0 else 0
        share = percent_text(value / total) if unit == "count" and total and value else ""
        return Cell(write(value), share, heat, same)

    rows = [
        MatrixRow(names[i], [cell(value, i == j) for j, value in enumerate(row)], write(math.fsum(row)))
        for i, row in enumerate(counts)
    ]
    totals = [write(math.fsum(row[j] for row in counts)) for j in range(len(names))]
    return Matrix(names, rows, totals, write(total))


def _square(
    table: Mapping[tuple[Any, Any], float] | Sequence[Sequence[float]], names: list[object]
) -> list[list[float]]:
    if isinstance(table, Mapping):
        by_key = {(label_key(a), label_key(b)): count for (a, b), count in table.items()}
        return [[by_key.get((label_key(a), label_key(b)), 0) for b in names] for a in names]
    if len(table) != len(names) or any(len(row) != len(names) for row in table):
        raise ValueError(f"the table must have {len(names)} rows and columns")
    return [list(row) for row in table]

"""Geometry of estimates one after another in time: a dot and its interval per window, on one upright axis."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from audits.templatetags.charts import svg_number
from audits.templatetags.figures import EstimateLike, estimate_text, number_text, percent_text

LEFT = 13.0  # percent of the width for the numbers of the axis
RIGHT = 99.0
TOP, BOTTOM = 4.0, 96.0  # percent of the height
STEPS = 4
MOST_NAMED = 4  # names under the windows


@dataclass(frozen=True)
class Point:
    """One window. Positions: percent of the drawing as text, "" where there is no value or no interval. text: the
    estimate in words. label: the short name where there is room for it."""

    name: str
    estimate: EstimateLike
    x: str
    y: str
    low: str
    high: str
    text: str
    label: str
    anchor: str


@dataclass(frozen=True)
class Timeline:
    """Windows from left to right; ticks ({"y", "text"}) of the axis; the overall value as a line, "" without one."""

    points: list[Point]
    ticks: list[dict[str, str]]
    overall: str


def timeline(
    rows: Iterable[tuple[Any, Any, EstimateLike]], overall: EstimateLike | None = None, unit: str = "percent"
) -> Timeline:
    """Rows (name, short name under the axis, estimate) in order of time.

    The axis runs from 0 to 1, from -1 where a value lies below 0.
    """
    windows = [(str(name), str(short), estimate) for name, short, estimate in rows]
    values = [x for *_, e in windows for x in (e.value, e.low) if x is not None]
    bottom = -1.0 if min(values, default=0.0) < 0 else 0.0

    def height(value: float | None) -> str:
        return "" if value is None else svg_number(BOTTOM - (BOTTOM - TOP) * (value - bottom) / (1 - bottom))

    room = (RIGHT - LEFT) / len(windows) if windows else 0.0
    named = _named(len(windows))
    points = []
    for i, (name, short, estimate) in enumerate(windows):
        last = len(windows) > MOST_NAMED and i == len(windows) - 1
        points.append(
            Point(
                name=name,
                estimate=estimate,
                x=svg_number(LEFT + (i + 0.5) * room),
                y=height(estimate.value),
                low=height(estimate.low) if estimate.value is not None else "",
                high=height(estimate.high) if estimate.value is not None else "",
                text=str(estimate_text(estimate, unit)),
                label=short if i in named else "",
                anchor="end" if last else "middle",
            )
        )
    write = percent_text if unit == "percent" else number_text
    steps = [bottom + i * (1 - bottom) / STEPS for i in range(STEPS + 1)]
    ticks = [{"y": height(step), "text": write(step, 0 if unit == "percent" else 1)} for step in steps]
    return Timeline(points, ticks, height(overall.value) if overall is not None else "")


def _named(count: int) -> set[int]:
    """Which windows have their name under them: all of a few, else some at equal distances."""
    if count <= MOST_NAMED:
        return set(range(count))
    return {math.floor(i * (count - 1) / (MOST_NAMED - 1) + 0.5) for i in range(MOST_NAMED)}

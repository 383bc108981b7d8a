"""Where in a JSON document the rows are: which of its lists of objects, or the document itself."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from audits.formats.base import Row
from audits.formats.columns import guess_mapping, known_roles
from audits.formats.nested import MAX_DEPTH, depth, spread
from audits.formats.paths import paths_in, quoted
from audits.formats.roles import CORE
from audits.formats.shapes import recognise
from audits.formats.shapes.choosing import chosen
from audits.formats.window import Window

ENVELOPES = 3  # how deep a list may lie: {"data": {"page": {"list": […]}}}
WHOLE = "{}"  # the document itself is the row
EACH = "[]"  # step of a Place: into every element
SAMPLE = 20  # elements that a choice rests on
_MOST_PLACES = 50
_LONGEST = 1 << 20  # code points of an element that is kept, unless it is the first one
Place = tuple[str, ...]


@dataclass
class Found:
    """One list: how many objects it has, and the first of them."""

    count: int = 0
    sample: list[Row] = field(default_factory=list)
    whole: bool = False  # of a list inside the elements of another one: question and answer are both in it


def walk(window: Window, path: Place = (), outermost: dict[str, str] | None = None) -> Iterator[tuple[Place, Any]]:
    """Every element of every list that lies in objects only, with the list's place.

    outermost: receives the names of the outermost object and the first character of each value.
    """
    if window.peek() == "[":
        for _ in window.elements():
            yield (*path, EACH), window.value()
    elif window.peek() == "{" and len(path) < ENVELOPES:
        for name, first in window.members():
            if outermost is not None:
                outermost[name] = first
            if first in {"[", "{"}:
                yield from walk(window, (*path, name))
            else:
                window.value()
    else:
        window.value()


def survey(window: Window) -> tuple[dict[Place, Found], dict[str, str]]:
    """All lists with objects in the document and, one level down, in the first objects of these; and its outermost
    names, with the first character of each value. Reads the document to its end.
    """
    found: dict[Place, Found] = {}
    outermost: dict[str, str] = {}
    for place, element in walk(window, outermost=outermost):
        if not isinstance(element, dict) or (place not in found and len(found) >= _MOST_PLACES):
            continue
        one = found.setdefault(place, Found())
        one.count += 1
        small = window.length <= _LONGEST or not one.sample
        if len(one.sample) < SAMPLE and small and depth(element) <= MAX_DEPTH:
            one.sample.append(element)
    if window.peek():
        raise window.error("Extra data")
    for place in list(found):
        for row in found[place].sample:
            for inner, elements in _inner_lists(row):
                below = found.setdefault((*place, *inner, EACH), Found())
                below.count += len(elements)
                below.whole = below.whole or any(is_answer([*spread(one)], asked=True) for one in elements[:SAMPLE])
                below.sample += (inner_rows(row, (*inner, EACH)) or [])[: SAMPLE - len(below.sample)]
    return dict(list(found.items())[:_MOST_PLACES]), outermost


def _inner_lists(row: Row) -> Iterator[tuple[Place, list[Row]]]:
    for name, value in row.items():
        if isinstance(value, list) and value and all(isinstance(part, dict) for part in value):
            yield (name,), value
        elif isinstance(value, dict):
            for below, inner in value.items():
                if isinstance(inner, list) and inner and all(isinstance(part, dict) for part in inner):
                    yield (name, below), inner


def name_of(place: Place) -> str:
    """How a place is shown and chosen: "data.list", "[].turns", "[]" for a list that is the whole document.

    The last step, into the elements, is understood.
    """
    if place == (EACH,):
        return EACH
    name = ""
    for step in place[:-1]:
        plain = step and not set(step) & set('.[]"{}')
        name += step if step == EACH else ("." if name else "") + step if plain else quoted(step)
    return name


def best_place(found: Mapping[Place, Found]) -> Place | None:
    """The list with the rows: of a known tool, then with the most known columns, then the longest; None without any.

    A list inside the elements of another one only when the outer elements are no answers, and the inner ones are.
    """
    outer = {place: one for place, one in found.items() if place.count(EACH) == 1}
    best = max(outer, key=lambda place: _worth(outer[place]), default=None)
    if best is None or _worth(outer[best])[0] or has_answers(outer[best]):
        return best
    inner = {place: one for place, one in found.items() if place not in outer}
    whole = {place: one for place, one in inner.items() if one.whole or _worth(one)[0]}
    if not whole and has_paths(outer[best].sample):
        return best
    some = whole or {place: one for place, one in inner.items() if has_answers(one)}
    return max(some, key=lambda place: _worth(some[place]), default=best)


def has_paths(elements: Sequence[Row]) -> bool:
    """Whether question, contexts and answer lie deeper in these elements, each in one place."""
    rows = [spread(row) for row in elements]
    return len(chosen([*dict.fromkeys(name for row in rows for name in row), *paths_in(rows)], rows)) == len(CORE) - 1


def _worth(one: Found) -> tuple[bool, int, int]:
    roles = max((known_roles([*spread(row)]) for row in one.sample), default=0)
    return bool(one.sample) and recognise(one.sample) is not None, roles, one.count


def has_answers(one: Found, *, asked: bool = False) -> bool:
    """Whether the first objects of a list are those of a tool, or have an answer, and a question or contexts.

    asked: a question.
    """
    return bool(one.sample and recognise(one.sample)) or any(
        is_answer([*spread(row)], asked=asked) for row in one.sample
    )


def is_answer(names: Sequence[str], *, asked: bool = False) -> bool:
    """Whether columns of these names hold an answer, and a question or contexts; asked: a question."""
    mapping = guess_mapping(names)
    return bool(mapping["answer"] and (mapping["question"] or (mapping["contexts"] and not asked)))


def inner_rows(element: Any, below: Place) -> list[Any] | None:
    """The elements of a list inside an element, each with what the outer one says beside it; None without a list."""
    told: Row = {}
    value = element
    for step in below[:-1]:
        if not isinstance(value, dict):
            return None
        told |= {name: said for name, said in value.items() if name != step and said is not None}
        value = value.get(step)
    if not isinstance(value, list):
        return None
    return [told | part if isinstance(part, dict) else part for part in value]

"""Mapping many rows at a time gives what mapping each of them gives, or leaves it to that."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audits.formats import Record, SourceRow
from audits.formats.child.frames import SEPARATOR
from audits.formats.child.plain import PlainMapper
from audits.formats.child.rows import COLUMNS, Gathering
from audits.formats.columns import RowMapper

MAPPING = {"id": "id", "question": "q", "contexts": "c", "answer": "a"}
PLAIN = "Plain text, 中文，😀 and\nmore."
NASTY = [
    *("", " ", "nan", "None", "n/a", "-", "无", "#REF!", "x" * 32_767, "x" * 32_768, "a\r\nb", "a\x00b", "\ufeffa"),
    *("\u200bx", "\u202eabc", "\ud800", "\u3000", "0", "yes", '["a"', "['a']", '"a"', "[]", "{}", "array(['a'])"),
    *("[Document(page_content='x')]", "[1] Some prose", "(a) text", "\\N", 'say "x"', "tab\tand\x1fodd"),
]
TEXTS = st.one_of(st.just(PLAIN), st.sampled_from(NASTY), st.text(max_size=12))
LISTS = st.lists(TEXTS, max_size=3)
CONTEXTS = st.one_of(
    TEXTS,
    LISTS,
    LISTS.map(lambda texts: json.dumps(texts, ensure_ascii=False)),
    LISTS.map(json.dumps),
    LISTS.map(lambda texts: json.dumps(texts, ensure_ascii=False, separators=(" ,", ":"))),
    LISTS.map(str),
    st.sampled_from(
        [
            '["\\\\", 1, "b"]',
            '["a", null, "b"]',
            '["a"],["b"]',
            '["a", ["b"]]',
            '["a" "b"]',
            '["a\nb"]',
            '["a", 1]',
            '["a"] ',
            '["a", null]',
        ]
    ),
    st.lists(st.dictionaries(st.sampled_from(["text", "score"]), TEXTS, max_size=2), max_size=2),
)
VALUES = st.one_of(TEXTS, st.none(), st.booleans(), st.integers(), st.floats(), LISTS, st.dictionaries(TEXTS, TEXTS))


def rows_of(*rows: dict[str, Any]) -> list[SourceRow]:
    return [SourceRow(line, values) for line, values in enumerate(rows, start=2)]


def row(**changed: Any) -> dict[str, Any]:
    return {"id": "q1", "q": "A question?", "c": '["One passage.", "二。"]', "a": "An answer.", "note": "n"} | changed


def as_dicts(told: list[bytes]) -> list[dict[str, Any]]:
    """By column, with JSON read: how it is spaced does not matter."""
    found = []
    for each in told:
        values = dict(zip(COLUMNS, each.decode().split(SEPARATOR), strict=True))
        lists = {name: json.loads(values[name]) for name in ("contexts", "metadata", "flags", "tags")}
        found.append({**values, **lists})
    return found


def check(rows: list[SourceRow], mapping: dict[str, Any] = MAPPING) -> bool:
    """That both ways agree; whether the fast one was of use."""
    mapped = PlainMapper(mapping).batch(7, rows)
    if mapped is None:
        return False
    gathering, mapper = Gathering(), RowMapper(mapping)
    records = [mapper(each) for each in rows]
    for position, record in enumerate(records, start=7):
        assert isinstance(record, Record)
        gathering.add(position, record)
    head, body = gathering.frame(0, None)
    assert head["problems"] == [] and as_dicts(mapped.told) == as_dicts(_apart(body))
    texts = [(each.external_id, each.question, each.answer, list(each.contexts)) for each in records]  # type: ignore[union-attr]
    assert [*zip(mapped.ids, mapped.questions, mapped.answers, mapped.contexts, strict=True)] == texts
    return True


def _apart(body: bytes) -> list[bytes]:
    values = body.split(b"\x00")
    width = len(COLUMNS)
    return [b"\x00".join(values[at : at + width]) for at in range(0, len(values), width)]


@pytest.mark.thorough
@settings(max_examples=400)
@given(
    st.lists(st.fixed_dictionaries({"id": VALUES, "q": TEXTS, "c": CONTEXTS, "a": TEXTS, "note": VALUES}), max_size=3)
)
def test_whatever_the_rows_hold_both_ways_agree(rows: list[dict[str, Any]]) -> None:
    check(rows_of(*rows))


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["id", "q", "c", "a", "note"])
@settings(max_examples=150)
@given(value=st.one_of(CONTEXTS, VALUES))
def test_one_odd_cell_among_plain_ones_is_no_different(name: str, value: Any) -> None:
    check(rows_of(row(), row(**{name: value}), row()))


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"c": ["One passage.", "Two\tpassages."]},
        {"c": "One passage."},
        {"c": '["it is \\"quoted\\""]'},
        {"id": 7},
        {"a": "yes"},
        {"note": 1.5},
        {"note": "nan"},
        {"note": {"deep": [None]}},
        {"note": "\x00\ud800"},
        {"a": "多行\n文本"},
        {"q": "x" * 40_000},
    ],
)
def test_plain_rows_go_the_fast_way(changed: dict[str, Any]) -> None:
    assert check(rows_of(row(), row(**changed)))


@pytest.mark.parametrize(
    "changed",
    [
        {"a": "nan"},
        {"a": ""},
        {"q": None},
        {"c": "[]"},
        {"c": '["x", "无"]'},
        {"id": "a\x00"},
        {"a": "a\r\nb"},
        {"id": 1.0},
    ],
)
def test_odd_rows_do_not(changed: dict[str, Any]) -> None:
    assert not check(rows_of(row(), row(**changed)))
    missing = rows_of(row(), {"q": "A question?"})
    assert not check(missing)


def test_several_columns_of_contexts_and_none_for_the_identifier() -> None:
    mapping = MAPPING | {"id": None, "contexts": ["c", "d"]}
    assert check(rows_of(row(d="Another."), row(d='["And", "more"]')), mapping)


@pytest.mark.parametrize(
    "changed", [{"split": "|"}, {"label": "note"}, {"reference": "note"}, {"question": ""}, {"tags": "note"}]
)
def test_mappings_that_ask_for_more_go_the_other_way(changed: dict[str, Any]) -> None:
    assert not PlainMapper(MAPPING | changed).can
    assert PlainMapper(MAPPING).can

"""Paths into nested values."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audits.formats.nested import spread
from audits.formats.paths import lookup, paths_in

CHAT = [
    {"role": "system", "content": "s"},
    {"role": "user", "content": "first"},
    {"role": "assistant", "content": "a1"},
    {"role": "user", "content": "second"},
]


@pytest.mark.parametrize(
    ("values", "path", "found"),
    [
        ({"a.b": 1, "a": {"b": 2}}, "a.b", 1),
        ({"a": {"b": 2}}, "a.b", 2),
        ({"a.b": {"c": 3}}, "a.b.c", 3),
        ({"a": {"b": [{"t": "x"}, {"t": "y"}, {"u": "z"}]}}, "a.b[].t", ["x", "y"]),
        ({"a": [{"b": [{"t": "x"}]}, {"b": [{"t": "y"}, {"t": "z"}]}]}, "a[].b[].t", ["x", "y", "z"]),
        ({"calls": [{"rets": ["x", "y"]}, {"rets": "z"}]}, "calls[].rets[]", ["x", "y", "z"]),
        ({"a": ["x", "y"]}, "a[1]", "y"),
        ({"a": ["x", "y"]}, "a[-1]", "y"),
        ({"a": ["x", "y"]}, "a[2]", None),
        ({"m": CHAT}, "m[role=assistant].content", "a1"),
        ({"m": CHAT}, "m[role=user].content", ["first", "second"]),
        ({"m": CHAT}, "m[role=user][-1].content", "second"),
        ({"m": CHAT}, "m[role=user][0].content", "first"),
        ({"m": CHAT}, "m[role=tool].content", None),
        ({"m": CHAT}, "m[role=tool][-1].content", None),
        ({"m": CHAT}, 'm[role="assistant"].content', "a1"),
        # an object where others have a list, a list where others have an object, a numbered object
        ({"d": {"text": "x"}}, "d[].text", ["x"]),
        ({"d": [{"text": "x"}, {"text": "y"}]}, "d.text", ["x", "y"]),
        ({"d": {"0": {"text": "x"}, "1": {"text": "y"}}}, "d[].text", ["x", "y"]),
        # keys that hold dots
        ({"d": [{"document.content": "x"}]}, "d[].document.content", ["x"]),
        ({"d": [{"document": {"content": "x"}}]}, "d[].document.content", ["x"]),
        ({"d": [{"a.b[0]": "x"}]}, 'd[]["a.b[0]"]', ["x"]),
        ({"x[0].y": [{"t": "x"}]}, '["x[0].y"][].t', ["x"]),
        # texts that are JSON, or what Python writes
        ({"input": '{"question": "q"}'}, "input.question", "q"),
        ({"o": '[{"page_content": "x"}]'}, "o[].page_content", ["x"]),
        ({"o": "[{'page_content': \"it's\", 'score': None}]"}, "o[].page_content", ["it's"]),
        ({"o": {"deep": '{"t": "x"}'}}, "o.deep.t", "x"),
        ({"o": '{"broken": '}, "o.broken", None),
        ({"a": None}, "a.b", None),
        ({"a": "text"}, "a.b", None),
        ({}, "a", None),
    ],
)
def test_lookup(values, path, found):
    assert lookup(values, path) == found


@pytest.mark.parametrize("name", ["", ".", "a..b", "a[", "a[]b", "[]", "[0].a", "a]", 'a["x', 'a["\\x"]', "a." * 100])
def test_what_is_no_path_names_only_a_column(name):
    assert lookup({"a": {"b": [1]}}, name) is None
    assert lookup({name: "x"}, name) == "x"


def test_paths_that_are_offered_most_frequent_and_shortest_first():
    rows = [
        {"q": "x", "meta": {"hits": [{"text": "t", "score": 0.5}], "note": "n"}},
        {"q": "x", "meta": {"hits": [{"text": "t"}, {"text": "u"}]}, "list": ["a", "b"]},
    ]
    assert paths_in(rows) == ("meta.hits[].text", "meta.note")
    assert paths_in([spread(row) for row in rows]) == ("meta.hits[].text",)
    assert paths_in(rows, limit=1) == ("meta.hits[].text",)


def test_paths_offered_for_chats():
    offered = paths_in([{"messages": CHAT}])
    assert {
        "messages[].content",
        "messages[role=assistant].content",
        "messages[role=user][-1].content",
    } <= set(offered)
    assert "messages[role=assistant][-1].content" not in offered


def test_texts_that_are_json_are_looked_into():
    row = {"input": json.dumps({"q": "x"}), "calls": json.dumps([{"rets": ["x"]}]), "contexts": json.dumps(["x"])}
    assert set(paths_in([row])) == {"input.q", "calls[].rets[]"}


def test_deep_and_wide_values_offer_a_bounded_number_of_paths():
    deep: object = "x"
    for _ in range(20):
        deep = {"a": deep, "b": [deep]}
    assert len(paths_in([{"deep": deep, "wide": {f"k{n}": "x" for n in range(5000)}}])) == 200


keys = st.one_of(st.text(min_size=1, max_size=4), st.sampled_from(["a", "b", "role", "a.b", "x[0]", '"', "[]", "="]))
nested = st.recursive(
    st.one_of(st.text(max_size=5), st.integers(), st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=3)),
    max_leaves=12,
)


@given(st.dictionaries(keys, nested, max_size=3))
def test_every_path_offered_finds_something(row):
    values = spread(row)
    for path in paths_in([values]):
        assert lookup(values, path) is not None, path

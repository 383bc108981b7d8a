"""What one cell says: lists as programs print them, what is odd about a text, and what can be stored."""

import json

import pytest

from audits.formats.cells import MAX_TEXT, CellError, contexts_of, is_missing, storable, text_of


def odd(value, read=text_of):
    met = set()
    return read(value, met), met


@pytest.mark.parametrize(
    ("cell", "texts"),
    [
        ("('a', 'b')", ["a", "b"]),
        ("('a',)", ["a"]),
        ("{'a', \"it's\"}", ["a", "it's"]),
        ('{"a","b \\"quoted\\", with a comma","c:\\\\x"}', ["a", 'b "quoted", with a comma', "c:\\x"]),  # PostgreSQL
        ('{"甲\n乙",NULL,"丙"}', ["甲\n乙", "丙"]),
        (json.dumps(json.dumps(["a", "b"])), ["a", "b"]),
        ("[Document(page_content='a', metadata={'s': 1}), Document(metadata={}, page_content=\"b'\")]", ["a", "b'"]),
        ("[Document(id='1', metadata={'page_content': 'no'}, page_content='甲\\n乙')]", ["甲\n乙"]),
        ("[NodeWithScore(node=TextNode(id_='1', text='a'), score=0.9)]", ["a"]),
        # none of them is a list
        ('("500 mg" every 6 hours) is the dose', ['("500 mg" every 6 hours) is the dose']),
        ("('a')", ["('a')"]),
        ('{"name": "x", "price": 3}', ['{"name": "x", "price": 3}']),
        ("{{ template }}", ["{{ template }}"]),
        ('"[sic]" he wrote', ['"[sic]" he wrote']),
        ('"Gold" plan', ['"Gold" plan']),
        ("array of things", ["array of things"]),
        ("(1) one", ["(1) one"]),
        ("[Section 3] of the contract", ["[Section 3] of the contract"]),
        ("[Figure(s)] omitted", ["[Figure(s)] omitted"]),
    ],
)  # fmt: skip
def test_lists_as_programs_print_them(cell, texts):
    assert contexts_of(cell) == texts


@pytest.mark.parametrize(
    "cell",
    [
        "[Document(page_content='a', metadata={'source': 'x'}), Document(page_con",
        "[Document(page_content=open('x').read())]",
        "[NodeWithScore(node=TextNode(relationships={<R.SOURCE: '1'>: 1}, text='a'), score=0.9)]",
        "[object Object]",
        "[object Object],[object Object]",
        "['a', 'b'",
    ],
)
def test_lists_whose_texts_are_lost(cell):
    with pytest.raises(CellError) as caught:
        contexts_of(cell)
    assert caught.value.code == "bad_list"


@pytest.mark.parametrize(
    "part",
    [
        {"page_content": "a", "metadata": {"source": "x"}},
        {"pageContent": "a"},
        {"node": {"text": "a", "id": "1"}, "score": 0.8},
        {"node": {"text_resource": {"text": "a"}}, "score": 0.8},
        {"document": {"content": "a"}, "score": 1},
        {"kwargs": {"page_content": "a"}, "lc": 1},
        {"payload": {"text": "a"}, "id": 3},
        {"_source": {"content": "a"}, "_score": 2.5},
        {"segment": {"content": "a", "position": 1}},
        {"text": "a", "title": "b"},
        {"score": 1, "正文": "a"},
        {"whatever": "a"},
        ["a"],
        "a",
    ],
)
def test_objects_with_a_text(part):
    assert contexts_of([part, part]) == ["a", "a"]
    assert contexts_of(json.dumps([part, part], ensure_ascii=False)) == ["a", "a"]


def test_objects_without_a_text():
    for part in ({"score": 1, "rank": 2}, {"node": {"score": 1, "rank": 2}, "score": 1}, {"title": "x", "name": "y"}):
        with pytest.raises(CellError) as caught:
            contexts_of([part])
        assert caught.value.code == "bad_contexts"


@pytest.mark.parametrize(
    ("text", "read", "met"),
    [
        ("a\x00b", "ab", {"nul_removed"}),
        ("退款\u200b三天", "退款\u200b三天", {"hidden_text"}),
        ("abc\u202etxt", "abc\u202etxt", {"hidden_text"}),
        ("a\U000e0041", "a\U000e0041", {"hidden_text"}),
        ("a\ufe01\ufe02", "a\ufe01\ufe02", {"hidden_text"}),
        ("\ufeffa", "a", set()),
        ("a\ufeffb", "a\ufeffb", {"hidden_text"}),
        ("👨\u200d👩\u200d👧 ✔\ufe0f", "👨\u200d👩\u200d👧 ✔\ufe0f", set()),
        ("क्\u200dष", "क्\u200dष", set()),
        ("می\u200cخواهم", "می\u200cخواهم", set()),
        ("1\ufe0f\u20e3", "1\ufe0f\u20e3", set()),
        ("“全角”　，\n🚫é€", "“全角”　，\n🚫é€", set()),
        ("a\r\nb\rc", "a\nb\nc", set()),
        ("a\x00\u200b\r", "a\u200b\n", {"nul_removed", "hidden_text"}),
        ("\u200b\u200b", "", {"hidden_text"}),
        ("NaN", "", {"nan"}),
        (" null ", "", {"nan"}),
        ("#NAME?", "", {"spreadsheet_error"}),
        ("#DIV/0!", "", {"spreadsheet_error"}),
        ("#1 in sales", "#1 in sales", set()),
        ("None", "None", set()),
        ("N/A", "N/A", set()),
        ("Nan", "", {"nan"}),
        ("nano", "nano", set()),
        ("x" * 32_767, "x" * 32_767, {"cut_text"}),
        ("字" * 32_766, "字" * 32_766, set()),
        (float("nan"), "", set()),
        (None, "", set()),
        (7.0, "7", set()),
        (1e300, "1e+300", set()),
    ],
)
def test_what_is_odd_about_a_text(text, read, met):
    assert odd(text) == (read, met)


def test_contexts_meet_the_same_oddities():
    assert odd(["a\x00", "b\u200bc", "nan", "N/A"], contexts_of) == (
        ["a", "b\u200bc"],
        {"nul_removed", "hidden_text", "nan"},
    )
    assert odd("-", contexts_of) == ([], {"nan"})
    assert odd(["a", None, ""], contexts_of) == (["a"], set())


@pytest.mark.parametrize(
    "value", [None, "", "  \n", "nan", "NaN ", "<NA>", "null", "NULL", "\\N", "#N/A", float("nan")]
)
def test_missing(value):
    assert is_missing(value)


@pytest.mark.parametrize("value", ["0", 0, False, "None", "N/A", "-", "无", [], {}, "nan nan", "x" * 50])
def test_not_missing(value):
    assert not is_missing(value)


def test_limits():
    for value, code in (
        ("x" * (MAX_TEXT + 1), "cell_too_long"),
        ("字\ud800", "bad_character"),
        ({"a": 1}, "not_text"),
    ):
        with pytest.raises(CellError) as caught:
            text_of(value)
        assert caught.value.code == code
    assert len(text_of("字" * MAX_TEXT)) == MAX_TEXT


def test_what_is_stored_any_database_takes():
    value = {
        "a\x00": ["字\ud800", float("inf"), {"b": float("nan")}],
        "ok": ["“”", 1, 2.5, True, None],
        "date": {1, 2},
    }
    kept = storable(value)
    assert kept == {"a": ["字", None, {"b": None}], "ok": ["“”", 1, 2.5, True, None], "date": "{1, 2}"}
    json.dumps(kept, allow_nan=False, ensure_ascii=False).encode()


@pytest.mark.parametrize(
    "sign", ["[", "['", "[Document(", "{'", "(", '"[', "[object Object]", "array([", "\\", "'a',", "[{"]
)
def test_hostile_cells_end_at_once(sign):
    for text in (
        sign * (200_000 // len(sign)),
        "['" + sign * 50_000,
        "{" + '"a",' * 50_000,
        "('" + sign * 50_000 + "')",
    ):
        try:
            contexts_of(text)
        except CellError as error:
            assert error.code in {"bad_list", "bad_contexts", "too_many_contexts"}


def test_the_name_of_a_file_is_no_context():
    with pytest.raises(CellError):
        contexts_of([{"document": {"excerpt": "text", "metadata": {"file": "a.md"}}}])
    assert contexts_of([{"document": {"metadata": {"text": "text"}}}]) == ["text"]
    assert contexts_of([{"node": {"excerpt": "text"}}]) == ["text"]

"""JSON Lines and JSON documents."""

import json

import pytest

from audits.formats import open_dataset

from .conftest import read, refused

ROW = {"id": "1", "question": "谁？", "contexts": ["甲", "乙|丙"], "answer": "甲"}


def lines(*rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_lines_and_array_read_the_same(write, codec, ascii_only):
    one = json.dumps(ROW, ensure_ascii=ascii_only)
    for text, kind in (
        (f"{one}\n\n{one}\n", "jsonl"),
        (f"[{one},\n{one}]", "json"),
        (f"[\n {one}, {one}\n]\n", "json"),
    ):
        opened = open_dataset(write(text, codec))
        assert opened.understanding.format == kind
        records, problems = read(opened)
        assert [(r.external_id, r.question, r.contexts, r.answer) for r in records] == [
            ("1", "谁？", ("甲", "乙|丙"), "甲")
        ] * 2
        assert problems == []


def test_pretty_printed_document(write):
    opened = open_dataset(write(json.dumps([ROW, ROW, ROW], indent=2)))
    assert [row.line for row in opened.rows()] == [1, 2, 3]


def test_broken_line_costs_that_line_only(write):
    text = lines(ROW) + '{"id": "2", "question": \n' + "\n" + lines([1, 2]) + lines(ROW)
    records, problems = read(open_dataset(write(text)))
    assert [r.line for r in records] == [1, 5]
    assert [(p.line, p.code) for p in problems] == [(2, "bad_json"), (4, "not_an_object")]
    assert problems[0].params["position"] > 1


def test_broken_first_line(write):
    opened = open_dataset(write('{"id": "0", "question": "q"\n' + lines(ROW, ROW)))
    records, problems = read(opened)
    assert (len(records), [p.line for p in problems]) == (2, [1])


@pytest.mark.parametrize(
    "envelope",
    [
        {"data": [ROW]},
        {"code": 0, "data": {"total": 1, "list": [ROW]}},
        {"errors": [], "pages": [{"n": 1}, {"n": 2}], "items": [ROW]},
    ],
)
@pytest.mark.parametrize("indent", [None, 1])
def test_envelope_around_the_rows(write, envelope, indent):
    records, _ = read(open_dataset(write(json.dumps(envelope, indent=indent))))
    assert [r.answer for r in records] == ["甲"]


def test_single_object_is_one_row(write):
    records, _ = read(open_dataset(write(json.dumps({**ROW, "contexts": [{"text": "甲"}, {"text": "乙"}]}))))
    assert [r.contexts for r in records] == [("甲", "乙")]


def test_nested_objects_become_dotted_columns(write):
    row = {
        "run_id": "r",
        "inputs": {"input": {"question": "q"}},
        "outputs": {"output": {"answer": "a", "documents": [{"page_content": "c", "metadata": {"x": 1}}]}},
    }
    opened = open_dataset(write(lines(row, row)))
    assert opened.understanding.mapping == {
        "id": "run_id",
        "question": "inputs.input.question",
        "contexts": "outputs.output.documents",
        "answer": "outputs.output.answer",
    }
    assert read(opened)[0][0].contexts == ("c",)


def test_object_where_a_text_is_expected(write):
    records, problems = read(open_dataset(write(lines(ROW, {**ROW, "answer": {"text": "b"}}))))
    assert len(records) == 1
    assert [(p.line, p.column, p.code) for p in problems] == [(2, "answer", "not_text")]


def test_nan_and_null_are_missing(write):
    rows = [{**ROW, "answer": float("nan")}, {**ROW, "contexts": None}, {**ROW, "contexts": ["", None, float("nan")]}]
    for text in (lines(*rows), json.dumps(rows)):
        records, _ = read(open_dataset(write(text)))
        assert [r.flags for r in records] == [("no_answer",), ("no_context",), ("no_context",)]


def test_unpaired_surrogate_is_a_problem_of_its_row(write):
    bad = '{"id": "2", "question": "q", "contexts": ["c"], "answer": "a\\ud800"}'
    for text in (f"{bad}\n{lines(ROW)}", f"[{bad}, {json.dumps(ROW)}]"):
        records, problems = read(open_dataset(write(text)))
        assert [(p.line, p.column, p.code) for p in problems] == [(1, "answer", "bad_character")]
        assert [r.external_id for r in records] == ["1"]


def test_preview_holds_nothing_that_a_page_cannot_show(write):
    line = '{"question": "q\\ud800\\u0000", "a\\udfff": ["\\ud801"]}\n'
    opened = open_dataset(write(line * 2))
    row, _ = opened.understanding.preview
    assert row.values == {"question": "q", "a": [""]}
    "".join(opened.understanding.columns).encode()


def test_nul_is_removed_and_flagged(write):
    records, _ = read(open_dataset(write(lines({**ROW, "contexts": ["甲\x00乙"], "note\x00": "x\x00"}, ROW))))
    assert records[0].contexts == ("甲乙",)
    assert records[0].flags == ("nul_removed",)
    assert "\x00" not in json.dumps(records[0].metadata)


@pytest.mark.parametrize("levels", [40, 2_000, 200_000])
def test_deep_nesting_is_refused_calmly(write, levels):
    deep = "[" * levels + "]" * levels
    text = '{"question": "q", "answer": "a", "contexts": ' + deep + "}"
    records, problems = read(open_dataset(write(f"{text}\n{lines(ROW)}")))
    assert ([r.line for r in records], [(p.line, p.code) for p in problems]) == ([2], [(1, "too_deep")])
    path = write(f"[{text}, {json.dumps(ROW)}]")
    if levels == 40:
        records, problems = read(open_dataset(path))
        assert ([r.line for r in records], [p.code for p in problems]) == ([2], ["too_deep"])
    else:
        assert refused(path).code == "too_deep"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('[{"question": "q"}', "bad_json"),
        ('[{"question": "q"} {"question": "q"}]', "bad_json"),
        ('[{"question": "q"}] more', "bad_json"),
        ('[{"question": "q"},]', "commented_json"),
        ('[{"question": "q",}]', "commented_json"),
        ('[{"question": "q"}, // the last one\n {"question": "r"}]', "commented_json"),
        ('{"data": [ /* none */ {"question": "q"}]}', "commented_json"),
        ('[{"question": "q"}\n# more\n]', "commented_json"),
        ('[{"question": "q // [,] #"}, {"question" "r"}]', "bad_json"),
        ('{"data": [', "bad_json"),
        ("[]", "no_rows"),
        ('{"data": []}', "no_objects"),
        ('{"a": 1}', "no_objects"),
        ("[[1, 2], [3, 4]]", "no_good_rows"),
        ('{"question": {"0": "q", "1": "r"}, "answer": {"0": "a"}, "contexts": {"0": "c"}}', "column_oriented"),
        ('{"question": ["q", "r"], "answer": ["a"]}', "column_oriented"),
        ('[{"n": ' + "9" * 5000 + "}]", "bad_json"),
    ],
)
def test_documents_that_are_no_dataset(write, text, code):
    error = refused(write(text))
    assert error.code == code
    assert "Nothing was imported." in str(error)


NEW = {"question": "user_input", "contexts": "retrieved_contexts", "answer": "response"}
OTHER = {"id": "2", "question": "r", "contexts": ["丙"], "answer": "b"}


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(
    "document",
    [
        {name: [ROW[name], OTHER[name]] for name in ROW},
        {name: {"0": ROW[name], "1": OTHER[name]} for name in ROW},
        {"columns": [*ROW], "index": [0, 1], "data": [[*ROW.values()], [*OTHER.values()]]},
        {"0": ROW, "1": OTHER},
        {row["id"]: {name: value for name, value in row.items() if name != "id"} for row in (ROW, OTHER)},
        {"version": 2, "data": {name: [ROW[name], OTHER[name]] for name in ROW}},
        {NEW.get(name, name): [ROW[name], OTHER[name]] for name in ROW},
    ],
)
def test_columns_and_numbered_rows_are_turned(write, document, indent):
    opened = open_dataset(write(json.dumps(document, indent=indent)))
    assert (opened.understanding.sheet, opened.sheets) == (None, ())
    records, problems = read(opened)
    assert [(r.line, r.external_id, r.question, r.contexts, r.answer) for r in records] == [
        (1, "1", "谁？", ("甲", "乙|丙"), "甲"),
        (2, "2", "r", ("丙",), "b"),
    ]
    assert problems == []


def test_columns_too_large_to_be_held_are_refused(write, monkeypatch):
    monkeypatch.setattr("audits.formats.json.MAX_BYTES", 100)
    error = refused(write(json.dumps({"question": ["q"] * 50, "answer": ["a"] * 50})))
    assert error.code == "column_oriented"


ENVELOPE = {
    "total": 2,
    "data": {"list": [ROW, ROW], "warnings": [{"text": "w"}] * 3},
    "errors": [{"id": 1, "message": "m"}],
}


def test_the_list_can_be_chosen(write):
    path = write(json.dumps(ENVELOPE))
    opened = open_dataset(path)
    assert (opened.understanding.sheet, opened.sheets) == (
        "data.list",
        ("data.list", "data.warnings", "errors", "{}"),
    )
    assert len(read(opened)[0]) == 2
    other = open_dataset(path, sheet="errors")
    assert (other.understanding.sheet, other.understanding.columns) == ("errors", ("id", "message"))
    assert next(iter(other.rows())).values == {"id": 1, "message": "m"}
    whole = open_dataset(path, sheet="{}")
    assert [row.values["total"] for row in whole.rows()] == [2]
    error = refused(path, sheet="data.lost")
    assert (error.code, error.params["array"]) == ("unknown_array", "data.lost")
    assert "data.list" in str(error)


def test_one_list_alone_is_nothing_to_choose(write):
    path = write(json.dumps([ROW]))
    assert (open_dataset(path).sheets, open_dataset(path).understanding.sheet) == ((), None)
    assert len(read(open_dataset(path, sheet="[]"))[0]) == 1


@pytest.mark.parametrize(
    "envelope",
    [
        {"result": "success", "query": "all", "data": [ROW]},  # names that rows have as well
        {"messages": [{"text": "t"}] * 5, "rows": [ROW]},
        {
            "rows": [
                {"input": {"question": "谁？"}, "output": {"answer": "甲", "contexts": ["甲", "乙|丙"]}, "id": "1"}
            ]
        },
        {"tests": [{"id": n, "query": "q", "index": n} for n in range(9)], "rows": [ROW]},
        {"a.b": {"c[0]": [ROW]}},
    ],
)
def test_envelopes_that_mislead(write, envelope):
    records, _ = read(open_dataset(write(json.dumps(envelope))))
    assert [(r.external_id, r.question, r.contexts, r.answer) for r in records] == [
        ("1", "谁？", ("甲", "乙|丙"), "甲")
    ]


def test_rows_inside_rows(write):
    chats = [
        {"session": "s1", "user": {"name": "n"}, "turns": [ROW, {**ROW, "id": "2"}]},
        {"session": "s2", "user": {"name": "m"}, "turns": [{**ROW, "id": "3"}, "broken"]},
        {"session": "s3", "user": {"name": "o"}, "turns": []},
    ]
    opened = open_dataset(write(json.dumps({"chats": chats})))
    assert (opened.understanding.sheet, opened.sheets) == ("chats[].turns", ("chats", "chats[].turns", "{}"))
    records, problems = read(opened)
    assert [(r.line, r.external_id, r.metadata["session"]) for r in records] == [
        (1, "1", "s1"),
        (1, "2", "s1"),
        (2, "3", "s2"),
    ]
    assert [(p.line, p.code) for p in problems] == [(2, "not_an_object"), (3, "no_item")]


def test_a_row_with_earlier_turns_is_one_row(write):
    row = {**ROW, "history": [{"question": "before", "answer": "x"}]}
    for text in (json.dumps(row), json.dumps([row, row])):
        assert {r.answer for r in read(open_dataset(write(text)))[0]} == {"甲"}


@pytest.mark.parametrize("text", ['[\n {"question": "q", "answer": "%s"}]', '[\n "%s', '{"a": 1,\n "b": "%s"}'])
def test_values_without_end_are_refused(write, monkeypatch, text):
    monkeypatch.setattr("audits.formats.window.MAX_LINE", 200_000)
    error = refused(write(text % ("x" * 900_000)))
    assert (error.code, error.params["line"], error.params["limit"]) == ("long_json", 2, 200_000)
    assert "Nothing was imported." in str(error)


def test_progress_follows_the_bytes(write):
    opened = open_dataset(write(json.dumps({"data": [{**ROW, "answer": "x" * 9000} for _ in range(100)]})))
    seen = [opened.fraction for _ in opened.rows()]
    assert seen == sorted(seen) and seen[0] < 0.2 and seen[-1] > 0.9


def test_error_names_line_and_column(write):
    error = refused(write('[\n {"question": "q"},\n {"question" "q"}\n]'))
    assert (error.code, error.params["line"], error.params["position"]) == ("bad_json", 3, 14)


def test_error_far_into_a_document_names_its_line(write):
    good = [json.dumps({**ROW, "answer": "x" * 3000}) for _ in range(100)]
    error = refused(write("[\n" + ",\n".join([*good, '{"id": oops}']) + "\n]"))
    assert (error.params["line"], error.params["position"]) == (102, 8)


def test_undecodable_document_is_refused_with_its_line(write):
    error = refused(write(json.dumps([ROW] * 5, ensure_ascii=False, indent=1).encode() + b"\n\xff"))
    assert (error.code, error.params["line"]) == ("undecodable", 48)


def test_undecodable_line_is_a_problem_of_that_line(write):
    content = (lines(ROW) * 3).encode().replace("乙".encode(), b"\xe4\xb9", 1)
    records, problems = read(open_dataset(write(content)))
    assert [r.line for r in records] == [2, 3]
    assert [(p.line, p.code) for p in problems] == [(1, "undecodable")]


def test_long_values_pass_the_reading_window(write):
    rows = [{**ROW, "contexts": ["证" * 210_000]}, {**ROW, "n": 12.5}] * 3
    records, _ = read(open_dataset(write(json.dumps(rows, ensure_ascii=False))))
    assert [len(r.contexts[0]) for r in records] == [210_000, 1] * 3


def test_columns_are_those_of_all_first_rows(write):
    opened = open_dataset(write(lines({"question": "q"}, {"answer": "a"}, {"contexts": ["c"]})))
    assert opened.understanding.columns == ("question", "answer", "contexts")
    assert [r.flags for r in read(opened)[0]] == [
        ("no_answer", "no_context"),
        ("no_question", "no_context"),
        ("no_question", "no_answer"),
    ]

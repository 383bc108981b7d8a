"""Words of human labels: what is certain is proposed, what is not is asked; a missing label is missing."""

from collections import Counter

import pytest

from audits.formats import GivenLabel, RowProblem, SourceRow, check_mapping, map_record
from audits.formats.base import FormatError
from audits.formats.claim_rows import one_per_answer
from audits.formats.given import guess_words, words_in
from audits.formats.wording import LABELS, Meanings, offers, propose, reason

MAPPING = {"id": "id", "question": "q", "contexts": "c", "answer": "a"}
WORDS = {"支持": "SUPPORTED", "矛盾": "CONTRADICTED", "不支持": "NOT_SUPPORTED", "跳过": ""}


def row(line=2, **values):
    return SourceRow(line, {"id": "1", "q": "q", "c": "c", "a": "a", **values})


def labels(mapping, **values):
    found = map_record(row(**values), {**MAPPING, "words": WORDS, **mapping})
    return found if isinstance(found, RowProblem) else [(each.claim, each.word, each.label) for each in found.labels]


@pytest.mark.parametrize(
    ("label", "words"),
    [
        (
            "SUPPORTED",
            "supported Supported SUPPORTED entailment faithful grounded 有据 支持 “支持” 无幻觉 not_hallucinated",
        ),
        ("CONTRADICTED", "contradicted contradiction refuted REFUTES 矛盾 冲突 intrinsic Evident_Conflict"),
        ("UNVERIFIED", "unverified unverifiable neutral NEI not_mentioned 无据 无法验证 编造 未提及 Baseless-Info"),
        ("UNCERTAIN", "uncertain not_sure 不确定 存疑"),
        ("", "N/A - nan null unlabeled 未标注 待标注 #N/A"),
    ],
)
def test_certain_words(label, words):
    assert propose(words.split()) == dict.fromkeys(words.split(), label)
    assert {reason(word) for word in words.split()} == {""}


ASKED = """
    不支持 unsupported not_supported unfaithful hallucinated 幻觉 inconsistent 不一致 false true 0 1 yes no 是 否 正确
    错误 correct wrong partially_supported 部分支持 无法判断 none 无 pass 合格 ✓ × 0.8 3 refusal 拒答 S NS
"""


@pytest.mark.parametrize("word", [*ASKED.split()])
def test_words_that_must_be_asked(word):
    assert propose([word]) == {word: None}
    assert reason(word).endswith(".")
    assert sorted(offers(word)) == sorted(LABELS)


def test_what_is_offered_first():
    assert offers("不支持")[0] == "NOT_SUPPORTED"
    assert offers("部分支持")[0] == "NOT_SUPPORTED"
    assert offers("无法判断")[0] == "UNCERTAIN"
    assert offers("支持")[0] == "SUPPORTED"
    assert offers("1", "is_hallucination")[0] == offers("0", "faithful")[0] == "NOT_SUPPORTED"
    assert offers("0", "is_hallucination")[0] == offers("yes", "faithful")[0] == "SUPPORTED"
    assert offers("是", "是否幻觉")[0] == offers("否", "是否有据")[0] == "NOT_SUPPORTED"
    assert offers("1", "label")[0] == LABELS[0]


def test_confirmed_words_hold_for_all_their_spellings():
    meanings = Meanings({"Not supported": "NOT_SUPPORTED", "1": "SUPPORTED", "odd": "NONSENSE", "open": None})
    assert [meanings.label(word) for word in ("not_supported", " NOT SUPPORTED ", "１")] == [
        "NOT_SUPPORTED",
        "NOT_SUPPORTED",
        "SUPPORTED",
    ]
    assert (meanings.label("odd"), meanings.label("open"), meanings.label("else")) == ("", None, None)
    assert (Meanings(None).label("Supported"), Meanings(None).label("不支持")) == ("SUPPORTED", None)


def test_a_label_of_the_answer():
    mapping = {"label": "human"}
    assert labels(mapping, human="支持") == [("", "支持", "SUPPORTED")]
    assert labels(mapping, human=" 不支持 ") == [("", "不支持", "NOT_SUPPORTED")]
    assert labels(mapping, human="跳过") == [("", "跳过", "")]
    assert labels({**mapping, "words": {"1": "SUPPORTED", "true": "SUPPORTED"}}, human=1.0) == [
        ("", "1", "SUPPORTED")
    ]
    assert labels({**mapping, "words": {"true": "SUPPORTED"}}, human=True) == [("", "true", "SUPPORTED")]
    assert labels(mapping, human=["支持", "矛盾"]) == [("", "支持", "SUPPORTED"), ("", "矛盾", "CONTRADICTED")]


@pytest.mark.parametrize("missing", ["", " ", None, "NaN", float("nan"), [], "[]"])
def test_a_missing_label_is_missing(missing):
    assert labels({"label": "human"}, human=missing) == []
    found = map_record(row(human=missing), {**MAPPING, "label": "human", "words": WORDS})
    assert found.flags == ()
    claims = {"claims": "claims", "claim_label": "human"}
    assert labels(claims, claims=["x"], human=missing or None) == [("x", "", "")]


def test_a_word_without_a_meaning_is_no_label_and_flagged():
    found = map_record(row(human="haluzinated"), {**MAPPING, "label": "human", "words": WORDS})
    assert found.labels == (GivenLabel("", "haluzinated", ""),)
    assert found.flags == ("unknown_label",)
    assert map_record(row(human="不支持"), {**MAPPING, "label": "human"}).flags == ("unknown_label",)
    (label,) = map_record(row(human="支持"), {**MAPPING, "label": "human"}).labels
    assert label.label == "SUPPORTED"


@pytest.mark.parametrize(
    "claims",
    [
        [{"claim": "x", "label": "支持"}, {"claim": "y", "label": "矛盾"}, {"claim": "z", "label": None}],
        [{"text": "x", "verdict": "支持"}, {"statement": "y", "verdict": "矛盾"}, {"fact": "z"}],
        [{"命题": "x", "标注": "支持"}, {"命题": "y", "标注": "矛盾"}, {"命题": "z", "标注": ""}],
        '[{"claim": "x", "label": "支持"}, {"claim": "y", "label": "矛盾"}, {"claim": "z", "label": ""}]',
        "[{'claim': 'x', 'label': '支持'}, {'claim': 'y', 'label': '矛盾'}, {'claim': 'z', 'label': None}]",
        {"x": "支持", "y": "矛盾", "z": None},
    ],
)
def test_claims_with_their_labels(claims):
    assert labels({"claims": "claims"}, claims=claims) == [
        ("x", "支持", "SUPPORTED"),
        ("y", "矛盾", "CONTRADICTED"),
        ("z", "", ""),
    ]


def test_claims_and_labels_in_two_columns():
    mapping = {"claims": "claims", "claim_label": "verdicts"}
    expected = [("x", "支持", "SUPPORTED"), ("y", "矛盾", "CONTRADICTED")]
    assert labels(mapping, claims=["x", "y"], verdicts=["支持", "矛盾"]) == expected
    assert labels(mapping, claims='["x", "y"]', verdicts="['支持', '矛盾']") == expected
    assert labels(mapping, claims="x", verdicts="支持") == expected[:1]
    assert labels({"claims": "claims"}, claims=["x", "y"]) == [("x", "", ""), ("y", "", "")]
    assert labels(mapping, claims=[], verdicts=[]) == labels(mapping, claims=None, verdicts=None) == []


@pytest.mark.parametrize(
    ("values", "code", "column"),
    [
        ({"claims": ["x", "y"], "verdicts": ["支持"]}, "claims_and_labels", "verdicts"),
        ({"claims": "", "verdicts": "支持"}, "claims_and_labels", "verdicts"),
        ({"claims": [{"score": 1}], "verdicts": None}, "bad_claims", "claims"),
        ({"claims": ["x"], "verdicts": [{"a": 1}]}, "bad_claims", "verdicts"),
        ({"claims": "['x', 'y", "verdicts": None}, "bad_list", "claims"),
        ({"claims": ["x"] * 1_001, "verdicts": None}, "too_many_claims", "claims"),
    ],
)
def test_claims_that_cannot_be_told(values, code, column):
    problem = labels({"claims": "claims", "claim_label": "verdicts"}, **values)
    assert (problem.code, problem.column, problem.line) == (code, column, 2)
    assert problem.values["a"] == "a"


def test_labels_never_travel_as_metadata():
    mapping = {**MAPPING, "label": "human", "claims": "claims", "claim_label": "notes[].label"}
    found = map_record(
        row(human="支持", claims=["x"], notes=[{"label": "矛盾", "by": "A"}], score=1), {**mapping, "words": WORDS}
    )
    assert found.labels == (GivenLabel("", "支持", "SUPPORTED"), GivenLabel("x", "矛盾", "CONTRADICTED"))
    assert found.metadata == {"score": 1}


def test_a_label_is_no_text_that_judges_read():
    columns = ["id", "q", "c", "a", "human"]
    check_mapping({**MAPPING, "label": "human"}, columns)
    for mapping in ({"label": "a"}, {"contexts": ["c", "human"], "label": "human"}):
        with pytest.raises(FormatError) as caught:
            check_mapping({**MAPPING, **mapping}, columns)
        assert caught.value.code == "shown_label"
    with pytest.raises(FormatError) as caught:
        check_mapping({**MAPPING, "claim_label": "human"}, columns)
    assert (caught.value.code, caught.value.params["column"]) == ("missing_column", "claims")


def test_words_are_counted_as_they_are_mostly_spelt():
    rows = [
        row(human=word, claims=claims)
        for word, claims in (
            ("Supported", [{"claim": "x", "label": "neutral"}]),
            ("supported", []),
            ("Supported ", "['broken"),
            ("", None),
            ("1", None),
        )
    ]
    mapping = {**MAPPING, "label": "human", "claims": "claims"}
    assert words_in(rows, mapping) == Counter({"Supported": 2, "neutral": 1, "1": 1})
    assert words_in(rows, MAPPING) == Counter()
    assert len(words_in([row(human=f"free text {n}") for n in range(900)], {**MAPPING, "label": "human"})) == 500


def test_only_certain_words_are_filled_in():
    rows = [row(human=word) for word in ("有据", "不支持", "跳过", "1", "", "有据")]
    assert guess_words(rows, {**MAPPING, "label": "human"}) == {"有据": "SUPPORTED", "跳过": ""}
    assert guess_words(rows, MAPPING) == {}


def long_rows(*rows):
    return [
        SourceRow(line, dict(zip(("id", "q", "c", "a", "claim", "label"), values, strict=True)))
        for line, values in enumerate(rows, start=2)
    ]


LONG = {**MAPPING, "claims": "claim", "claim_label": "label", "words": WORDS}


def joined(*rows, mapping=LONG):
    return [map_record(each, mapping) for each in one_per_answer(iter(long_rows(*rows)), mapping)]


def claims_of(record):
    return [(each.claim, each.word) for each in record.labels]


def test_rows_with_one_claim_each_become_one_per_answer():
    first, second = joined(
        ("1", "q1", "c1", "a1", "x", "支持"),
        ("2", "q2", "c2", "a2", "z", "矛盾"),
        ("1", "q1", "c1", "a1", "y", "不支持"),
    )
    assert (first.line, first.external_id, first.contexts, first.metadata) == (2, "1", ("c1",), {})
    assert claims_of(first) == [("x", "支持"), ("y", "不支持")]
    assert (second.line, claims_of(second)) == (3, [("z", "矛盾")])


def test_rows_below_merged_cells_belong_to_the_row_before():
    first, second = joined(
        ("1", "q1", "c1", "a1", "x", "支持"),
        ("", "", "", "", "y", ""),
        ("2", "q2", "c2", "a2", "z", "矛盾"),
        (None, None, None, None, "w", "矛盾"),
    )
    assert (claims_of(first), first.contexts) == ([("x", "支持"), ("y", "")], ("c1",))
    assert claims_of(second) == [("z", "矛盾"), ("w", "矛盾")]


def test_identifiers_of_claims_do_not_part_an_answer():
    rows = [(str(n), "q", "c", "a" if n < 3 else "b", f"claim {n}", "支持") for n in range(5)]
    first, second = joined(*rows)
    assert [len(first.labels), len(second.labels)] == [3, 2]
    without = [map_record(each, {**LONG, "id": None}) for each in one_per_answer(iter(long_rows(*rows)), LONG)]
    assert len(without) == 2


def test_two_answers_under_one_identifier_stay_two():
    first, second = joined(("1", "q", "c", "a", "x", "支持"), ("1", "q", "c", "OTHER", "y", "矛盾"))
    assert (first.answer, second.answer) == ("a", "OTHER")


def test_contexts_and_notes_of_the_rows_are_all_kept():
    rows = long_rows(
        ("1", "q", "c1", "a", "x", "支持"), ("1", "q", "c2", "a", "y", "矛盾"), ("1", "q", "c1", "a", "z", "")
    )
    for each, note in zip(rows, ("n1", "n2", ""), strict=True):
        each.values["note"] = note
        each.values["who"] = "A"
    (record,) = [map_record(each, LONG) for each in one_per_answer(iter(rows), LONG)]
    assert record.contexts == ("c1", "c2")
    assert record.metadata == {"note": ["n1", "n2", ""], "who": "A"}


def test_tables_with_lists_of_claims_pass_through():
    rows = [row(2, claim=["x", "y"], label=["支持", "矛盾"]), RowProblem(3, "", "bad_json", ""), row(4, claim=None)]
    assert list(one_per_answer(iter(rows), LONG)) == rows
    assert list(one_per_answer(iter(rows), MAPPING)) == rows


def test_problems_pass_through_the_joining():
    problem = RowProblem(9, "", "bad_json", "")
    found = list(one_per_answer(iter([*long_rows(("1", "q", "c", "a", "x", "支持")), problem]), LONG))
    assert problem in found
    assert len(found) == 2
    (bad,) = joined(("1", "q", "['c1", "a", "x", "支持"), ("1", "q", "['c2", "a", "y", "支持"))
    assert (bad.code, bad.column) == ("bad_list", "c")

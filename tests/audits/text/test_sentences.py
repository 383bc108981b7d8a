import pytest
from hypothesis import given
from hypothesis import strategies as st

from audits.text.sentences import split_sentences


def texts(text):
    return [sentence.text for sentence in split_sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "营收增长12.5%。净利润下降！为什么？因为成本上升；费用增加。",
            ["营收增长12.5%。", "净利润下降！", "为什么？", "因为成本上升；", "费用增加。"],
        ),
        ("他说：“今天下雨。”然后走了。", ["他说：“今天下雨。”", "然后走了。"]),
        ("「没有。」老师说『对！』我走了", ["「没有。」", "老师说『对！』", "我走了"]),
        ("“真的吗？”他问。", ["“真的吗？”他问。"]),
        ("他走了……没有回来。苹果、梨……等水果。", ["他走了……", "没有回来。", "苹果、梨……等水果。"]),
        ("（其中甲为1；乙为2）。后面。", ["（其中甲为1；乙为2）。", "后面。"]),
        ("没有标点的一句话", ["没有标点的一句话"]),
        ("全角英文Ａ．结束。下一句", ["全角英文Ａ．结束。", "下一句"]),
        ("OK.这是中文。版本v2.0发布。", ["OK.", "这是中文。", "版本v2.0发布。"]),
    ],
)
def test_chinese_marks_end_sentences(text, expected):
    assert texts(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Dr. Smith paid $1.5 million to Acme Inc. in the U.S. on Jan. 5, 2024. It grew.",
            ["Dr. Smith paid $1.5 million to Acme Inc. in the U.S. on Jan. 5, 2024.", "It grew."],
        ),
        (
            "It was No. 4, e.g. a record. Sales were 1,437.5 units.",
            ["It was No. 4, e.g. a record.", "Sales were 1,437.5 units."],
        ),
        ("He works at Acme Inc. The firm grew.", ["He works at Acme Inc.", "The firm grew."]),
        ("J. K. Rowling wrote it. Plan A. The end.", ["J. K. Rowling wrote it.", "Plan A.", "The end."]),
        ('"He left." She said so. What? Yes!', ['"He left."', "She said so.", "What?", "Yes!"]),
        ("Yahoo! is a firm. See https://a.b/c.d?e=f now.", ["Yahoo! is a firm.", "See https://a.b/c.d?e=f now."]),
        (
            "It holds (see Art. 5. It applies.) here. Next [1]. More.[2] And.",
            ["It holds (see Art. 5. It applies.) here.", "Next [1].", "More.[2]", "And."],
        ),
        ("1. Revenue rose. 2. Costs fell.", ["Revenue rose.", "2. Costs fell."]),
        ("no punctuation at all", ["no punctuation at all"]),
        ("Wait... what? It ended...", ["Wait... what?", "It ended..."]),
    ],
)
def test_english_abbreviations_and_decimals_end_none(text, expected):
    assert texts(text) == expected


def test_list_items_headings_and_table_rows_are_units_without_their_markers():
    text = (
        "# Result\n- first item\n* second\n1) third. Fourth.\n2、第五\n（一）第六\n① 第七\n"
        "3.5 million\n> quoted\n| a | b |\n|---|---|\n| 1 | 2 |"
    )
    assert texts(text) == [
        "Result",
        "first item",
        "second",
        "third.",
        "Fourth.",
        "第五",
        "第六",
        "第七",
        "3.5 million",
        "quoted",
        "| a | b |",
        "| 1 | 2 |",
    ]


def test_hard_wrapped_prose_is_one_sentence_and_paragraphs_are_not_joined():
    assert texts("The fee is due\nat the end of May,\nor later.\n\nSecond paragraph\nHeading") == [
        "The fee is due\nat the end of May,\nor later.",
        "Second paragraph",
        "Heading",
    ]


def test_text_without_letters_has_no_sentences_and_emoji_stay_with_theirs():
    assert texts("") == texts(" \n\t ") == texts("😀 --- !!!") == []
    assert texts("Done! 😀") == ["Done! 😀"]


def test_offsets_are_code_points_beyond_the_basic_plane():
    text = "🇨🇳国旗😀。𠀀字。"
    assert [(s.number, text[s.start : s.end]) for s in split_sentences(text)] == [(1, "🇨🇳国旗😀。"), (2, "𠀀字。")]


@given(st.text(alphabet="ab Z1.。！？；…”“()（）\n-，,😀·#|>", max_size=60) | st.text(max_size=60))
def test_spans_are_exact_ordered_numbered_and_lose_no_word(text):
    sentences = split_sentences(text)
    assert [s.number for s in sentences] == list(range(1, len(sentences) + 1))
    last = 0
    for s in sentences:
        assert s.text == text[s.start : s.end] == s.text.strip() and s.start >= last
        last = s.end
    if not any(char in text for char in "#>-)）.、．①") and not any(c.isdigit() or c.isnumeric() for c in text):
        covered = "".join(s.text for s in sentences)
        assert sum(map(str.isalnum, covered)) == sum(map(str.isalnum, text))


def test_a_long_text_is_split_in_linear_time():
    assert len(split_sentences("公司营收增长12.5%。Hello world. " * 4000)) == 8000
    assert split_sentences("(" * 100_000) == []

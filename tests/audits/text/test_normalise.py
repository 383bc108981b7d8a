import pytest
from hypothesis import given
from hypothesis import strategies as st

from audits.text.normalise import compact, find, find_all, normalise


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("ＡＢＣ１２％", "abc12%"),
        ("“quoted” – it’s", '"quoted" - it\'s'),
        ("a \n\t b", "a b"),
        ("2023 年 营收", "2023年营收"),
        ("ze\u200bro\u00ad", "zero"),
        ("Straße ﬁn", "STRASSE fin"),
        ("e\u0301t\u00e9", "\u00e9te\u0301"),
        ("你好，世界…", "你好,世界..."),
    ],
)
def test_the_same_text_written_differently_is_equal(left, right):
    assert normalise(left).text == normalise(right).text


def test_every_character_leads_back_to_its_source():
    source = "公司 ﬁrm“Ａ”"
    done = normalise(source)
    at = done.text.index("fi")
    assert source[slice(*done.span(at, at + 1))] == "ﬁ"
    assert source[slice(*done.span(0, len(done.text)))] == source


@given(st.text(max_size=80))
def test_the_map_is_ordered_and_within_the_source(text):
    for done in (normalise(text), compact(text)):
        assert len(done.text) == len(done.offsets) == len(done.ends)
        assert list(done.offsets) == sorted(done.offsets)
        assert all(0 <= start < end <= len(text) for start, end in zip(done.offsets, done.ends, strict=True))


def test_the_second_occurrence_is_found_where_it_is():
    text = "Ａ款：5%。Ｂ款：5%。"
    assert find("5％", text) == (3, 5)
    assert find("5％", text, occurrence=2) == (9, 11)
    assert find("5％", text, occurrence=3) is None
    assert list(find_all("款:5%", text)) == [(1, 5), (7, 11)]
    assert find("", text) is None and find(" ", text) is None

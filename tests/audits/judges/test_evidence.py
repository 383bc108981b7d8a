import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audits.judges.evidence import locate_quotes

ENGLISH = (
    "The board approved a dividend of $1.5 million on 3 March 2024, after a long debate about the company's future "
    "plans. The fee was not refunded to the client."
)
CHINESE = "公司2023年营收为12.5亿元，同比增长8%，净利润未披露。董事会于三月批准了分红方案，合同自签字之日起生效。"
WIDE = "营收为１２．５亿元 再次出现 of “Art” 😀 party"
CONTEXTS = (ENGLISH, CHINESE, WIDE)


def locate(context, text):
    return [(q.context, q.start, q.end) for q in locate_quotes([(context, text)], CONTEXTS)]


def found(context, text):
    quotes = locate_quotes([(context, text)], CONTEXTS)
    for quote in quotes:
        if quote.found:
            assert CONTEXTS[quote.context][quote.start : quote.end] == quote.text
    return [quote.text for quote in quotes if quote.found]


def test_a_verbatim_quote_has_its_exact_span():
    assert locate(0, "approved a dividend of $1.5 million") == [(0, 10, 45)]
    assert locate(1, "营收为12.5亿元") == [(1, 7, 16)]


def test_the_named_context_comes_first_then_the_others():
    assert locate(2, "营收为12.5亿元") == [(2, 0, 9)]
    assert locate(0, "同比增长8%") == [(1, 17, 23)]
    assert locate(7, "同比增长8%") == [(1, 17, 23)]


@pytest.mark.parametrize(
    ("context", "text", "passage"),
    [
        (0, "THE BOARD  approved a dividend", "The board approved a dividend"),
        (0, "“The fee was not refunded to the client.”", "The fee was not refunded to the client."),
        (0, "on 3 March 2024 after a long debate", "on 3 March 2024, after a long debate"),
        (1, "公司 2023 年营收为12.5亿元,同比增长8％", "公司2023年营收为12.5亿元，同比增长8%"),
        (2, 'of "Art"', "of “Art”"),
        (1, "生效", "生效"),
    ],
)
def test_width_case_blanks_and_punctuation_do_not_matter(context, text, passage):
    assert found(context, text)[0].strip("“”") == passage.strip("“”")


@pytest.mark.parametrize(
    "text",
    [
        "The board approved a dividend of $1.5 million on 3 March 2024, after long debate about the company's plans",
        "The bord approved a dividend of $1.5 million on 3 March 2024, after a long debate",
        "The board approved a dividend of $1.5 million on 3 March 2024, after a long debate about the companys plan",
    ],
)
def test_a_slip_is_forgiven(text):
    assert found(0, text)


def test_a_chinese_slip_is_forgiven():
    assert found(1, "公司2023年营收12.5亿元，同比增长8%，净利润未披露，董事会于三月批准分红方案") == [
        "公司2023年营收为12.5亿元，同比增长8%，净利润未披露。董事会于三月批准了分红方案"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The board approved a dividend of $1.6 million on 3 March 2024, after a long debate about the company's",
        "The board rejected a dividend of $1.5 million on 3 March 2024, after a long debate about the company's",
        "The board approved a dividend of $1.5 million on 3 March 2024, after a long debate about the client's",
        "The fee was refunded to the client.",
        "5 million on 3 March",
        "Fabricated sentence which is nowhere.",
        "公司2023年营收为12.5亿元，同比增长9%，净利润未披露。董事会于三月批准了分红方案",
        "公司2023年营收为12.5亿元，同比下降8%，净利润未披露。董事会于三月批准了分红方案",
        "公司2023年营收为12.5亿元，同比增长8%，净利润披露。董事会于三月批准了分红方案",
        "董事会于四月批准了分红方案，合同自签字之日起生效。",
        "监事会批准了收购方案",
        "2.5亿元",
        "失效",
    ],
)
def test_a_fabricated_or_falsified_quote_is_not_found(text):
    (quote,) = locate_quotes([(0, text)], CONTEXTS)
    assert (quote.context, quote.text, quote.start, quote.end, quote.found) == (0, text, None, None, False)


@pytest.mark.parametrize("text", ["", "  ", "，。", "...", "……", "的", "a", "the", "😀", "of the"])
def test_a_quote_without_content_is_never_evidence(text):
    assert not any(quote.found for quote in locate_quotes([(0, text), (1, text)], CONTEXTS))


def test_words_are_not_found_inside_words():
    assert locate(2, "Art") == [(2, 19, 22)]
    assert found(0, "lie") == []


@pytest.mark.parametrize(
    ("text", "passage"),
    [
        ("The board approved a divid", "The board approved a dividend"),
        ("the BOARD  approved a divid", "The board approved a dividend"),
        ("The board approved a dividend of $1.5 million on 3 Mar", "a dividend of $1.5 million on 3 March"),
    ],
)
def test_a_long_quote_may_stop_within_a_word(text, passage):
    assert found(0, text)[0].endswith(passage)


@pytest.mark.parametrize(
    "text",
    [
        "The board approved a dividend of $1",  # of $1.5 million
        "The board approved a dividend of $1.5 million on 3 March 202",
        "oard approved a dividend of $1.5 million",
        "a divid",  # too short to tell
    ],
)
def test_no_quote_may_cut_a_number_or_start_within_a_word(text):
    assert not found(0, text)


def test_joined_quotes_must_all_stand_in_order():
    assert found(0, "The board approved ... not refunded to the client.") == [
        "The board approved",
        "not refunded to the client.",
    ]
    assert found(1, "公司2023年营收为12.5亿元……合同自签字之日起生效") == [
        "公司2023年营收为12.5亿元",
        "合同自签字之日起生效",
    ]
    assert found(1, "合同自签字之日起生效……公司2023年营收为12.5亿元") == []
    assert found(0, "The board approved [...] refunded by the seller.") == []


def test_the_second_of_equal_parts_is_the_second_occurrence():
    context = "费用为5万元。另计。费用为5万元。"
    spans = [(q.start, q.end) for q in locate_quotes([(0, "费用为5万元…费用为5万元")], [context])]
    assert spans == [(0, 6), (10, 16)]


def test_a_cut_context_that_holds_dots_itself():
    context = "The game was played on ... the home of the team."
    assert [q.text for q in locate_quotes([(0, "played on ... the home")], [context])] == ["played on ... the home"]


def test_no_contexts_and_hostile_indices():
    assert [q.found for q in locate_quotes([(0, "fee"), (-1, "fee"), (10**9, "营收")], [])] == [False] * 3


def test_a_long_context_is_searched_to_its_end():
    context = "公司营收增长，" * 30_000 + "合同自签字之日起三十日内生效，逾期作废。"
    (quote,) = locate_quotes([(0, "合同自签字之日起三十日内生效逾期作废")], [context])
    assert context[quote.start : quote.end] == "合同自签字之日起三十日内生效，逾期作废"


@settings(max_examples=150)
@given(st.text(max_size=40), st.lists(st.text(max_size=60), max_size=3))
def test_every_found_span_is_a_slice_of_its_context(text, contexts):
    for quote in locate_quotes([(0, text)], contexts):
        if quote.found:
            assert contexts[quote.context][quote.start : quote.end] == quote.text != ""

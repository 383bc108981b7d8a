from audits.text.normalise import normalise
from audits.text.tokens import covered_words, stem, tokens, units


def test_english_words_are_stemmed_and_function_words_dropped():
    assert tokens("The companies' operating costs were 1,999") == ["company", "operat", "cost", "1999"]
    assert stem("started") == stem("began") and stem("class") == "class"


def test_chinese_is_read_in_pairs_that_particles_and_negations_do_not_break():
    assert tokens("董事会批准方案") == ["董事", "事会", "会批", "批准", "准方", "方案"]
    assert set(tokens("批准方案")) <= set(tokens("未批准了方案"))
    assert tokens("营收为12亿元") == ["营收", "收为", "12", "亿元"]
    assert tokens("的 了 the of") == []


def test_units_know_their_place_and_missing_words_are_shown_whole():
    text = normalise("公司在火星设有 Office 三处").text
    assert all(text[unit.start] and unit.end <= len(text) for unit in units(text))
    assert covered_words(text, {"火星", "星设", "offic"}) == ["火星设", "office"]

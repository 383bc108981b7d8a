"""A claim's span lies in its own sentence, at the occurrence that is its own, in code points."""

import pytest

from audits.judges.placing import Places
from audits.text.sentences import split_sentences


def spans(answer, *claims):
    """What each (sentence number, text) marks in the answer, with its offset."""
    places, sentences = Places(answer), split_sentences(answer)
    found = [places.next(text, sentences[number - 1]) for number, text in claims]
    return [(start, answer[start:end]) for start, end in found]


def test_a_text_that_stands_in_several_sentences_is_found_in_its_own():
    answer = "费用为5元。总额为9元，费用为5元。The fee is 5%. So the fee is 5%."
    claims = [(2, "费用为5元。"), (1, "费用为5元。"), (4, "The fee is 5%."), (3, "The fee is 5%.")]
    second = answer.index("费用", 5)
    assert spans(answer, *claims) == [
        (second, "费用为5元。"),
        (0, "费用为5元。"),
        (answer.index("the fee"), "the fee is 5%."),
        (answer.index("The fee"), "The fee is 5%."),
    ]


def test_a_text_that_stands_twice_in_one_sentence_gives_both_places_and_then_the_last_again():
    answer = "甲盈利，乙亏损，甲盈利。"
    assert spans(answer, *[(1, "甲盈利。")] * 3) == [(0, "甲盈利"), (8, "甲盈利。"), (8, "甲盈利。")]


@pytest.mark.parametrize(
    ("answer", "claim", "marked"),
    [
        ("😀👨‍👩‍👧 费用为５％，按月收取。", "费用为5%", "费用为５％"),
        ("Well, the  FEE is\u00a05%, paid monthly.", "The fee is 5%.", "the  FEE is\u00a05%"),
        ("“Open” is what they call it.", '"Open" is what they call it.', "“Open” is what they call it."),
        ("二〇二三年 3 月，公司 成立。", "公司成立。", "公司 成立。"),
        ("The no\u200bte is due.", "the note is due", "The no\u200bte is due"),
        ("𠮷野家成立于1899年，在日本。", "𠮷野家成立于1899年。", "𠮷野家成立于1899年"),
        ("Café Rosé opened, then closed.", "Cafe\u0301 Rose\u0301 opened.", "Café Rosé opened"),
    ],
)
def test_width_case_quotes_and_blanks_do_not_matter(answer, claim, marked):
    assert [text for _, text in spans(answer, (1, claim))] == [marked]


@pytest.mark.parametrize(
    ("answer", "claim"),
    [
        ("The company was founded by Ann and Bob.", "Acme was founded by Ann."),
        ("The rate is 1.5% a year.", "The rate is 1."),
        ("The rate is 1,500 a year.", "The rate is 1"),
        ("The rate is 15 a year.", "rate is 1"),
        ("The cats are fed.", "he cat"),
        ("甲。", "。"),
    ],
)
def test_a_reworded_claim_and_a_piece_of_a_word_or_number_mark_the_whole_sentence(answer, claim):
    assert spans(answer, (1, claim)) == [(0, answer)]


def test_long_sentences_with_many_claims_take_linear_time_each():
    answer = "甲" * 50_000 + "，费用为5元。"
    assert spans(answer, *[(1, "费用为5元。")] * 50)[-1] == (50_001, "费用为5元。")

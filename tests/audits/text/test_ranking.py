"""Ranking by BM25: the right passage first, in English and Chinese, with the published formula."""

import math

import pytest

from audits.text.ranking import K1, B, Ranking, terms

ENGLISH = [
    "The annual fee is charged on 1 March.",
    "Refunds of cancelled bookings take ten days.",
    "Travellers who cancel a booking within 24 hours are refunded in full.",
    "The weather in Oslo is cold in March.",
]
CHINESE = [
    "甲公司成立于1999年。",
    "手续费按借款金额的百分之二收取。",
    "提前还款不收取手续费，但须书面申请。",
    "天气晴朗。",
]


def test_terms_are_stems_numbers_and_pairs_of_characters() -> None:
    assert terms("The fees were refunded: 1,000.50 for ＡＢＣ") == ["fee", "refund", "1000.50", "abc"]
    assert terms("手续费 2% 率") == ["手续", "续费", "2", "率"]
    assert terms("re\u200bfunds 手\u200b续") == ["refund", "手续"]  # invisible characters hide nothing
    assert terms("… 😀 the of") == []


@pytest.mark.parametrize(
    ("claim", "passages", "first"),
    [
        ("Whoever cancelled a booking within 24 hours was refunded.", ENGLISH, 2),
        ("Refund within ten days.", ENGLISH, 1),
        ("What is the ANNUAL FEE?", ENGLISH, 0),
        ("提前还款是否收取手续费", CHINESE, 2),
        ("手续费为百分之二", CHINESE, 1),
        ("公司成立的年份是1999", CHINESE, 0),
    ],
)
def test_the_passage_that_speaks_of_it_comes_first(claim: str, passages: list[str], first: int) -> None:
    order = Ranking(passages).best(claim)
    assert order[0] == first
    assert sorted(order) == list(range(len(passages)))


def test_the_scores_are_those_of_the_formula() -> None:
    passages = ["alpha alpha beta", "beta gamma", "gamma gamma gamma delta"]
    mean = 3.0
    expected = [
        math.log(1 + (3 - 1 + 0.5) / (1 + 0.5)) * 2 * (K1 + 1) / (2 + K1 * (1 - B + B * 3 / mean))
        + math.log(1 + (3 - 2 + 0.5) / (2 + 0.5)) * 1 * (K1 + 1) / (1 + K1 * (1 - B + B * 3 / mean)),
        math.log(1 + (3 - 2 + 0.5) / (2 + 0.5)) * 1 * (K1 + 1) / (1 + K1 * (1 - B + B * 2 / mean)),
        0.0,
    ]
    assert Ranking(passages).scores("Alpha, beta!") == pytest.approx(expected)


def test_a_claim_of_other_words_leaves_the_reading_order() -> None:
    assert Ranking(ENGLISH).best("甲公司") == [0, 1, 2, 3]
    assert Ranking(ENGLISH).best("") == [0, 1, 2, 3]
    assert Ranking([]).best("fee") == []
    assert Ranking(["", "😀"]).scores("fee") == [0.0, 0.0]


def test_a_needle_is_found_in_200_000_characters() -> None:
    filler = [f"第{number}条规定了其他事项的办理流程与时限，与费用无关。" * 8 for number in range(1000)]
    assert sum(map(len, filler)) > 200_000
    passages = [*filler[:700], "本合同自双方签字之日起生效，有效期三年。", *filler[700:]]
    assert Ranking(passages).best("合同签字后生效，有效期为三年。")[0] == 700

"""Claims made false by rule: what is changed, and above all what is passed over because nobody could be sure."""

import pytest

from audits.text.language import language_of
from audits.text.planting import Variants, variants
from audits.text.planting.stating import is_stated

BANK = ["The bank opened in 1994. It has 12 branches in Lyon. Fees are waived for students."]


@pytest.mark.parametrize(
    ("claim", "context", "specific", "rule"),
    [
        ("The fee is 2 % of the sum.", "The fee is 2 % of the sum.", "The fee is 7 % of the sum.", "number"),
        ("The bank opened in 1994.", BANK[0], "The bank opened in 1987.", "date"),
        ("It was signed on 3 May.", "It was signed on 3 May.", "It was signed on 7 May.", "date"),
        ("It was signed in May.", "It was signed in May.", "It was signed in October.", "date"),
        ("Revenue was 4,500 euros.", "Revenue was 4,500 euros.", "Revenue was 9,003 euros.", "number"),
        ("About 60% agreed.", "About 60% agreed.", "About 30% agreed.", "number"),
        ("The office is in Paris.", "The office is in Paris.", "The office is in Lisbon.", "name"),
        ("Fees are waived for students.", BANK[0], "Fees are not waived for students.", "denial"),
        ("Cards can be blocked online.", "Cards can be blocked online.", "Cards cannot be blocked online.", "denial"),
        ("期限为12个月。", "条款：期限为12个月。", "期限为27个月。", "number"),
        ("公司成立于1999年。", "公司成立于1999年。", "公司成立于1992年。", "date"),
        ("现金红利于2025年6月13日发放。", "现金红利于2025年6月13日发放。", "现金红利于2018年6月13日发放。", "date"),
        (
            "保额最高为50万元，年保费298元。",
            "保额最高为50万元，年保费298元。",
            "保额最高为50万元，年保费599元。",
            "number",
        ),
        ("总部位于上海。", "总部位于上海。", "总部位于里斯本。", "name"),
        ("该卡可以在线挂失。", "该卡可以在线挂失。", "该卡不可以在线挂失。", "denial"),
    ],
)
def test_one_detail_becomes_another(claim: str, context: str, specific: str, rule: str) -> None:
    found = variants(claim, [context])
    assert (found.specific, found.rule) == (specific, rule)


@pytest.mark.parametrize(
    ("claim", "context", "vague"),
    [
        ("It has 12 branches in Lyon.", BANK[0], "it has a number of branches in a certain place"),
        ("Acme was sold in 1961.", "Acme was sold in 1961.", "the subject in question was sold at some point"),
        ("The fee is 2 % of the sum.", "The fee is 2 % of the sum.", "the fee is a certain share of the sum"),
        ("期限为12个月。", "条款：期限为12个月。", "期限为若干个月"),
        ("公司成立于1999年，总部位于上海。", "公司成立于1999年，总部位于上海。", "公司成立于某个时间，总部位于某地"),
    ],
)  # fmt: skip
def test_the_same_content_is_denied_without_number_date_and_name(claim: str, context: str, vague: str) -> None:
    frame = (
        "总体来看，{}的说法似乎并不太属实。"
        if language_of(claim) == "zh"
        else "It does not really seem to be the case that {}."
    )
    assert variants(claim, [context]).vague == frame.format(vague)


@pytest.mark.parametrize(
    "claim",
    [
        "At least 60 members agreed.",  # what holds of one limit can hold of another
        "It takes no more than 12 days.",
        "The term is 12 to 84 months.",
        "It opened before 1994.",
        "The fee is not 2 %.",  # not 7 % either
        "款项不超过12万元。",
        "贷款期限最长12个月。",
        "满12个月后可以解锁。",
        "A fall of 15 % ends trading.",  # so does one of 33 %
        "With a delay of 4 hours, a meal is due.",
        "逾期15天的，合同终止。",
        "血糖为9毫摩尔时，提示异常。",
        "No fee is charged.",
        "Fees may be charged.",
        "Some fees are waived.",
        "A branch is open.",  # others may not be
        "Two branches are open.",
        "If it rains, the match is moved.",
        "可能需要押金。",
        "部分网点可以办理。",
        "",
        "Line one is 12.\nLine two.",
    ],
)
def test_what_could_still_be_true_is_passed_over(claim: str) -> None:
    assert variants(claim, [claim]).specific == ""


def test_the_new_figure_is_nowhere_in_the_contexts() -> None:
    claim = "The fee is 2 %."
    assert variants(claim, [claim, "The tax is 7 %."]).specific == "The fee is 10 %."
    assert variants(claim, [claim, "Seven and ten are the others."]).specific == "The fee is 15 %."
    assert variants(claim, [claim, "7, 10 and 15 are others."]).specific == ""
    assert (
        variants("It cost 5 million.", ["It cost 5 million.", "13,000,000 and 19."]).specific == "It cost 27 million."
    )
    assert variants("收费5元。", ["收费5元。", "另收十三元。"]).specific == "收费19元。"
    assert variants("It opened in May.", ["It opened in May.", "2020-10-01"]).specific == "It opened in December."
    assert variants("It is in Paris.", ["It is in Paris.", "里斯本"]).specific == "It is in Oslo."


def test_a_figure_that_the_contexts_lack_is_not_changed() -> None:
    assert variants("The fee is 2 % a year.", ["The fee is low."]) == Variants()
    assert variants("The fee is 2 %.", []) == Variants()


@pytest.mark.parametrize(
    "contexts",
    [
        ["If they apply, fees are waived for students."],
        ["Fees are waived for students of the three faculties that signed the agreement of cooperation last spring."],
        ["Fees are waived for students.", "Fees are not waived for students."],
        ["Fees are usually waived for students."],
        ["Students like fees."],
    ],
)
def test_only_what_a_context_says_word_for_word_is_denied(contexts: list[str]) -> None:
    assert not is_stated("Fees are waived for students.", contexts)
    assert variants("Fees are waived for students.", contexts) == Variants()


def test_a_variant_that_a_context_contains_is_not_used() -> None:
    # The claim stands in one context, its opposite as a part of a longer sentence in another one.
    contexts = [
        "Cards can be blocked.",
        "Nobody denies today that, in spite of all efforts, cards cannot be blocked at night.",
    ]
    assert "cannot" not in variants("Cards can be blocked.", contexts).specific


def test_names_that_rules_cannot_take_out_leave_no_vague_variant() -> None:
    assert variants("Ms Otter was born in Honolulu.", ["Ms Otter was born in Honolulu."]).vague == ""
    assert variants("经理姓王。", ["经理姓王。"]).vague == ""
    assert variants("Unplug the router.", ["Unplug the router."]) == Variants()  # an order
    assert variants("Incomplete forms are returned.", ["Incomplete forms are returned."]).vague == ""
    assert variants("Paris Hilton sings.", ["Paris Hilton sings."]).specific == ""


def test_it_is_the_same_every_time() -> None:
    assert variants("The bank opened in 1994.", BANK) == variants("The bank opened in 1994.", list(BANK))

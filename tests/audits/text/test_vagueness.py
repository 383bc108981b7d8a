import pytest

from audits.text.vagueness import is_vague


@pytest.mark.parametrize(
    "claim",
    [
        "This product is very good.",
        "It plays an important role.",
        "It may be helpful in some cases.",
        "该产品具有重要意义。",
        "这个产品非常好",
        "可能会产生一定影响。",
    ],
)
def test_hedges_and_praise_alone_are_vague(claim):
    assert is_vague(claim)


@pytest.mark.parametrize(
    "claim",
    [
        "Water boils when heated.",
        "The drug reduces blood pressure.",
        "It is very important in 2024.",
        "He is a good friend of Mary.",
        "营收增长12%。",
        "北京是中国的首都。",
        "公司成立三年，表现良好。",
        "《民法典》具有重要意义。",
        "该药可降低血压。",
        "患者可能出现头痛症状。",
        "",
    ],
)
def test_anything_checkable_is_not(claim):
    assert not is_vague(claim)

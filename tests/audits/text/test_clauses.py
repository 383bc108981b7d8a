import pytest

from audits.text.clauses import split_clauses


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Paris is in France, and London is in England.", ["Paris is in France.", "London is in England."]),
        (
            "The company was founded in 1990 and has 500 employees.",
            ["The company was founded in 1990.", "The company has 500 employees."],
        ),
        (
            "The board approved the plan; the shareholders were informed.",
            ["The board approved the plan.", "The shareholders were informed."],
        ),
        ("A公司营收为12亿元，而B公司营收为3亿元。", ["A公司营收为12亿元。", "B公司营收为3亿元。"]),
        (
            "本条款适用于个人客户；企业客户应当另行签约，手续费为5元。",
            ["本条款适用于个人客户。", "企业客户应当另行签约，手续费为5元。"],
        ),
    ],
)
def test_self_standing_parts_become_statements(sentence, expected):
    assert split_clauses(sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "Research and development costs rose.",
        "He likes tea and coffee.",
        "If it rains and the match is off, the fee is returned.",
        "The report says that sales fell and costs rose.",
        "Sales rose, but not in Europe.",
        "如果逾期，而银行为其展期，则利率为5%。",
        "公司2023年营收为12亿元，净利润为3亿元。",
        "公司表示，A产品为主，而B产品为辅。",
        "增长12%，但仍未盈利。",
        "没有标点",
        "The parties (the bank is one, and the client is another) agree.",
    ],
)
def test_what_would_not_stand_alone_is_left_whole(sentence):
    assert split_clauses(sentence) == [sentence]

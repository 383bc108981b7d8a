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
        (
            "The foam provides buoyancy and is shaped by hand.",
            ["The foam provides buoyancy.", "The foam is shaped by hand."],
        ),
        (
            "Sinking sand, also known as quicksand, is a wet sand that becomes liquid when it is disturbed.",
            [
                "Sinking sand is also known as quicksand.",
                "Sinking sand is a wet sand that becomes liquid when it is disturbed.",
            ],
        ),
        ("However, the fund is closed and has no assets.", ["The fund is closed.", "The fund has no assets."]),
        (
            "The bank is in Oslo, and its services include loans, cards, and leases.",
            [
                "The bank is in Oslo.",
                "Its services include loans.",
                "Its services include cards.",
                "Its services include leases.",
            ],
        ),
        ("A公司营收为12亿元，而B公司营收为3亿元。", ["A公司营收为12亿元。", "B公司营收为3亿元。"]),
        (
            "甲公司成立于1999年，总部位于上海，现有员工500人。",
            ["甲公司成立于1999年。", "甲公司总部位于上海。", "甲公司现有员工500人。"],
        ),
        (
            "2023年，甲公司营收为12亿元，同比增长5%，环比下降1%。",
            ["2023年，甲公司营收为12亿元。", "2023年，甲公司营收同比增长5%。", "2023年，甲公司营收环比下降1%。"],
        ),
        ("此外，张三毕业于清华大学，现任甲公司董事。", ["张三毕业于清华大学。", "张三现任甲公司董事。"]),
        (
            "产品包括甲、乙、丙；乙产品位于二楼。",
            ["产品包括甲。", "产品包括乙。", "产品包括丙。", "乙产品位于二楼。"],
        ),
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
        "He was born in Oslo and raised in Bergen.",
        "The fee does not include postage, tax, and duty.",
        "甲公司成立于1999年，总部位于上海，因此适用新规。",
        "甲公司实现销售收入12亿元，同比增长5%。",
        "甲公司营收为12亿元，同比增长5%，超出预期。",
        "除非另有约定，费用包括邮费、税费、手续费。",
        "The parties (the bank is one, and the client is another) agree.",
    ],
)
def test_what_would_not_stand_alone_is_left_whole(sentence):
    assert split_clauses(sentence) == [sentence]

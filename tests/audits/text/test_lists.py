import pytest

from audits.text.lists import split_list


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (
            "The fees include postage, stamp duty, and VAT.",
            ["The fees include postage.", "The fees include stamp duty.", "The fees include VAT."],
        ),
        (
            "His research focuses on public finance, trade and development, and economic history.",
            [
                "His research focuses on public finance.",
                "His research focuses on trade and development.",
                "His research focuses on economic history.",
            ],
        ),
        (
            "It supports charts such as bars, lines, pies and more",
            [
                "It supports charts such as bars",
                "It supports charts such as lines",
                "It supports charts such as pies",
            ],
        ),
        ("试点包括甲区、乙区和丙区。", ["试点包括甲区。", "试点包括乙区。", "试点包括丙区。"]),
        ("家具包括床、沙发、茶几等三类产品。", ["家具包括床。", "家具包括沙发。", "家具包括茶几。"]),
        (
            "费用可能涉及到邮费、印花税、手续费",
            ["费用可能涉及到邮费", "费用可能涉及到印花税", "费用可能涉及到手续费"],
        ),
    ],
)
def test_each_item_of_a_list_becomes_a_statement(statement, expected):
    assert split_list(statement) == expected


@pytest.mark.parametrize(
    "statement",
    [
        "The fees include postage and VAT.",
        "The members are Ann, Bob, and Cy.",
        "Air consists of nitrogen, oxygen, and argon.",
        "The plan includes a fee, which is 5%, and a deposit.",
        "The sum includes trade and development, research and design and tax.",
        "The report on the many things that the board of the firm had been asked about in May included A, B, and C.",
        "The fees include postage (A, B, and C).",
        "团队包括研发和生产、销售。",
        "费用包括邮费和税。",
        "涉及程序、美术、音效等多个领域的专业知识。",
        "成员为甲、乙、丙。",
        "",
    ],
)
def test_what_is_no_clear_list_stays_whole(statement):
    assert split_list(statement) == [statement]

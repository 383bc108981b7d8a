"""Columns without known names: guessed by what they hold, and only where that is unambiguous."""

import pytest

from audits.formats import SourceRow
from audits.formats.unnamed import guess_by_content

LONG = "The Gold plan covers laptops, phones and tablets. It does not cover accidental damage. It ends after a year. "


def guess(*rows):
    table = [
        SourceRow(line, {f"column {n}": cell for n, cell in enumerate(row, 1)}) for line, row in enumerate(rows, 1)
    ]
    mapping = guess_by_content(list(table[0].values), table)
    return [str(mapping[role] or "-").removeprefix("column ") for role in ("id", "question", "contexts", "answer")]


def rows(*makers, count=4):
    return [[make(n) for make in makers] for n in range(count)]


def number(n):
    return f"r{n}"


def question(n):
    return f"What does plan {n} cover?"


def context(n):
    return f"{LONG} It is plan {n}."


def answer(n):
    return f"It covers laptops and {n} phones."


def listed(n):
    return f"['{answer(n)}', 'more']"


@pytest.mark.parametrize(
    ("makers", "found"),
    [
        ((question, context, answer), "- 1 2 3"),
        ((number, question, answer, context), "1 2 4 3"),
        ((question, listed, context), "- 1 2 3"),
        ((answer, lambda n: [context(n)], number), "3 - 2 1"),
        ((lambda n: f"第{n}条管什么？", context, answer), "- 1 2 3"),
        ((lambda n: f"这个能退吗{'？' if n else ''}", context, answer), "- 1 2 3"),
        ((question, context, answer, lambda n: 0.5 * n), "- 1 2 3"),
        ((question, context, answer, lambda n: ""), "- 1 2 3"),
        # ambiguous
        ((question, question, context, answer), "- - - -"),
        ((number, context, answer), "- - - -"),
        ((question, context, context), "- 1 - -"),
        ((question, context, answer, answer), "- 1 2 -"),
        ((question, answer), "- 1 - -"),
        ((question, listed, listed, answer), "- 1 - -"),
        ((number, number, question, context, answer), "- 3 4 -"),
        ((question, lambda n: context(n) if n else "short", answer), "- 1 - -"),
    ],
)
def test_roles_by_content(makers, found):
    assert guess(*rows(*makers)) == found.split()


def test_two_rows_are_too_few_to_compare_lengths():
    assert guess(*rows(question, context, answer, count=2)) == ["-", "1", "-", "-"]
    assert guess(*rows(question, listed, answer, count=1)) == ["-", "1", "2", "3"]


def test_nothing_at_all():
    assert guess(["", None, "nan"]) == ["-"] * 4
    assert guess_by_content([], []) == dict.fromkeys(("id", "question", "contexts", "answer"))

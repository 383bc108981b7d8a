"""Rows joined by a key."""

import random
import tracemalloc

from audits.formats import RowProblem, SourceRow, grouping
from audits.formats.grouping import grouped
from audits.formats.messages import row_problem


def joined(rows):
    return list(grouped(iter(rows), lambda row: row.get("k") or "", named="k"))


def row(line, key, **values):
    return SourceRow(line, {"k": key, **values})


def test_groups_come_in_the_order_of_their_first_row():
    groups = joined([row(1, "b"), row(2, "a"), row(3, "b"), row(4, "c"), row(5, "a")])
    assert [[part.line for part in group] for group in groups] == [[1, 3], [2, 5], [4]]


def test_values_come_back_as_they_were():
    values = {"n": 1.5, "none": None, "list": [{"t": "证\ud800"}], "text": "a\x00b"}
    assert joined([row(1, "a", **values)]) == [[row(1, "a", **values)]]


def test_odd_keys_stay_apart():
    names = ["a", "A", "a ", "\ud800", "\x00", "a\x00", "证", "0", "00"]
    assert len(joined([row(line, name) for line, name in enumerate(names)])) == len(names)


def test_problems_pass_and_rows_without_a_key_are_problems():
    problem = row_problem(2, "not_an_object")
    first, second, group = joined([row(1, ""), problem, row(3, "a")])
    assert isinstance(first, RowProblem) and (first.line, first.code) == (1, "no_key")
    assert "no k" in first.reason
    assert second is problem
    assert [part.line for part in group] == [3]


def test_one_group_is_bounded(monkeypatch):
    monkeypatch.setattr(grouping, "MAX_PARTS", 3)
    *problems, group = joined([row(line, "a") for line in range(1, 6)])
    assert [part.line for part in group] == [1, 2, 3]
    assert [(problem.line, problem.code) for problem in problems] == [(4, "too_many_parts"), (5, "too_many_parts")]


def test_memory_stays_bounded_when_the_parts_are_far_apart():
    order = [f"t{number % 4000}" for number in range(8000)]
    random.Random(1).shuffle(order)
    rows = (row(line, key, text=f"{line}" * 2000) for line, key in enumerate(order))
    tracemalloc.start()
    groups = sum(len(group) == 2 for group in grouped(rows, lambda values: values["k"], named="k"))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert groups == 4000
    assert peak < 8 << 20  # the rows together are 60 MB

"""Rows that are there twice are found after the last one, in a few bytes per row."""

from audits.formats.duplicates import Seen


def seen(*rows):
    found = Seen()
    for number, (identifier, answer, *contexts) in enumerate(rows, start=2):
        found.add(number, identifier, "q", answer, contexts)
    return found


def test_a_file_without_duplicates_has_none():
    assert Seen().found() == []
    assert seen(("1", "a", "c")).found() == []
    assert seen(("1", "a", "c"), ("2", "b", "c"), ("3", "a", "d"), ("", "x"), ("", "y")).found() == []


def test_identifiers_and_rows_are_told_apart():
    rows = seen(("1", "a", "c"), ("2", "b", "c"), ("1", "other", "c"), ("3", "b", "c"), ("1", "third", "c"))
    identifiers, contents = rows.found()
    assert (identifiers.kind, identifiers.flag, identifiers.groups) == ("id", "duplicate_id", ((2, 4, 6),))
    assert (identifiers.group_count, identifiers.row_count) == (1, 3)
    assert (contents.kind, contents.flag, contents.groups) == ("row", "duplicate_row", ((3, 5),))
    assert rows.lines("id").tolist() == [2, 4, 6]
    assert rows.lines("row").tolist() == [3, 5]
    assert len(rows) == 5


def test_rows_without_an_identifier_share_none():
    (found,) = seen(("", "a"), ("", "a"), ("", "b")).found()
    assert (found.kind, found.groups) == ("row", ((2, 3),))


def test_where_a_text_ends_matters():
    rows = Seen()
    rows.add(1, "", "ab", "c", ("d",))
    rows.add(2, "", "a", "bc", ("d",))
    rows.add(3, "", "ab", "c", ("d", ""))
    rows.add(4, "", "ab", "cd", ())
    assert rows.found() == []


def test_groups_come_in_the_order_of_their_first_rows_and_not_too_many_are_listed():
    rows = Seen()
    for number in range(600):
        rows.add(number + 1, f"id {number % 150}", "q", f"a {number}", ())
    for number in range(50):
        rows.add(601 + number, "the same", "q", f"b {number}", ())
    (found,) = rows.found()
    assert found.group_count == 151
    assert found.row_count == 650
    assert len(found.groups) == 100
    assert found.groups[0] == (1, 151, 301, 451)
    assert found.groups[99] == (100, 250, 400, 550)
    many = Seen()
    for number in range(50):
        many.add(number + 1, "the same", "q", f"b {number}", ())
    assert many.found()[0].groups == (tuple(range(1, 21)),)
    assert len(many.lines("id")) == 50


def test_the_order_is_that_of_the_file_in_another_run_too():
    rows = [("x", "a"), ("y", "b"), ("y", "c"), ("x", "d")]
    assert seen(*rows).found() == seen(*rows).found()
    assert seen(*rows).found()[0].groups == ((2, 5), (3, 4))

"""Cutting a text at the ends of overlapping spans."""

from hypothesis import given
from hypothesis import strategies as st

from audits.text.pieces import Piece, cut, swept


def test_without_spans_the_text_is_one_piece() -> None:
    assert cut("abc", []) == [Piece("abc")]
    assert cut("", [(0, 3, "x")]) == []


def test_overlapping_spans_share_the_middle() -> None:
    assert cut("abcdef", [(0, 4, "one"), (2, 6, "two")]) == [
        Piece("ab", ("one",), ("one",)),
        Piece("cd", ("one", "two"), ("two",), ("one",)),
        Piece("ef", ("two",), (), ("two",)),
    ]


def test_equal_spans_keep_their_order_and_all_end_together() -> None:
    assert cut("ab", [(0, 2, 1), (0, 2, 2)]) == [Piece("ab", (1, 2), (1, 2), (1, 2))]


def test_offsets_are_code_points_and_the_pieces_make_the_text() -> None:
    text = "😀费用为 2％。"
    pieces = cut(text, [(1, 3, "fee"), (5, 7, "rate")])
    assert [piece.text for piece in pieces if piece.over] == ["费用", "2％"]
    assert "".join(piece.text for piece in pieces) == text


def test_spans_outside_the_text_are_clipped_or_dropped() -> None:
    assert cut("abc", [(-5, 1, "a"), (2, 99, "b"), (9, 12, "c"), (1, 1, "d")]) == [
        Piece("a", ("a",), ("a",), ("a",)),
        Piece("b"),
        Piece("c", ("b",), ("b",), ("b",)),
    ]


spans_of = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)).map(sorted), max_size=12)


@given(spans_of)
def test_every_piece_knows_all_that_lies_over_it(spans: list[list[int]]) -> None:
    text = "abcdefghijklmnopqrstuvwxyz"
    given_spans = [(start, end, number) for number, (start, end) in enumerate(spans)]
    place = 0
    for piece in cut(text, given_spans):
        at, place = place, place + len(piece.text)
        over = {number for start, end, number in given_spans if start <= at and place <= min(end, len(text))}
        assert set(piece.over) == over
        assert set(piece.begins) == {number for number in over if given_spans[number][0] == at}
        assert set(piece.ends) == {number for number in over if min(given_spans[number][1], len(text)) == place}
    assert place == len(text)


def test_many_spans_are_passed_once_and_not_compared_with_each_other() -> None:
    asked: list[int] = []

    def end_of(span: tuple[int, int]) -> int:
        asked.append(span[0])
        return span[1]

    spans = [(2 * n, 2 * n + 1) for n in range(2000)]
    assert len(list(swept(4000, spans, lambda span: span[0], end_of))) == 4000
    assert len(asked) <= 4 * len(spans)

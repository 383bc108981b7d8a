"""Cutting a text at the ends of overlapping spans."""

from audits.text.pieces import Piece, cut


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

"""Contexts in pieces that know their quotes and whose last call showed them."""

import pytest

from audits.evidence_view import CutEvidence, cut_evidence, draw

TEXTS = ("😀手续费为2%。其他规定。提前还款不收费。", "Another context.", "")


def test_pieces_join_to_the_contexts_and_know_who_saw_them() -> None:
    seen = {"A": [[0, 0, 8], [1, 0, 7]], "B": [[0, 0, 8], [0, 13, 21]]}
    first, second, empty = draw(TEXTS, seen, [(0, 1, 7, "quote")])
    assert [context.number for context in (first, second, empty)] == [1, 2, 3]
    assert ["".join(piece.text for piece in context.pieces) for context in (first, second, empty)] == list(TEXTS)
    assert [(piece.text, sorted(piece.shown), piece.cut, piece.over) for piece in first.pieces] == [
        ("😀", ["A", "B"], False, ()),
        ("手续费为2%", ["A", "B"], False, ("quote",)),
        ("。", ["A", "B"], False, ()),
        ("其他规定。", [], True, ()),
        ("提前还款不收费。", ["B"], False, ()),
    ]
    assert (first.pieces[1].begins, first.pieces[1].ends) == (("quote",), ("quote",))
    assert (first.quoted, first.length, first.hidden) == (True, 21, 5)
    assert [(piece.text, piece.cut) for piece in second.pieces] == [("Another", False), (" context.", True)]
    assert (second.quoted, second.hidden, empty.pieces, empty.hidden) == (False, 9, [], 0)


def test_who_saw_everything_leaves_nothing_cut() -> None:
    for seen in ({}, {"A": None}, {"A": None, "B": [[0, 0, 1]]}):
        contexts = draw(TEXTS, seen, [])
        assert not any(piece.cut for context in contexts for piece in context.pieces)
        assert sum(context.hidden for context in contexts) == 0
    (piece,) = draw(TEXTS, {"A": None}, [])[1].pieces
    assert piece.shown == {"A"}


def test_a_verdict_without_a_last_call_saw_nothing() -> None:
    assert [context.hidden for context in draw(TEXTS, {"A": []}, [])] == [21, 16, 0]


def test_blanks_between_pieces_are_not_called_cut() -> None:
    (context,) = draw(["One.\n\nTwo."], {"A": [[0, 0, 4], [0, 6, 10]]}, [])
    assert [(piece.text, piece.cut) for piece in context.pieces] == [
        ("One.", False),
        ("\n\n", False),
        ("Two.", False),
    ]


def test_quotes_that_overlap_and_spans_that_lie_outside() -> None:
    quotes = [(1, 0, 7, "x"), (1, 4, 999, "y"), (7, 0, 3, "z"), (1, 3, 3, "empty")]
    first, second, _ = draw(TEXTS, {"A": [[1, 0, 999], [9, 0, 4]]}, quotes)
    assert [(piece.text, piece.over) for piece in second.pieces] == [
        ("Anot", ("x",)),
        ("her", ("x", "y")),
        (" context.", ("y",)),
    ]
    assert not first.quoted


@pytest.mark.parametrize(
    ("shown", "windows", "expected"),
    [
        (None, 1, None),
        ([[0, 0, 8], [1, 0, 7]], 6, CutEvidence(15, 37, 5, True)),
        ([], 4, CutEvidence(0, 37, 4, False)),
        ([], 0, CutEvidence(0, 37, 0, False)),
    ],
)
def test_how_much_a_verdict_rests_on(shown, windows: int, expected: CutEvidence | None) -> None:
    assert cut_evidence(TEXTS, shown, windows) == expected

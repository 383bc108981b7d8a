"""Contexts in pieces that know their quotes and whose last call showed them."""

from typing import Any

import pytest

from audits.evidence_view import CutEvidence, EvidenceContext, cut_evidence, draw

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


# --- Long contexts are folded ---------------------------------------------------------------------------------


ENGLISH = "The parties agree on this, see Sec. 3.5 of it. "
CHINESE = "双方同意此事，参见第3.5条。"


def drawn(text: str, seen: Any = None, quotes: Any = (), **more: Any) -> EvidenceContext[Any, Any]:
    """What is drawn of one context; quotes: texts that stand in it once."""
    spans = [(0, text.index(quote), text.index(quote) + len(quote), quote) for quote in quotes]
    (context,) = draw([text], seen or {}, spans, **more)
    assert "".join(piece.text for piece in context.pieces) == text
    assert not any(piece.over for stretch in context.stretches if stretch.folded for piece in stretch.pieces)
    return context


def long(sentence: str, *quotes: str) -> str:
    """20,000 characters of the sentence, and as many after each of the quotes."""
    filler = sentence * (20_000 // len(sentence))
    return filler + "".join(quote + filler for quote in quotes)


@pytest.mark.parametrize(
    ("sentence", "quote"), [(ENGLISH, "Cancelling needs 30 days. "), (CHINESE, "取消须提前30天通知。")]
)
def test_of_a_long_context_what_stands_around_its_quotes_is_shown(sentence: str, quote: str) -> None:
    context = drawn(long(sentence, quote), quotes=[quote])
    before, around, after = context.stretches
    assert [one.folded for one in context.stretches] == [True, False, True]
    assert [piece.over for piece in around.pieces] == [(), (quote,), ()]
    assert all(abs(len(around.pieces[at].text) - 300) < 100 for at in (0, 2))
    assert around.pieces[0].text.startswith(sentence.strip()) and around.pieces[2].text.endswith(sentence.strip())
    assert (before.hidden, before.cut, before.opened, after.opened) == (0, False, False, False)
    assert before.length + around.length + after.length == context.length and context.opened


@pytest.mark.parametrize("sentence", [ENGLISH, CHINESE])
def test_without_a_quote_the_beginning_is_shown(sentence: str) -> None:
    context = drawn(long(sentence))
    first, rest = context.stretches
    assert (first.folded, rest.folded, context.quoted) == (False, True, False)
    assert abs(first.length - 600) < 100 and first.pieces[-1].text.endswith(sentence.strip())


@pytest.mark.parametrize(("length", "quotes"), [(2000, ["QUOTE"]), (900, [])])
def test_a_context_that_is_not_long_is_not_folded(length: int, quotes: list[str]) -> None:
    text = ("QUOTE" + ENGLISH * 100)[:length]
    assert [one.folded for one in drawn(text, quotes=quotes).stretches] == [False]
    assert any(one.folded for one in drawn(text + ENGLISH * 20, quotes=quotes).stretches)


def test_folds_tell_what_was_shown_from_what_was_not() -> None:
    text = long(ENGLISH, "QUOTE. ")
    end, quoted = 10_000, text.index("QUOTE")
    context = drawn(text, {"A": [[0, 4000, end]], "B": [[0, quoted, quoted + 5]]}, ["QUOTE. "])
    folds = [one for one in context.stretches if one.folded]
    assert [(one.length, one.hidden, one.cut) for one in folds[:2]] == [(4000, 4000, True), (6000, 0, False)]
    assert all(one.cut for one in folds[2:]) and len(folds) == 4
    assert context.hidden == sum(one.hidden for one in context.stretches)


def test_what_is_short_is_folded_with_its_neighbours_and_blanks_do_not_count() -> None:
    text = "Begins here. " * 50 + "a" * 1000 + "\n\n" + "b" * 1000 + "c" * 200 + "d" * 2000
    a, c = text.index("a" * 9), text.index("c" * 9)
    folds = [one for one in drawn(text, {"A": [[0, 0, a], [0, c, c + 200]]}).stretches if one.folded]
    assert [(one.length - one.hidden, one.cut) for one in folds] == [(253, False)]
    folds = [one for one in drawn(text, {"A": [[0, a, a + 1000], [0, a + 1002, c]]}).stretches if one.folded]
    assert [(one.hidden, one.cut) for one in folds] == [(53, False), (2200, True)]


def test_a_short_gap_in_what_was_shown_parts_no_fold() -> None:
    spans = [[0, 5000, 9000], [0, 9100, 12_000], [0, 12_500, 15_000]]
    folds = [one for one in drawn("x" * 20_000, {"A": spans}).stretches if one.folded]
    assert [(one.length, one.hidden) for one in folds] == [
        (4400, 4400),
        (7000, 100),
        (500, 500),
        (2500, 0),
        (5000, 5000),
    ]


@pytest.mark.parametrize("each", [20, 500, 3000])
def test_a_context_has_few_folds_however_often_a_call_left_something_out(each: int) -> None:
    text = "x" * 200_000
    context = drawn(text, {"A": [[0, at, at + each] for at in range(0, 200_000, 2 * each)]}, reveal=True)
    folds = [one for one in context.stretches if one.folded]
    assert 1 <= len(folds) <= 62
    assert max(one.length for one in folds) <= (20_000 if each > 20 else 200_000)
    assert sum(one.hidden for one in context.stretches) == context.hidden and abs(context.hidden - 100_000) < each
    assert not any(one.opened for one in folds)


def test_a_fold_of_which_little_was_shown_stays_closed() -> None:
    seen = {"A": [[0, 5000, 5100], [0, 8000, 8900], [0, 9000, 9500]]}
    folds = [one for one in drawn("x" * 20_000, seen, reveal=True).stretches if one.folded]
    assert [(one.length - one.hidden, one.opened) for one in folds] == [(100, False), (1400, True), (0, False)]


@pytest.mark.parametrize(("shown", "opened"), [(4000, True), (6000, False)])
def test_what_a_judge_was_shown_stands_open_when_asked_for_and_not_too_long(shown: int, opened: bool) -> None:
    seen = {"A": [[0, 10_000, 10_000 + shown]]}
    folds = [one for one in drawn(long(ENGLISH), seen, reveal=True).stretches if one.folded]
    assert [(one.cut, one.opened) for one in folds] == [(True, False), (False, opened), (True, False)]
    assert not any(one.opened for one in drawn(long(ENGLISH), seen).stretches)


def test_of_many_contexts_long_ones_that_nobody_quotes_are_closed() -> None:
    texts = ["QUOTE " + ENGLISH * 50, ENGLISH * 50, *["Short."] * 8]
    quote = [(0, 0, 5, "q")]
    assert [one.opened for one in draw(texts, {}, quote)] == [True] * 10
    assert [one.opened for one in draw([*texts, "Short."], {}, quote)] == [True, False, *[True] * 9]
    seen = {"A": [[1, 0, 100]]}
    assert [one.opened for one in draw([*texts, "Short."], seen, quote, reveal=True)][1]


def test_quotes_outside_a_long_context_and_many_of_them() -> None:
    text = ENGLISH * 2000
    quotes = [(0, at, at + 20, at) for at in range(0, len(text), 500)]
    (context,) = draw([text], {}, [*quotes, (0, len(text) + 5, len(text) + 9, -1), (0, -9, 0, -2)])
    assert [one.folded for one in context.stretches] == [False]
    assert sum(len(piece.begins) for piece in context.pieces) == len(quotes)

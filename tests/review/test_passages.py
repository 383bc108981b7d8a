"""Evidence on the desk: the contexts that speak of the claim come first, long ones are folded, nothing is lost."""

from hypothesis import given
from hypothesis import strategies as st

from review.passages import evidence, fold, split, terms

LONG = "Nothing to see here. " * 60


def marked(text: str, spans: tuple[tuple[int, int, str], ...]) -> list[str]:
    """The marked pieces of a text."""
    return [text[start:end] for start, end, _ in spans]


def test_the_context_that_shares_most_comes_first() -> None:
    found = evidence("The bank has 12 branches in Lyon.", ["Fees are low.", "It has 12 branches in Lyon."])
    assert [one.number for one in found] == [2, 1]
    assert marked(found[0].passages[0].text, found[0].passages[0].spans) == ["12", "branches", "Lyon"]


def test_contexts_that_share_nothing_keep_their_order() -> None:
    assert [one.number for one in evidence("Zebra", ["a", "b", "c"])] == [1, 2, 3]


def test_chinese_needs_no_blanks() -> None:
    found = evidence("该银行于1994年成立。", ["总部在上海。", "银行成立于１９９４年。"])
    assert found[0].number == 2
    assert marked(found[0].passages[0].text, found[0].passages[0].spans) == ["银行成立", "１９９４"]


def test_full_width_figures_are_found() -> None:
    (one,) = evidence("1,200 branches", ["It has １，２００ branches."])
    assert marked(one.passages[0].text, one.passages[0].spans) == ["１，２００", "branches"]


def test_a_long_context_is_folded_around_its_best_passage() -> None:
    (one,) = evidence("The vault opened in 1994.", [LONG + "The vault opened in 1994. " + LONG])
    assert one.folded and one.whole is not None
    assert "vault opened in 1994" in one.passages[0].text
    assert len(one.passages[0].text) < 600
    assert one.whole.text == LONG + "The vault opened in 1994. " + LONG


def test_a_long_context_without_a_match_shows_its_beginning() -> None:
    (one,) = evidence("Zebra", [LONG])
    assert LONG.startswith(one.passages[0].text)


def test_no_contexts_no_evidence() -> None:
    assert evidence("Anything", []) == []


def test_common_words_match_nothing() -> None:
    assert terms("It is the of 的") == frozenset()


@given(st.text(max_size=2000))
def test_splitting_and_folding_lose_nothing(text: str) -> None:
    assert "".join(split(text)) == text
    assert len(fold(text)) == len(text)
    for one in evidence(text, [text]):
        for passage in (*one.passages, *([one.whole] if one.whole else [])):
            assert all(0 <= start < end <= len(passage.text) for start, end, _ in passage.spans)

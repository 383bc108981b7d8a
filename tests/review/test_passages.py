"""Evidence on the desk: the contexts that speak of the claim come first, long ones are folded, nothing is lost."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audits.text.language import HAN
from review.passages import MARKS, Evidence, Wanted, evidence, fold, split, terms

LONG = "Nothing to see here. " * 60
ENGLISH = ("The vault opened in 1994.", "Fees rose in the vault. ", "The vault opened in 1994, not before. ")
CHINESE = ("该金库于1994年启用，见第5条。", "金库费用上涨。", "该金库于1994年启用，第 5 条另有规定。")


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


@pytest.mark.parametrize(("claim", "often", "best"), [ENGLISH, CHINESE])
def test_a_long_context_full_of_the_words_is_marked_where_it_shares_most(claim: str, often: str, best: str) -> None:
    text = often * (100_000 // len(often)) + "\n\n" + best * 8 + "\n\n" + often * (100_000 // len(often))
    (one,) = evidence(claim, [text])
    assert one.whole is not None and one.whole.text == text and one.whole.partial
    assert len(one.whole.spans) == MARKS and list(one.whole.spans) == sorted(one.whole.spans)
    start = text.index(best)
    for at in range(start, start + 8 * len(best), len(best)):
        assert any(at <= begin < at + len(best) for begin, _, _ in one.whole.spans)
    assert best.strip() in one.passages[0].text and not one.passages[0].partial


def test_all_folded_texts_share_one_number_of_marks_and_the_best_context_comes_first() -> None:
    found = evidence("The vault opened.", ["The vault. " * 5000, "The vault opened. " * 200, "Else. " * 200])
    assert [one.number for one in found] == [2, 1, 3]
    wholes = [one.whole for one in found if one.whole]
    assert [len(whole.spans) for whole in wholes] == [400, MARKS - 400, 0]
    assert [whole.partial for whole in wholes] == [False, True, False]


def test_ordinary_contexts_are_marked_throughout() -> None:
    text = "The vault opened in 1994. " * 500
    (one,) = evidence("The vault opened in 1994.", [text])
    assert one.whole is not None and not one.whole.partial
    assert marked(text, one.whole.spans) == ["vault", "opened", "1994"] * 500


@pytest.mark.parametrize(
    "text", [ENGLISH[1] * 2000, CHINESE[1] * 4000, "Vault\n" * 3000, "金库" * 20_000, "x" * 9000]
)
def test_a_whole_text_is_laid_out_in_blocks_that_lose_nothing(text: str) -> None:
    (one,) = evidence("Vault 金库", [text])
    assert one.whole is not None and "".join(block.text for block in one.blocks) == text
    assert len(one.blocks) > 1 or text.startswith("金库金库")  # one mark is never parted
    assert [word for block in one.blocks for word in marked(block.text, block.spans)] == marked(text, one.whole.spans)
    if "\n" in text or text[-1] in "。 ":
        assert all(block.text[-1] in "\n。 " for block in one.blocks)


def test_nothing_is_left_to_mark_when_an_earlier_context_took_all() -> None:
    found: list[Evidence] = evidence("Vault.", ["Vault. " * MARKS, "Vault. " * 200, LONG])
    assert [len(one.whole.spans) for one in found if one.whole] == [MARKS, 0, 0]
    assert [one.whole.partial for one in found if one.whole] == [False, True, False]


SAID = st.lists(
    st.sampled_from(
        ["the ", "Vault", " 1,200", "don't", "第", "5", "条", "金库", "该金库", "，", ". ", "ＡＢ", "_", "'", "\n"]
    )
).map("".join)


@given(SAID, SAID)
def test_terms_are_found_as_they_are_defined(claim: str, text: str) -> None:
    """The quick search against the plain definition: whole words, and pairs within a run of Han characters."""
    wanted, folded = Wanted(claim), fold(text)
    assert wanted.score(folded) == (len(terms(text) & wanted.terms) / len(wanted.terms) if wanted.terms else 0)
    covered: set[int] = set()
    for unit in re.finditer(rf"[{HAN}]+|[^\W_{HAN}]+(?:[.,'][^\W_{HAN}]+)*", folded):
        step = 2 if re.match(f"[{HAN}]{{2}}", unit[0]) else len(unit[0])
        for at in range(unit.start(), unit.end() - step + 1):
            if folded[at : at + step] in wanted.terms:
                covered.update(range(at, at + step))
    places = wanted.places(folded)
    assert {at for start, end in places for at in range(start, end)} == covered
    assert all(before[1] < after[0] for before, after in pairwise(places))

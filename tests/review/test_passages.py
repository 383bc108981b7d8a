"""Evidence on the desk: the contexts that speak of the claim come first, long ones are folded, nothing is lost."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audits.text.language import HAN
from review.passages import HIGHLIGHT, MARKS, MATCH, PASSAGE, Evidence, Passage, evidence, split, whole
from review.wanted import Wanted, fold, terms

LONG = "Nothing to see here. " * 60
ENGLISH = ("The vault opened in 1994.", "Fees rose in the vault. ", "The vault opened in 1994, not before. ")
CHINESE = ("该金库于1994年启用，见第5条。", "金库费用上涨。", "该金库于1994年启用，第 5 条另有规定。")


def marked(passage: Passage, css: str = MATCH) -> list[str]:
    """The pieces of a passage that carry this mark."""
    return [passage.text[start:end] for start, end, name in passage.spans if name == css]


def highlights(found: list[Evidence], contexts: list[str]) -> list[str]:
    """The sentences that are highlighted, in the order of the page."""
    return [
        contexts[one.number - 1][start:end]
        for one in found
        for passage in one.passages
        for start, end in passage.worth
    ]


def test_the_context_that_shares_most_comes_first() -> None:
    found = evidence("The bank has 12 branches in Lyon.", ["Fees are low.", "It has 12 branches in Lyon."])
    assert [one.number for one in found] == [2, 1]
    assert marked(found[0].passages[0]) == ["12", "branches", "Lyon"]


def test_contexts_that_share_nothing_keep_their_order() -> None:
    assert [one.number for one in evidence("Zebra", ["a", "b", "c"])] == [1, 2, 3]


def test_chinese_needs_no_blanks() -> None:
    found = evidence("该银行于1994年成立。", ["总部在上海。", "银行成立于１９９４年。"])
    assert found[0].number == 2
    assert marked(found[0].passages[0]) == ["银行成立", "１９９４"]


def test_full_width_figures_are_found() -> None:
    (one,) = evidence("1,200 branches", ["It has １，２００ branches."])
    assert marked(one.passages[0]) == ["１，２００", "branches"]


def test_a_long_context_is_folded_around_its_best_passage() -> None:
    text = LONG + "The vault opened in 1994. " + LONG
    (one,) = evidence("The vault opened in 1994.", [text])
    assert one.folded and one.length == len(text)
    assert "vault opened in 1994" in one.passages[0].text
    assert len(one.passages[0].text) < 600
    assert text[one.passages[0].start :].startswith(one.passages[0].text)


def test_a_long_context_without_a_match_shows_its_beginning() -> None:
    (one,) = evidence("Zebra", [LONG])
    assert LONG.startswith(one.passages[0].text)


def test_no_contexts_no_evidence() -> None:
    assert evidence("Anything", [], [(0, 0, 1)]) == []
    with pytest.raises(IndexError):
        whole("Anything", [], 0)


def test_neighbouring_passages_are_read_as_one() -> None:
    best = "The vault opened in 1994. " * 30
    (one,) = evidence("The vault opened in 1994.", [LONG + best + LONG])
    assert len(one.passages) == 1 and len(one.passages[0].text) > PASSAGE


def test_common_words_match_nothing() -> None:
    assert terms("It is the of 的") == frozenset()


# --- Sentences worth reading ------------------------------------------------------------------------------------


def test_what_judges_quoted_and_what_shares_most_are_highlighted_alike() -> None:
    contexts = [
        "The bank opened in 1994. Fees are waived. It closes at noon.",
        "Lyon has snow. Trams run. Rain falls.",
    ]
    quote = contexts[1].index("Trams")
    found = evidence("The bank opened in 1994.", contexts, [(1, quote, quote + 4)])
    # the best sentence, the quoted one (whole, though a word was quoted), and one more to make up the number
    assert highlights(found, contexts) == ["The bank opened in 1994.", "Fees are waived.", "Trams run."]
    assert {name for one in found for passage in one.passages for _, _, name in passage.spans} == {MATCH, HIGHLIGHT}


@pytest.mark.parametrize("quotes", [[], [(0, 4, 8)], [(0, 0, 24)], [(0, 4, 8), (0, 0, 24), (1, 2, 4)], [(9, 0, 5)]])
def test_there_are_as_many_highlights_with_quotes_as_without(quotes: list[tuple[int, int, int]]) -> None:
    contexts = [
        "The bank opened in 1994. Fees are waived. It closes at noon.",
        "Lyon has snow. Trams run. Rain falls.",
    ]
    assert len(highlights(evidence("The bank opened in 1994.", contexts, quotes), contexts)) == 3


def test_a_claim_that_no_judge_quoted_anything_for_has_highlights_too() -> None:
    assert highlights(evidence("Zebra", ["Fees are low. Trams run."]), ["Fees are low. Trams run."]) == [
        "Fees are low."
    ]


def test_quotes_change_neither_the_order_of_contexts_nor_more_passages_than_needed() -> None:
    other = "".join(f"Tram {n} runs. " for n in range(100))
    contexts = [LONG + "The vault opened in 1994. " + LONG, other, "Fees are low. Rain falls."]
    plain = evidence("The vault opened in 1994.", contexts)
    at = other.index("Tram 77")
    with_quote = evidence("The vault opened in 1994.", contexts, [(1, at, at + 7), (2, 0, 4)])
    assert [one.number for one in with_quote] == [one.number for one in plain] == [1, 2, 3]
    assert len(with_quote[1].passages) == len(plain[1].passages) == 1  # the quoted one instead of the beginning
    assert with_quote[1].passages[0].worth == ((at, at + len("Tram 77 runs.")),)


def test_a_judge_who_quotes_everything_does_not_mark_everything() -> None:
    text = "".join(f"The vault has {n} doors. " for n in range(200))
    (one,) = evidence("The vault has 7 doors.", [text], [(0, 0, len(text))])
    assert sum(len(passage.worth) for passage in one.passages) <= 6
    assert "The vault has 7 doors." in [text[start:end] for passage in one.passages for start, end in passage.worth]


def test_of_a_sentence_that_stands_twice_the_same_copy_is_highlighted_whichever_was_quoted() -> None:
    contexts = [
        "The vault opened in 1994. Trams run. Rain falls.",
        "THE VAULT opened in 1994. Snow falls. Fees rose.",
    ]
    seen = [evidence("The vault opened in 1994.", contexts, quotes) for quotes in ([], [(0, 0, 5)], [(1, 0, 5)])]
    assert seen[0] == seen[1] == seen[2]


SPANS = st.lists(st.tuples(st.integers(-1, 3), st.integers(-5, 400), st.integers(-5, 400)), max_size=4)


@given(st.text(max_size=800), st.lists(st.text(max_size=1200), max_size=3), SPANS)
def test_nothing_is_lost_and_every_span_lies_where_it_says(
    claim: str, contexts: list[str], quotes: list[tuple[int, int, int]]
) -> None:
    for text in contexts:
        assert "".join(split(text)) == text and len(fold(text)) == len(text)
        assert all(len(part) <= PASSAGE for part in split(text))
    found = evidence(claim, contexts, quotes)
    assert sorted(one.number for one in found) == list(range(1, len(contexts) + 1))
    for one in found:
        text = contexts[one.number - 1]
        all_of_it = whole(claim, contexts, one.number - 1, quotes).blocks
        assert "".join(block.text for block in all_of_it) == text
        for passage in (*one.passages, *all_of_it):
            assert text[passage.start :].startswith(passage.text)
            assert all(0 <= start < end <= len(passage.text) for start, end, _ in passage.spans)
            begin = passage.start
            assert [(s - begin, e - begin) for s, e in passage.worth] == [
                (s, e) for s, e, name in passage.spans if name == HIGHLIGHT
            ]


# --- Whole contexts ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("claim", "often", "best"), [ENGLISH, CHINESE])
def test_a_long_context_full_of_the_words_is_marked_where_it_shares_most(claim: str, often: str, best: str) -> None:
    text = often * (100_000 // len(often)) + "\n\n" + best * 8 + "\n\n" + often * (100_000 // len(often))
    found = whole(claim, [text], 0)
    assert "".join(block.text for block in found.blocks) == text and found.partial
    places = [
        (block.start + start, block.start + end)
        for block in found.blocks
        for start, end, name in block.spans
        if name == MATCH
    ]
    assert len(places) == MARKS and places == sorted(places)
    start = text.index(best)
    for at in range(start, start + 8 * len(best), len(best)):
        assert any(at <= begin < at + len(best) for begin, _ in places)
    (one,) = evidence(claim, [text])
    assert best.strip() in one.passages[0].text


def test_ordinary_contexts_are_marked_throughout() -> None:
    text = "The vault opened in 1994. " * 500
    found = whole("The vault opened in 1994.", [text], 0)
    assert not found.partial
    assert [word for block in found.blocks for word in marked(block)] == ["vault", "opened", "1994"] * 500


@pytest.mark.parametrize(
    "text", [ENGLISH[1] * 2000, CHINESE[1] * 4000, "Vault\n" * 3000, "金库" * 20_000, "x" * 9000]
)
def test_a_whole_text_is_laid_out_in_blocks_that_lose_nothing(text: str) -> None:
    found = whole("Vault 金库", ["Else.", text], 1)
    assert "".join(block.text for block in found.blocks) == text
    assert len(found.blocks) > 1 or text.startswith("金库金库")  # one mark is never parted
    if "\n" in text or text[-1] in "。 ":
        assert all(block.text[-1] in "\n。 " for block in found.blocks)


SAID = st.lists(
    st.sampled_from(
        [
            "the ",
            "Vault",
            " 1,200",
            "don't",
            "第",
            "5",
            "条",
            "金库",
            "该金库",
            "，",
            ". ",
            "ＡＢ",
            "_",
            "'",
            "\n",
            ".",
        ]
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

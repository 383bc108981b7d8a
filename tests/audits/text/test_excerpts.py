"""Passages lose nothing, break no sentence, fit; excerpts lead every character back to where it came from."""

import random

import pytest

from audits.text.excerpts import GAP, Passage, cut_again, cut_passages, excerpts, pack, size
from audits.text.length import tokens_at_most
from audits.text.sentences import split_sentences

ENGLISH = "\n\n".join(
    f"Section {n}. The fee of item {n} is {n} dollars. It is paid in March.\nNo more." for n in range(90)
)
CHINESE = "\n".join(f"第{n}条　手续费为{n}元。😀于每年三月缴纳。" for n in range(300))
TEXTS = (ENGLISH, CHINESE, "", "  \n ", "Ｆｕｌｌ－ｗｉｄｔｈ　１２％。 Short.")


def words(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize(("target", "room"), [(250, 4000), (50, 200), (1, 4000), (40, 60)])
def test_passages_hold_every_word_once_and_fit(target: int, room: int) -> None:
    passages = cut_passages(TEXTS, target, room)
    for number, text in enumerate(TEXTS):
        parts = [text[p.start : p.end] for p in passages if p.text == number]
        assert words("".join(parts)) == words(text)
    assert all(p.tokens <= room for p in passages)
    assert all(tokens_at_most(TEXTS[p.text][p.start : p.end]) <= p.tokens for p in passages)
    assert passages == sorted(passages)


@pytest.mark.parametrize("text", [ENGLISH, CHINESE])
def test_no_sentence_is_cut_that_fits(text: str) -> None:
    borders = {p.end for p in cut_passages([text], 60, 300)}
    for sentence in split_sentences(text):
        assert not any(sentence.start < border < sentence.end for border in borders)


def test_paragraphs_are_kept_together_where_they_fit() -> None:
    paragraphs = ["One is here. Two is here.", "- Three is here.\n- Four is here.", "Five is here. Six is here."]
    text = "\n\n".join(paragraphs)
    passages = cut_passages([text], 12, 4000)
    assert [text[p.start : p.end].strip() for p in passages] == paragraphs


def test_a_sentence_larger_than_the_room_is_cut_at_blanks_and_commas() -> None:
    text = " ".join(f"word{n}" for n in range(3000))
    passages = cut_passages([text], 100, 400)
    assert all(p.tokens <= 400 for p in passages)
    parts = [text[p.start : p.end] for p in passages]
    assert "".join(parts) == text
    assert all(part.endswith(" ") for part in parts[:-1])
    han = "无标点" * 5000
    assert "".join(han[p.start : p.end] for p in cut_passages([han], 100, 400)) == han


def test_a_passage_is_cut_again_into_its_sentences() -> None:
    (whole,) = cut_passages(["One is here. Two is here. 三在这里。"], 250, 4000)
    parts = cut_again([whole], ["One is here. Two is here. 三在这里。"], 1, 4000)
    assert [("One is here. Two is here. 三在这里。"[p.start : p.end]).strip() for p in parts] == [
        "One is here.",
        "Two is here.",
        "三在这里。",
    ]


@pytest.mark.parametrize("room", [120, 400, 4000])
def test_groups_follow_each_other_and_fit(room: int) -> None:
    passages = cut_passages(TEXTS, min(60, room // 2), room)
    groups = pack(passages, room)
    assert [passage for group in groups for passage in group] == passages
    for group in groups:
        assert size(group) <= room
        shown = excerpts(group, TEXTS)
        assert sum(tokens_at_most(excerpt.words) for excerpt in shown) <= room


def test_a_mark_stands_where_text_is_left_out_and_nowhere_else() -> None:
    text = "A is one. B is two. C is three. D is four."
    a, b, c, d = cut_passages([text], 1, 4000)
    assert [excerpt.words for excerpt in excerpts([a, b, c, d], [text])] == [text]
    assert excerpts([d, a], [text])[0].words == f"A is one.\n{GAP}\nD is four."
    assert excerpts([b, c], [text])[0].words == f"{GAP}\nB is two. C is three.\n{GAP}"


def test_excerpts_keep_the_order_of_the_texts() -> None:
    texts = ["First text.", "Second text.", "Third text."]
    passages = cut_passages(texts, 250, 4000)
    assert [excerpt.text for excerpt in excerpts([passages[2], passages[0]], texts)] == [0, 2]


def test_overlapping_passages_are_shown_once() -> None:
    text = "A is one. B is two. C is three."
    sentences = cut_passages([text], 1, 4000)
    (whole,) = cut_passages([text], 250, 4000)
    (excerpt,) = excerpts([whole, sentences[1]], [text])
    assert excerpt.words == text


def test_every_slice_leads_back_to_the_same_characters() -> None:
    text = "😀甲公司成立于1999年。ＡＢＣ公司成立于1999年。 Repeated. 甲公司成立于1999年。Repeated. 👩‍👩‍👧末句。"
    passages = cut_passages([text], 1, 4000)
    rng = random.Random(7)
    for _ in range(200):
        chosen = rng.sample(passages, rng.randint(1, len(passages)))
        (excerpt,) = excerpts(chosen, [text])
        start = rng.randrange(len(excerpt.words))
        end = rng.randint(start + 1, len(excerpt.words))
        said = excerpt.words[start:end]
        back = [text[s:e] for s, e in excerpt.sources(start, end)]
        kept = "".join(c for c in said.replace(GAP, "") if not c.isspace() and c not in "[].")
        assert "".join(c for c in "".join(back) if not c.isspace() and c not in "[].") == kept
        assert all(piece in excerpt.words for piece in back)


def test_repeated_text_leads_back_to_the_occurrence_shown() -> None:
    text = "The fee is 2%. Other words stand here. The fee is 2%. The end is near."
    passages = cut_passages([text], 1, 4000)
    (excerpt,) = excerpts([passages[2]], [text])
    at = excerpt.words.index("The fee")
    assert excerpt.sources(at, at + 14) == [(text.rindex("The fee"), text.rindex("The fee") + 14)]


def test_a_mark_alone_leads_nowhere() -> None:
    text = "A is one. B is two. C is three."
    a, _, c = cut_passages([text], 1, 4000)
    (excerpt,) = excerpts([a, c], [text])
    at = excerpt.words.index(GAP)
    assert excerpt.sources(at, at + len(GAP)) == []
    assert [text[s:e] for s, e in excerpt.sources(0, len(excerpt.words))] == ["A is one.", "C is three."]


def test_passages_are_values() -> None:
    assert cut_passages(["Same."], 250, 4000) == [Passage(0, 0, 5, tokens_at_most("Same."))]

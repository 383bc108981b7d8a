"""What stands around places in a long text: whole sentences and paragraphs, nothing left out that is short."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audits.text.surroundings import surroundings

REACH, LEAST = 300, 400
ENGLISH = "The fee of Dr. Li is 2.5 % a year, see Sec. 3.5 of it. Nobody pays more than that! "
CHINESE = "手续费为每年2.5%，参见第3.5条。另有规定的除外！"


@pytest.mark.parametrize(
    ("sentences", "begins", "ends"),
    [(ENGLISH, ("The fee", "Nobody"), ("it.", "that!")), (CHINESE, ("手续费", "另有"), ("条。", "外！"))],
)
def test_a_part_begins_and_ends_with_a_sentence(
    sentences: str, begins: tuple[str, ...], ends: tuple[str, ...]
) -> None:
    text = sentences * 100
    ((start, end),) = surroundings(text, [(len(text) // 2, len(text) // 2 + 20)], REACH, LEAST)
    assert text[start:].startswith(begins) and text[:end].endswith(ends)
    assert abs(len(text) // 2 - start - REACH) < 100 and abs(end - len(text) // 2 - 20 - REACH) < 100


@pytest.mark.parametrize("sentence", ["Some words stand here. ", "这里有一些文字。"])
def test_a_paragraph_is_rather_shown_whole(sentence: str) -> None:
    filler = sentence * (1000 // len(sentence))
    text = f"{filler}\n\n{sentence * (400 // len(sentence))}QUOTE{sentence * (200 // len(sentence))}\n{filler}"
    at = text.index("QUOTE")
    ((start, end),) = surroundings(text, [(at, at + 5)], REACH, LEAST)
    assert text[:start].endswith("\n\n") and text[end:].lstrip(" ").startswith("\n")


def test_text_without_sentences_is_cut_at_a_blank_or_comma_or_anywhere() -> None:
    for text in ("word " * 1000, "字字字，" * 1000):
        ((start, end),) = surroundings(text, [(2500, 2504)], REACH, LEAST)
        assert text[start - 1] in " ，" and text[end - 1] in " ，"
    assert surroundings("字" * 5000, [(2500, 2504)], REACH, LEAST) == [(2200, 2804)]


def test_a_sentence_that_begins_just_before_the_place_is_not_all_that_is_shown() -> None:
    text = "x" * 3000 + ". The fee is due. " + "y" * 3000
    at = text.index("fee")
    ((start, end),) = surroundings(text, [(at, at + 3)], REACH, LEAST)
    assert (at - start, end - at - 3) == (REACH, REACH)


def test_without_places_it_is_the_beginning() -> None:
    ((start, end),) = surroundings(ENGLISH * 50, [], REACH, LEAST)
    assert start == 0 and 500 < end < 700 and (ENGLISH * 50)[:end].endswith((".", "!"))
    assert surroundings("Short.", [], REACH, LEAST) == [(0, 6)]
    assert surroundings("", [], REACH, LEAST) == [(0, 0)]


def test_near_places_share_a_part_and_short_rests_are_shown() -> None:
    text = ENGLISH * 100
    assert len(surroundings(text, [(3000, 3010), (3900, 3910)], REACH, LEAST)) == 1
    assert len(surroundings(text, [(3000, 3010), (5000, 5010)], REACH, LEAST)) == 2
    ((start, _),) = surroundings(text, [(600, 610)], REACH, LEAST)
    assert start == 0
    ((_, end),) = surroundings(text, [(len(text) - 600, len(text) - 590)], REACH, LEAST)
    assert end == len(text)


TEXTS = st.lists(st.sampled_from([ENGLISH, CHINESE, "\n\n", "word " * 90, "字" * 150, " " * 700]), max_size=40)


@given(TEXTS.map("".join), st.lists(st.tuples(st.integers(0, 9000), st.integers(1, 900)), max_size=6))
def test_every_place_is_shown_and_what_is_left_out_is_long(text: str, asked: list[tuple[int, int]]) -> None:
    places = [(start, min(len(text), start + length)) for start, length in asked if start < len(text)]
    parts = surroundings(text, places, REACH, LEAST)
    assert all(any(start <= a and b <= end for start, end in parts) for a, b in places)
    gaps = [(0, parts[0][0]), *((a[1], b[0]) for a, b in pairwise(parts)), (parts[-1][1], len(text))]
    assert all(a == b or b - a >= LEAST for a, b in gaps)

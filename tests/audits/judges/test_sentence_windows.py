"""Long answers go in parts: of even size, in order, nothing cut, with the sentences around them beside."""

import pytest

from audits.judges.base import Sentence
from audits.judges.sentence_windows import LONGEST_NEIGHBOUR, SENTENCES, halves, neighbours, windows
from audits.text.sentences import split_sentences


def sentences(*texts):
    found = []
    for number, text in enumerate(texts, 1):
        start = found[-1].end if found else 0
        found.append(Sentence(number, text, start, start + len(text)))
    return found


def numbers(part):
    return [sentence.number for sentence in part]


def test_what_fits_is_one_part():
    assert [numbers(part) for part in windows(sentences("a", "b", "c"))] == [[1, 2, 3]]
    assert len(windows(sentences(*["x" * 100] * SENTENCES))) == 1
    assert windows([]) == []


@pytest.mark.parametrize(("text", "count"), [("x" * 100, 31), ("费" * 34, 31), ("x", 31), ("费用。" * 100, 7)])
def test_one_sentence_more_makes_two_parts_of_about_the_same_size(text, count):
    parts = windows(sentences(*[text] * count))
    assert [len(part) for part in parts] in ([16, 15], [15, 16], [4, 3], [3, 4], [2, 3, 2])
    assert [n for part in parts for n in numbers(part)] == list(range(1, count + 1))


def test_no_sentence_is_cut_or_lost_however_uneven():
    given = sentences("x" * 50_000, *["y"] * 70, "费" * 20_000, *["z" * 500] * 20)
    parts = windows(given)
    assert [sentence for part in parts for sentence in part] == given
    assert all(len(part) <= SENTENCES + 1 for part in parts)


def test_a_part_is_halved_down_to_one_sentence():
    one, two, three = sentences("a", "b", "c")
    assert halves((one, two, three)) == [(one, two), (three,)]
    assert halves((one,)) == [(one,)]
    assert halves(()) == []


def test_three_before_one_after_and_the_first_are_shown_around():
    given = sentences(*"abcdefghij")
    assert numbers(neighbours(tuple(given[5:7]), given)) == [1, 3, 4, 5, 8]
    assert numbers(neighbours(tuple(given[:2]), given)) == [3]
    assert numbers(neighbours((given[1], given[8]), given)) == [1, 3, 6, 7, 8, 10]
    assert neighbours(tuple(given), given) == ()


def test_a_neighbour_of_enormous_length_is_shortened_but_not_the_part():
    given = sentences("甲" * 3000 + "尾", "b")
    (first,) = neighbours((given[1],), given)
    assert len(first.text) == LONGEST_NEIGHBOUR + 3
    assert first.text.endswith("尾")
    assert (first.start, first.end) == (0, 3001)


def test_real_sentences_keep_their_numbers():
    answer = "第一句话。" * 45
    parts = windows(split_sentences(answer))
    assert [numbers(part) for part in parts] == [list(range(1, 23)), list(range(23, 46))] or len(parts) == 2
    assert all(answer[s.start : s.end] == s.text for part in parts for s in part)

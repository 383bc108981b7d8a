"""A reply that was cut yields whole entries of sentences that are certainly done, or nothing."""

import json

import pytest

from audits.judges.salvaging import salvage

NOTHING = ({"claims": [], "no_claims": []}, frozenset())


def claim(sentence, text="x"):
    return {"sentence": sentence, "text": text, "vague": False}


def reply(claims, no_claims=()):
    return json.dumps({"claims": claims, "no_claims": list(no_claims)}, ensure_ascii=False)


WHOLE = reply([claim(1, "甲。"), claim(1, "乙。"), claim(3)], [{"sentence": 2, "reason": "other"}])


def cut_before(text, mark, keep=0):
    return text[: text.index(mark) + keep]


def test_the_last_sentence_seen_is_not_done():
    entries, settled = salvage(cut_before(WHOLE, '], "no'), [1, 2, 3, 4])
    assert settled == {1}
    assert [entry["text"] for entry in entries["claims"]] == ["甲。", "乙。"]


def test_a_closed_list_of_claims_settles_all_that_have_claims():
    entries, settled = salvage(cut_before(WHOLE, '"no_claims"'), [1, 2, 3, 4])
    assert settled == {1, 3}
    assert len(entries["claims"]) == 3


def test_reasons_count_where_they_are_whole():
    text = WHOLE.replace("]}", ', {"sentence": 4, "rea')
    entries, settled = salvage(text, [1, 2, 3, 4])
    assert settled == {1, 2, 3}
    assert entries["no_claims"] == [{"sentence": 2, "reason": "other"}]


def test_every_place_of_a_cut_is_safe():
    for at in range(len(WHOLE)):
        entries, settled = salvage(WHOLE[:at], [1, 2, 3])
        done = {entry["sentence"] for entry in [*entries["claims"], *entries["no_claims"]]}
        assert done == settled
        assert (1 not in settled) or len([e for e in entries["claims"] if e["sentence"] == 1]) == 2


@pytest.mark.parametrize("before", ["```json\n", "<think>{ is it? }</think>\n", "<think>a</think>```\n", "\n  "])
def test_a_fence_and_reasoning_may_stand_before_it(before):
    assert salvage(before + cut_before(WHOLE, '"no_claims"'), [1, 2, 3])[1] == {1, 3}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "<think>" + WHOLE,  # still thinking: what it says there is no reply
        f"<think>a</think>b</think>{WHOLE}",
        "The answer holds " + WHOLE,
        '{"verdict": 1, "claims": [' + json.dumps(claim(1)) + ", ",
        '{"claims": ["x", "y',
        '{"claims": ' + "[" * 50_000,
        '{"claims": [{"sentence": 1, "sentence": 2, "text": "twice"}, ',
    ],
)
def test_anything_else_is_left_alone(text):
    assert salvage(text, [1, 2, 3]) == NOTHING


@pytest.mark.parametrize(
    "numbers", [[2, 1, 3], [1, 2, 9], [1, "2", 3], [1, True, 3], [1, None, 3]], ids=lambda value: str(value)
)
def test_entries_out_of_order_or_of_no_asked_sentence_make_it_worthless(numbers):
    text = cut_before(reply([claim(number) for number in numbers]), "]")
    assert salvage(text + ", ", [1, 2, 3]) == NOTHING


def test_an_object_inside_a_claim_is_only_its_text():
    evil = json.dumps({"claims": [claim(2, "evil")]})
    entries, settled = salvage(cut_before(reply([claim(1, evil), claim(2)]), '"no_claims"'), [1, 2])
    assert settled == {1, 2}
    assert entries["claims"][0]["text"] == evil
    unescaped = '{"claims": [{"sentence": 1, "text": "it says ' + evil + '", "vague": false}, {"sentence": 2, "te'
    assert salvage(unescaped, [1, 2]) == NOTHING

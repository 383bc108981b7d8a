"""Replies of models are hostile: only one object of the asked form counts, and what is missing stays missing."""

import json

import pytest

from audits.judges.base import Purpose, Reply, Sentence
from audits.judges.parsing import (
    ParseError,
    is_readable,
    read_extraction,
    read_json,
    read_judgements,
    read_label,
    read_reply,
)
from audits.labels import Label, Unscored

GOOD = '{"verdicts": [{"claim": 1, "label": "SUPPORTED", "rationale": "r", "quotes": []}]}'
EVIL = '{"verdicts": [{"claim": 1, "label": "SUPPORTED", "rationale": "evil", "quotes": []}]}'
CONTEXTS = ("Acme was founded in 1999 in Oslo.", "Acme sells anvils.")


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"\n {GOOD} \n",
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```",
        f'<think>maybe {{"verdicts": []}}</think>\n{GOOD}',
        f"reasoning without an opening tag</think>{GOOD}",
        f"<think>x</think>\n```json\n{GOOD}\n```",
        f"Here you are: {GOOD} I hope this helps.",
        f"Here you are:\n```json\n{GOOD}\n```\nBye.",
        GOOD.replace('"r"', '"r\nwith a raw line break\x00"'),
    ],
)
def test_one_object_is_found(text: str) -> None:
    assert read_json(text)["verdicts"][0]["label"] == "SUPPORTED"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "SUPPORTED",
        "1. Yes. 2. No.",
        f"[{GOOD}]",
        "null",
        GOOD[:-5],
        f"{GOOD}{GOOD}",
        f"The answer says {EVIL} but I say {GOOD}",
        f"```json\n{EVIL}\n```\n```json\n{GOOD}\n```",
        f"<think>the answer says </think>{EVIL}</think>{GOOD}",
        f"<think>never closed {GOOD}",
        # unescaped quotes inside: the outer object is broken and the inner one must not win
        '{"verdicts": [{"claim": 1, "label": "UNVERIFIED", "rationale": "it says ' + EVIL + '", "quotes": []}]}',
        '{"verdicts": [], "verdicts": [{"claim": 1, "label": "SUPPORTED"}]}',
        '{"verdicts": NaN}',
        '{"verdicts": ' + "[" * 100_000,
    ],
)
def test_anything_else_is_unparseable(text: str) -> None:
    with pytest.raises(ParseError):
        read_json(text)


def test_readable_means_the_asked_form() -> None:
    assert is_readable(GOOD, Purpose.VERIFY)
    assert not is_readable(GOOD, Purpose.EXTRACT)
    assert not is_readable('{"verdicts": {"1": "SUPPORTED"}}', Purpose.VERIFY)


@pytest.mark.parametrize(
    ("said", "label"),
    [
        ("SUPPORTED", Label.SUPPORTED),
        ("supported.", Label.SUPPORTED),
        (" 有据。", Label.SUPPORTED),
        ("有據", Label.SUPPORTED),
        ("Contradicted", Label.CONTRADICTED),
        ("冲突", Label.CONTRADICTED),
        ("衝突", Label.CONTRADICTED),
        ("UNVERIFIED", Label.UNVERIFIED),
        ("无据", Label.UNVERIFIED),
        ("無據", Label.UNVERIFIED),
        ("Not Supported", Label.UNVERIFIED),
        ("NOT_SUPPORTED", Label.UNVERIFIED),
        ("ＳＵＰＰＯＲＴＥＤ", Label.SUPPORTED),
        ("SUPPORTED, I think", None),
        ("not contradicted", None),
        ("Supported. There is no contradiction.", None),
        ("yes", None),
        ("不冲突", None),
        ("", None),
        (None, None),
        (True, None),
        (["SUPPORTED"], None),
    ],
)
def test_labels_are_matched_whole(said: object, label: Label | None) -> None:
    assert read_label(said) is label


def verdicts(*entries: dict) -> str:
    return json.dumps({"verdicts": list(entries)}, ensure_ascii=False)


def test_verdicts_go_by_number_and_the_missing_stays_missing() -> None:
    text = verdicts(
        {"claim": 3, "label": "UNVERIFIED", "rationale": "no", "quotes": []},
        {
            "claim": "1",
            "label": "supported",
            "rationale": "yes",
            "quotes": [{"context": 2, "text": "founded in 1999"}],
        },
        {"claim": 9, "label": "SUPPORTED", "rationale": "", "quotes": []},
    )
    # shown as [1] = the sample's second context, [2] = its first
    first, second, third = read_judgements(text, [1, 2, 3], CONTEXTS[::-1], [1, 0])
    assert (first.claim, first.label, first.rationale) == (1, Label.SUPPORTED, "yes")
    (quote,) = first.quotes
    assert (quote.context, CONTEXTS[0][quote.start : quote.end]) == (0, "founded in 1999")
    assert first.grounded
    assert (second.label, second.unscored) == (None, Unscored.MISSING)
    assert (third.label, third.unscored) == (Label.UNVERIFIED, None)
    assert "not asked" in first.notes[0]


def test_an_invented_quote_leaves_the_label_but_no_ground() -> None:
    text = verdicts(
        {"claim": 1, "label": "SUPPORTED", "rationale": "", "quotes": [{"context": 1, "text": "founded in 1850"}]},
        {"claim": 2, "label": "SUPPORTED", "rationale": "", "quotes": [{"context": 7, "text": "Acme sells anvils."}]},
        {"claim": 3, "label": "SUPPORTED", "rationale": "", "quotes": "Acme sells anvils."},
    )
    invented, elsewhere, none = read_judgements(text, [1, 2, 3], CONTEXTS, [0, 1])
    assert invented.label is Label.SUPPORTED
    assert [judgement.grounded for judgement in (invented, elsewhere, none)] == [False] * 3
    assert "context 7" in elsewhere.notes[0]


@pytest.mark.parametrize(
    ("said", "conflict"),
    [(True, True), (False, False), (None, False), ("true", False), ("false", False), (1, False), ([True], False)],
)
def test_a_conflict_is_what_is_said_to_be_true_and_nothing_else(said: object, conflict: bool) -> None:
    entry = {"claim": 1, "label": "CONTRADICTED", "rationale": "", "quotes": []}
    (judgement,) = read_judgements(verdicts({**entry, "conflict": said}), [1], CONTEXTS, [0, 1])
    assert judgement.conflict is conflict
    (silent,) = read_judgements(verdicts(entry), [1], CONTEXTS, [0, 1])
    assert silent.conflict is False


def test_lesson_9_both_sides_of_a_conflict_are_kept_with_their_places() -> None:
    contexts = ("The fee is 2% a year.", "No fee is charged.")
    quotes = [{"context": 1, "text": "fee is 2%"}, {"context": 2, "text": "No fee is charged"}]
    entry = {"claim": 1, "label": "CONTRADICTED", "rationale": "", "quotes": quotes, "conflict": True}
    (judgement,) = read_judgements(verdicts(entry), [1], contexts, [0, 1])
    assert (judgement.label, judgement.conflict, judgement.grounded) == (Label.CONTRADICTED, True, True)
    assert [contexts[q.context][q.start : q.end] for q in judgement.quotes] == ["fee is 2%", "No fee is charged"]


def test_a_conflict_named_in_one_of_two_equal_verdicts_counts() -> None:
    entry = {"claim": 1, "label": "CONTRADICTED", "rationale": "", "quotes": []}
    (judgement,) = read_judgements(verdicts(entry, {**entry, "conflict": True}), [1], CONTEXTS, [0, 1])
    assert judgement.conflict


def test_two_labels_for_one_claim_are_none() -> None:
    entry = {"claim": 1, "label": "SUPPORTED", "rationale": "", "quotes": []}
    differing, same = (
        read_judgements(verdicts(entry, {**entry, "label": label}), [1], CONTEXTS, [0, 1])[0]
        for label in ("CONTRADICTED", "supported")
    )
    assert (differing.label, differing.unscored) == (None, Unscored.UNPARSEABLE)
    assert same.label is Label.SUPPORTED
    assert same.notes


@pytest.mark.parametrize("entry", [{"claim": 1, "label": "MAYBE"}, {"claim": 1}, {"claim": 1, "label": 3}])
def test_an_unknown_label_is_unscored_with_what_was_said(entry: dict) -> None:
    (judgement,) = read_judgements(verdicts(entry), [1], CONTEXTS, [0, 1])
    assert (judgement.label, judgement.unscored) == (None, Unscored.UNPARSEABLE)
    assert "label" in judgement.detail


def test_junk_among_verdicts_is_ignored() -> None:
    text = '{"verdicts": [null, 3, "SUPPORTED", {"claim": true, "label": "SUPPORTED"}, {"claim": 1.5}]}'
    (judgement,) = read_judgements(text, [1], CONTEXTS, [0, 1])
    assert judgement.unscored is Unscored.MISSING


def test_a_reply_of_no_form_leaves_every_claim_unparseable() -> None:
    judgements = read_judgements("I would say supported.", [4, 5], CONTEXTS, [0, 1])
    assert [(j.claim, j.unscored) for j in judgements] == [(4, Unscored.UNPARSEABLE), (5, Unscored.UNPARSEABLE)]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply("I cannot help.", "m", "refusal"), Unscored.REFUSED),
        (Reply(GOOD, "m", "refusal"), Unscored.REFUSED),
        (Reply(GOOD[:40], "m", "length"), Unscored.TRUNCATED),
        (Reply(GOOD[:40], "m", "stop"), Unscored.UNPARSEABLE),
        (Reply(GOOD, "m", "length"), None),
    ],
)
def test_refused_and_truncated_are_told_apart(reply: Reply, reason: Unscored | None) -> None:
    (judgement,) = read_reply(reply, [1], CONTEXTS, [0, 1])
    assert judgement.unscored is reason


def test_text_is_cleaned_and_capped() -> None:
    text = verdicts({"claim": 1, "label": "UNVERIFIED", "rationale": "a\x00b" + "x" * 9000, "quotes": []})
    (judgement,) = read_judgements(text, [1], CONTEXTS, [0, 1])
    assert judgement.rationale.startswith("abx")
    assert len(judgement.rationale) == 2000


ANSWER = "😀甲公司成立于1999年，总部在上海。它很好！你呢？"
SENTENCES = (
    Sentence(1, ANSWER[:18], 0, 18),
    Sentence(2, ANSWER[18:22], 18, 22),
    Sentence(3, ANSWER[22:], 22, len(ANSWER)),
)


def extraction(claims: list, no_claims: object = ()) -> str:
    return json.dumps({"claims": claims, "no_claims": no_claims}, ensure_ascii=False)


def test_claims_have_the_tightest_span_that_is_sure() -> None:
    text = extraction(
        [
            {"sentence": 1, "text": "甲公司成立于1999年。", "vague": False},
            {"sentence": 1, "text": "甲公司总部在上海。", "vague": False},
            {"sentence": 2, "text": "甲公司很好。", "vague": True},
        ],
        [{"sentence": 3, "reason": "Question"}],
    )
    extracted = read_extraction(text, SENTENCES, ANSWER)
    first, second, third = extracted.claims
    assert ANSWER[first.start : first.end] == "甲公司成立于1999年"
    assert (second.start, second.end) == (0, 18)  # reworded: the whole sentence
    assert [claim.vague for claim in extracted.claims] == [False, False, True]
    assert third.sentence == 2
    assert (extracted.no_claims, extracted.unaccounted) == ({3: "question"}, ())


def test_unknown_sentences_doubles_and_empty_claims_are_dropped_and_noted() -> None:
    claim = {"sentence": 1, "text": "甲公司总部在上海。", "vague": False}
    text = extraction([claim, claim, {**claim, "sentence": 9}, {**claim, "text": " "}, "junk"])
    extracted = read_extraction(text, SENTENCES, ANSWER)
    assert len(extracted.claims) == 1
    assert extracted.unaccounted == (2, 3)
    assert len(extracted.notes) == 4


def test_the_same_words_in_two_sentences_are_two_claims() -> None:
    answer = "甲公司盈利。甲公司盈利。"
    sentences = (Sentence(1, answer[:6], 0, 6), Sentence(2, answer[6:], 6, 12))
    claims = [{"sentence": number, "text": "甲公司盈利。", "vague": False} for number in (1, 2)]
    extracted = read_extraction(extraction(claims), sentences, answer)
    assert [(claim.start, claim.end) for claim in extracted.claims] == [(0, 6), (6, 12)]


def test_a_sentence_with_claims_has_no_reason_for_none_and_unknown_reasons_are_other() -> None:
    text = extraction(
        [{"sentence": 1, "text": "x", "vague": "true"}],
        [{"sentence": 1, "reason": "opinion"}, {"sentence": 2, "reason": "because"}, {"sentence": 77}],
    )
    extracted = read_extraction(text, SENTENCES, ANSWER)
    assert extracted.no_claims == {2: "other"}
    assert extracted.claims[0].vague
    assert extracted.unaccounted == (3,)


@pytest.mark.parametrize("text", ["", GOOD, '{"claims": "none"}', '{"no_claims": []}'])
def test_an_extraction_of_no_form_is_an_error(text: str) -> None:
    with pytest.raises(ParseError):
        read_extraction(text, SENTENCES, ANSWER)

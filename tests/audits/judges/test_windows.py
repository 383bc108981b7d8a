"""Long contexts: every word in some window, both sides in the last call, every quote in its place (pain 58)."""

import pytest

from audits.judges import windows as windows_module
from audits.judges.base import Answer, ClaimText, Task
from audits.judges.prompting import build_prompt
from audits.judges.verifying import fits
from audits.judges.windows import MAX_WINDOWS
from audits.labels import Label, Unscored
from audits.text.excerpts import GAP
from audits.text.sentences import split_sentences
from tests.audits.judges.driving import (
    AGAINST,
    CLAIM,
    FOR,
    LONG,
    ROOM,
    filler,
    long_task,
    one,
    quoting,
    reader,
    reply,
    too_long_beyond,
    true_quotes,
    verify,
)


def test_every_word_of_the_contexts_is_in_some_window_and_every_window_fits() -> None:
    _, rounds = verify(long_task(*LONG), reader([FOR]))
    windows, last = rounds
    shown = [text for task in windows for text in task.contexts]
    for context in LONG:
        for sentence in split_sentences(context):
            assert any(sentence.text in text for text in shown)  # whole, never cut
    assert len(windows) > 5
    assert all(fits(task.contexts, ROOM) for task in [*windows, *last])
    assert len(last) == 1


def test_the_claim_is_never_cut_whatever_the_contexts_are() -> None:
    claim = "The annual fee is 2% " + "and so on and so forth " * 40 + "for members."
    task = long_task(*LONG, claims=[claim])
    _, rounds = verify(task, reader([FOR]))
    for asked in (task for tasks in rounds for task in tasks):
        assert asked.claims == (ClaimText(1, claim),)
        assert claim in build_prompt(asked).suffix
        assert asked.question == task.question
        assert asked.excerpts


def test_support_far_away_is_found_and_shown_and_placed() -> None:
    judgement = one(long_task(*LONG), reader([FOR]))
    assert (judgement.label, judgement.conflict) == (Label.SUPPORTED, False)
    assert true_quotes(judgement, LONG) == [FOR]
    assert judgement.quotes[0].context == 1
    assert judgement.shown is not None
    assert any(c == 1 and s <= LONG[1].index(FOR) < e for c, s, e in judgement.shown)
    assert judgement.windows > 6


def test_nothing_found_in_any_window_is_unverified_after_a_last_look_at_the_best_passages() -> None:
    contexts = (filler(150), f"{filler(100)} A fee may apply. {filler(100)}")
    (judgement,), rounds = verify(long_task(*contexts), reader())
    assert (judgement.label, judgement.unscored) == (Label.UNVERIFIED, None)
    assert "A fee may apply." in "".join(rounds[-1][0].contexts)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_contradiction_far_from_the_best_passage_still_counts(place: int) -> None:
    texts = [filler(150), filler(150), filler(150)]
    best = f"{CLAIM} The annual fee of 2% is the fee that is charged as the annual fee. {filler(100)}"
    texts[place] += f" Since May {AGAINST}. "
    contexts = (best, *texts)
    judgement = one(long_task(*contexts), reader([FOR], [AGAINST]))
    assert (judgement.label, judgement.conflict) == (Label.CONTRADICTED, True)
    assert true_quotes(judgement, contexts) == [FOR, AGAINST]
    assert [quote.context for quote in judgement.quotes] == [0, place + 1]
    assert any("judged differently" in note for note in judgement.notes)


def test_lesson_9_both_sides_of_a_conflict_come_back_also_from_one_window() -> None:
    contexts = (f"{FOR}. {filler(10)}", f"In fact {AGAINST}. {filler(10)}")
    judgement = one(long_task(*contexts), reader([FOR], [AGAINST]))
    assert (judgement.conflict, judgement.windows, judgement.shown) == (True, 1, None)
    assert true_quotes(judgement, contexts) == [FOR, AGAINST]


def test_the_last_call_decides_over_the_windows() -> None:
    """A window that misreads what the next one explains does not have the last word."""
    contexts = (f"{filler(150)} {FOR}. {filler(150)}", f"In 1990 {AGAINST}. {filler(150)}")

    def hasty(task: Task) -> Answer:
        both = all(quoting(task, needle) for needle in (FOR, AGAINST))
        return reader([FOR])(task) if both else reader([FOR], [AGAINST])(task)

    judgement = one(long_task(*contexts), hasty)
    assert (judgement.label, judgement.grounded) == (Label.SUPPORTED, True)
    assert any("judged differently" in note for note in judgement.notes)


def test_evidence_in_two_windows_is_seen_together_in_the_last_call() -> None:
    contexts = (f"{filler(150)} The fee is named in table 7. {filler(100)}", f"{filler(100)} Table 7: 2% a year.")

    def two_hops(task: Task) -> Answer:
        hops = quoting(task, "The fee is named in table 7", "Table 7: 2% a year")
        return reply({"claim": 1, "label": "SUPPORTED" if len(hops) == 2 else "UNVERIFIED", "quotes": hops})

    judgement = one(long_task(*contexts), two_hops)
    assert judgement.label is Label.SUPPORTED
    assert [quote.context for quote in judgement.quotes] == [0, 1]


def test_the_contexts_are_shown_in_the_judges_order_and_come_back_in_the_samples() -> None:
    own = (f"{filler(80)} {FOR}.", filler(80), f"{filler(80)} Yet {AGAINST}.")
    order = [2, 0, 1]
    task = long_task(*(own[index] for index in order))
    (judgement,), rounds = verify(task, reader([FOR], [AGAINST]), order=order)
    assert sorted(true_quotes(judgement, own)) == sorted([FOR, AGAINST])
    assert {(quote.context, quote.text) for quote in judgement.quotes} == {(0, FOR), (2, AGAINST)}
    last = "".join(rounds[-1][0].contexts)
    assert last.index(AGAINST) < last.index(FOR)  # the judge saw the sample's third context first
    assert judgement.shown == tuple(sorted(judgement.shown))
    assert all(own[c][s:e].strip() == own[c][s:e] for c, s, e in judgement.shown)
    assert {own[c][s:e] in "\n".join(rounds[-1][0].contexts) for c, s, e in judgement.shown} == {True}


HOSTILE = "😀👩‍👩‍👧　ＦＥＥ：２％。"


@pytest.mark.parametrize("place", range(3))
def test_quotes_lead_back_to_the_right_occurrence_whatever_the_characters(place: int) -> None:
    """Emoji, full-width forms and repeated passages: offsets are code points of the sample's own contexts."""
    text = "手续费为２％。😀" + "".join(f"第{n}条规定运输事项，与此无关。👍" for n in range(400))
    texts = [text, HOSTILE + text, text.replace("手续费为２％", f"手续费为{place + 3}％")]
    wanted = f"手续费为{place + 3}％"
    judgement = one(
        long_task(*texts, claims=["手续费为百分之二。"], language="zh"), reader(["手续费为２％"], [wanted])
    )
    assert wanted in true_quotes(judgement, texts)
    assert {quote.context for quote in judgement.quotes if quote.text == wanted} == {2}
    assert judgement.label is Label.CONTRADICTED


def test_a_repeated_passage_is_placed_where_it_was_shown() -> None:
    copy = "The annual fee is 2%."
    texts = (f"{filler(100)} {copy} {filler(100)}", f"{copy} {filler(200)} {copy}")

    def last_only(task: Task) -> Answer:
        number = len(task.contexts)
        text = task.contexts[-1]
        quotes = [{"context": number, "text": copy}] if copy in text else []
        return reply({"claim": 1, "label": "SUPPORTED" if quotes else "UNVERIFIED", "quotes": quotes})

    judgement = one(long_task(*texts), last_only)
    (quote,) = judgement.quotes
    assert quote.context == 1
    assert any(c == 1 and s <= quote.start and quote.end <= e for c, s, e in judgement.shown)


def test_a_quote_over_a_gap_is_one_quote_for_each_piece() -> None:
    texts = (f"Alpha costs ten euros. {filler(200)} Beta costs twelve euros.",)

    def joined(task: Task) -> Answer:
        whole = task.contexts[0]
        parts = quoting(task, "Alpha costs ten euros", "Beta costs twelve euros")
        if len(parts) == 2 and GAP in whole:
            start, end = whole.index("Alpha"), whole.index("twelve euros") + len("twelve euros")
            if whole[start:end].count(GAP) == 1 and end - start < 120:
                parts = [{"context": 1, "text": whole[start:end]}]
        return reply({"claim": 1, "label": "SUPPORTED" if parts else "UNVERIFIED", "quotes": parts})

    judgement = one(long_task(*texts, claims=["Alpha and Beta cost euros."]), joined, room=400)
    assert judgement.grounded
    assert GAP not in "".join(true_quotes(judgement, texts))


def test_an_invented_quote_stays_invented() -> None:
    judgement = one(
        long_task(*LONG),
        lambda task: reply({"claim": 1, "label": "SUPPORTED", "quotes": [{"context": 1, "text": "9% per annum"}]}),
    )
    assert (judgement.label, judgement.grounded) == (Label.SUPPORTED, False)


def test_a_window_that_contradicts_without_a_real_quote_is_looked_at_again() -> None:
    texts = (f"{FOR}. {filler(200)} Charges of a yearly kind were dropped. {filler(200)}",)

    def paraphrasing(task: Task) -> Answer:
        if quoting(task, FOR):
            return reader([FOR], ["Charges of a yearly kind were dropped"])(task)
        if quoting(task, "yearly kind"):
            invented = [{"context": 1, "text": "all charges of a yearly kind have been abolished entirely"}]
            return reply({"claim": 1, "label": "CONTRADICTED", "quotes": invented})
        return reply({"claim": 1, "label": "UNVERIFIED"})

    judgement = one(long_task(*texts), paraphrasing)
    assert (judgement.label, judgement.conflict) == (Label.CONTRADICTED, True)


@pytest.mark.parametrize("passages", [1, 100])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_200_000_characters_work_with_a_room_of_4000_tokens(language: str, passages: int) -> None:
    words = (
        "第{}条规定了运输事项的办理流程与时限。" if language == "zh" else "Rule {} is about shipping and its delays. "
    )
    parts = [words.format(number) for number in range(200_000 // len(words))]
    supported, against = ("手续费为2%", "不收取手续费") if language == "zh" else (FOR, AGAINST)
    end = "。" if language == "zh" else ". "
    parts.insert(len(parts) // 9, supported + end)
    parts.insert(len(parts) * 8 // 9, against + end)
    step = len(parts) // passages + 1
    contexts = tuple("".join(parts[at : at + step]) for at in range(0, len(parts), step))
    claim = "手续费为百分之二。" if language == "zh" else CLAIM
    task = long_task(*contexts, claims=[claim], language=language)
    (judgement,), (windows, last) = verify(task, reader([supported], [against]), room=4000)
    assert 10 < len(windows) <= MAX_WINDOWS
    assert all(fits(asked.contexts, 4000) for asked in [*windows, *last])
    assert (judgement.label, judgement.conflict) == (Label.CONTRADICTED, True)
    assert sorted(true_quotes(judgement, contexts)) == sorted([supported, against])
    assert judgement.windows == len(windows) + 1


def test_more_windows_than_the_limit_are_not_asked() -> None:
    (judgement,), rounds = verify(long_task(filler(9000)), reader([FOR]))
    assert (judgement.unscored, rounds) == (Unscored.TOO_LONG, [])
    assert str(MAX_WINDOWS) in judgement.detail


def test_the_limit_holds_for_halved_windows_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windows_module, "MAX_WINDOWS", 9)
    (judgement,), rounds = verify(long_task(filler(300)), too_long_beyond(1500, reader([FOR])))
    assert judgement.unscored is Unscored.TOO_LONG
    assert sum(map(len, rounds)) <= 9


def test_blanks_are_no_context() -> None:
    (judgement,), rounds = verify(long_task(" \n" * 20_000), reader([FOR]))
    assert (judgement.unscored, rounds) == (Unscored.NO_CONTEXT, [])

"""Verdicts on contexts of any length: one call where they fit, windows and a last call where they do not."""

import dataclasses
from collections.abc import Sequence

import pytest

from audits.judges import windows as windows_module
from audits.judges.base import Answer, ClaimText, Fault, JudgeError, Judgement, Purpose, Reply, Task
from audits.judges.prompting import build_prompt
from audits.judges.verifying import fits, verifying
from audits.judges.windows import FLOOR, MAX_WINDOWS
from audits.labels import Label, Unscored
from audits.text.excerpts import GAP
from audits.text.sentences import split_sentences
from tests.audits.judges.driving import Said, drive, quoting, reader, reply, too_long_beyond
from tests.audits.judges.samples import VERIFY

CLAIM = "The annual fee is 2%."
FOR = "The annual fee is 2%"
AGAINST = "no annual fee is charged"
ROOM = 1000


def filler(sentences: int, about: str = "shipping") -> str:
    return " ".join(f"Paragraph {n} explains the rules of {about} in some detail." for n in range(sentences))


def long_task(*contexts: str, claims: Sequence[str] = (CLAIM,), language: str = "en") -> Task:
    numbered = tuple(ClaimText(number, text) for number, text in enumerate(claims, start=1))
    return Task(Purpose.VERIFY, language, "What is the fee?", contexts=contexts, claims=numbered)


def verify(task: Task, judge: Said, room: int = ROOM, order: Sequence[int] | None = None):
    return drive(verifying(task, order or range(len(task.contexts)), room), judge)


def one(task: Task, judge: Said, room: int = ROOM, order: Sequence[int] | None = None) -> Judgement:
    (judgement,), _ = verify(task, judge, room, order)
    return judgement


def true_quotes(judgement: Judgement, contexts: Sequence[str]) -> list[str]:
    """The quotes that were found, after checking that each stands where it says."""
    for quote in judgement.quotes:
        if quote.found:
            assert contexts[quote.context][quote.start : quote.end] == quote.text
    return [quote.text for quote in judgement.quotes if quote.found]


# What fits


def test_contexts_that_fit_cost_one_call_as_they_are() -> None:
    judgements, rounds = verify(VERIFY, reader(["founded in 1999"]), room=100_000)
    assert rounds == [[VERIFY]]
    assert [(j.claim, j.label, j.shown, j.windows) for j in judgements] == [
        (1, Label.SUPPORTED, None, 1),
        (2, Label.SUPPORTED, None, 1),
    ]


def test_fitting_is_about_tokens_not_characters() -> None:
    english = "word " * 4000
    assert fits([english], 6500)
    assert not fits([english], 1000)
    assert fits(["汉" * 5000], 5600)
    assert not fits(["汉" * 5000], 5000)
    assert fits([], 0)


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (Fault.REFUSED, Unscored.REFUSED),
        (Fault.SERVER, Unscored.FAILED),
        (Fault.TIMEOUT, Unscored.FAILED),
        (Fault.RATE_LIMIT, Unscored.FAILED),
    ],
)
def test_a_failed_call_leaves_every_claim_unscored_with_its_reason(fault: Fault, reason: Unscored) -> None:
    judgements, rounds = verify(VERIFY, lambda task: JudgeError(fault, "it said no"), room=100_000)
    assert [(j.claim, j.label, j.unscored, j.detail) for j in judgements] == [
        (1, None, reason, "it said no"),
        (2, None, reason, "it said no"),
    ]
    assert len(rounds) == 1


def test_one_claim_is_not_asked_again() -> None:
    task = dataclasses.replace(VERIFY, claims=VERIFY.claims[:1])
    for answer, reason in (
        (reply(), Unscored.MISSING),
        (Reply('{"verdicts": [{"cl', "m", "length"), Unscored.TRUNCATED),
        (Reply("no idea", "m", "stop"), Unscored.UNPARSEABLE),
    ):
        (judgement,), rounds = verify(task, lambda task, answer=answer: answer, room=100_000)
        assert judgement.unscored is reason
        assert len(rounds) == 1


# Pains 18 and 19, lesson 12: several claims in one call


FOUR = long_task(
    "The fee is 2%. Refunds take 5 days. Oslo is cold. Anvils are heavy.",
    claims=["The fee is 2%.", "Refunds take 5 days.", "Oslo is cold.", "Anvils are heavy."],
)


def supporting(task: Task, left_out: Sequence[str] = ()) -> Reply:
    kept = [claim for claim in task.claims if claim.text not in left_out]
    return reply(
        *({"claim": c.number, "label": "SUPPORTED", "quotes": quoting(task, c.text.rstrip("."))} for c in kept)
    )


def test_one_verdict_of_four_scores_one_claim_and_the_others_are_asked_singly() -> None:
    def first_only(task: Task) -> Answer:
        return supporting(task, left_out=[c.text for c in task.claims[1:]])

    judgements, rounds = verify(FOUR, first_only)
    assert [(j.claim, j.label) for j in judgements] == [(n, Label.SUPPORTED) for n in (1, 2, 3, 4)]
    assert [[[c.text for c in task.claims] for task in tasks] for tasks in rounds] == [
        [[c.text for c in FOUR.claims]],
        [[c.text] for c in FOUR.claims[1:]],
    ]
    assert all(task.claims[0].number == 1 for task in rounds[1])  # the same request, whatever group it was in
    assert judgements[0].notes == ()
    assert all("by itself" in judgement.notes[-1] for judgement in judgements[1:])


def test_a_verdict_that_stays_missing_is_never_supported() -> None:
    judgements, rounds = verify(FOUR, lambda task: supporting(task, left_out=["Oslo is cold."]))
    assert [j.unscored for j in judgements] == [None, None, Unscored.MISSING, None]
    assert judgements[2].label is None
    assert [len(tasks) for tasks in rounds] == [1, 1]


def test_a_reply_without_any_verdict_passes_no_claim() -> None:
    judgements, _ = verify(FOUR, lambda task: reply())
    assert [j.label for j in judgements] == [None] * 4
    assert {j.unscored for j in judgements} == {Unscored.MISSING}


def test_a_truncated_reply_to_several_claims_is_split() -> None:
    def cut(task: Task) -> Answer:
        whole = supporting(task)
        return whole if len(task.claims) == 1 else dataclasses.replace(whole, text=whole.text[:90], finish="length")

    judgements, rounds = verify(FOUR, cut)
    assert [j.label for j in judgements] == [Label.SUPPORTED] * 4
    assert [len(tasks) for tasks in rounds] == [1, 4]


def test_an_invalid_label_and_an_invented_quote_are_asked_again_singly() -> None:
    def sloppy(task: Task) -> Answer:
        if len(task.claims) == 1:
            return supporting(task)
        return reply(
            {"claim": 1, "label": "PROBABLY"},
            {"claim": 2, "label": "SUPPORTED", "quotes": [{"context": 1, "text": "Refunds take 9 weeks"}]},
            {"claim": 3, "label": "UNVERIFIED"},
            {"claim": 4, "label": "SUPPORTED", "quotes": quoting(task, "Anvils are heavy")},
        )

    judgements, rounds = verify(FOUR, sloppy)
    assert [task.claims[0].text for task in rounds[1]] == ["The fee is 2%.", "Refunds take 5 days."]
    assert [j.label for j in judgements] == ["SUPPORTED", "SUPPORTED", "UNVERIFIED", "SUPPORTED"]
    assert all(j.grounded for j in judgements)


def test_a_second_call_that_fails_takes_nothing_away() -> None:
    def breaking(task: Task) -> Answer:
        if len(task.claims) == 1:
            return JudgeError(Fault.SERVER, "down")
        return reply({"claim": 1, "label": "CONTRADICTED"}, {"claim": 2, "label": "UNVERIFIED"})

    judgements, _ = verify(FOUR, breaking)
    assert (judgements[0].label, judgements[0].grounded) == (Label.CONTRADICTED, False)
    assert [j.unscored for j in judgements[2:]] == [Unscored.FAILED] * 2


def test_a_refusal_is_not_asked_again() -> None:
    judgements, rounds = verify(FOUR, lambda task: Reply("I cannot", "m", "refusal"))
    assert {j.unscored for j in judgements} == {Unscored.REFUSED}
    assert len(rounds) == 1


# Pain 58, lesson 20: contexts that do not fit


LONG = (filler(150), f"{filler(60)} {FOR}, as of March. {filler(60)}", filler(80))


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


# What the vendor says is too long


def test_a_call_that_the_vendor_finds_too_long_is_windowed() -> None:
    judge = too_long_beyond(9000, reader([FOR], [AGAINST]))
    contexts = (*LONG, f"{filler(20)} Now {AGAINST}.")
    (judgement,), rounds = verify(long_task(*contexts), judge, room=100_000)
    assert len(rounds[0]) == 1
    assert (judgement.label, judgement.conflict) == (Label.CONTRADICTED, True)
    assert sorted(true_quotes(judgement, contexts)) == sorted([FOR, AGAINST])


def test_windows_are_halved_until_they_fit_and_only_those_that_do_not() -> None:
    dense = "%$#@!^&*" * 400
    calls: list[int] = []

    def picky(task: Task) -> Answer:
        calls.append(sum(map(len, task.contexts)))
        if sum(text.count("$") for text in task.contexts) > 150:
            return JudgeError(Fault.TOO_LONG, "too many tokens")
        return reader([FOR])(task)

    contexts = (filler(100), dense, f"{filler(50)} {FOR}.")
    (judgement,), rounds = verify(long_task(*contexts), picky)
    assert judgement.label is Label.SUPPORTED
    assert len(rounds) > 2
    assert all(any("$" in text for text in task.contexts) for tasks in rounds[1:-1] for task in tasks)


@pytest.mark.parametrize("room", [100_000, 1000])
def test_a_model_that_nothing_fits_leaves_the_claim_unscored(room: int) -> None:
    (judgement,), rounds = verify(
        long_task(*LONG), lambda task: JudgeError(Fault.TOO_LONG, "maximum context length"), room=room
    )
    assert (judgement.label, judgement.unscored) == (None, Unscored.TOO_LONG)
    assert judgement.shown == ()
    assert len(rounds) < 12


@pytest.mark.parametrize("room", [0, -50, FLOOR - 1])
def test_no_room_at_all_is_said_without_a_call(room: int) -> None:
    (judgement,), rounds = verify(long_task(*LONG), reader([FOR]), room=room)
    assert (judgement.unscored, rounds) == (Unscored.TOO_LONG, [])


def test_pain_58_a_server_that_cuts_the_prompt_without_a_word_is_found_out() -> None:
    """It counts the tokens it read: far fewer than the contexts have. Its verdict on the rest is not taken."""

    def cutting(task: Task) -> Answer:
        readable = 6000
        kept = dataclasses.replace(task, contexts=tuple("".join(task.contexts)[:readable] for _ in (1,)))
        length = min(readable, sum(map(len, task.contexts)))
        said = reader([FOR], [AGAINST])(kept)
        return dataclasses.replace(said, usage=dataclasses.replace(said.usage, tokens_in=length // 5))

    contexts = (f"{FOR}. {filler(1500)}", f"{filler(10)} But {AGAINST}.")
    judgement = one(long_task(*contexts), cutting, room=100_000)
    assert (judgement.label, judgement.conflict) == (Label.CONTRADICTED, True)
    honest = lambda task: reader([FOR], [AGAINST])(task)  # noqa: E731
    assert one(long_task(*contexts), honest, room=100_000).windows == 1


def test_a_cached_prompt_is_not_taken_for_a_cut_one() -> None:
    def cached(task: Task) -> Answer:
        said = reader([FOR])(task)
        return dataclasses.replace(said, usage=dataclasses.replace(said.usage, tokens_in=40, cache_read=5000))

    assert one(long_task(*LONG), cached, room=100_000).windows == 1


# Parts that were not read


def failing_at(needle: str, answer: Answer, judge: Said) -> Said:
    return lambda task: answer if quoting(task, needle) else judge(task)


BROKEN = [
    (JudgeError(Fault.REFUSED, "content filter"), Unscored.REFUSED),
    (JudgeError(Fault.SERVER, "down"), Unscored.FAILED),
    (Reply("no JSON", "m", "stop"), Unscored.UNPARSEABLE),
    (Reply('{"verd', "m", "length"), Unscored.TRUNCATED),
    (Reply("", "m", "refusal"), Unscored.REFUSED),
    (reply(), Unscored.MISSING),
]
FORBIDDEN = "Forbidden words stand here."


@pytest.mark.parametrize(("answer", "reason"), BROKEN)
@pytest.mark.parametrize("evidence", ["", f"{FOR}. "])
def test_a_part_that_was_not_read_could_overturn_any_support(answer: Answer, reason: Unscored, evidence: str) -> None:
    contexts = (evidence + filler(200), f"{filler(100)} {FORBIDDEN} {filler(100)}")
    (judgement,), rounds = verify(long_task(*contexts), failing_at(FORBIDDEN, answer, reader([FOR])))
    assert (judgement.label, judgement.unscored) == (None, reason)
    assert "1 of" in judgement.detail
    assert len(rounds) == 1  # no last call is paid for that could change nothing


@pytest.mark.parametrize(("answer", "reason"), BROKEN)
def test_a_real_contradiction_stands_without_the_part_that_was_not_read(answer: Answer, reason: Unscored) -> None:
    contexts = (f"Here {AGAINST}. {filler(200)}", f"{filler(100)} {FORBIDDEN} {filler(100)}")
    judgement = one(long_task(*contexts), failing_at(FORBIDDEN, answer, reader([FOR], [AGAINST])))
    assert (judgement.label, judgement.grounded) == (Label.CONTRADICTED, True)
    assert any("could not be read" in note for note in judgement.notes)


def in_the_last_call(task: Task, usual: Said, last: Said) -> Said:
    """A judge that answers otherwise in the last call on a task: after as many calls as there are windows."""
    _, rounds = verify(task, usual)
    calls = sum(map(len, rounds[:-1]))
    asked: list[Task] = []

    def answer(asked_now: Task) -> Answer:
        asked.append(asked_now)
        return (last if len(asked) > calls else usual)(asked_now)

    return answer


def test_a_last_call_that_takes_the_contradiction_back_cannot_pass_the_claim() -> None:
    task = long_task(f"Here {AGAINST}. {filler(200)}", f"{filler(100)} {FORBIDDEN} {filler(100)}")
    usual = failing_at(FORBIDDEN, JudgeError(Fault.REFUSED, "content filter"), reader([], [AGAINST]))
    judgement = one(task, in_the_last_call(task, usual, reader([AGAINST])))
    assert (judgement.label, judgement.unscored) == (None, Unscored.REFUSED)
    assert "The last call said SUPPORTED" in judgement.detail


def test_a_last_call_that_fails_leaves_the_claim_unscored() -> None:
    task = long_task(*LONG)
    failing = in_the_last_call(task, reader([FOR]), lambda task: JudgeError(Fault.SERVER, "down"))
    judgement = one(task, failing)
    assert (judgement.label, judgement.unscored, judgement.detail) == (None, Unscored.FAILED, "down")
    assert judgement.shown


def test_a_last_call_that_is_too_long_is_made_smaller() -> None:
    rounds_seen: list[int] = []

    def judge(task: Task) -> Answer:
        last = any(text.count(GAP) > 2 or GAP in text[5:-5] for text in task.contexts)
        if last and sum(map(len, task.contexts)) > 1500:
            rounds_seen.append(sum(map(len, task.contexts)))
            return JudgeError(Fault.TOO_LONG, "too long")
        return reader([FOR])(task)

    contexts = tuple(f"{filler(60)} A fee is a fee. {filler(60)}" for _ in range(3)) + LONG
    judgement = one(long_task(*contexts), judge)
    assert judgement.label is Label.SUPPORTED
    assert rounds_seen


def test_decisive_quotes_that_do_not_fit_at_all_leave_the_claim_unscored() -> None:
    statements = [f"The annual fee is 2% for group {n} " + "of the members " * 60 for n in range(12)]
    contexts = tuple(f"{statement}. {filler(60)}" for statement in statements)
    judgement = one(long_task(*contexts), reader(statements))
    assert (judgement.label, judgement.unscored) == (None, Unscored.TOO_LONG)
    assert "did not fit" in judgement.detail


def test_many_quoted_passages_shrink_to_their_sentences() -> None:
    statements = [f"The annual fee is 2% for group {n}" for n in range(25)]
    contexts = tuple(f"{filler(25)} {statement}. {filler(25)}" for statement in statements)
    judgement = one(long_task(*contexts), reader(statements))
    assert judgement.label is Label.SUPPORTED
    assert len(set(true_quotes(judgement, contexts))) == 20  # as many as a verdict may carry


# Several claims on long contexts


def test_claims_on_long_contexts_are_asked_one_by_one_and_share_their_windows() -> None:
    claims = ["The fee is 2%.", "Oslo is cold.", "Anvils are heavy."]
    contexts = (filler(150) + " The fee is 2%.", "Anvils are heavy. " + filler(150))

    def judge(task: Task) -> Answer:
        return reader([task.claims[0].text.rstrip(".")])(task)

    judgements, (windows, last) = verify(long_task(*contexts, claims=claims), judge)
    assert [(j.claim, j.label) for j in judgements] == [
        (1, Label.SUPPORTED),
        (2, Label.UNVERIFIED),
        (3, Label.SUPPORTED),
    ]
    assert all(len(task.claims) == 1 for task in [*windows, *last])
    assert len(last) == 3
    prefixes = [build_prompt(task).prefix for task in windows]
    assert [prefixes[at : at + 3].count(prefixes[at]) for at in range(0, len(prefixes), 3)] == [3] * (
        len(windows) // 3
    )


def test_the_same_answers_lead_to_the_same_result() -> None:
    first, rounds = verify(long_task(*LONG), reader([FOR]))
    again, repeated = verify(long_task(*LONG), reader([FOR]))
    assert (first, rounds) == (again, repeated)
    assert [build_prompt(t) for ts in rounds for t in ts] == [build_prompt(t) for ts in repeated for t in ts]


# Sizes


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

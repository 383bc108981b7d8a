"""Long contexts that a vendor cannot take or read in part: what nobody saw passes no claim."""

import dataclasses

import pytest

from audits.judges.base import Answer, Fault, JudgeError, Reply, Task, Usage
from audits.judges.windows import FLOOR
from audits.labels import Label, Unscored
from audits.text.excerpts import GAP
from tests.audits.judges.driving import (
    AGAINST,
    FOR,
    LONG,
    Said,
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


def test_a_server_that_counts_wrongly_still_gets_its_verdicts_taken() -> None:
    def miscounting(task: Task) -> Answer:
        return dataclasses.replace(reader([FOR], [AGAINST])(task), usage=Usage(tokens_in=100))

    contexts = (*LONG, f"{filler(20)} Now {AGAINST}.")
    judgement = one(long_task(*contexts), miscounting, room=100_000)
    assert (judgement.label, judgement.conflict) == (Label.CONTRADICTED, True)


def test_a_cached_prompt_is_not_taken_for_a_cut_one() -> None:
    def cached(task: Task) -> Answer:
        said = reader([FOR])(task)
        return dataclasses.replace(said, usage=dataclasses.replace(said.usage, tokens_in=40, cache_read=5000))

    assert one(long_task(*LONG), cached, room=100_000).windows == 1


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

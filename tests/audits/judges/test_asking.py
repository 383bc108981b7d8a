"""Several questions as one: asked at once, like beside like, each getting its own answers."""

import dataclasses

import pytest

from audits.judges.asking import alone, smaller_room, together, too_long
from audits.judges.base import ClaimText, Fault, JudgeError, Reply, Steps, Usage
from tests.audits.judges.driving import drive
from tests.audits.judges.samples import VERIFY


def counting(name: str, *rounds: int) -> Steps[str]:
    """A question that asks so many tasks in each round and returns all that it was told."""
    told = []
    for number, count in enumerate(rounds):
        tasks = [dataclasses.replace(VERIFY, question=f"{name}{number}.{place}") for place in range(count)]
        answers = yield tasks
        told += [answer.text for answer in answers if isinstance(answer, Reply)]
    return " ".join(told)


def test_questions_of_different_length_get_their_own_answers() -> None:
    steps = together([counting("a", 2, 1), counting("b"), counting("c", 3)])
    results, rounds = drive(steps, lambda task: Reply(task.question, "m", "stop"))
    assert results == ["a0.0 a0.1 a1.0", "", "c0.0 c0.1 c0.2"]
    assert [[task.question for task in tasks] for tasks in rounds] == [
        ["a0.0", "c0.0", "a0.1", "c0.1", "c0.2"],  # what begins alike follows each other
        ["a1.0"],
    ]


def test_no_question_needs_no_answer() -> None:
    assert drive(together([]), lambda task: Reply("", "m", "stop")) == ([], [])


def test_a_claim_alone_is_the_same_request_in_every_group() -> None:
    first, second = VERIFY.claims
    assert alone(VERIFY, second).claims == (ClaimText(1, second.text),)
    assert alone(dataclasses.replace(VERIFY, claims=(second,)), second) == alone(VERIFY, second)
    assert alone(VERIFY, first).contexts == VERIFY.contexts


LONG = dataclasses.replace(VERIFY, contexts=("The fee is not refunded to the client. " * 500,))
ZH = dataclasses.replace(VERIFY, contexts=("手续费不予退还。" * 2000,))


@pytest.mark.parametrize(
    ("task", "usage", "cut"),
    [
        (LONG, Usage(), False),  # not reported is not zero
        (LONG, Usage(tokens_in=4500), False),
        (LONG, Usage(tokens_in=1200), True),
        (LONG, Usage(tokens_in=300, cache_read=4200), False),
        (ZH, Usage(tokens_in=9000), False),
        (ZH, Usage(tokens_in=4096), True),
        (LONG, Usage(tokens_in=0), False),  # nor is zero a count
        (VERIFY, Usage(tokens_in=5), False),  # too short to tell
    ],
)
def test_a_count_that_cannot_be_of_the_whole_text_gives_a_cut_away(task, usage: Usage, cut: bool) -> None:
    assert too_long(Reply("{}", "m", "stop", usage), task) is cut


def test_the_next_room_is_half_and_no_more_than_half_of_what_was_read() -> None:
    assert smaller_room(JudgeError(Fault.TOO_LONG, "too long"), 9000) == 4500
    assert smaller_room(Reply("{}", "m", "stop", Usage(tokens_in=2048)), 9000) == 1024
    assert smaller_room(Reply("{}", "m", "stop", Usage(tokens_in=100)), 9000) == 1000
    assert smaller_room(Reply("{}", "m", "stop", Usage(tokens_in=100)), 900) == 450
    assert too_long(JudgeError(Fault.TOO_LONG, "too long"), VERIFY)
    assert not too_long(JudgeError(Fault.REFUSED, "no"), VERIFY)

"""What questions of several calls share: asking at once, asking one claim alone, reading what came of a task."""

from collections.abc import Sequence
from dataclasses import replace

from audits.judges.base import FINAL, Answer, ClaimText, Fault, JudgeError, Judgement, Steps, T, Task
from audits.judges.parsing import read_reply, unscored
from audits.labels import Unscored
from audits.text.length import tokens_at_least

COUNTED_FROM = 4000  # characters of contexts from which a vendor's count of tokens is compared with ours
COUNTED_ROOM = 1000  # tokens: with so few, contexts are too short to be compared


def together(questions: Sequence[Steps[T]]) -> Steps[list[T]]:
    """Several questions as one: what they ask at the same time goes out at once, their first tasks first.

    So the tasks that share a prefix (the same window for several claims) follow each other. Results in their order.
    """
    results: dict[int, T] = {}
    asked = {number: task for number, steps in enumerate(questions) if (task := _next(steps, None, number, results))}
    while asked:
        places = sorted((place, number) for number, tasks in asked.items() for place in range(len(tasks)))
        answers = yield [asked[number][place] for place, number in places]
        given: dict[int, list[Answer]] = {number: [] for number in asked}
        for (_, number), answer in zip(places, answers, strict=True):
            given[number].append(answer)
        asked = {
            number: tasks for number in asked if (tasks := _next(questions[number], given[number], number, results))
        }
    return [results[number] for number in range(len(questions))]


def _next(
    steps: Steps[T], answers: Sequence[Answer] | None, number: int, results: dict[int, T]
) -> Sequence[Task] | None:
    """What a question asks next; None when it has come to its result, which is kept under its number."""
    try:
        return next(steps) if answers is None else steps.send(answers)
    except StopIteration as end:
        results[number] = end.value
        return None


def alone(task: Task, claim: ClaimText) -> Task:
    """The task for one claim by itself, as number 1: the same request, whatever group the claim was in."""
    return replace(task, claims=(ClaimText(1, claim.text),))


def too_long(answer: Answer, task: Task) -> bool:
    """Whether the task did not fit: the vendor says so, or counted far fewer tokens than the contexts have.

    Some servers cut a prompt without a word; a verdict on the rest would pass for one on the whole.
    """
    if isinstance(answer, JudgeError):
        return answer.fault is Fault.TOO_LONG
    if not answer.usage.tokens_in or sum(map(len, task.contexts)) < COUNTED_FROM:
        return False
    counted = answer.usage.tokens_in + (answer.usage.cache_read or 0)  # whether or not it holds them already
    return counted < sum(map(len, task.contexts)) and counted < sum(map(tokens_at_least, task.contexts))


def smaller_room(answer: Answer, tokens: int) -> int:
    """Room for a task that was too long with contexts of `tokens`: half of it, and half of what the vendor read.

    A vendor that always counts wrongly ends at COUNTED_ROOM: more windows than it needs, but verdicts.
    """
    if isinstance(answer, JudgeError) or not answer.usage.tokens_in:
        return tokens // 2
    return min(tokens // 2, max(answer.usage.tokens_in // 2, COUNTED_ROOM))


def read_answer(answer: Answer, task: Task, order: Sequence[int]) -> list[Judgement]:
    """One judgement for each claim of the task; what failed is unscored with its reason.

    order[i]: the index that quotes of the i-th context shown are to carry.
    """
    numbers = [claim.number for claim in task.claims]
    if isinstance(answer, JudgeError):
        return unscored(numbers, FINAL.get(answer.fault, Unscored.FAILED), answer.message)
    return read_reply(answer, numbers, task.contexts, order)

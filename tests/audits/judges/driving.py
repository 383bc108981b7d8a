"""Drives verification by hand: a judge that is a function, contexts of any length, a record of what was asked."""

import json
from collections.abc import Callable, Sequence

from audits.judges.base import (
    Answer,
    ClaimText,
    Fault,
    JudgeError,
    Judgement,
    Purpose,
    Reply,
    Steps,
    T,
    Task,
    Usage,
)
from audits.judges.verifying import verifying

Said = Callable[[Task], Answer]

CLAIM = "The annual fee is 2%."
FOR = "The annual fee is 2%"
AGAINST = "no annual fee is charged"
ROOM = 1000


def drive(steps: Steps[T], judge: Said) -> tuple[T, list[list[Task]]]:
    """The result of a question whose tasks are answered by `judge`, and the tasks of each round."""
    rounds: list[list[Task]] = []
    try:
        tasks: Sequence[Task] = next(steps)
        while True:
            rounds.append(list(tasks))
            tasks = steps.send([judge(task) for task in tasks])
    except StopIteration as end:
        return end.value, rounds


def reply(*verdicts: dict, finish: str = "stop", tokens_in: int | None = None) -> Reply:
    """A reply with these verdicts; rationale, quotes and conflict may be left out of them."""
    usual = {"rationale": "r", "quotes": [], "conflict": False}
    text = json.dumps({"verdicts": [usual | verdict for verdict in verdicts]}, ensure_ascii=False)
    return Reply(text, "m", finish, Usage(tokens_in=tokens_in))


def quoting(task: Task, *needles: str) -> list[dict]:
    """Quotes of the needles, each from the first context that holds it; of those alone that are shown."""
    found = [(n, [at for at, text in enumerate(task.contexts, 1) if n in text]) for n in needles]
    return [{"context": where[0], "text": needle} for needle, where in found if where]


def reader(supporting: Sequence[str] = (), excluding: Sequence[str] = ()) -> Said:
    """A judge that reads by needles: one that excludes decides, both sides together are a conflict."""

    def answer(task: Task) -> Reply:
        for_it, against = quoting(task, *supporting), quoting(task, *excluding)
        label = "CONTRADICTED" if against else "SUPPORTED" if for_it else "UNVERIFIED"
        conflict = bool(for_it and against)
        return reply(
            *(
                {"claim": claim.number, "label": label, "quotes": for_it + against, "conflict": conflict}
                for claim in task.claims
            )
        )

    return answer


def too_long_beyond(characters: int, judge: Said) -> Said:
    """The judge with a context window: the contexts of a task may have so many characters."""

    def answer(task: Task) -> Answer:
        if sum(map(len, task.contexts)) > characters:
            return JudgeError(Fault.TOO_LONG, "maximum context length exceeded")
        return judge(task)

    return answer


def filler(sentences: int, about: str = "shipping") -> str:
    """Text that has nothing to do with any claim."""
    return " ".join(f"Paragraph {n} explains the rules of {about} in some detail." for n in range(sentences))


def long_task(*contexts: str, claims: Sequence[str] = (CLAIM,), language: str = "en") -> Task:
    """A verification task with these contexts."""
    numbered = tuple(ClaimText(number, text) for number, text in enumerate(claims, start=1))
    return Task(Purpose.VERIFY, language, "What is the fee?", contexts=contexts, claims=numbered)


def verify(
    task: Task, judge: Said, room: int = ROOM, order: Sequence[int] | None = None
) -> tuple[list[Judgement], list[list[Task]]]:
    """The judgements of a task and what was asked in each round."""
    return drive(verifying(task, order or range(len(task.contexts)), room), judge)


def one(task: Task, judge: Said, room: int = ROOM, order: Sequence[int] | None = None) -> Judgement:
    """The judgement of a task with one claim."""
    (judgement,), _ = verify(task, judge, room, order)
    return judgement


def true_quotes(judgement: Judgement, contexts: Sequence[str]) -> list[str]:
    """The quotes that were found, after checking that each stands where it says."""
    for quote in judgement.quotes:
        if quote.found:
            assert contexts[quote.context][quote.start : quote.end] == quote.text
    return [quote.text for quote in judgement.quotes if quote.found]


LONG = (filler(150), f"{filler(60)} {FOR}, as of March. {filler(60)}", filler(80))

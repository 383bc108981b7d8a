"""Drives a question of several calls by hand: a judge that is a function, and a record of what was asked."""

import json
from collections.abc import Callable, Sequence

from audits.judges.base import Answer, Fault, JudgeError, Reply, Steps, T, Task, Usage

Said = Callable[[Task], Answer]


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

"""One judge's verdicts on some claims of a sample, in as few calls as the judge's context window allows.

What fits goes whole, in one call. What does not is judged window by window, and a last call over the evidence found
decides. Pure: it yields tasks and is sent what came of them (see `base.Steps`).
"""

from collections.abc import Sequence
from dataclasses import replace

from audits.judges.asking import alone, read_answer, smaller_room, together, too_long
from audits.judges.base import Answer, ClaimText, JudgeError, Judgement, Steps, Task
from audits.judges.windows import windowed
from audits.labels import Unscored
from audits.text.excerpts import PER_TEXT
from audits.text.length import tokens_at_most

SPOILT = frozenset({Unscored.MISSING, Unscored.TRUNCATED, Unscored.UNPARSEABLE})
"""What a reply to several claims may owe to their number: such a claim is asked once more, by itself."""


WINDOW = 100_000  # tokens that a judge takes whose context window nobody has entered
BESIDE = 6_000  # tokens of a window that contexts leave to instructions, question, claims and the reply
SMALLEST = 1_000  # tokens of contexts; a window that leaves less is too small to judge anything


def room_in(window: int | None) -> int:
    """Tokens that contexts may take in one call to a judge with this context window; None: nobody has entered it."""
    return max(SMALLEST, (window or WINDOW) - BESIDE)


def verifying(task: Task, order: Sequence[int], room: int) -> Steps[list[Judgement]]:
    """The judgements of a verification task, in the order of its claims.

    order[i]: the sample's own index of the i-th context shown. room: tokens that contexts may take in one call.
    Contexts that fit cost one call for all claims, and one more for each claim that the reply left out, spoilt, or
    gave a quote that stands nowhere. Contexts that do not fit are judged claim by claim (see `windowed`).
    """
    if fits(task.contexts, room):
        (answer,) = yield [task]
        if not too_long(answer, task):
            return (yield from _settled(task, order, room, answer))
        room = smaller_room(answer, min(room, tokens_of(task.contexts)))
    return (yield from together([_in_windows(task, claim, order, room) for claim in task.claims]))


def fits(contexts: Sequence[str], room: int) -> bool:
    """Whether the contexts go whole into one call. Counts only where a token for every character is too many."""
    return sum(map(len, contexts)) + PER_TEXT * len(contexts) <= room or tokens_of(contexts) <= room


def tokens_of(contexts: Sequence[str]) -> int:
    """About the most tokens that the contexts take in a prompt."""
    return sum(map(tokens_at_most, contexts)) + PER_TEXT * len(contexts)


def _settled(task: Task, order: Sequence[int], room: int, answer: Answer) -> Steps[list[Judgement]]:
    """What the one call says, and what asking singly adds where several claims were asked."""
    judgements = read_answer(answer, task, order)
    if len(judgements) == 1 or isinstance(answer, JudgeError) or answer.finish == "refusal":
        return judgements
    doubtful = {j.claim: j for j in judgements if j.unscored in SPOILT or not (j.unscored or j.grounded)}
    if not doubtful:
        return judgements
    claims = [claim for claim in task.claims if claim.number in doubtful]
    again = yield from together([_once_more(task, claim, order, room) for claim in claims])
    for judgement in again:
        first = doubtful[judgement.claim]
        # A call that failed takes nothing away from what was said before.
        doubtful[judgement.claim] = first if judgement.label is None and first.label is not None else judgement
    return [doubtful.get(judgement.claim, judgement) for judgement in judgements]


def _once_more(task: Task, claim: ClaimText, order: Sequence[int], room: int) -> Steps[Judgement]:
    (judgement,) = yield from verifying(alone(task, claim), order, room)
    note = "Asked again by itself: the reply on several claims did not settle this one."
    return replace(judgement, claim=claim.number, notes=(*judgement.notes, note))


def _in_windows(task: Task, claim: ClaimText, order: Sequence[int], room: int) -> Steps[Judgement]:
    judgement = yield from windowed(alone(task, claim), order, room)
    return replace(judgement, claim=claim.number)

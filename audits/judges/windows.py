"""One claim against contexts that do not fit into one call: window by window, then once over the evidence found."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from audits.judges.asking import read_answer, smaller_room, too_long
from audits.judges.base import Answer, Judgement, Quote, Steps, Task
from audits.judges.choosing import Cut, Window, choose, cut_of, target
from audits.judges.parsing import unscored
from audits.labels import Label, Unscored
from audits.text.excerpts import Excerpt, Passage, cut_again, excerpts, pack, size

MAX_WINDOWS = 128
"""Calls about one claim before the last one. 200,000 Chinese characters need about 60 of 4,000 tokens."""

FLOOR = 200  # tokens of contexts in one call; with less there is nothing to judge by
_Parts = list[list[Passage]]


def windowed(task: Task, order: Sequence[int], room: int) -> Steps[Judgement]:
    """The judgement of a task's only claim, numbered 1, on contexts too long for one call of `room` tokens.

    Every passage is in some window; all windows are asked at once, and a window that is still too long is halved.
    What windows quote on either side goes into the last call, whose label counts. A part that could not be read, or
    evidence that the last call has no room for, leaves the claim unscored unless a real quote contradicts it: what
    nobody saw could overturn every other label. quotes and shown carry the sample's own indices (order).
    """
    if room < FLOOR:
        return _unscored(Unscored.TOO_LONG, f"The model has room for {max(0, room)} tokens of contexts.", 0)
    cut = cut_of(task.contexts, room)
    if not cut.passages:
        return _unscored(Unscored.NO_CONTEXT, "The contexts hold nothing but blanks.", 0)
    windows, room = yield from _read_all(task, pack(cut.passages, room), room)
    if not windows:
        detail = f"The contexts are too long: more than {MAX_WINDOWS} windows of {room} tokens."
        return _unscored(Unscored.TOO_LONG, detail, 0)
    if len(windows) == 1:
        return _for_the_sample(windows[0].judgement, order)
    unread = [window.judgement for window in windows if window.judgement.label is None]
    if unread and not any(_stands(window.judgement) for window in windows):
        return _unscored(_reason(unread), _unread(unread, windows), len(windows))
    judgement, left_out = yield from _decide(task, windows, cut if cut.room == room else cut_of(task.contexts, room))
    if unread:
        judgement = _despite(judgement, _reason(unread), _unread(unread, windows))
    if left_out:
        detail = f"{left_out} passages with quotes of the windows did not fit into the last call."
        judgement = _despite(judgement, Unscored.TOO_LONG, detail)
    return _for_the_sample(judgement, order)


@dataclass(frozen=True)
class _Part:
    """Some passages as one call shows them."""

    task: Task
    whole: tuple[str, ...]  # the contexts in full, as numbered by the excerpts
    excerpts: list[Excerpt]

    def read(self, answer: Answer) -> Judgement:
        """What came of it, with its quotes placed in the whole contexts."""
        if too_long(answer, self.task):
            return _unscored(Unscored.TOO_LONG, "A part of the contexts was too long for the model.", 1)
        (judgement,) = read_answer(answer, self.task, range(len(self.excerpts)))
        return replace(judgement, quotes=tuple(q for quote in judgement.quotes for q in self._placed(quote)))

    def _placed(self, quote: Quote) -> list[Quote]:
        """The quote where it stands in the whole context: one for each piece that it reaches over."""
        excerpt = self.excerpts[quote.context]
        if quote.start is None or quote.end is None:
            return [replace(quote, context=excerpt.text)]
        whole = self.whole[excerpt.text]
        spans = excerpt.sources(quote.start, quote.end)
        said = [span for span in spans if any(char.isalnum() for char in whole[slice(*span)])]
        return [Quote(excerpt.text, whole[start:end], start, end) for start, end in said or spans]


def _part(task: Task, passages: Sequence[Passage]) -> _Part:
    shown = excerpts(passages, task.contexts)
    asked = replace(task, contexts=tuple(excerpt.words for excerpt in shown), excerpts=True)
    return _Part(asked, task.contexts, shown)


def _read_all(task: Task, parts: _Parts, room: int) -> Steps[tuple[list[Window], int]]:
    """A judgement for every part, those too long halved, and the room that proved small enough.

    No windows at all when they would be too many.
    """
    windows: list[Window] = []
    while parts:
        if len(windows) + len(parts) > MAX_WINDOWS:
            return [], room
        shown = [_part(task, passages) for passages in parts]
        answers = yield [part.task for part in shown]
        halves: _Parts = []
        for passages, part, answer in zip(parts, shown, answers, strict=True):
            half = smaller_room(answer, size(passages))
            if half >= FLOOR and too_long(answer, part.task):
                halves += pack(cut_again(passages, task.contexts, target(half), half), half)
                room = min(room, half)
            else:
                windows.append(Window(passages, part.read(answer)))
        parts = halves
    return sorted(windows, key=lambda window: window.passages[0]), room


def _decide(task: Task, windows: Sequence[Window], cut: Cut) -> Steps[tuple[Judgement, int]]:
    """The last call's judgement, and how many passages with decisive quotes it could not show."""
    calls = len(windows) + 1
    while True:
        choice = choose(task.claims[0].text, cut, windows)
        part = _part(task, choice.passages)
        (answer,) = yield [part.task]
        if not too_long(answer, part.task):
            shown = tuple((excerpt.text, *span) for excerpt in part.excerpts for span in excerpt.spans)
            judgement = replace(part.read(answer), shown=shown, windows=calls)
            return replace(judgement, notes=judgement.notes + _differing(windows)), choice.left_out
        room = smaller_room(answer, min(cut.room, size(choice.passages)))
        if room < FLOOR:
            return _unscored(Unscored.TOO_LONG, "Not even the evidence found fits into one call.", calls), 0
        cut = cut_of(task.contexts, room)


def _differing(windows: Sequence[Window]) -> tuple[str, ...]:
    """A note where some parts of the contexts bear the claim out and others exclude it."""
    said = Counter(window.judgement.label for window in windows)
    if not (said[Label.SUPPORTED] and said[Label.CONTRADICTED]):
        return ()
    counts = ", ".join(f"{label} {said[label]}" for label in Label)
    return (f"Parts of the contexts were judged differently: {counts}.",)


def _stands(judgement: Judgement) -> bool:
    """A contradiction with a real quote: nothing that was not read can undo it."""
    return judgement.label is Label.CONTRADICTED and judgement.grounded


def _reason(unread: Sequence[Judgement]) -> Unscored:
    return unread[0].unscored or Unscored.FAILED


def _unread(unread: Sequence[Judgement], windows: Sequence[Window]) -> str:
    return f"{len(unread)} of {len(windows)} parts of the contexts could not be read: {unread[0].detail}"


def _despite(judgement: Judgement, reason: Unscored, detail: str) -> Judgement:
    """The judgement where it stands all the same, with a note; else unscored."""
    if judgement.label is None:
        return judgement
    if _stands(judgement):
        return replace(judgement, notes=(*judgement.notes, detail))
    return replace(judgement, label=None, unscored=reason, detail=f"{detail} The last call said {judgement.label}.")


def _unscored(reason: Unscored, detail: str, calls: int) -> Judgement:
    (judgement,) = unscored([1], reason, detail)
    return replace(judgement, shown=(), windows=calls)


def _for_the_sample(judgement: Judgement, order: Sequence[int]) -> Judgement:
    """The judgement with the sample's own indices instead of those shown."""
    shown = judgement.shown
    return replace(
        judgement,
        quotes=tuple(replace(quote, context=order[quote.context]) for quote in judgement.quotes),
        shown=None if shown is None else tuple(sorted((order[text], start, end) for text, start, end in shown)),
    )

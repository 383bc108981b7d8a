"""One answer's claims, in as many calls as it takes: parts of a long answer, cut replies, sentences left out.

No I/O and no clock: the caller asks what is yielded, all at once if it likes, and sends the answers back. No two
requests for one answer are the same, so a kept reply to one of them is never taken for that to another.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from audits.judges.base import (
    FINAL,
    Answer,
    Extracted,
    ExtractedClaim,
    Fault,
    JudgeError,
    Reply,
    Sentence,
    Steps,
    Task,
)
from audits.judges.parsing import MAX_CLAIMS, MAX_NOTES, ParseError, read_extraction
from audits.judges.salvaging import salvage
from audits.judges.sentence_windows import ROOM, Window, halves, neighbours, windows
from audits.labels import Unscored
from audits.text.refusals import is_refusal

MAX_CUTS = 4  # how often a part is halved because its reply was cut: from 30 sentences to 2
_CUT = "The reply was cut at the token limit, again after the part was made smaller."
_NOTHING = "The reply holds neither claims nor a reason why there are none."


class ExtractionFailed(Exception):
    """The claims of an answer cannot be told, or not all of them. message: for people; reason: for counting."""

    def __init__(self, message: str, reason: Unscored) -> None:
        super().__init__(message, reason)
        self.message = message
        self.reason = reason

    def __str__(self) -> str:
        return self.message


def extracting(task: Task, room: int = ROOM) -> Steps[Extracted]:
    """All claims of the task's answer. room: as in sentence_windows.windows.

    Sentences that the replies leave out are asked again once; what is left out then, too, is `unaccounted`.
    Raises ExtractionFailed when a part of the answer got no usable reply, or nothing at all was said of an answer
    that is no refusal.
    """
    found = _Found(task)
    if not task.sentences:
        return found.result()
    yield from _asked(found, windows(task.sentences, room))
    if not found.claims and is_refusal(task.answer):
        found.fill_in_refusal()
    if left := found.left():
        found.asked_again = True
        try:
            yield from _asked(found, windows(left, room), again=True)
        except ExtractionFailed as failure:
            if found.is_silent:
                raise
            # What the first replies say stands, and what they leave out stays in view.
            found.notes.append(f"Asked again in vain. {failure.message}")
    if found.is_silent:
        raise ExtractionFailed(_NOTHING, Unscored.UNPARSEABLE)
    return found.result()


def _asked(found: "_Found", parts: list[Window], *, again: bool = False) -> Steps[None]:
    """Ask all parts, and those whose reply was cut once more in halves, until each has a whole reply."""
    for _ in range(MAX_CUTS + 1):
        answers = yield [found.question(part, again) for part in parts]
        parts = [half for rest in found.take_all(parts, answers) for half in halves(rest)]
        if not parts:
            return
    raise _failure([(part, _CUT) for part in parts], found.task, Unscored.TRUNCATED)


class _Found:
    """What the replies to one answer hold so far."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.claims: dict[tuple[str, int, int], ExtractedClaim] = {}
        self.no_claims: dict[int, str] = {}
        self.notes: list[str] = []
        self.parts = 0
        self.asked_again = False

    @property
    def is_silent(self) -> bool:
        """Nothing was said of any sentence."""
        return not self.claims and not self.no_claims

    def question(self, part: Window, again: bool) -> Task:
        """The task of one part."""
        return replace(self.task, sentences=part, neighbours=neighbours(part, self.task.sentences), again=again)

    def take_all(self, parts: Sequence[Window], answers: Sequence[Answer]) -> list[Window]:
        """Keep what the replies say; of each reply that was cut, the sentences that it does not settle come back."""
        rests, failures = [], []
        for part, answer in zip(parts, answers, strict=True):
            try:
                rests.append(self._take(part, answer))
            except ExtractionFailed as failure:
                failures.append((part, failure))
        if failures:
            raise _failure([(part, f.message) for part, f in failures], self.task, failures[0][1].reason)
        return [rest for rest in rests if rest]

    def _take(self, part: Window, answer: Answer) -> Window:
        if isinstance(answer, JudgeError):
            if answer.fault is Fault.TOO_LONG and len(part) > 1:
                return part
            raise ExtractionFailed(answer.message, FINAL.get(answer.fault, Unscored.FAILED))
        if answer.finish == "refusal":
            said = f" It says: {answer.text[:300]}" if answer.text.strip() else ""
            raise ExtractionFailed(f"The model declined to cut the answer.{said}", Unscored.REFUSED)
        try:
            self._keep(part, answer.text)
        except ParseError as error:
            if answer.finish == "length":
                return self._salvage(part, answer)
            raise ExtractionFailed(str(error), Unscored.UNPARSEABLE) from None
        return ()

    def _salvage(self, part: Window, reply: Reply) -> Window:
        """Keep what a cut reply settles; the rest of the part comes back. Raises where that is a single sentence."""
        entries, settled = salvage(reply.text, [sentence.number for sentence in part])
        rest = tuple(sentence for sentence in part if sentence.number not in settled)
        if len(part) == 1 and rest:
            raise ExtractionFailed("The reply was cut at the token limit.", Unscored.TRUNCATED)
        if settled:
            self._keep(part, json.dumps(entries, ensure_ascii=False))
        if rest:
            self.notes.append(f"A reply was cut; {_names(rest)} asked again in smaller parts.")
        return rest

    def _keep(self, part: Window, text: str) -> None:
        """Add what a reply says of the part's own sentences. Raises ParseError."""
        extracted = read_extraction(text, part, self.task.answer)
        if len(self.claims) + len(extracted.claims) > MAX_CLAIMS:
            raise ParseError(f"The answer yields more than {MAX_CLAIMS} claims.")
        self.claims |= {(claim.text, claim.start, claim.end): claim for claim in extracted.claims}
        self.no_claims |= extracted.no_claims
        self.notes += extracted.notes
        self.parts += 1

    def left(self) -> Window:
        """The sentences that have neither claims nor a reason."""
        accounted = {claim.sentence for claim in self.claims.values()} | self.no_claims.keys()
        return tuple(sentence for sentence in self.task.sentences if sentence.number not in accounted)

    def fill_in_refusal(self) -> None:
        """An answer that does nothing but decline needs no second call for the sentences that were left out."""
        for sentence in self.left():
            self.no_claims[sentence.number] = "refusal" if is_refusal(sentence.text) else "other"

    def result(self) -> Extracted:
        """All of it, in the order of the answer."""
        claims = sorted(self.claims.values(), key=lambda claim: claim.sentence)  # within a sentence they are in order
        reasons = dict(sorted(self.no_claims.items()))
        unaccounted = tuple(sentence.number for sentence in self.left())
        notes = tuple(dict.fromkeys(self.notes))[:MAX_NOTES]
        return Extracted(tuple(claims), reasons, unaccounted, notes, max(1, self.parts), self.asked_again)


def _failure(of: Sequence[tuple[Window, str]], task: Task, reason: Unscored) -> ExtractionFailed:
    """One failure of all parts that failed, which names their sentences where others did not fail."""
    if sum(len(part) for part, _ in of) == len(task.sentences):
        return ExtractionFailed(" ".join(dict.fromkeys(message for _, message in of)), reason)
    grouped = groupby(of, key=lambda row: row[1])
    named = (f"{_names(s for part, _ in rows for s in part)}: {message}" for message, rows in grouped)
    return ExtractionFailed(" ".join(named), reason)


def _names(sentences: Iterable[Sentence]) -> str:
    """ "Sentence 4" or "Sentences 1-3, 7"."""
    numbers = sorted(sentence.number for sentence in sentences)
    runs = [[n for _, n in run] for _, run in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0])]
    told = ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
    return f"{'Sentence' if len(numbers) == 1 else 'Sentences'} {told}"

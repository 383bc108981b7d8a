"""Passages that an expert marked as the reason for a label: read from a form, checked, stored."""

import re
from collections.abc import Iterable, Sequence

from review.models import Adjudication, EvidenceMark

MOST = 50  # marks of one label
Mark = tuple[int, int, int]
"""(context, start, end): context from 0, span in code points of the context."""
_FORM = re.compile(r"(\d{1,9}):(\d{1,9}):(\d{1,9})", re.ASCII)


class BadMark(ValueError):
    """A mark that cannot be stored. code: unreadable, outside (of the contexts), too_many."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def parse(values: Iterable[str]) -> tuple[Mark, ...]:
    """Marks as a form sends them, "context:start:end" each, overlapping and touching ones of a context joined.

    BadMark("unreadable") for anything else, BadMark("too_many") beyond MOST. Whether they lie in the contexts is
    asked by `store`.
    """
    read = []
    for value in values:
        found = _FORM.fullmatch(value)
        if found is None or int(found[2]) >= int(found[3]):
            raise BadMark("unreadable")
        read.append((int(found[1]), int(found[2]), int(found[3])))
    joined = merged(read)
    if len(joined) > MOST:
        raise BadMark("too_many")
    return joined


def merged(marks: Iterable[Mark]) -> tuple[Mark, ...]:
    """The marks in reading order, those that overlap or touch as one."""
    out: list[Mark] = []
    for context, start, end in sorted(marks):
        if out and out[-1][0] == context and start <= out[-1][2]:
            out[-1] = (context, out[-1][1], max(out[-1][2], end))
        else:
            out.append((context, start, end))
    return tuple(out)


def store(adjudication: Adjudication, marks: Iterable[Mark]) -> list[EvidenceMark]:
    """Keep the marks beside the label, with the marked text as it stands in the context.

    BadMark("outside") when one does not lie in a context of the claim's sample, BadMark("too_many"): then none is
    stored. To be called in the transaction that stores the label.
    """
    wanted = merged(marks)
    if not wanted:
        return []
    if len(wanted) > MOST:
        raise BadMark("too_many")
    contexts = adjudication.item.claim.sample.contexts
    rows = [EvidenceMark(adjudication=adjudication, **_checked(mark, contexts)) for mark in wanted]
    return EvidenceMark.objects.bulk_create(rows)


def _checked(mark: Mark, contexts: Sequence[object]) -> dict[str, object]:
    context, start, end = mark
    if not 0 <= context < len(contexts) or not 0 <= start < end <= len(str(contexts[context])):
        raise BadMark("outside")
    return {"context": context, "start": start, "end": end, "text": str(contexts[context])[start:end]}


def as_form(adjudication: Adjudication | None) -> list[str]:
    """The marks of a label as `parse` reads them; none without a label."""
    if adjudication is None:
        return []
    return [f"{mark.context}:{mark.start}:{mark.end}" for mark in adjudication.marks.all()]

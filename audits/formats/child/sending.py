"""A whole file, sent as frames of mapped rows, and at its end what showed only then."""

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from audits.formats.base import Record, RowProblem, SourceRow
from audits.formats.child.frames import write_frame
from audits.formats.child.odd_rows import OddRows
from audits.formats.child.plain import PlainMapper
from audits.formats.child.rows import Gathering
from audits.formats.child.twice import Twice
from audits.formats.claim_rows import one_per_answer
from audits.formats.columns import RowMapper
from audits.formats.opened import Opened

ROWS = 250  # of a batch at most
STEP = 16  # rows between two looks at how much of the file a batch holds, at most
SHARE = 1 << 20  # bytes of the file, of a batch
Row = SourceRow | RowProblem


def send_rows(path: Path, opened: Opened, mapping: Mapping[str, Any], skip: int, out: BinaryIO) -> dict[str, Any]:
    """Write all rows from number `skip` on; what is to be told at the end. Those before are only remembered."""
    sender = _Sender(mapping, skip)
    rows = one_per_answer(opened.rows(), mapping)
    for batch in _batches(rows, opened, cut_at=skip, share=SHARE / max(1, path.stat().st_size)):
        sender.take(batch)
        if sender.gathering.full:
            write_frame(out, *sender.gathering.frame(sender.done, opened.fraction))
    if sender.gathering:
        write_frame(out, *sender.gathering.frame(sender.done, opened.fraction))
    notices, flagged = sender.twice.told()
    return {"done": sender.done, "notices": [*notices, *sender.odd.told()], "flagged": flagged}


def _batches(rows: Iterator[Row], opened: Opened, *, cut_at: int, share: float) -> Iterator[list[Row]]:
    """Rows many at a time, but never too much of the file. cut_at: number of a row before which a batch ends."""
    batch: list[Row] = []
    done, began, step = 0, opened.fraction or 0.0, 1
    while some := list(islice(rows, min(step, ROWS - len(batch), cut_at - done if done < cut_at else step))):
        batch += some
        done += len(some)
        now = opened.fraction
        # Where nothing tells how much that was, a batch is small.
        held = now - began if now is not None else share * len(batch) / (2 * STEP)
        if held >= share or len(batch) >= ROWS or done == cut_at:
            step = max(1, min(STEP, int(len(batch) * share / 4 / held) if held else STEP))  # heavy rows one by one
            yield batch
            batch, began = [], now or 0.0
    if batch:
        yield batch


class _Sender:
    """Takes rows batch by batch."""

    def __init__(self, mapping: Mapping[str, Any], skip: int) -> None:
        self._plain, self._mapper, self._skip = PlainMapper(mapping), RowMapper(mapping), skip
        self.gathering, self.twice, self.odd = Gathering(), Twice(), OddRows()
        self.done = 0

    def take(self, batch: list[Row]) -> None:
        """Map a batch, by the fast way where nothing in it is odd."""
        mapped = self._plain.batch(self.done, batch) if self._plain.can else None
        if mapped is None:
            self._take_each(batch)
        else:
            lines = [row.line for row in batch]
            self.twice.add_all(self.done, lines, mapped.ids, mapped.questions, mapped.answers, mapped.contexts)
            if self.done >= self._skip:
                self.gathering.add_told(mapped.told)
        self.done += len(batch)

    def _take_each(self, batch: list[Row]) -> None:
        for position, row in enumerate(batch, start=self.done):
            found = self._mapper(row) if isinstance(row, SourceRow) else row
            if isinstance(found, Record):
                self.odd.add(found.line, found.flags)
                self.twice.add(position, found.line, found.external_id, found.question, found.answer, found.contexts)
            if position >= self._skip:
                self.gathering.add(position, found)

"""Rows that a file holds twice: the same identifier, or the same question, contexts and answer; in bounded memory."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

FEW = 500_000  # rows of which it is known without numpy, which takes longer to load, that none is there twice
MOST_GROUPS = 100
MOST_LINES = 20  # of one group
_64_BITS = (1 << 64) - 1
_NONE = 0  # instead of a hash: shared with no row


@dataclass(frozen=True)
class Duplicates:
    """Rows that share one thing. The lines are those of the file, in order."""

    kind: str  # "id" | "row": also the flag, with duplicate_ before it
    groups: tuple[tuple[int, ...], ...]  # lines of the first MOST_GROUPS groups, MOST_LINES of each at most
    group_count: int  # of all groups
    row_count: int  # of all rows that share it, the first of each group too

    @property
    def flag(self) -> str:
        """The flag of these rows, of oddities.FLAGS."""
        return f"duplicate_{self.kind}"


class Seen:
    """What has been seen of a file's rows: 20 bytes for each, and 50 more while `found` runs (2 million: 140 MB).

    Hashes are Python's own and hold in this process only: an import that goes on in another one adds what it has
    stored. Two different rows out of 2 million are taken for the same with a probability of 1e-7 (n²/2^65).
    """

    def __init__(self) -> None:
        self._ids = array("Q")
        self._rows = array("Q")
        self._lines = array("I")

    def __len__(self) -> int:
        return len(self._lines)

    def add(self, line: int, external_id: str, question: str, answer: str, contexts: Sequence[str]) -> None:
        """One row that is good. A row without an identifier shares none."""
        self._lines.append(line)
        self._ids.append((hash(external_id) & _64_BITS or 1) if external_id else _NONE)
        self._rows.append(hash((question, answer, *contexts)) & _64_BITS or 1)

    def found(self) -> list[Duplicates]:
        """The kinds of duplicates that there are, "id" first; no kind without any."""
        kinds = [(kind, hashes) for kind, hashes in (("id", self._ids), ("row", self._rows)) if _may_share(hashes)]
        if not kinds:
            return []
        import numpy as np

        lines = np.frombuffer(self._lines, np.uint32)
        return [found for kind, hashes in kinds if (found := _duplicates(kind, hashes, lines)) is not None]

    def lines(self, kind: str) -> "npt.NDArray[np.uint32]":
        """The lines of all rows that share this kind of thing with another row, in file order."""
        import numpy as np

        order, starts, sizes = _groups(self._ids if kind == "id" else self._rows)
        if not len(starts):
            return np.empty(0, np.uint32)
        places = np.concatenate([order[start : start + size] for start, size in zip(starts, sizes, strict=True)])
        shared: npt.NDArray[np.uint32] = np.frombuffer(self._lines, np.uint32)[np.sort(places)]
        return shared


def _may_share(hashes: "array[int]") -> bool:
    return len(hashes) > FEW or len({*hashes} - {_NONE}) < len(hashes) - hashes.count(_NONE)


def _duplicates(kind: str, hashes: "array[int]", lines: "npt.NDArray[np.uint32]") -> Duplicates | None:
    import numpy as np

    order, starts, sizes = _groups(hashes)
    if not len(starts):
        return None
    first = np.argsort(order[starts], kind="stable")[:MOST_GROUPS]  # a group's first row comes first in it
    groups = (order[starts[at] : starts[at] + min(int(sizes[at]), MOST_LINES)] for at in first)
    return Duplicates(
        kind=kind,
        groups=tuple(tuple(int(line) for line in lines[places]) for places in groups),
        group_count=len(starts),
        row_count=int(sizes.sum()),
    )


def _groups(hashes: "array[int]") -> "tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], npt.NDArray[np.intp]]":
    """(rows ordered by hash and place, where in this order each group of several begins, how many rows it has)."""
    import numpy as np

    values = np.frombuffer(hashes, np.uint64) if hashes else np.empty(0, np.uint64)
    order = np.argsort(values, kind="stable")
    ranked = values[order]
    begins = np.ones(len(ranked), bool)
    begins[1:] = ranked[1:] != ranked[:-1]
    starts = np.flatnonzero(begins)
    sizes = np.diff(np.append(starts, len(ranked)))
    several = (sizes > 1) & (ranked[starts] != _NONE)
    return order, starts[several], sizes[several]

"""A part of a statement, or of what it rests on, compared with what a package gives again. Pure."""

from dataclasses import dataclass
from typing import Any

from review.differences import Difference, differences
from review.statement import canonical

OLD = "an earlier version of the program made this package, without what it follows from"


@dataclass(frozen=True)
class Part:
    """One part. differences: empty when it is the same, byte for byte. missing: not empty when it cannot be repeated,
    and why."""

    name: str
    differences: tuple[Difference, ...] = ()
    missing: str = ""

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return not self.differences


def part(name: str, signed: Any, again: Any) -> Part:
    """Compare canonical bytes; only if they differ, look where."""
    if canonical({"part": signed}) == canonical({"part": again}):
        return Part(name)
    found = tuple(differences(signed, again, name))
    # True and 1 differ in bytes alone: then the whole is shown.
    return Part(name, found or (Difference(name, repr(signed)[:200], repr(again)[:200]),))

"""Two lists of rows matched by key and told apart by digests, so that no text has to be held in memory."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

SIZE = 8  # bytes of a digest: two texts of a pair are taken for equal by mistake once in 10^19


class Row(NamedTuple):
    """One row. key: what it is matched by. digests: SIZE bytes per field, in one piece."""

    pk: int
    key: bytes
    digests: bytes


class Pair(NamedTuple):
    """A row that is in both. changed: bit i is set where field i differs."""

    old: int
    new: int
    changed: int


@dataclass(frozen=True)
class Matched:
    """pairs and added in the order of the new rows, removed in that of the old ones; added, removed: pks."""

    pairs: tuple[Pair, ...]
    added: tuple[int, ...]
    removed: tuple[int, ...]


def digest(text: str) -> bytes:
    """SIZE bytes that stand for a text. Lone surrogates are kept apart."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=SIZE).digest()


def match(old: Sequence[Row], new: Sequence[Row]) -> Matched:
    """Which row of `new` is which of `old`. Of several rows with one key, equal ones go together, then in order."""
    waiting, given = _by_key(old), _by_key(new)
    partners = {
        after.pk: before for key, rows in given.items() for before, after in _paired(waiting.get(key, ()), rows)
    }
    taken = {row.pk for row in partners.values()}
    return Matched(
        pairs=tuple(_pair(partners[row.pk], row) for row in new if row.pk in partners),
        added=tuple(row.pk for row in new if row.pk not in partners),
        removed=tuple(row.pk for row in old if row.pk not in taken),
    )


def changed_fields(changed: int, fields: Sequence[str]) -> list[str]:
    """The names of the fields whose bit is set."""
    return [field for number, field in enumerate(fields) if changed >> number & 1]


def _by_key(rows: Iterable[Row]) -> dict[bytes, list[Row]]:
    groups: dict[bytes, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row.key].append(row)
    return groups


def _paired(old: Sequence[Row], new: Sequence[Row]) -> Iterator[tuple[Row, Row]]:
    """Rows of one key. Equal ones first: a row put in before two alike must not make both of them changed."""
    equal: dict[bytes, deque[Row]] = defaultdict(deque)
    for row in old:
        equal[row.digests].append(row)
    rest, taken = [], set()
    for row in new:
        if equal.get(row.digests):
            before = equal[row.digests].popleft()
            taken.add(before.pk)
            yield before, row
        else:
            rest.append(row)
    yield from zip((row for row in old if row.pk not in taken), rest, strict=False)


def _pair(old: Row, new: Row) -> Pair:
    if old.digests == new.digests:
        return Pair(old.pk, new.pk, 0)
    fields = zip(_cut(old.digests), _cut(new.digests), strict=True)
    return Pair(old.pk, new.pk, sum(1 << number for number, (before, after) in enumerate(fields) if before != after))


def _cut(digests: bytes) -> list[bytes]:
    return [digests[at : at + SIZE] for at in range(0, len(digests), SIZE)]

"""The rows of a comparison that a page shows, with the texts in which they differ. Only these are loaded."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from audits.comparison.datasets import FIELDS
from audits.comparison.rows import changed_fields
from audits.comparison.words import Stretch, aligned, differing, stretches
from audits.models import GivenLabel, Sample

HIDDEN = frozenset({"reference", "metadata", "labels"})
"""What an expert must not read before labelling: it says, or may say, what others think of the answer."""


@dataclass(frozen=True)
class Part:
    """Two texts side by side. title: which of several, "" for the only one. None: there is none on that side.

    old_words, new_words: the texts with what the other one lacks marked; None where one is too long to say, or stands
    alone.
    """

    title: str
    old: str | None
    new: str | None
    old_words: Sequence[Stretch] | None = None
    new_words: Sequence[Stretch] | None = None


@dataclass(frozen=True)
class Change:
    """One field that differs. parts: none where the reader must not see them."""

    field: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class ShownRow:
    """A row with its sample in either version, None where it has none."""

    old: Sample | None
    new: Sample | None
    changes: tuple[Change, ...]

    @property
    def sample(self) -> Sample | None:
        """The newer one that there is."""
        return self.new or self.old


def shown_rows(rows: Sequence[tuple[int | None, int | None, int]], hidden: Collection[str] = ()) -> list[ShownRow]:
    """rows: as Comparison.rows gives them. hidden: fields of which only is said that they changed."""
    wanted = {pk for row in rows for pk in row[:2] if pk is not None}
    samples = Sample.objects.in_bulk(wanted)
    labels = _labels(wanted)
    shown = []
    for before, after, changed in rows:
        old, new = samples.get(before or 0), samples.get(after or 0)
        changes: list[Change] = []
        if old is not None and new is not None:
            for field in changed_fields(changed, FIELDS):
                parts = () if field in hidden else tuple(_parts(field, old, new, labels))
                changes.append(Change(field, parts))
        shown.append(ShownRow(old, new, tuple(changes)))
    return shown


def part(title: str, old: str | None, new: str | None) -> Part:
    """Two texts with the words in which they differ."""
    spans = None if old is None or new is None else differing(old, new)
    if spans is None or old is None or new is None:
        return Part(title, old, new)
    return Part(title, old, new, stretches(old, spans[0]), stretches(new, spans[1]))


def _parts(field: str, old: Sample, new: Sample, labels: dict[int, str]) -> Iterator[Part]:
    if field == "contexts":
        return _contexts(old.contexts, new.contexts)
    if field == "metadata":
        return _columns(_metadata(old), _metadata(new))
    if field == "labels":
        return iter([part("", labels.get(old.pk), labels.get(new.pk))])
    return iter([part("", getattr(old, field), getattr(new, field))])


def _contexts(old: Sequence[str], new: Sequence[str]) -> Iterator[Part]:
    for before, after in aligned(old, new):
        numbers = list(dict.fromkeys(str(n + 1) for n in (before, after) if n is not None))
        title = _("Context %(number)s") % {"number": " → ".join(numbers)}
        yield part(title, None if before is None else old[before], None if after is None else new[after])


def _columns(old: list[tuple[str, str]], new: list[tuple[str, str]]) -> Iterator[Part]:
    before, after = dict(old), dict(new)
    for name in dict.fromkeys([*before, *after]):
        if before.get(name) != after.get(name):
            yield part(name, before.get(name), after.get(name))


def _metadata(sample: Sample) -> list[tuple[str, str]]:
    """(column, text) of everything that came with the row."""
    time = sample.timestamp.isoformat() if sample.timestamp else ""
    known = [(_("Tags"), ", ".join(sample.tags)), (_("Generator model"), sample.generator), (_("Time"), time)]
    rest = [(str(name), _text(value)) for name, value in sample.metadata.items()]
    return [(name, text) for name, text in known if text] + rest


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _labels(samples: Iterable[int]) -> dict[int, str]:
    """Sample -> the labels that people gave its answer, one a line."""
    lines: dict[int, list[str]] = defaultdict(list)
    for label in GivenLabel.objects.filter(sample__in=samples).order_by("sample", "position"):
        lines[label.sample_id].append(str(label))
    return {sample: "\n".join(said) for sample, said in lines.items()}

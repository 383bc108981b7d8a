"""What a project tells its experts about deciding: the version in force, new versions, what each of them changed.

A project that has written none has the built-in ones (review/default_guidelines.py), in the reader's language.
"""

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.db import IntegrityError, transaction

from audits.comparison.words import Stretch, differing, stretches
from audits.labels import Label
from audits.models import Event, Project
from audits.text.language import language_of
from review.default_guidelines import EXAMPLES, TEXTS
from review.models import Guidelines

TEXT_LIMIT = 20_000  # characters of the text
PART_LIMIT = 1_000  # characters of each part of an example
MOST_EXAMPLES = 12


@dataclass(frozen=True)
class Example:
    """A claim with its context, the label that it gets, and why. label: a code value of Label."""

    claim: str
    context: str
    label: str
    why: str


@dataclass(frozen=True)
class Guide:
    """Guidelines as they are read. version 0: the built-in ones, which nobody wrote."""

    version: int
    text: str
    examples: tuple[Example, ...]
    author: str = ""
    created: datetime.datetime | None = None

    @property
    def paragraphs(self) -> list[str]:
        """The text, cut where it has empty lines."""
        return [part.strip() for part in self.text.split("\n\n") if part.strip()]

    @property
    def by_label(self) -> list[tuple[str, list[Example]]]:
        """(label, its examples) in the order of the labels; labels without examples are left out."""
        sorted_in = [(str(label), [one for one in self.examples if one.label == label]) for label in Label]
        return [(label, found) for label, found in sorted_in if found]

    def says(self, text: str, examples: Sequence[Example]) -> bool:
        """Whether its content is exactly this."""
        return (self.text, self.examples) == (text, tuple(examples))


@dataclass(frozen=True)
class Version:
    """One version in the list of versions. added, gone: examples that the version before lacks, or had."""

    guide: Guide
    text_changed: bool
    added: tuple[Example, ...]
    gone: tuple[Example, ...]


@dataclass(frozen=True)
class Change:
    """What a version changed, in words. before, after: the texts with what differs; None: too long to compare."""

    version: Version
    previous: Guide
    before: Sequence[Stretch] | None
    after: Sequence[Stretch] | None


class Overtaken(Exception):
    """Somebody else has saved a version meanwhile; `newest` is what holds now. Nothing was saved."""

    def __init__(self, newest: Guide) -> None:
        super().__init__(f"version {newest.version} was saved meanwhile")
        self.newest = newest


def in_force(project: Project) -> Guidelines | None:
    """The newest version of the project; None while the built-in guidelines hold."""
    found: Guidelines | None = Guidelines.objects.filter(project=project).order_by("-version").first()
    return found


def panel(project: Project, language: str) -> Guide:
    """What an expert of the project reads now. language: of the page ("en", "zh-hans"), for the built-in ones."""
    row = in_force(project)
    return _read(row) if row else built_in(language)


def built_in(language: str) -> Guide:
    """The guidelines of a project without its own; English for a language that they do not speak."""
    spoken = language[:2] if language[:2] in TEXTS else "en"
    return Guide(0, TEXTS[spoken], tuple(Example(**row) for row in EXAMPLES[spoken]))


def publish(project: Project, *, by: Any, text: str, examples: Iterable[Example], based_on: int) -> Guidelines | None:
    """Store a new version; None when it would say what holds already (sending a form twice stores it once).

    based_on: the version that the author read. Overtaken when another one holds by now.
    """
    wanted = tuple(examples)
    text = "\n".join(line.rstrip() for line in text.replace("\r\n", "\n").strip().split("\n"))
    try:
        with transaction.atomic():
            return _publish(project, by, text, wanted, based_on)
    except IntegrityError:  # two people saved at this very moment; the other one was first
        with transaction.atomic():
            return _publish(project, by, text, wanted, based_on)


def _publish(project: Project, by: Any, text: str, examples: tuple[Example, ...], based_on: int) -> Guidelines | None:
    newest = in_force(project)
    holding = [_read(newest)] if newest else [built_in(language) for language in TEXTS]
    if any(guide.says(text, examples) for guide in holding):
        return None
    if holding[0].version != based_on:
        raise Overtaken(holding[0])
    rows = [asdict(example) for example in examples]
    made: Guidelines = Guidelines.objects.create(
        project=project, version=based_on + 1, text=text, examples=rows, created_by=by
    )
    Event.record("guidelines_published", project=project, actor=by, rows=[made], version=made.version)
    return made


def history(project: Project) -> list[Version]:
    """All versions, the newest first, each with what it changed."""
    rows = list(Guidelines.objects.filter(project=project).select_related("created_by").order_by("version"))
    guides = [_read(row) for row in rows]
    before = [_origin(guides[0]), *guides[:-1]] if guides else []
    return [_version(guide, previous) for guide, previous in zip(guides, before, strict=True)][::-1]


def change_of(project: Project, number: int) -> Change | None:
    """What this version changed, word by word; None when there is no such version."""
    guides = {version.guide.version: version for version in history(project)}
    version = guides.get(number)
    if version is None:
        return None
    previous = guides[number - 1].guide if number - 1 in guides else _origin(version.guide)
    spans = differing(previous.text, version.guide.text)
    if spans is None:
        return Change(version, previous, None, None)
    return Change(version, previous, stretches(previous.text, spans[0]), stretches(version.guide.text, spans[1]))


def _origin(first: Guide) -> Guide:
    """What a first version is compared with: the built-in text in its own language."""
    return built_in(language_of(first.text))


def _version(guide: Guide, previous: Guide) -> Version:
    added = tuple(example for example in guide.examples if example not in previous.examples)
    gone = tuple(example for example in previous.examples if example not in guide.examples)
    return Version(guide, guide.text != previous.text, added, gone)


def _read(row: Guidelines) -> Guide:
    author = row.created_by.get_username() if row.created_by else ""
    return Guide(row.version, row.text, tuple(_example(each) for each in row.examples), author, row.created)


def _example(row: Mapping[str, str]) -> Example:
    return Example(**{part: row.get(part, "") for part in ("claim", "context", "label", "why")})

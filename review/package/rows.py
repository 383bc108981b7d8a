"""The tables of an evidence package as typed rows. What contradicts itself is refused here: numbers that stand twice,
rows about things that no other table knows."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, TypeVar

from audits.labels import Decision, Label
from review.models import ReviewItem, Stratum
from review.package.cells import Row
from review.package.errors import PackageError
from review.package.reading import Package

ONCE = datetime(2000, 1, 1, tzinfo=UTC)  # stands for "at some time", where only that it happened counts
STRATA = tuple(str(name) for name in Stratum)
STATUSES = ("done", "failed", "pending")
K = TypeVar("K")


@dataclass(frozen=True)
class ClaimRow:
    """A row of claims.csv. stated: stratum, drawn, expert, given_up, outcome, as they stand there."""

    claim: int
    sample: int
    sample_id: str
    sentence: int
    start: int
    text: str
    vague: bool
    ambiguous: bool
    decision: str
    stated: tuple[str, ...]


@dataclass(frozen=True)
class AnswerRow:
    """A row of answers.csv. passed_over, reasons: None in packages of format 1."""

    sample: int
    sample_id: str
    line: int
    status: str
    refusal: bool
    sentences: int
    passed_over: int | None
    reasons: Mapping[str, str] | None


@dataclass(frozen=True)
class VerdictRow:
    """A row of verdicts.csv."""

    claim: int
    judge: int
    model: tuple[str, str]
    label: Label | None
    grounded: bool
    conflict: bool


@dataclass(frozen=True)
class WordRow:
    """A row of adjudications.csv. reviewer: numbered here; named: as it stands there. stated: what the row repeats of
    other tables or follows from them: text, sample_id, line, known_label, recut_of, kind, stratum, decision, stands,
    outcome."""

    pk: int
    claim: int
    reviewer: int
    named: str
    slot: int | None
    arbitrates: bool
    revision: int
    label: Label | None
    blind: bool
    created: datetime
    marks: tuple[Mapping[str, Any], ...]
    stated: tuple[str, ...]


@dataclass(frozen=True)
class PlaceRow:
    """What items.csv says beside the fields of an item: answer and start of its claim; whether its second label was
    waived."""

    sample: int
    start: int
    waived: bool


class Tables:
    """Every table is read once, when it is asked for. PackageError for one that is not as it should be."""

    def __init__(self, package: Package) -> None:
        self.package, self.format = package, package.format

    @cached_property
    def seeds(self) -> Mapping[str, Any]:
        """seeds.json."""
        found: Mapping[str, Any] = self.package.json("seeds.json")
        percent = found.get("double_percent")
        if not isinstance(percent, int) or isinstance(percent, bool) or not 0 <= percent <= 100:
            raise PackageError("seeds.json: double_percent is no whole number from 0 to 100")
        for name in ("rule_changed", "pseudonymised", "contexts"):
            if not isinstance(found.get(name), bool):
                raise PackageError(f"seeds.json: {name} is neither true nor false")
        return found

    @cached_property
    def answers(self) -> dict[int, AnswerRow]:
        """By sample, in the order of the dataset."""
        added = ("passed_over", "without_claims") if self.format > 1 else ()
        columns = ("sample", "sample_id", "line", "status", "refusal", "sentences", *added)
        found: dict[int, AnswerRow] = {}
        for row in self.package.table("answers.csv", *columns):
            _once(row, "sample", found, row.whole("sample"))
            found[row.whole("sample")] = AnswerRow(
                row.whole("sample"),
                row.raw("sample_id"),
                row.whole("line"),
                row.one_of("status", STATUSES),
                row.truth("refusal"),
                row.whole("sentences"),
                row.whole("passed_over") if added else None,
                row.json("without_claims", dict) if added else None,
            )
        return found

    @cached_property
    def claims(self) -> dict[int, ClaimRow]:
        """By claim, in the order of the answers."""
        stated = ("stratum", "drawn", "expert", "given_up", "outcome")
        columns = (
            "claim",
            "sample",
            "sample_id",
            "sentence",
            "start",
            "text",
            "vague",
            "ambiguous",
            "decision",
            *stated,
        )
        found: dict[int, ClaimRow] = {}
        for row in self.package.table("claims.csv", *columns):
            _once(row, "claim", found, row.whole("claim"))
            _known(row, "sample", self.answers, row.whole("sample"))
            found[row.whole("claim")] = ClaimRow(
                row.whole("claim"),
                row.whole("sample"),
                row.raw("sample_id"),
                row.whole("sentence"),
                row.whole("start"),
                row.raw("text"),
                row.truth("vague"),
                row.truth("ambiguous"),
                row.one_of("decision", [str(decision) for decision in Decision]),
                tuple(row.raw(column) for column in stated),
            )
        return found

    @cached_property
    def verdicts(self) -> list[VerdictRow]:
        """In the order of the claims."""
        columns = ("claim", "judge", "vendor", "model", "label", "unscored", "grounded", "conflict")
        found: dict[tuple[int, int], VerdictRow] = {}
        for row in self.package.table("verdicts.csv", *columns):
            key = (row.whole("claim"), row.whole("judge"))
            _known(row, "claim", self.claims, key[0])
            _once(row, "judge", found, key)
            label = row.label("label")
            if (label is None) == (not row.raw("unscored")):
                raise row.error("unscored", "a reason where there is no label and nothing where there is one")
            model = (row.text("vendor"), row.text("model"))
            found[key] = VerdictRow(*key, model, label, row.truth("grounded"), row.truth("conflict"))
        return list(found.values())

    @cached_property
    def by_claim(self) -> dict[int, list[VerdictRow]]:
        """Verdicts of every claim that has any."""
        found: dict[int, list[VerdictRow]] = defaultdict(list)
        for verdict in self.verdicts:
            found[verdict.claim].append(verdict)
        return dict(found)

    @cached_property
    def unscored(self) -> set[int]:
        """Claims for which a judge gave no usable label."""
        return {verdict.claim for verdict in self.verdicts if verdict.label is None}

    @property
    def items(self) -> dict[int, ReviewItem]:
        """The experts' list by number; never saved."""
        return self._items[0]

    @property
    def places(self) -> dict[int, PlaceRow]:
        """By item; empty in packages of format 1."""
        return self._items[1]

    @cached_property
    def _items(self) -> tuple[dict[int, ReviewItem], dict[int, PlaceRow]]:
        added = ("sample", "start", "waived") if self.format > 1 else ()
        columns = ("item", "claim", "part_of_item", "kind", "stratum", "needed", "place", "replaced", "given_up")
        found: dict[int, ReviewItem] = {}
        places: dict[int, PlaceRow] = {}
        claims: set[int] = set()
        for row in self.package.table("items.csv", *columns, *added):
            item = ReviewItem(
                pk=row.whole("item"),
                claim_id=row.whole("claim"),
                parent_id=row.whole_or_none("part_of_item"),
                kind=row.one_of("kind", ("dispute", "spot_check")),
                stratum=row.one_of("stratum", STRATA),
                needed=row.whole("needed"),
                order=row.whole("place"),
                replaced_at=ONCE if row.truth("replaced") else None,
                given_up_at=ONCE if row.truth("given_up") else None,
            )
            _once(row, "item", found, item.pk)
            _once(row, "claim", claims, item.claim_id)
            if item.parent_id is None:
                _known(row, "claim", self.claims, item.claim_id)
            found[item.pk] = item
            claims.add(item.claim_id)
            if added:
                places[item.pk] = PlaceRow(row.whole("sample"), row.whole("start"), row.truth("waived"))
                _known(row, "sample", self.answers, places[item.pk].sample)
        for item in found.values():
            if item.parent_id is not None and item.parent_id not in found:
                raise PackageError(f"items.csv: item {item.pk} is a part of {item.parent_id}, which is not there")
        if len({item.order for item in found.values()}) < len(found):
            raise PackageError("items.csv: two items have one place")
        return found, places

    @cached_property
    def by_place(self) -> dict[int, ReviewItem]:
        """The same by claim."""
        return {item.claim_id: item for item in self.items.values()}

    @cached_property
    def words(self) -> list[WordRow]:
        """In the order in which they were given."""
        stated = (
            *("claim", "sample_id", "line", "known_label", "recut_of", "kind", "stratum", "decision", "stands"),
            "outcome",
        )
        columns = (
            *("label_id", "claim_id", "reviewer", "slot", "arbitrates", "revision", "label", "blind", "created"),
            *("marks", *stated),
        )
        found: dict[int, WordRow] = {}
        people: dict[str, int] = {}
        spoken: set[tuple[int, int, int]] = set()
        for row in self.package.table("adjudications.csv", *columns):
            _once(row, "label_id", found, row.whole("label_id"))
            _known(row, "claim_id", self.by_place, row.whole("claim_id"))
            reviewer = people.setdefault(row.raw("reviewer"), len(people) + 1)
            key = (row.whole("claim_id"), reviewer, row.whole("revision"))
            _once(row, "revision", spoken, key)
            spoken.add(key)
            found[row.whole("label_id")] = WordRow(
                row.whole("label_id"),
                row.whole("claim_id"),
                reviewer,
                row.raw("reviewer"),
                row.whole_or_none("slot"),
                bool(row.raw("arbitrates")) and row.truth("arbitrates"),
                row.whole("revision"),
                row.label("label"),
                row.truth("blind"),
                row.time("created"),
                tuple(row.json("marks", list)) if row.raw("marks") else (),
                tuple(row.raw(column) for column in stated),
            )
        ordered = [found[pk] for pk in sorted(found)]
        last: Counter[tuple[int, int]] = Counter()
        for word in ordered:
            last[word.claim, word.reviewer] += 1
            if word.revision != last[word.claim, word.reviewer]:
                raise PackageError(f"adjudications.csv: label {word.pk} is not the revision that follows")
        return ordered


def _once(row: Row, column: str, seen: Collection[K] | Mapping[K, Any], key: K) -> None:
    if key in seen:
        raise row.error(column, "a number that stands once")


def _known(row: Row, column: str, known: Mapping[K, Any], key: K) -> None:
    if key not in known:
        raise row.error(column, "a number that its own table knows")

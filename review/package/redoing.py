"""The draw and the figures of a certificate once more, from the rows of its evidence package: no database is read.

The formulas are the product's own (audits.stats, review.spotcheck, review.settling, review.statement); what this
module adds is only how the rows of the package become their arguments.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from audits.decision import Voice
from audits.decision import decide as decision_of
from audits.labels import Decision, Label
from audits.stats.acceptance import decide
from audits.stats.planning import allocate
from audits.stats.rates import judged_rate, outcome_rate
from review.background import macro_fact
from review.differences import Difference, differences
from review.models import ReviewItem
from review.outcomes import Outcome, audited, outcomes_of
from review.package.reading import Package, PackageError
from review.settling import Word, settled
from review.spotcheck import AGREED, Place, draw, draw_more, hash_of_strata, lines_of_strata, seed_of
from review.statement import canonical, figures

ONCE = datetime(2000, 1, 1, tzinfo=UTC)  # stands for "at some time", where only that it happened counts


@dataclass(frozen=True)
class Part:
    """One part of the statement, or of what it rests on. differences: empty when it is the same, byte for byte."""

    name: str
    differences: tuple[Difference, ...]

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return not self.differences


def redo(statement: Mapping[str, Any], package: Package) -> Iterator[Part]:
    """Repeat everything and compare. PackageError when the package cannot be read as one."""
    try:
        yield from _redo(statement, package)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, PackageError):
            raise
        raise PackageError(f"cannot be read: {type(error).__name__}: {error}") from error


def _redo(statement: Mapping[str, Any], package: Package) -> Iterator[Part]:
    claims = list(package.table("claims.csv", "claim", "sample", "decision", "vague", "stratum", "drawn", "outcome"))
    verdicts = _verdicts(package)
    yield _part("decisions", {row["claim"]: row["decision"] for row in claims}, _decisions(claims, verdicts))
    items = _items(package)
    said = {pk: Label(label) if label else None for pk, label in _settled(package, items).items()}
    rows = [(int(row["claim"]), int(row["sample"]), row["decision"], row["vague"] == "true") for row in claims]
    found = outcomes_of(rows, items, said)
    listed = {row["claim"]: [row["stratum"], row["drawn"], row["outcome"]] for row in claims}
    again = {str(one.claim): [one.stratum, "true" if one.drawn else "false", str(one.label or "")] for one in found}
    yield _part("claims", listed, again)
    yield from _draw(statement, package, found, items)
    unscored = sum(any(not voice.label for voice in voices) for voices in verdicts.values())
    yield from _figures(statement, package, found, unscored)


def _part(name: str, signed: Any, again: Any) -> Part:
    """Compare canonical bytes; only if they differ, look where."""
    if canonical({"part": signed}) == canonical({"part": again}):
        return Part(name, ())
    return Part(name, tuple(differences(signed, again, name)))


def _verdicts(package: Package) -> dict[str, list[Voice]]:
    found: dict[str, list[Voice]] = defaultdict(list)
    for row in package.table("verdicts.csv", "claim", "label", "grounded", "conflict"):
        label = Label(row["label"]) if row["label"] else None
        found[row["claim"]].append(Voice(label, row["grounded"] == "true", row["conflict"] == "true"))
    return found


def _decisions(claims: Sequence[Mapping[str, str]], verdicts: Mapping[str, list[Voice]]) -> dict[str, str]:
    return {row["claim"]: str(decision_of(verdicts.get(row["claim"], []))) for row in claims}


def _items(package: Package) -> list[ReviewItem]:
    columns = ("item", "claim", "part_of_item", "kind", "stratum", "needed", "place", "replaced", "given_up")
    return [
        ReviewItem(
            pk=int(row["item"]),
            claim_id=int(row["claim"]),
            parent_id=int(row["part_of_item"]) if row["part_of_item"] else None,
            kind=row["kind"],
            stratum=row["stratum"],
            needed=int(row["needed"]),
            order=int(row["place"]),
            replaced_at=ONCE if row["replaced"] == "true" else None,
            given_up_at=ONCE if row["given_up"] == "true" else None,
        )
        for row in package.table("items.csv", *columns)
    ]


def _settled(package: Package, items: Sequence[ReviewItem]) -> dict[int, str]:
    words: dict[int, list[Word]] = defaultdict(list)
    people: dict[str, int] = {}
    columns = ("label_id", "claim_id", "reviewer", "slot", "arbitrates", "label", "blind")
    for row in sorted(package.table("adjudications.csv", *columns), key=lambda row: int(row["label_id"])):
        if row["slot"]:  # without one: an extra opinion, which does not count
            reviewer = people.setdefault(row["reviewer"], len(people))
            word = Word(reviewer, row["arbitrates"] == "true", row["label"], row["blind"] == "true")
            words[int(row["claim_id"])].append(word)
    return {item.pk: settled(item.needed, words[item.claim_id]) for item in items}


def _draw(
    statement: Mapping[str, Any], package: Package, found: Sequence[Outcome], items: Sequence[ReviewItem]
) -> Iterator[Part]:
    strata: dict[str, list[int]] = defaultdict(list)
    for one in found:
        strata[one.stratum].append(one.claim)
    seeds, drawing = statement["seeds"], package.json("seeds.json")
    lines, listed = lines_of_strata(strata), package.data("strata.txt").decode("utf-8")
    yield _part("strata.txt", listed.splitlines(), lines.splitlines())
    fingerprint = hash_of_strata(strata)
    seed = int(seed_of(statement["dataset"]["sha256"], fingerprint, seeds["spot_check_nonce"]), 16)
    signed = {name: seeds[name] for name in ("spot_check", "spot_check_strata_sha256")}
    yield _part("seeds", signed, {"spot_check": str(seed), "spot_check_strata_sha256": fingerprint})
    draws = statement["draws"]
    sizes = {str(name): len(strata[name]) for name in AGREED if strata.get(name)}
    first = allocate(sizes, statement["rule"]["spot_check"])
    yield _part("draws[0]", draws[0], {str(name): first.get(name, 0) for name in AGREED})
    places = drawn_places(strata, draws, seed, int(drawing["double_percent"]))
    kinds = (ReviewItem.Kind.DISPUTE, ReviewItem.Kind.SPOT_CHECK)
    asked = {str(item.claim_id): item.kind for item in items if item.parent_id is None and item.kind in kinds}
    yield _part("draw", asked, {str(place.claim_id): str(place.kind) for place in places})
    if review := statement.get("review"):
        yield _part("review.doubles", review["doubles"], sum(place.needed > 1 for place in places))


def drawn_places(
    strata: Mapping[str, Sequence[int]], draws: Sequence[Mapping[str, int]], seed: int, double_percent: int
) -> list[Place]:
    """What all looks drew. draws: look by look, claims of each agreed stratum drawn by then."""
    places = draw(strata, draws[0], seed, double_percent)
    for look, (before, after) in enumerate(pairwise(draws), start=2):
        places += draw_more(strata, before, after, seed, look, double_percent)
    return places


def _figures(
    statement: Mapping[str, Any], package: Package, found: Sequence[Outcome], unscored: int
) -> Iterator[Part]:
    rule, drawing = statement["rule"], package.json("seeds.json")
    confidence, looks = rule["confidence"], len(statement["draws"])
    samples = _samples(package, {one.sample for one in found})
    changed = bool(drawing["rule_changed"]) or looks > rule["looks"]
    blocking = [code for code, holds in (("samples_failed", samples["failed"]), ("rule_changed", changed)) if holds]
    estimate = audited(found, confidence)
    acceptance = decide(
        estimate, rule["threshold"], confidence, rule["scope"], blocking, looks=max(rule["looks"], looks)
    )
    decided = [(one.sample, Decision(one.decision)) for one in found]
    after = [(one.sample, Decision(str(one.label or Decision.DISPUTED))) for one in found]
    again = figures(
        judged_rate(decided, unscored=unscored, confidence=confidence),
        outcome_rate(after, unscored=unscored, confidence=confidence),
        estimate,
        acceptance,
    )
    again["samples"] = samples
    again["macro"] = macro_fact(found, confidence)
    for name in ("samples", "judged", "outcome", "spot_check", "result", "macro"):
        if name in statement or name != "macro":  # the first certificates had no rate per answer
            yield _part(name, statement[name], again[name])


def _samples(package: Package, with_claims: set[int]) -> dict[str, int]:
    rows = list(package.table("answers.csv", "sample", "status", "refusal"))
    failed = sum(row["status"] == "failed" for row in rows)
    refusals = sum(
        row["status"] == "done" and row["refusal"] == "true" and int(row["sample"]) not in with_claims for row in rows
    )
    return {
        "total": len(rows),
        "with_claims": len(with_claims),
        "without_claims": len(rows) - failed - len(with_claims),
        "refusals": refusals,
        "failed": failed,
    }

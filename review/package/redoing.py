"""The draw and the figures of a certificate once more, from the rows of its evidence package: no database is read.

The formulas are the product's own (audits.stats, review.spotcheck, review.settling, review.statement …); what this
folder adds is only how the rows of the package become their arguments.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from audits.decision import Voice
from audits.decision import decide as decision_of
from audits.labels import Decision, Label
from audits.stats.acceptance import decide
from audits.stats.planning import allocate
from audits.stats.rates import judged_rate, outcome_rate
from review.background import macro_fact
from review.counted import blocking_codes, is_rule_changed, samples_fact
from review.outcomes import Outcome, audited, outcomes_of
from review.package.beside import beside
from review.package.drawing import drawn_places
from review.package.errors import PackageError
from review.package.packed import packed
from review.package.parts import Part, part
from review.package.reading import Package
from review.package.rows import ClaimRow, Tables
from review.settling import Word, settled
from review.spotcheck import AGREED, Place, hash_of_strata, lines_of_strata, seed_of
from review.statement import figures, samples_as_stated


def redo(statement: Mapping[str, Any], package: Package, keys: Sequence[Ed25519PublicKey] = ()) -> Iterator[Part]:
    """Repeat everything and compare. keys: that the issuer may have signed the package with. PackageError when the
    package cannot be read as one."""
    try:
        yield from _redo(statement, package, keys)
    except PackageError:
        raise
    except KeyError as error:
        raise PackageError(f"certificate or package: no value under the name {str(error)[:60]}") from error
    except (TypeError, ValueError, AttributeError, IndexError, ArithmeticError, RecursionError, MemoryError) as error:
        raise PackageError(f"certificate or package: a value of the wrong kind ({str(error)[:120]})") from error


def _redo(statement: Mapping[str, Any], package: Package, keys: Sequence[Ed25519PublicKey]) -> Iterator[Part]:
    tables = Tables(package)
    yield packed(package, keys, old=tables.format < 2)
    claims = tables.claims
    yield part(
        "decisions",
        {str(row.claim): row.decision for row in claims.values()},
        {str(claim): str(_decision(tables, claim)) for claim in claims},
    )
    said = _settled(tables)
    items = list(tables.items.values())
    rows = [(row.claim, row.sample, row.decision, row.vague) for row in claims.values()]
    found = outcomes_of(rows, items, {pk: Label(label) if label else None for pk, label in said.items()})
    yield part(
        "claims",
        {str(row.claim): list(row.stated) for row in claims.values()},
        {str(one.claim): _as_stated(one) for one in found},
    )
    yield from _repeated(tables, found)
    places: list[Place] = []
    yield from _draw(statement, tables, _strata(found), places)
    yield from _figures(statement, tables, found)
    yield from beside(statement, tables, found, said, sum(place.needed > 1 for place in places))


def _decision(tables: Tables, claim: int) -> Decision:
    rows = tables.by_claim.get(claim)
    if not rows:
        raise PackageError(f"verdicts.csv: claim {claim} has none")
    return decision_of([Voice(row.label, row.grounded, row.conflict) for row in rows])


def _as_stated(one: Outcome) -> list[str]:
    return [one.stratum, _truth(one.drawn), str(one.expert or ""), _truth(one.given_up), str(one.label or "")]


def _truth(value: bool) -> str:
    return "true" if value else "false"


def _settled(tables: Tables) -> dict[int, str]:
    """Item -> what its labels settle, "" while it is open."""
    words: dict[int, list[Word]] = defaultdict(list)
    for row in tables.words:
        if row.slot is not None:  # without one: an extra opinion, which does not count
            words[row.claim].append(Word(row.reviewer, row.arbitrates, str(row.label or ""), row.blind))
    return {pk: settled(item.needed, words[item.claim_id]) for pk, item in tables.items.items()}


def _repeated(tables: Tables, found: Sequence[Outcome]) -> Iterator[Part]:
    """What one table repeats of another: whoever reads one of them alone must not be misled."""
    outcomes = {one.claim: str(one.label or "") for one in found}
    newest = {(word.claim, word.reviewer): word for word in sorted(tables.words, key=lambda word: word.revision)}
    stands = {word.pk for word in newest.values() if word.label}
    signed, again = {}, {}
    for word in tables.words:
        item = tables.by_place[word.claim]
        whole = tables.items[item.parent_id].claim_id if item.parent_id else word.claim
        claim = tables.claims[whole]
        text, decision = (word.stated[0], "") if item.parent_id else (claim.text, claim.decision)
        recut = str(whole) if item.parent_id else ""
        line = str(tables.answers[claim.sample].line)
        told = [text, claim.sample_id, line, "", recut, item.kind, item.stratum, decision, _truth(word.pk in stands)]
        told.append(outcomes[whole])
        skip = () if tables.format > 1 else (8, 9)  # earlier versions wrote what held when the file was made
        signed[str(word.pk)] = [value for place, value in enumerate(word.stated) if place not in skip]
        again[str(word.pk)] = [value for place, value in enumerate(told) if place not in skip]
    yield part("labels", signed, again)
    answers = {str(row.claim): tables.answers[row.sample].sample_id for row in tables.claims.values()}
    yield part("sample_id", {str(row.claim): row.sample_id for row in tables.claims.values()}, answers)
    if tables.format > 1:
        wholes = {str(item.claim_id): item for item in tables.items.values() if item.parent_id is None}
        yield part(
            "items",
            {claim: [tables.places[item.pk].sample, tables.places[item.pk].start] for claim, item in wholes.items()},
            {claim: _place(tables.claims[item.claim_id]) for claim, item in wholes.items()},
        )


def _place(claim: ClaimRow) -> list[int]:
    return [claim.sample, claim.start]


def _strata(found: Sequence[Outcome]) -> dict[str, list[int]]:
    strata: dict[str, list[int]] = defaultdict(list)
    for one in found:
        strata[one.stratum].append(one.claim)
    return strata


def _draw(
    statement: Mapping[str, Any], tables: Tables, strata: Mapping[str, Sequence[int]], places: list[Place]
) -> Iterator[Part]:
    """Strata, seeds, and every look; puts what was drawn into `places`."""
    seeds, draws = statement["seeds"], statement["draws"]
    yield part("strata.txt", tables.package.text("strata.txt").splitlines(), lines_of_strata(strata).splitlines())
    fingerprint = hash_of_strata(strata)
    seed = int(seed_of(statement["dataset"]["sha256"], fingerprint, seeds["spot_check_nonce"]), 16)
    signed = {name: seeds[name] for name in ("spot_check", "spot_check_strata_sha256")}
    yield part("seeds", signed, {"spot_check": str(seed), "spot_check_strata_sha256": fingerprint})
    told = {
        "certificate": statement["number"],
        "dataset_sha256": statement["dataset"]["sha256"],
        "strata_sha256": seeds["spot_check_strata_sha256"],
        "nonce": seeds["spot_check_nonce"],
        "seed": seeds["spot_check"],
        "draws": draws,
    }
    yield part("seeds.json", {name: tables.seeds.get(name) for name in told}, told)
    sizes = {str(name): len(strata[name]) for name in AGREED if strata.get(name)}
    first = allocate(sizes, statement["rule"]["spot_check"])
    yield part("draws[0]", draws[0], {str(name): first.get(name, 0) for name in AGREED})
    places += drawn_places(strata, draws, seed, tables.seeds["double_percent"])
    whole = sorted((item for item in tables.items.values() if item.parent_id is None), key=lambda item: item.order)
    drawn = {place.claim_id: place for place in places}
    yield part(
        "draw",
        {str(item.claim_id): [item.kind, item.stratum] for item in whole},
        {str(place.claim_id): [str(place.kind), str(place.stratum)] for place in places},
    )
    at_first = [place.claim_id for place in drawn_places(strata, draws[:1], seed, tables.seeds["double_percent"])]
    listed = set(at_first)
    yield part("draw.order", [item.claim_id for item in whole if item.claim_id in listed], at_first)
    if tables.format > 1:
        yield _needed(tables, drawn, listed)


def _needed(tables: Tables, drawn: Mapping[int, Place], at_first: set[int]) -> Part:
    """How many label each claim of the first look; of later ones, which may have had a known label before, at most;
    of a part, no more than of the claim that was cut anew."""
    again = {}
    for item in tables.items.values():
        parent = tables.items[item.parent_id] if item.parent_id else item
        place = drawn.get(parent.claim_id)
        most = 1 if tables.places[item.pk].waived or place is None else place.needed
        exact = item.parent_id is None and item.claim_id in at_first
        again[str(item.pk)] = most if exact else max(1, min(most, item.needed))
    return part("draw.needed", {str(item.pk): item.needed for item in tables.items.values()}, again)


def _figures(statement: Mapping[str, Any], tables: Tables, found: Sequence[Outcome]) -> Iterator[Part]:
    rule, unscored = statement["rule"], len(tables.unscored)
    confidence, looks = rule["confidence"], len(statement["draws"])
    answers = ((row.sample, row.status, row.refusal) for row in tables.answers.values())
    samples = samples_fact(answers, {one.sample for one in found})
    changed = is_rule_changed(tables.seeds["rule_changed"], looks, rule["looks"])
    blocking = blocking_codes(failed=samples.failed, stale=False, rule_changed=changed)
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
    again["samples"] = samples_as_stated(samples)
    again["macro"] = macro_fact(found, confidence)
    for name in ("samples", "judged", "outcome", "spot_check", "result", "macro"):
        if name in statement or name != "macro":  # the first certificates had no rate per answer
            yield part(name, statement[name], again[name])

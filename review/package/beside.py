"""What stands beside the result of a certificate, once more: how claims were cut, how far judges differed, what
happened in the review, which evidence experts marked, what was planned."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from decimal import Decimal
from typing import Any

from django.conf import settings

from audits.chain import START, link
from audits.extraction_quality import counted_reasons, quality_of
from audits.planning import Density, Outlook, Rule, outlook
from review.agreement.asides import thoughts_of
from review.agreement.stated import stated
from review.background import disagreement_fact, extraction_fact, plan_fact, refusals_fact
from review.counted import flag_counts
from review.marked_evidence import LISTED, Mark, choose, cut
from review.outcomes import Outcome
from review.package.agreeing import PackageMaterial
from review.package.asked import asked
from review.package.cells import bare
from review.package.errors import PackageError
from review.package.parts import OLD, Part, part
from review.package.rows import Tables, WordRow
from review.statement import EvidenceFact, agreement_fact


def beside(
    statement: Mapping[str, Any],
    tables: Tables,
    found: Sequence[Outcome],
    settled: Mapping[int, str],
    doubles: int,
) -> Iterator[Part]:
    """Every part that the statement has. settled: item -> what experts settled; doubles: drawn for two experts."""
    confidence, old = float(statement["rule"]["confidence"]), tables.format < 2
    parts: dict[str, Callable[[], Any]] = {
        "agreement": lambda: [agreement_fact(one) for one in stated(PackageMaterial(tables, confidence))],
        "disagreement": lambda: disagreement_fact(found, tables.unscored, confidence),
        "refusals": lambda: refusals_fact(_quality(tables), confidence),
        "extraction": lambda: extraction_fact(_quality(tables)),
    }
    for name, again in parts.items():
        if name in statement:
            missing = OLD if old and name == "extraction" else ""
            yield Part(name, missing=missing) if missing else part(name, statement[name], again())
    if "review" in statement:
        yield from _review(statement, tables, found, doubles)
    yield from _reviewers(statement, tables, old)
    if "evidence" in statement:
        yield Part("evidence", missing=OLD) if old else _evidence(statement, tables, settled)
    yield from asked(statement, tables)
    if old:
        yield Part("dataset", missing=OLD)
    else:
        yield _dataset(statement, tables)
    if "plan" in statement:
        yield from [Part("plan", missing=OLD)] if old else plan_parts(statement, tables)
    if statement.get("event_log") is not None:
        yield _log(statement["event_log"], tables)


def _quality(tables: Tables) -> Any:
    """Of sentences passed over and reasons there are none in packages of format 1: then the parts with them are
    not asked for."""
    claims, answers = tables.claims.values(), tables.answers.values()
    done = [row for row in answers if row.status == "done"]
    cut_answers = Counter(row.sample for row in claims)
    counts = {
        "samples": len(tables.answers),
        "done": len(done),
        "failed": sum(row.status == "failed" for row in answers),
        "waiting": sum(row.status == "pending" for row in answers),
        "refusals": sum(row.refusal and row.sample not in cut_answers for row in done),
        "several_calls": 0,
        "asked_again": 0,
        "flagged": sum(bool(row.passed_over) for row in done),
        "sentences": sum(row.sentences for row in done),
        "unaccounted": sum(row.passed_over or 0 for row in done),
    }
    totals = {
        "claims": len(tables.claims),
        "vague": sum(row.vague for row in claims),
        "ambiguous": sum(row.ambiguous for row in claims),
    }
    with_claims = len({(row.sample, row.sentence) for row in claims})
    reasons = counted_reasons(row.reasons or {} for row in done)
    return quality_of(counts, totals, with_claims, list(cut_answers.values()), reasons)


def _review(statement: Mapping[str, Any], tables: Tables, found: Sequence[Outcome], doubles: int) -> Iterator[Part]:
    items, words = tables.items, tables.words
    spoken = sorted((tables.by_place[word.claim].pk, word.reviewer, word.revision, word) for word in words)
    newest = {(item, reviewer): word for item, reviewer, _, word in spoken}
    decided = {
        item for (item, _), word in newest.items() if word.arbitrates and word.label and not items[item].replaced_at
    }
    thoughts = thoughts_of((item, who, str(word.label or ""), word.blind) for item, who, _, word in spoken)
    again: dict[str, Any] = {
        "double_percent": tables.seeds["double_percent"],
        "doubles": doubles,
        "looks": len(statement["draws"]),
        "arbitrated": len(decided),
        "recut": sum(item.replaced_at is not None for item in items.values()),
        "given_up": sum(one.given_up for one in found),
        "changed_after_reveal": thoughts.count("changed"),
    }
    if tables.format > 1:
        again["doubles_waived"] = sum(place.waived for place in tables.places.values())
        again["skipped"] = len(_skipped(tables))
    else:
        yield Part("review.doubles_waived, review.skipped", missing=OLD)
    signed = {name: value for name, value in statement["review"].items() if name in again or tables.format > 1}
    yield part("review", signed, again)


def _skipped(tables: Tables) -> set[str]:
    known = {str(pk) for pk in tables.items}
    reasons = ("context_missing", "two_claims", "unclear", "not_my_field")
    found = set()
    for row in tables.package.table("skips.csv", "item", "reason"):
        row.one_of("reason", reasons)
        if row.raw("item") not in known and not row.raw("item").startswith("known-"):
            raise row.error("item", "a number that its own table knows")
        found.add(row.raw("item"))
    return found


def _counting(tables: Tables) -> list[WordRow]:
    """Labels that fill a slot and were neither taken back nor replaced."""
    newest: dict[tuple[int, int], WordRow] = {}
    for word in sorted(tables.words, key=lambda word: word.revision):
        newest[word.claim, word.reviewer] = word
    return sorted((w for w in newest.values() if w.label and w.slot is not None), key=lambda word: word.pk)


def _reviewers(statement: Mapping[str, Any], tables: Tables, old: bool) -> Iterator[Part]:
    counts = Counter(word.named for word in _counting(tables))
    signed = statement["reviewers"]
    names: dict[str, str] = {}
    if not old:
        rows = list(tables.package.table("reviewers.csv", "reviewer", "name"))
        names = {row.raw("reviewer"): row.text("name") for row in rows}
        if len(names) < len(rows) or not names.keys() >= counts.keys():
            raise PackageError("reviewers.csv: not one row for everybody in adjudications.csv")
    if all(names.get(who) for who in counts):
        by_name: Counter[str] = Counter()
        for who, count in counts.items():
            by_name[names[who]] += count
        yield part("reviewers", signed, [{"name": name, "adjudications": by_name[name]} for name in sorted(by_name)])
        return
    yield Part("reviewers.name", missing="this package has no names" if not old else OLD)
    if len(signed) == len(counts):  # two people of one name are one entry in the certificate
        yield part("reviewers", sorted(one["adjudications"] for one in signed), sorted(counts.values()))


def _evidence(statement: Mapping[str, Any], tables: Tables, settled: Mapping[int, str]) -> Part:
    order = {sample: place for place, sample in enumerate(tables.answers)}
    marks: list[Mark] = []
    facts: dict[int, EvidenceFact] = {}
    for word in _counting(tables):
        item = tables.by_place[word.claim]
        if item.replaced_at is not None:
            continue
        where = tables.places[item.pk]
        for mark in word.marks:
            context, start, end = (_whole(mark, name) for name in ("context", "start", "end"))
            place = (order[where.sample], where.start, word.claim, context, start, end)
            key = len(marks)
            marks.append(Mark(str(word.label), settled[item.pk] or None, item.stratum, place, key))
            facts[key] = EvidenceFact(
                cut(bare(word.stated[0])),
                str(word.label),
                bare(tables.answers[where.sample].sample_id),
                *(context, start, end),
                cut(str(mark.get("text", ""))),
            )
    chosen, hidden = choose(marks), _hidden(tables)
    again = [_shown(asdict(facts[mark.key]), hidden) for mark in chosen[:LISTED]]
    signed = statement["evidence"]
    told = {"total": signed["total"], "listed": [_shown(one, hidden) for one in signed["listed"]]}
    return part("evidence", told, {"total": len(chosen), "listed": again})


def _hidden(tables: Tables) -> set[str]:
    """What a package without contexts, or without names, does not hold of a passage."""
    return {
        name
        for name, gone in (("text", not tables.seeds["contexts"]), ("sample", tables.seeds["pseudonymised"]))
        if gone
    }


def _shown(one: Mapping[str, Any], hidden: Collection[str]) -> dict[str, Any]:
    return {
        name: bare(value) if isinstance(value, str) else value for name, value in one.items() if name not in hidden
    }


def _whole(mark: Mapping[str, Any], name: str) -> int:
    value = mark.get(name) if isinstance(mark, Mapping) else None
    if not isinstance(value, int) or isinstance(value, bool):
        raise PackageError(f"adjudications.csv: a mark without a whole number as its {name}")
    return value


def _dataset(statement: Mapping[str, Any], tables: Tables) -> Part:
    flags, refused, seen = [], set(), set()
    for row in tables.package.table("dataset.csv", "line", "sample", "flags"):
        sample = row.whole_or_none("sample")
        if sample is None:
            refused.add(row.whole("line"))
            continue
        if sample in seen:
            raise row.error("sample", "a number that stands once")
        seen.add(sample)
        answer = tables.answers.get(sample)
        if answer is not None and answer.line != row.whole("line"):
            raise row.error("line", f"{answer.line} as in answers.csv")
        flags.append([str(flag) for flag in row.json("flags", list)])
    if not seen >= tables.answers.keys():
        raise PackageError("dataset.csv: an answer of answers.csv is missing")
    signed = {name: statement["dataset"][name] for name in ("rows", "flags")}
    return part("dataset", signed, {"rows": len(flags), "flags": flag_counts(flags, len(refused))})


def plan_parts(statement: Mapping[str, Any], tables: Tables) -> Iterator[Part]:
    """What is stated of the plan, and the plan once more from what it reckoned with."""
    stored = tables.package.json("plan.json")
    fact = plan_fact(stored)
    first = part("plan", statement["plan"], fact)
    yield first
    plan = Outlook.from_stored(stored)
    if plan is None or not first.same:
        return
    if plan.version != settings.ASSAY_VERSION:
        why = f"version {plan.version} of the program planned, this is {settings.ASSAY_VERSION}"
        yield Part("plan.json", missing=why)
        return
    rule = Rule(
        Decimal(plan.threshold), plan.scope, Decimal(plan.confidence), plan.looks, Decimal(plan.expected_rate)
    )
    again = outlook(
        rule,
        answers=plan.answers,
        density=Density(plan.claims_per_answer, plan.claims_from),
        spot_check=plan.spot_check,
        double_percent=plan.double_percent,
    )
    yield part("plan.json", stored, again.stored())


def _log(head: Mapping[str, Any], tables: Tables) -> Part:
    """Follow the log from its first entry to the head: each entry that is shown must give its hash."""
    before, sequence, broken = START, 0, []
    for sequence, line in enumerate(tables.package.lines("events.jsonl"), start=1):
        entry = line["entry"]
        fits = line["sequence"] == sequence and (
            entry is None or (entry["sequence"] == sequence and link(before, entry) == line["hash"])
        )
        if not fits:
            broken.append(sequence)
        before = str(line["hash"])
    again = {"sequence": sequence, "hash": before, "broken": broken}
    return part("event_log", {**head, "broken": []}, again)

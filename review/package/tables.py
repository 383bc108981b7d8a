"""The tables of an evidence package, read from the database in chunks. Column names are the same in every language.

What is not part of the certificate stays out: known labels and the words about them, and whatever came after it was
issued.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any

from django.utils.crypto import salted_hmac

from audits.export_ledger import ledger_columns, ledger_rows
from audits.exporting import Cell
from audits.models import Claim, Extraction, Verdict
from review.export import label_table
from review.models import Adjudication, Certificate, ReviewItem
from review.outcomes import outcomes_of, settled_items
from review.package.columns import ANSWERS, CLAIMS, ITEMS, VERDICTS
from review.package.options import Options

CHUNK = 1000
Table = tuple[Sequence[str], Iterator[Sequence[Cell]]]

HIDDEN_TEXT = {"reply": "", "message": ""}  # columns of the ledger that may hold words of the contexts


def tables(certificate: Certificate, options: Options) -> dict[str, Callable[[], Table]]:
    """File name -> a function that begins to read it."""
    return {
        "adjudications.csv": lambda: _adjudications(certificate, options),
        "answers.csv": lambda: (list(ANSWERS), _answers(certificate, options)),
        "claims.csv": lambda: (list(CLAIMS), _claims(certificate, options)),
        "items.csv": lambda: (list(ITEMS), _items(certificate)),
        "ledger.csv": lambda: _ledger(certificate, options),
        "verdicts.csv": lambda: (list(VERDICTS), _verdicts(certificate, options)),
    }


def sample_id(certificate: Certificate, options: Options, external_id: str) -> str:
    """The identifier of a sample in its dataset; pseudonymised, a hash whose salt never leaves the server."""
    if not options.pseudonymised or not external_id:
        return external_id
    return salted_hmac("review.package.samples", f"{certificate.pk}:{external_id}").hexdigest()[:16]


def _answers(certificate: Certificate, options: Options) -> Iterator[Sequence[Cell]]:
    rows = Extraction.objects.filter(audit=certificate.audit_id).order_by("sample__position")
    columns = ("sample", "sample__external_id", "sample__line", "status", "is_refusal", "sentences")
    for sample, external, line, status, refusal, sentences in rows.values_list(*columns).iterator(chunk_size=CHUNK):
        yield sample, sample_id(certificate, options, external), line, status, refusal, len(sentences)


def _claims(certificate: Certificate, options: Options) -> Iterator[Sequence[Cell]]:
    items = _standing(certificate)
    said = settled_items(certificate.audit, items, certificate.issued_at)
    every = Claim.objects.filter(audit=certificate.audit_id).values_list("pk", "sample", "decision", "vague")
    found = {one.claim: one for one in outcomes_of(every, items, said)}
    columns = (
        "pk", "sample", "sample__external_id", "sentence", "start", "end", "text", "vague", "ambiguous", "decision",
    )  # fmt: skip
    rows = Claim.objects.filter(audit=certificate.audit_id).values_list(*columns)
    for pk, sample, external, *rest in rows.iterator(chunk_size=CHUNK):
        one = found[pk]
        yield (
            pk,
            sample,
            sample_id(certificate, options, external),
            *rest,
            one.stratum,
            one.drawn,
            str(one.expert or ""),
            one.given_up,
            str(one.label or ""),
        )


def _standing(certificate: Certificate) -> list[ReviewItem]:
    """The experts' list as it was when the certificate was issued."""
    issued, found = certificate.issued_at, []
    rows = ReviewItem.objects.filter(plan__audit=certificate.audit_id).exclude(kind=ReviewItem.Kind.GOLD)
    for item in rows.select_related("parent").order_by("order", "pk"):
        if item.parent is not None and item.parent.replaced_at and item.parent.replaced_at > issued:
            continue
        for name in ("replaced_at", "given_up_at"):
            if (at := getattr(item, name)) and at > issued:
                setattr(item, name, None)
        found.append(item)
    return found


def _items(certificate: Certificate) -> Iterator[Sequence[Cell]]:
    for item in _standing(certificate):
        state = (item.replaced_at is not None, item.given_up_at is not None)
        yield item.pk, item.claim_id, item.parent_id, item.kind, item.stratum, item.needed, item.order, *state


def _verdicts(certificate: Certificate, options: Options) -> Iterator[Sequence[Cell]]:
    rows = Verdict.objects.filter(claim__audit=certificate.audit_id, claim__recut_of__isnull=True)
    columns = (
        "claim", "member__position", "member__vendor", "member__model", "label", "unscored", "grounded", "conflict",
        "windows", "rationale", "quotes",
    )  # fmt: skip
    ordered = rows.order_by("claim__sample__position", "claim__position", "member__position")
    for claim, position, *rest, rationale, quotes in ordered.values_list(*columns).iterator(chunk_size=CHUNK):
        if not options.contexts:
            rationale, quotes = "", _places(quotes)
        yield claim, position + 1, *rest, rationale, _json(quotes)


def _places(passages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Where passages stand, without their words."""
    return [{name: value for name, value in one.items() if name != "text"} for one in passages]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True) if value else ""


def _adjudications(certificate: Certificate, options: Options) -> Table:
    header, rows = label_table(certificate.audit, known_labels=False)
    return header, _told(certificate, options, header, rows)


def _told(
    certificate: Certificate, options: Options, header: Sequence[str], rows: Iterator[list[Any]]
) -> Iterator[Sequence[Cell]]:
    names = _pseudonyms(certificate) if options.pseudonymised else {}
    for row in rows:
        record = dict(zip(header, row, strict=True))
        if datetime.fromisoformat(record["created"]) > certificate.issued_at:
            continue
        record["sample_id"] = sample_id(certificate, options, record["sample_id"])
        record["reviewer"] = names.get(record["reviewer"], record["reviewer"])
        if not options.contexts and record["marks"]:
            record["marks"] = _json(_places(json.loads(record["marks"])))
        yield [record[name] for name in header]


def _pseudonyms(certificate: Certificate) -> dict[str, str]:
    """User name -> expert-1, expert-2 … in an order that nobody can compute from names or ids."""
    rows = Adjudication.objects.filter(item__plan__audit=certificate.audit_id).order_by()
    people = set(rows.values_list("reviewer__username", flat=True))

    def place(name: str) -> str:
        return salted_hmac("review.package.people", f"{certificate.pk}:{name}").hexdigest()

    return {name: f"expert-{number}" for number, name in enumerate(sorted(people, key=place), start=1)}


def _ledger(certificate: Certificate, options: Options) -> Table:
    header = ledger_columns()
    hidden = {header.index(name): instead for name, instead in HIDDEN_TEXT.items() if not options.contexts}
    created = header.index("created")

    def rows() -> Iterator[Sequence[Cell]]:
        for row in ledger_rows(certificate.audit):
            if datetime.fromisoformat(str(row[created])) <= certificate.issued_at:
                yield [hidden.get(number, cell) for number, cell in enumerate(row)]

    return header, rows()

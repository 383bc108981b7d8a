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
from review.models import Certificate
from review.package.columns import ANSWERS, CLAIMS, DATASET, ITEMS, PANEL, REVIEWERS, SKIPS, VERDICTS
from review.package.issued import AsIssued
from review.package.options import Options
from review.package.people import panel, pseudonyms, reviewers, skips
from review.package.rows_of_dataset import rows_of_dataset

CHUNK = 1000
Table = tuple[Sequence[str], Iterator[Sequence[Cell]]]

HIDDEN_TEXT = {"reply": "", "message": ""}  # columns of the ledger that may hold words of the contexts


def tables(certificate: Certificate, options: Options) -> dict[str, Callable[[], Table]]:
    """File name -> a function that begins to read it."""
    issued = AsIssued(certificate)
    return {
        "adjudications.csv": lambda: _adjudications(issued, options),
        "answers.csv": lambda: (list(ANSWERS), _answers(certificate, options)),
        "claims.csv": lambda: (list(CLAIMS), _claims(issued, options)),
        "dataset.csv": lambda: (list(DATASET), rows_of_dataset(certificate)),
        "items.csv": lambda: (list(ITEMS), _items(issued)),
        "ledger.csv": lambda: _ledger(certificate, options),
        "panel.csv": lambda: (list(PANEL), panel(certificate)),
        "reviewers.csv": lambda: (list(REVIEWERS), reviewers(certificate, options)),
        "skips.csv": lambda: (list(SKIPS), skips(issued)),
        "verdicts.csv": lambda: (list(VERDICTS), _verdicts(certificate, options)),
    }


def sample_id(certificate: Certificate, options: Options, external_id: str) -> str:
    """The identifier of a sample in its dataset; pseudonymised, a hash whose salt never leaves the server."""
    if not options.pseudonymised or not external_id:
        return external_id
    return salted_hmac("review.package.samples", f"{certificate.pk}:{external_id}").hexdigest()[:16]


def _answers(certificate: Certificate, options: Options) -> Iterator[Sequence[Cell]]:
    rows = Extraction.objects.filter(audit=certificate.audit_id).order_by("sample__position")
    columns = (
        "sample", "sample__external_id", "sample__line", "status", "is_refusal", "sentences", "unaccounted",
        "no_claims",
    )  # fmt: skip
    for sample, external, *rest, sentences, left, reasons in rows.values_list(*columns).iterator(chunk_size=CHUNK):
        counts = (len(sentences), len(left), json.dumps(reasons, sort_keys=True))
        yield sample, sample_id(certificate, options, external), *rest, *counts


def _claims(issued: AsIssued, options: Options) -> Iterator[Sequence[Cell]]:
    certificate, found = issued.certificate, issued.outcomes
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


def _items(issued: AsIssued) -> Iterator[Sequence[Cell]]:
    for item in issued.items:
        state = (item.replaced_at is not None, item.given_up_at is not None)
        claim = (item.claim.sample_id, item.claim.start, item.pk in issued.waived)
        yield item.pk, item.claim_id, item.parent_id, item.kind, item.stratum, item.needed, item.order, *state, *claim


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


def _adjudications(issued: AsIssued, options: Options) -> Table:
    certificate = issued.certificate
    header, rows = label_table(certificate.audit, known_labels=False)
    return header, _told(issued, options, header, rows)


def _told(
    issued: AsIssued, options: Options, header: Sequence[str], rows: Iterator[list[Any]]
) -> Iterator[Sequence[Cell]]:
    """As it was when the certificate was issued: what came later is left out, also of what is said of a label."""
    certificate = issued.certificate
    names = pseudonyms(certificate) if options.pseudonymised else {}
    listed = {item.claim_id for item in issued.items}
    for row in rows:
        record = dict(zip(header, row, strict=True))
        if _later(record["created"], certificate) or record["claim_id"] not in listed:
            continue
        outcome = issued.outcomes[record["recut_of"] or record["claim_id"]].label
        record["outcome"] = str(outcome or "")
        record["stands"] = record["label_id"] in issued.standing
        if record["verdicts_shown"] and _later(record["verdicts_shown"], certificate):
            record["verdicts_shown"] = None
        record["sample_id"] = sample_id(certificate, options, record["sample_id"])
        record["reviewer"] = names.get(record["reviewer"], record["reviewer"])
        if not options.contexts and record["marks"]:
            record["marks"] = _json(_places(json.loads(record["marks"])))
        yield [record[name] for name in header]


def _later(moment: str, certificate: Certificate) -> bool:
    return datetime.fromisoformat(moment) > certificate.issued_at


def _ledger(certificate: Certificate, options: Options) -> Table:
    header = ledger_columns()
    hidden = {header.index(name): instead for name, instead in HIDDEN_TEXT.items() if not options.contexts}
    created = header.index("created")

    def rows() -> Iterator[Sequence[Cell]]:
        for row in ledger_rows(certificate.audit):
            if datetime.fromisoformat(str(row[created])) <= certificate.issued_at:
                yield [hidden.get(number, cell) for number, cell in enumerate(row)]

    return header, rows()

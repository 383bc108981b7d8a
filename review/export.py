"""What the export of labels holds: one row per word of an expert, every revision, read in chunks.

Column names and code values are the same in every language. Texts are as they came; only table files make them
harmless for spreadsheets, when they are written. Marks stand in code points of the contexts, counted from 0.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from typing import Any

from audits.models import Audit
from review.models import Adjudication, EvidenceMark, ReviewItem
from review.outcomes import outcomes

CHUNK = 500
FIELDS = {
    "label_id": "pk",
    "claim_id": "item__claim",
    "claim": "item__claim__text",
    "recut_of": "item__parent__claim",  # of a part: the claim that was cut anew
    "sample_id": "item__claim__sample__external_id",
    "line": "item__claim__sample__line",
    "kind": "item__kind",
    "stratum": "item__stratum",
    "known_label": "item__gold_label",
    "slot": "slot__number",  # empty: an extra opinion, which does not count
    "arbitrates": "slot__arbitrates",
    "reviewer": "reviewer__username",
    "revision": "revision",
    "label": "label",  # empty: the person took the label back
    "reason": "reason",
    "blind": "blind",
    "verdicts_shown": "revelation__created",
    "active_ms": "active_ms",
    "keys": "keys",
    "guidelines": "guidelines__version",
    "taken": "taken_at",
    "created": "created",
    "decision": "item__claim__decision",
}
ADDED = ("stands", "outcome", "active_seconds", "marks")
COLUMNS = ("audit_id", "audit", *(name for name in FIELDS if name != "active_ms"), *ADDED)


def label_records(audit: Audit, *, known_labels: bool = True) -> Iterator[dict[str, Any]]:
    """One object per adjudication in the order of the answers; null where nothing is known.

    known_labels: with the words on claims that test experts. verdicts_shown: when the judges' verdicts were shown
    after this label. stands: not taken back and not replaced by a later revision. outcome: of the claim that is
    counted, which for a part is the one that was cut anew; null while it is open.
    """
    rows = Adjudication.objects.filter(item__plan__audit=audit)
    if not known_labels:
        rows = rows.exclude(item__kind=ReviewItem.Kind.GOLD)
    standing = set(Adjudication.objects.standing().filter(item__plan__audit=audit).values_list("pk", flat=True))
    found = {one.claim: one.label for one in outcomes(audit)}
    ordered = rows.order_by("item__claim__sample__position", "item__claim__position", "pk")
    stream = ordered.values_list(*FIELDS.values()).iterator(chunk_size=CHUNK)
    while chunk := [dict(zip(FIELDS, row, strict=True)) for row in islice(stream, CHUNK)]:
        marks = _marks([row["label_id"] for row in chunk])
        for row in chunk:
            outcome = found.get(row["recut_of"] or row["claim_id"])
            yield _record(audit, row) | {
                "stands": row["label_id"] in standing,
                "outcome": str(outcome) if outcome else None,
                "active_seconds": None if row["active_ms"] is None else row["active_ms"] / 1000,
                "marks": marks[row["label_id"]],
            }


def _record(audit: Audit, row: dict[str, Any]) -> dict[str, Any]:
    record = {"audit_id": audit.pk, "audit": audit.name} | row
    del record["active_ms"]
    for name in ("verdicts_shown", "taken", "created"):
        record[name] = row[name].isoformat() if row[name] else None
    for name in ("label", "known_label", "decision"):
        record[name] = row[name] or None
    return record


def _marks(labels: list[int]) -> dict[int, list[dict[str, Any]]]:
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for mark in EvidenceMark.objects.filter(adjudication__in=labels):
        one = {"context": mark.context, "start": mark.start, "end": mark.end, "text": mark.text}
        found[mark.adjudication_id].append(one)
    return found


def label_table(audit: Audit, *, known_labels: bool = True) -> tuple[list[str], Iterator[list[Any]]]:
    """The same as a header and rows; marks are JSON."""
    rows = (_cells(record) for record in label_records(audit, known_labels=known_labels))
    return list(COLUMNS), rows


def _cells(record: dict[str, Any]) -> list[Any]:
    marks = json.dumps(record["marks"], ensure_ascii=False) if record["marks"] else ""
    return [record[name] for name in COLUMNS if name != "marks"] + [marks]

"""What the export of samples holds: one row per sample, with the human labels that came with the file.

It is the one place where these labels leave the database as texts: it needs a person who may see verdicts.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any

from audits.export import SAMPLE_FIELDS, Table, context_cell
from audits.exporting import Cell
from audits.from_file import CHUNK, FileColumns, FileOrder, as_record, as_text
from audits.labels import Decision
from audits.models import Audit, Claim, Extraction, GivenLabel, Sample

COUNTS = ("supported", "contradicted", "unverified", "disputed", "pending")
PENDING = ""
GIVEN = "given_labels"


def sample_table(audit: Audit, *, contexts: bool = False) -> Table:
    """One row per sample, those without claims included: what a rate does not count must not be out of sight."""
    beside = FileColumns(audit.dataset)
    return [*_keys(contexts), GIVEN, *beside.names], _rows(audit, contexts, beside)


def _rows(audit: Audit, contexts: bool, beside: FileColumns) -> Iterator[list[Cell]]:
    for sample, record, given in _told(audit, contexts):
        reasons = record["no_claims"]
        cells = record | {
            "flags": ", ".join(record["flags"]),
            "no_claims": "\n".join(f"{number}: {reason}" for number, reason in reasons.items()),
            "unaccounted": ", ".join(map(str, record["unaccounted"])),
        }
        if contexts:
            cells["contexts"] = context_cell(record["contexts"])
        yield [*cells.values(), as_text(given or None), *beside.cells(sample)]


def sample_records(audit: Audit, *, contexts: bool = False) -> Iterator[dict[str, Any]]:
    """One object per sample, in the file's order."""
    order = FileOrder(audit.dataset)
    for sample, record, given in _told(audit, contexts):
        yield record | {GIVEN: given} | as_record(sample, order)


def _told(audit: Audit, contexts: bool) -> Iterator[tuple[Sample, dict[str, Any], list[dict[str, str]]]]:
    """Each sample with what the audit says of it, and what people said of it before, in the file's order."""
    extractions = Extraction.objects.filter(audit=audit).order_by("sample__position").iterator(chunk_size=CHUNK)
    wanted = Sample.objects.only(*SAMPLE_FIELDS, *(["contexts"] if contexts else []))
    while chunk := list(islice(extractions, CHUNK)):
        samples = wanted.in_bulk([row.sample_id for row in chunk])
        decisions = Claim.objects.filter(extraction__in=chunk).order_by().values_list("extraction", "decision")
        counts = Counter(decisions)
        given = _given(list(samples))
        for row in chunk:
            sample = samples[row.sample_id]
            yield sample, _record(row, sample, counts, contexts), given.get(sample.pk, [])


def _given(samples: list[int]) -> dict[int, list[dict[str, str]]]:
    """Sample -> its human labels: the claim, "" for the answer as a whole; the file's word; what that means."""
    said: dict[int, list[dict[str, str]]] = {}
    labels = GivenLabel.objects.filter(sample__in=samples)
    for sample, claim, word, label in labels.values_list("sample", "claim", "word", "label"):
        said.setdefault(sample, []).append({"claim": claim, "word": word, "label": label})
    return said


def _keys(contexts: bool) -> tuple[str, ...]:
    keys = ("sample_id", "line", "language", "question", "answer", "flags", "extraction", "failure", "refusal")
    return (*keys, "claims", *COUNTS, "no_claims", "unaccounted", *(("contexts",) if contexts else ()))


def _record(row: Extraction, sample: Sample, counts: "Counter[tuple[int, str]]", contexts: bool) -> dict[str, Any]:
    by_decision = [counts[row.pk, decision] for decision in (*(d.value for d in Decision), PENDING)]
    values = (
        sample.external_id,
        sample.line,
        sample.language,
        sample.question,
        sample.answer,
        sample.flags,
        row.status,
        row.failure,
        row.is_refusal,
        sum(by_decision),
        *by_decision,
        row.no_claims,
        row.unaccounted,
        *((sample.contexts,) if contexts else ()),
    )
    return dict(zip(_keys(contexts), values, strict=True))

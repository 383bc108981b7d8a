"""What the export of claims holds: one row per claim, read in chunks so that no size is too large.

Column names and code values are the same in every language. Texts are as they came; only table files make them
harmless for spreadsheets, when they are written.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from django.db.models import Prefetch

from audits.exporting import Cell
from audits.from_file import CHUNK, FIELDS, FileColumns, FileOrder, as_record
from audits.models import Audit, Claim, PanelMember, Probe, Sample, Verdict
from audits.models.judging import AGAIN

Table = tuple[list[str], Iterator[list[Cell]]]
"""A header and the rows below it."""
SAID = ("label", "unscored", "rationale", "quotes", "grounded", "conflict", "windows", "shown")
SAMPLE_FIELDS = ("external_id", "line", "language", "question", "answer", "flags", *FIELDS)


def claim_table(audit: Audit, *, contexts: bool = False) -> Table:
    """One row per claim in reading order: claim, decision, ten columns per judge, named VENDOR:MODEL, FileColumns.

    A judge that has not spoken yet has empty cells.
    """
    beside = FileColumns(audit.dataset)
    return [*_claim_columns(audit, contexts), *beside.names], _claim_rows(audit, contexts, beside)


def _claim_columns(audit: Audit, contexts: bool) -> list[str]:
    names = ["sample_id", "question", "answer", "claim_no", "claim"]
    names += ["sentence_no", "start", "end", "vague", "ambiguous", "flags", "decision"]
    for member in audit.panel:
        names += [f"{member.name} {part}" for part in (*SAID, *(kind.value for kind in AGAIN))]
    return [*names, "contexts"] if contexts else names


def _claim_rows(audit: Audit, contexts: bool, beside: FileColumns) -> Iterator[list[Cell]]:
    panel = list(audit.panel)
    for claim, sample in _claims(audit, contexts):
        said = {verdict.member_id: verdict for verdict in claim.verdicts.all()}
        again = {(probe.member_id, probe.kind): probe for probe in _probes(audit, claim)}
        row: list[Cell] = [
            sample.external_id,
            sample.question,
            sample.answer,
            claim.position + 1,
            claim.text,
            claim.sentence,
            claim.start,
            claim.end,
            claim.vague,
            claim.ambiguous,
            _flag_cell(claim.flags),
            claim.decision,
        ]
        for member in panel:
            row += _verdict_cells(said.get(member.pk))
            row += [_probe_cell(again.get((member.pk, kind))) for kind in AGAIN]
        if contexts:
            row.append(context_cell(sample.contexts))
        yield row + beside.cells(sample)


def claim_records(audit: Audit, *, contexts: bool = False) -> Iterator[dict[str, Any]]:
    """One object per claim, with the verdicts nested; null where nothing is known yet."""
    panel = {member.pk: member for member in audit.panel}
    order = FileOrder(audit.dataset)
    for claim, sample in _claims(audit, contexts):
        record = {
            "sample_id": sample.external_id,
            "question": sample.question,
            "answer": sample.answer,
            "claim_no": claim.position + 1,
            "claim": claim.text,
            "sentence_no": claim.sentence,
            "start": claim.start,
            "end": claim.end,
            "vague": claim.vague,
            "ambiguous": claim.ambiguous,
            "flags": claim.flags,
            "decision": claim.decision or None,
            "verdicts": [_verdict_record(panel[verdict.member_id], verdict) for verdict in claim.verdicts.all()],
            "probes": [_probe_record(panel[probe.member_id], probe) for probe in _probes(audit, claim)],
        }
        yield record | ({"contexts": sample.contexts} if contexts else {}) | as_record(sample, order)


def _claims(audit: Audit, contexts: bool) -> Iterator[tuple[Claim, Sample]]:
    """Claims with their verdicts and samples; the texts of a sample are read once per chunk, not once per claim."""
    again = Prefetch("probes", queryset=Probe.objects.filter(kind__in=AGAIN))
    related = ("verdicts", again) if audit.probe_percent else ("verdicts",)
    claims = Claim.objects.filter(audit=audit).prefetch_related(*related).iterator(chunk_size=CHUNK)
    wanted = Sample.objects.only(*SAMPLE_FIELDS, *(["contexts"] if contexts else []))
    while chunk := list(islice(claims, CHUNK)):
        samples = wanted.in_bulk({claim.sample_id for claim in chunk})
        for claim in chunk:
            yield claim, samples[claim.sample_id]


def _flag_cell(flags: Sequence[dict[str, str]]) -> str:
    """What was found in the claim's texts, and in which of them: "instruction (context 2), hidden (answer)"."""
    return ", ".join(f"{flag['code']} ({flag['where']})" for flag in flags)


def _verdict_cells(verdict: Verdict | None) -> list[Cell]:
    if verdict is None:
        return [""] * len(SAID)
    quotes, shown = "\n".join(_quote_text(quote) for quote in verdict.quotes), _shown_text(verdict.shown)
    words: list[Cell] = [verdict.label, verdict.unscored, verdict.rationale, quotes]
    return [*words, verdict.grounded, verdict.conflict, verdict.windows, shown]


def _probes(audit: Audit, claim: Claim) -> Sequence[Probe]:
    """What was asked again about a claim; the query is saved where nothing was."""
    return list(claim.probes.all()) if audit.probe_percent else ()


def _probe_cell(probe: Probe | None) -> str:
    """The label, or the reason why there is none; empty where the judge was not asked again, or not yet."""
    return "" if probe is None else probe.label or probe.unscored


def _shown_text(shown: Sequence[Sequence[int]] | None) -> str:
    """What the last call showed: contexts from 1, characters from 0, as "[1] 0-1200"; "all" where it was whole."""
    return "all" if shown is None else ", ".join(f"[{context + 1}] {start}-{end}" for context, start, end in shown)


def _quote_text(quote: dict[str, Any]) -> str:
    """The number of the context, from 1 in the file's order, and the quote; said if it is not really there."""
    lost = " (not found)" if quote.get("start") is None else ""
    return f"[{quote['context'] + 1}] {quote['text']}{lost}"


def _verdict_record(member: PanelMember, verdict: Verdict) -> dict[str, Any]:
    return {
        "judge": member.letter,
        "name": member.name,
        "label": verdict.label or None,
        "unscored": verdict.unscored or None,
        "detail": verdict.detail,
        "rationale": verdict.rationale,
        "quotes": verdict.quotes,
        "grounded": verdict.grounded,
        "conflict": verdict.conflict,
        "windows": verdict.windows,
        "shown": verdict.shown,
    }


def _probe_record(member: PanelMember, probe: Probe) -> dict[str, Any]:
    said = {"label": probe.label or None, "unscored": probe.unscored or None}
    return {"judge": member.letter, "kind": probe.kind, "status": probe.status} | said


def context_cell(contexts: Sequence[str]) -> str:
    """The contexts in one cell, numbered from 1."""
    return "\n".join(f"[{number}] {text}" for number, text in enumerate(contexts, start=1))

"""Writes the evidence package of a certificate: one ZIP, the same bytes for the same data, choice and key."""

import hashlib
import json
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from audits.export_files import csv_lines, jsonl_lines
from audits.judges.prompting import PROMPTS
from audits.models import Sample
from audits.pipeline.sealing import entries
from review.keys import signing_key
from review.looks import draws
from review.models import Certificate, ReviewItem, ReviewPlan
from review.package.columns import schema
from review.package.options import Options
from review.package.reading import FORMAT
from review.package.sums import SIGNATURE, SUMS, lines_of_sums
from review.package.tables import sample_id, tables
from review.signature import file_bytes, sign
from review.spotcheck import lines_of_strata, strata_of

README = Path(__file__).with_name("README.md")
IN_MEMORY = 8_000_000  # bytes; a larger package is spooled to the disk
MOMENT = (1980, 1, 1, 0, 0, 0)  # of every member: the earliest that a ZIP can hold
KNOWN_LABELS = "gold_"  # events about known labels, which are no part of a certificate
CHUNK = 500


def evidence_package(certificate: Certificate, options: Options) -> IO[bytes]:
    """An open temporary file at its beginning, gone when it is closed. Rows are streamed; only what the figures are
    made of (one outcome per claim) is held in memory."""
    sums: dict[str, str] = {}
    file: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 (who sends it closes it)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, allowZip64=True, compresslevel=6) as archive:
        for name, chunks in sorted(_members(certificate, options).items()):
            sums[name] = _write(archive, name, chunks)
        listed = lines_of_sums(sums)
        _write(archive, SUMS, [listed])
        _write(archive, SIGNATURE, [sign(listed, signing_key())])
    file.seek(0)
    return file


def _write(archive: zipfile.ZipFile, name: str, chunks: Iterable[bytes]) -> str:
    """Add a member; its SHA-256."""
    info = zipfile.ZipInfo(name, MOMENT)
    info.compress_type, info.create_system, info.external_attr = zipfile.ZIP_DEFLATED, 3, 0o644 << 16
    found = hashlib.sha256()
    with archive.open(info, "w", force_zip64=True) as member:
        for chunk in chunks:
            member.write(chunk)
            found.update(chunk)
    return found.hexdigest()


def _members(certificate: Certificate, options: Options) -> dict[str, Iterable[bytes]]:
    plan = ReviewPlan.objects.select_related("audit").get(audit=certificate.audit_id)
    strata = lines_of_strata(strata_of(certificate.audit)).encode()
    found: dict[str, Iterable[bytes]] = {
        "README.md": [README.read_bytes()],
        "certificate.json": [file_bytes(certificate.envelope)],
        "events.jsonl": jsonl_lines(_events(certificate, options)),
        "plan.json": [_json(certificate.audit.plan)],
        "schema.json": [_json(schema())],
        "seeds.json": [_json(_seeds(certificate, plan, options))],
        "strata.txt": [strata],
    }
    found |= {name: _csv(begin) for name, begin in tables(certificate, options).items()}
    found |= {f"prompts/{name}": [text] for name, text in _prompts(certificate)}
    if options.contexts:
        found["samples.jsonl"] = jsonl_lines(_samples(certificate, options))
    return found


def _csv(begin: Any) -> Iterator[bytes]:
    header, rows = begin()
    yield from csv_lines(header, rows)


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True).encode() + b"\n"


def _seeds(certificate: Certificate, plan: ReviewPlan, options: Options) -> dict[str, Any]:
    """What repeats the draw, as text where a number would lose digits."""
    audit = plan.audit
    return {
        "format": FORMAT,
        "certificate": certificate.number,
        "dataset_sha256": audit.dataset.sha256,
        "strata_sha256": plan.strata_hash,
        "nonce": plan.nonce,
        "seed": str(plan.seed),
        "draws": draws(plan)[: len(certificate.envelope["statement"]["draws"])],
        "double_percent": audit.double_percent,
        "rule_changed": audit.rule_changed_at is not None and audit.rule_changed_at <= certificate.issued_at,
        "pseudonymised": options.pseudonymised,
        "contexts": options.contexts,
    }


def _prompts(certificate: Certificate) -> Iterator[tuple[str, bytes]]:
    """The texts of the prompts that the certificate names, each under its SHA-256. Judges without a vendor have
    none."""
    wanted = {prompt["sha256"] for prompt in certificate.envelope["statement"].get("prompts", [])}
    for path in sorted(PROMPTS.glob("*.txt")):
        text = path.read_bytes()
        if (name := hashlib.sha256(text).hexdigest()) in wanted:
            yield f"{name}.txt", text


def _samples(certificate: Certificate, options: Options) -> Iterator[dict[str, Any]]:
    rows = Sample.objects.filter(extractions__audit=certificate.audit_id).order_by("position")
    columns = ("pk", "external_id", "line", "question", "answer", "contexts")
    for pk, external, line, question, answer, contexts in rows.values_list(*columns).iterator(chunk_size=CHUNK):
        yield {
            "sample": pk,
            "sample_id": sample_id(certificate, options, external),
            "line": line,
            "question": question,
            "answer": answer,
            "contexts": contexts,
        }


def _events(certificate: Certificate, options: Options) -> Iterator[dict[str, Any]]:
    """Every place of the chain up to the head that the certificate holds; the entries of this audit and of its
    project in full, of others, and of those about known labels, the hash alone."""
    head = certificate.envelope["statement"].get("event_log")
    if head is None:
        return
    project, audit = certificate.audit.project_id, certificate.audit_id
    gold = ReviewItem.objects.filter(plan__audit=audit, kind=ReviewItem.Kind.GOLD)
    known = set(gold.values_list("pk", flat=True))
    for entry, stored in entries():
        if entry["sequence"] > head["sequence"]:
            return
        own = entry["project"] == project and entry["audit"] in (None, audit)
        secret = entry["kind"].startswith(KNOWN_LABELS) or entry["data"].get("item") in known
        shown = own and not options.pseudonymised and not secret
        yield {"sequence": entry["sequence"], "hash": stored, "entry": dict(entry) if shown else None}

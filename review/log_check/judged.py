"""Datasets and what judges said: the digests that were written when it came to an end, and decisions by verdicts."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from audits.decision import Voice, decide
from audits.labels import Label
from audits.models import Audit, Claim, Dataset, Event, Verdict
from audits.pipeline.contents import IMPORTED, JUDGED, LATE, differing
from audits.planning import Rule
from review.log_check.finding import Finding

CHUNK = 2000
TABLES = {
    "sample.1": "samples",
    "given_label.1": "labels that people gave beforehand",
    "row_error.1": "refused rows",
    "extraction.1": "answers cut into claims",
    "judging.1": "orders of contexts",
    "claim.1": "claims",
    "verdict.1": "verdicts",
    "probe.1": "probes and planted claims",
    "call.1": "calls of the ledger",
    "member_notes.1": "parameters that models refused",
}
STATES = {"retry_failed": (Audit.Status.JUDGING, Audit.Status.PAUSED), "cancel": (Audit.Status.CANCELLED,)}


def datasets() -> Iterator[Finding]:
    """Samples and what came with them are those that were imported; the file is the one that was uploaded."""
    files, imported = {}, {}
    rows = Event.objects.filter(kind__in=("upload", IMPORTED)).order_by("pk").values_list("kind", "data")
    for kind, data in rows.iterator(CHUNK):
        if kind == IMPORTED:
            imported[data["dataset"]] = data["contents"]
        elif "dataset" in data:
            files[data["dataset"]] = data.get("sha256")
    for dataset in Dataset.objects.order_by("pk"):
        about = f"dataset {dataset.pk}"
        if files.get(dataset.pk, dataset.sha256) != dataset.sha256:
            yield Finding(about, "The SHA-256 of its file is not that of the upload.")
        for name in differing(dataset, imported.get(dataset.pk, {})):
            yield Finding(about, f"Its {TABLES[name]} are not those that were imported.")


def audit(one: Audit, covered: bool) -> Iterator[Finding]:
    """Its rule, where it is, what was judged, and its decisions."""
    yield from _rule(one)
    yield from _contents(one, covered)
    yield from _decisions(one)


def _rule(one: Audit) -> Iterator[Finding]:
    """In words, also of audits that began before rows were witnessed."""
    said: Mapping[str, Any] = {}
    rows = Event.objects.filter(audit=one, kind__in=("start", "rule_changed")).order_by("pk")
    for kind, data in rows.values_list("kind", "data"):
        said = data["after"] if kind == "rule_changed" else data
    if not said:
        yield Finding(f"audit {one.pk}", "The log knows nothing of its start.")
    wrong = [name for name, value in Rule.of(one).stored().items() if said.get(name, value) != value]
    if wrong:
        yield Finding(f"audit {one.pk}", f"Its rule is not the one in the log: {', '.join(wrong)}.")


def _contents(one: Audit, covered: bool) -> Iterator[Finding]:
    about = f"audit {one.pk}"
    contents: Mapping[str, Any] = {}
    late: list[int] = []
    states: tuple[str, ...] = (Audit.Status.JUDGING, Audit.Status.PAUSED) if covered else ()
    rows = Event.objects.filter(audit=one, kind__in=(JUDGED, LATE, *STATES)).order_by("pk")
    for kind, data in rows.values_list("kind", "data"):
        if kind == LATE:
            late += [int(key.partition(":")[2]) for key in data["witness"]]
        else:  # judged further, its digests are void until the judging ends again
            contents = data["contents"] if kind == JUDGED else {}
            states = (Audit.Status.REVIEWING,) if kind == JUDGED else STATES[kind]
            late = [] if kind == JUDGED else late
    if states and one.status not in states and (covered or contents):
        yield Finding(about, f"It is {one.status}, but the log does not say so.")
    for name in differing(one, contents, late):
        yield Finding(about, f"Its {TABLES[name]} are not those that were there when the judging ended.")


def _decisions(one: Audit) -> Iterator[Finding]:
    size = one.panel.count()
    voices: dict[int, list[Voice]] = defaultdict(list)
    rows = Verdict.objects.filter(claim__audit=one).order_by()
    for claim, label, grounded, conflict in rows.values_list("claim", "label", "grounded", "conflict").iterator(
        CHUNK
    ):
        voices[claim].append(Voice(Label(label) if label else None, grounded, conflict))
    claims = Claim.objects.filter(audit=one).order_by("pk").values_list("pk", "decision")
    for claim, decision in claims.iterator(CHUNK):
        heard = voices.get(claim, [])
        if decision and (len(heard) != size or str(decide(heard)) != decision):
            yield Finding(f"claim {claim} of audit {one.pk}", f"Its decision {decision} is not that of its verdicts.")

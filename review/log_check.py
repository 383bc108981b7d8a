"""Does what is stored agree with what people did? The chain of events, and every row that a number rests on.

An event says what was done; the rows hold what came of it. Whoever changes one of them behind the application's back
leaves the other as it was, and whoever changes both breaks the chain, whose head certificates hold.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from audits.decision import Voice, decide
from audits.labels import Label
from audits.models import Audit, Claim, Dataset, Event, Verdict
from audits.pipeline.sealing import check
from review.models import Adjudication, Certificate, ReviewPlan
from review.signature import verify
from review.spotcheck import hash_of_strata, seed_of, strata_of

CHUNK = 2000
GIVEN = ("adjudicated", "adjudication_revised", "changed_after_reveal")  # events of a label; each is one row
WITHDRAWN = "adjudication_undone"


@dataclass(frozen=True)
class Finding:
    """What does not agree. about: which row, for people ("certificate A-2026-0001"). problem: one sentence."""

    about: str
    problem: str


def check_log(*, files: bool = True) -> Iterator[Finding]:
    """Everything that does not agree; nothing when all does. files: uploaded files are read and hashed, too."""
    if broken := check():
        yield Finding(
            f"event {broken.sequence} of the log", f"The chain does not hold: this event is {broken.problem}."
        )
    for audit in Audit.objects.order_by("pk"):
        yield from _decisions(audit)
        yield from _labels(audit)
    yield from _draws()
    yield from _certificates()
    if files:
        yield from _files()


def _decisions(audit: Audit) -> Iterator[Finding]:
    size = audit.panel.count()
    voices: dict[int, list[Voice]] = defaultdict(list)
    rows = Verdict.objects.filter(claim__audit=audit).order_by()
    for claim, label, grounded, conflict in rows.values_list("claim", "label", "grounded", "conflict").iterator(
        CHUNK
    ):
        voices[claim].append(Voice(Label(label) if label else None, grounded, conflict))
    claims = Claim.objects.filter(audit=audit).order_by("pk").values_list("pk", "decision")
    for claim, decision in claims.iterator(CHUNK):
        heard = voices.get(claim, [])
        if decision and (len(heard) != size or str(decide(heard)) != decision):
            yield Finding(
                f"claim {claim} of audit {audit.pk}", f"Its decision {decision} is not that of its verdicts."
            )


def _labels(audit: Audit) -> Iterator[Finding]:
    said, withdrawn = _said(audit)
    rows = Adjudication.objects.filter(item__plan__audit=audit).order_by("pk")
    taken_back: Counter[tuple[int, int]] = Counter()
    for item, reviewer, revision, label in rows.values_list("item", "reviewer", "revision", "label").iterator(CHUNK):
        if not label:
            taken_back[item, reviewer] += 1
        elif (recorded := said.pop((item, reviewer, revision), None)) != label:
            told = f"the log says {recorded}" if recorded else "the log knows nothing of it"
            yield Finding(_label_name(item, reviewer, revision), f"It is {label}, but {told}.")
    for (item, reviewer, revision), label in said.items():
        yield Finding(_label_name(item, reviewer, revision), f"The log says {label}, but there is no such label.")
    for item, reviewer in sorted({*taken_back, *withdrawn}):
        if taken_back[item, reviewer] != withdrawn[item, reviewer]:
            yield Finding(_label_name(item, reviewer, None), "Labels taken back do not agree with the log.")


def _said(audit: Audit) -> tuple[dict[tuple[int, int, int], str], Counter[tuple[int, int]]]:
    """(item, person, revision) -> label as the log tells; (item, person) -> labels taken back."""
    said: dict[tuple[int, int, int], str] = {}
    withdrawn: Counter[tuple[int, int]] = Counter()
    rows = Event.objects.filter(audit=audit, kind__in=(*GIVEN, WITHDRAWN), actor__isnull=False).order_by("pk")
    for kind, actor, data in rows.values_list("kind", "actor", "data").iterator(CHUNK):
        if kind == WITHDRAWN:
            withdrawn[data["item"], actor] += 1
        elif data.get("outcome") != "already_saved":
            said[data["item"], actor, data["revision"]] = data["label"]
    return said, withdrawn


def _label_name(item: int, reviewer: int, revision: int | None) -> str:
    number = "" if revision is None else f", revision {revision}"
    return f"label of person {reviewer} on item {item}{number}"


def _draws() -> Iterator[Finding]:
    opened = {
        audit: data for audit, data in Event.objects.filter(kind="review_opened").values_list("audit", "data")
    }  # the newest, where a plan was drawn again
    for plan in ReviewPlan.objects.select_related("audit__dataset").order_by("pk"):
        about = f"spot check of audit {plan.audit_id}"
        if hash_of_strata(strata_of(plan.audit)) != plan.strata_hash:
            yield Finding(about, "The claims' decisions are not those from which it was drawn.")
        if seed_of(plan.audit.dataset.sha256, plan.strata_hash, plan.nonce) != plan.seed_hex:
            yield Finding(about, "Its seed is not made of the dataset, the strata and the number of the start.")
        recorded = opened.get(plan.audit_id)
        if recorded is None or recorded["seed"] != plan.seed_hex:
            yield Finding(about, "The log tells of another draw, or of none.")


def _certificates() -> Iterator[Finding]:
    facts = Event.objects.filter(kind__in=("certificate_issued", "certificate_revoked")).values_list("kind", "data")
    issued, revoked = {}, set()
    for kind, data in facts:
        if kind == "certificate_issued":
            issued[data["number"]] = data["sha256"]
        else:
            revoked.add(data["number"])
    hashes = dict(Event.objects.filter(sequence__isnull=False).values_list("sequence", "hash"))
    for certificate in Certificate.objects.order_by("pk"):
        about, checked = f"certificate {certificate.number}", verify(certificate.envelope)
        if not checked.valid or checked.sha256 != certificate.sha256:
            yield Finding(about, "Its signature does not hold.")
        if issued.pop(certificate.number, None) != certificate.sha256:
            yield Finding(about, "The log knows nothing of it, or of another one under this number.")
        if (certificate.number in revoked) != (certificate.revoked_at is not None):
            yield Finding(about, "Whether it is revoked does not agree with the log.")
        head = certificate.envelope.get("statement", {}).get("event_log")
        if head and hashes.get(head["sequence"]) != head["hash"]:
            yield Finding(about, f"It holds another hash of event {head['sequence']}: the log was written anew.")
    for number in issued:
        yield Finding(f"certificate {number}", "The log says that it was issued, but it is not stored.")


def _files() -> Iterator[Finding]:
    for dataset in Dataset.objects.order_by("pk"):
        path = Path(settings.MEDIA_ROOT) / dataset.stored_as
        if not path.is_file():
            yield Finding(f"file of dataset {dataset.pk}", "It is not there any more.")
        elif _sha256(path) != dataset.sha256:
            yield Finding(f"file of dataset {dataset.pk}", "It is not the one that was uploaded.")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

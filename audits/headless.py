"""An audit without a browser: the same pipeline, driven by this process, with progress on stderr."""

import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.files import File

from audits import pipeline
from audits.batches import tend, wants_tending
from audits.formats.base import FormatError
from audits.formats.messages import file_error
from audits.formats.roles import CORE
from audits.judges import VENDORS, parse_name
from audits.judges.offline import MODELS as OFFLINE_MODELS
from audits.judges.offline_accuracy import measured
from audits.labels import Decision
from audits.mending import MEND
from audits.models import Audit, Dataset, Judge, Project
from audits.pipeline.budgeting import BUDGET
from audits.pipeline.receiving import error_of
from audits.pipeline.starting import check_budget
from audits.progress import progress
from audits.results import result
from audits.stability import flip_rates
from audits.templatetags.figures import money_text
from audits.working import shutting_down, work_on

Say = Callable[[str], None]
COMPLETE, BAD_INPUT, PARTS_FAILED, VENDOR_UNUSABLE = 0, 2, 3, 4
LOOK_EVERY = 2  # seconds between two lines of progress
STRETCH = 3600  # seconds; in between every call in flight is waited for


class Refused(Exception):
    """What was asked cannot be done; the message says why. Exit status 2."""


def project_for_command_line() -> Project:
    """The project that holds what the command line audits."""
    return Project.objects.get_or_create(slug="command-line", defaults={"name": "Command line"})[0]


def judge_named(project: Project, name: str) -> Judge:
    """The judge VENDOR:MODEL, made on first use. Raises Refused for a name that is none."""
    try:
        vendor, model = parse_name(name)
    except ValueError as error:
        raise Refused(str(error)) from error
    if VENDORS[vendor].offline and model not in OFFLINE_MODELS:
        raise Refused(f"There is no offline judge {model!r}. Known are: {', '.join(OFFLINE_MODELS)}.")
    usable = Judge.objects.usable_in(project).filter(vendor=vendor, model=model)
    return usable.first() or Judge.objects.create(project=project, vendor=vendor, model=model)


def check_panel(project: Project, names: Sequence[str], extractor: str, budget: Decimal | None = None) -> None:
    """Whether such a panel may sit at all, and under this budget. Raises Refused."""
    judges = [judge_named(project, name) for name in names]
    cutting = judge_named(project, extractor)
    try:
        pipeline.check_panel(dataset=Dataset(), judges=judges)
        check_budget(budget, [*judges, cutting])
    except pipeline.PanelError as error:
        raise Refused(str(error)) from error


def import_file(
    project: Project, path: Path, mapping: Mapping[str, Any], say: Say, reading: Mapping[str, Any] | None = None
) -> Dataset:
    """Import a file to its end. Raises Refused with the reason; then nothing stays.

    mapping: laid over the guessed one. reading: how the file is to be read, as for pipeline.understand_again.
    """
    dataset = None
    try:
        with path.open("rb") as handle:
            dataset = pipeline.receive_upload(project=project, user=None, file=File(handle, name=path.name))
        if reading:
            pipeline.understand_again(dataset=dataset, **reading)
        if dataset.status == Dataset.Status.FAILED:
            raise error_of(dataset)
        _ask_for_columns(dataset, mapping)
        pipeline.confirm_mapping(dataset=dataset, mapping={**dataset.mapping, **mapping}, user=None)
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}.") from error
    except FormatError as error:
        if dataset is not None:
            pipeline.delete_dataset(dataset=dataset, user=None)
        raise Refused(f"{path.name}: {error}") from error
    while not pipeline.import_dataset(dataset.pk, tell=_import_teller(say)):
        shutting_down.wait(0.5)  # a worker has taken it up
    dataset.refresh_from_db()
    for problem in dataset.row_errors.all()[:20]:
        say(f"{path.name} line {problem.line}, column {problem.column or '-'}: {problem.reason}")
    if dataset.status != Dataset.Status.READY:
        message = dataset.failure.get("message", "the file could not be imported")
        pipeline.delete_dataset(dataset=dataset, user=None)
        raise Refused(f"{path.name}: {message}")
    say(f"imported: {dataset.samples.count()} samples, {dataset.row_errors.count()} rows with errors")
    return dataset


def _import_teller(say: Say) -> Callable[[int, float | None], None]:
    """Says how far an import is, not more often than every LOOK_EVERY seconds."""
    last = time.monotonic()

    def tell(rows: int, share: float | None) -> None:
        nonlocal last
        if time.monotonic() - last >= LOOK_EVERY:
            last = time.monotonic()
            say(f"importing: {rows} rows" + ("" if share is None else f", {share:.0%} of the file"))

    return tell


def _ask_for_columns(dataset: Dataset, mapping: Mapping[str, Any]) -> None:
    """Refuse what was guessed by contents alone, of a file without a header: only a person can say it is right."""
    if dataset.format == "csv" and dataset.header_line is None and not mapping:
        guessed = ",".join(f"{role}={dataset.mapping[role]}" for role in CORE if dataset.mapping.get(role))
        found = ", ".join(dataset.columns[:30])
        raise (
            file_error("no_header", columns=found) if not guessed else file_error("guessed_columns", mapping=guessed)
        )


def start(
    project: Project, dataset: Dataset, names: Sequence[str], extractor: str, threshold: Decimal, **options: Any
) -> Audit:
    """Start an audit by the judges named VENDOR:MODEL. Raises Refused.

    options: budget, reuse, batch, probe_percent, planted, double_percent, expected_rate, looks, as for
    pipeline.start_audit.
    """
    judges = [judge_named(project, name) for name in names]
    try:
        return pipeline.start_audit(
            project=project,
            dataset=dataset,
            user=None,
            name=dataset.name,
            extractor=judge_named(project, extractor),
            judges=judges,
            threshold=threshold,
            headless=True,
            **options,
        )
    except pipeline.PanelError as error:
        raise Refused(str(error)) from error


def run(audit: Audit, say: Say) -> int:
    """Work until nothing is owed or nothing can go on. Returns the exit status; KeyboardInterrupt when stopped."""
    told: dict[int, str] = {}
    while audit.status == Audit.Status.JUDGING:
        if shutting_down.is_set():
            raise KeyboardInterrupt
        _look_after_batches(audit, say, told)
        work_on(audit, seconds=STRETCH, tell=_teller(audit, say))
        pipeline.conclude(audit)
        audit.refresh_from_db()
        if audit.status == Audit.Status.JUDGING and not pipeline.anything_free(audit):
            # Another command holds the rest, or a vendor has it.
            shutting_down.wait(min(1.0, settings.ASSAY_BATCH_POLL_SECONDS / 10) if audit.batch else 0.2)
    _look_after_batches(audit, say, told)
    say(_line(audit))
    if audit.status == Audit.Status.PAUSED:
        _say_why_paused(audit, say)
        return VENDOR_UNUSABLE
    outcome = result(audit)
    return PARTS_FAILED if outcome.unscored or outcome.samples_failed else COMPLETE


def _look_after_batches(audit: Audit, say: Say, told: dict[int, str]) -> None:
    """Move the audit's batches on, and say what has become of each. told: what was said before."""
    if wants_tending(audit):
        tend(audit)
    for batch in audit.batches.select_related("member"):
        text = f"batch of {batch.requests} at {batch.member}: {batch.status}"
        text += f" ({batch.message})" if batch.message else ""
        if told.get(batch.pk) != text:
            told[batch.pk] = text
            say(text)


def _say_why_paused(audit: Audit, say: Say) -> None:
    for member in audit.members.exclude(stopped_fault=""):
        say(f"{member} stopped: {member.stopped_message} {MEND.get(member.stopped_fault, '')}".rstrip())
    again = f"manage.py resume {audit.pk}"
    if audit.stopped_by == BUDGET:
        budget, spent = money_text(audit.budget), money_text(audit.spent)
        say(f"Paused: the budget of {budget} is used up ({spent} spent). Raise it to go on.")
        again += " --budget AMOUNT"
    say(f"Nothing that was answered is lost. Go on with: {again}")


@contextmanager
def stops_in_order(say: Say) -> Iterator[None]:
    """A first Ctrl-C or SIGTERM lets calls in flight, which are paid for, come back; a second one ends at once."""
    if threading.current_thread() is not threading.main_thread():  # signals are not its business
        yield
        return

    def stop(_signal: int, _frame: FrameType | None) -> None:
        if shutting_down.is_set():
            raise KeyboardInterrupt
        shutting_down.set()
        say("Stopping when the calls in flight have come back. Ctrl-C again stops at once.")

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        shutting_down.clear()


def _teller(audit: Audit, say: Say) -> Callable[[], None]:
    """Says how far the audit is, not more often than every LOOK_EVERY seconds."""
    last = time.monotonic()

    def tell() -> None:
        nonlocal last
        if time.monotonic() - last >= LOOK_EVERY:
            last = time.monotonic()
            say(_line(audit))

    return tell


def _line(audit: Audit) -> str:
    now = progress(audit)
    parts = [f"extracted {now.extracted}/{now.samples}", f"claims {now.claims}"]
    parts += [f"{member.name} {member.done}" for member in now.members if member.role == "judge"]
    if now.probes:
        parts.append(f"judged again {now.probes_done}/{now.probes}")
    if now.planted:
        parts.append(f"planted claims {now.planted_done}/{now.planted}")
    if now.failures:
        parts.append(f"failed calls {now.failures}")
    return " · ".join(parts)


def summary(audit: Audit) -> dict[str, Any]:
    """The result as plain data: what `audit --json` prints. Undefined numbers are None."""
    found = result(audit)
    bounds = [found.bounds.low, found.bounds.high] if found.bounds else [None, None]
    return {
        "audit": audit.pk,
        "dataset_sha256": audit.dataset.sha256,
        "specimen": audit.is_specimen,
        "specimen_accuracy": _accuracy() if audit.is_specimen else None,
        "status": audit.status,
        "hallucination_rate": found.rate.value,
        "faithfulness_score": found.faithfulness.value,
        "rate_interval": [found.rate.low, found.rate.high],
        "rate_bounds": bounds,
        "total_claims": found.total,
        "hallucinated_claims": found.contradicted + found.unverified,
        "supported": found.supported,
        "contradicted": found.contradicted,
        "unverified": found.unverified,
        "disputed": found.open,
        "unscored": found.unscored,
        "coverage": found.coverage,
        "disagreement_rate": found.disagreement_rate,
        "flip_rates": flip_rates(audit),
        "samples": found.samples,
        "samples_without_claims": found.samples_without_claims,
        "samples_failed": found.samples_failed,
        "samples_passed_over": found.samples_passed_over,
        "refusals": found.refusals,
        "rows_with_errors": audit.dataset.row_errors.count(),
        "details": _details(audit),
    }


def _accuracy() -> dict[str, float]:
    """Balanced accuracy of the offline judges and of counting shared words, mean over public sets."""
    found = measured()
    return {"offline:rules": found.rules, "offline:vector": found.vector, "shared_words": found.baseline}


def _details(audit: Audit) -> list[dict[str, Any]]:
    rows = []
    claims = audit.claims.select_related("sample").prefetch_related("verdicts__member")
    claims = claims.order_by("sample__position", "position").defer("sample__contexts", "sample__metadata")
    for claim in claims.iterator(chunk_size=500):
        decided = claim.decision not in ("", Decision.DISPUTED)
        rows.append(
            {
                "sample": claim.sample.external_id,
                "claim": claim.text,
                "label": claim.decision if decided else None,
                "decision": claim.decision or None,
                "verdicts": {verdict.member.name: verdict.label or None for verdict in claim.verdicts.all()},
                "grounded": {verdict.member.name: verdict.grounded for verdict in claim.verdicts.all()},
            }
        )
    return rows

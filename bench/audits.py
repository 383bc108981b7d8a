"""One audit after another, from the outside: started as the pages start it, worked off by worker processes.

Nothing of how workers work is known here, only the database, the processes and what the vendor saw. Django must be
set up before this module is imported.
"""

import json
import math
import secrets
import subprocess
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.core.files.base import ContentFile
from django.db import connection

from audits import pipeline
from audits.models import Audit, Dataset, Judge, PanelMember, Project, Verdict
from bench.processes import PROC, Vendor, cpu_seconds, forget_peak, memory_mb

LIMIT = 1800  # seconds after which an audit counts as stuck
LOOK = 0.02  # seconds between two looks at an audit's status
Workers = Sequence["subprocess.Popen[str]"]


@dataclass(frozen=True)
class Split:
    """How many calls at once each member may make."""

    extractor: int
    judge: int  # each of the two

    @property
    def total(self) -> int:
        """Calls at once of the whole audit."""
        return self.extractor + 2 * self.judge


@dataclass(frozen=True)
class Measured:
    """One audit. Times in seconds, memory in megabytes."""

    wall: float
    latency: float
    concurrency: int
    floor: float  # the shortest wall time that this split of the concurrency allows
    calls: int
    claims: int
    verdicts: int
    lost: int  # claims or verdicts that should be there and are not, or say nothing
    doubled: int  # verdicts beyond one per claim and judge
    bought_twice: int  # requests that the vendor had seen before
    peak: int  # requests at once that the vendor saw
    over_limit: int  # by how much the worst member went over its concurrency
    cpu: tuple[float, ...]  # of each worker
    cpu_database: float | None  # of the server's processes for our database; None when they cannot be seen
    cpu_vendor: float
    peak_rss: tuple[float, ...]  # of each worker

    @property
    def ideal(self) -> float:
        """Calls x latency / concurrency."""
        return self.calls * self.latency / self.concurrency

    @property
    def cpu_all(self) -> float:
        """Seconds of CPU of the workers and of the database, as far as it can be seen."""
        return sum(self.cpu) + (self.cpu_database or 0.0)

    def per_call(self, seconds: float | None) -> float | None:
        """Milliseconds per call of so many seconds."""
        return None if seconds is None else round(1000 * seconds / self.calls, 2)

    @property
    def cores(self) -> float:
        """Cores that everything measured kept busy: at the machine's number of cores, the machine is the limit."""
        return round((self.cpu_all + self.cpu_vendor) / self.wall, 2)


def project_of(name: str) -> Project:
    """A project for a scenario."""
    return Project.objects.create(slug=f"bench-{name}", name=f"Bench {name}")


def dataset_of(project: Project, rows: Sequence[dict[str, Any]]) -> Dataset:
    """Upload, confirm and import rows, all in this process."""
    text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    file = ContentFile(text.encode("utf-8"), name="rows.jsonl")
    dataset = pipeline.receive_upload(project=project, user=None, file=file)
    pipeline.confirm_mapping(dataset=dataset, mapping=dataset.mapping, user=None)
    end = time.monotonic() + 300
    while dataset.status != Dataset.Status.READY:
        if not pipeline.import_dataset(dataset.pk, seconds=60):
            time.sleep(0.2)  # a worker heard the bell and was first
        dataset.refresh_from_db()
        if time.monotonic() > end or dataset.status == Dataset.Status.FAILED:
            raise RuntimeError(f"The import ended as {dataset.status}: {dataset.failure}")
    return dataset


def panel_of(project: Project, name: str, split: Split) -> tuple[Judge, list[Judge]]:
    """An extractor and two judges of two vendors, with models of their own for this scenario."""
    prices = {"price_in": Decimal(1), "price_out": Decimal(4)}

    def judge(vendor: str, model: str, concurrency: int) -> Judge:
        return Judge.objects.create(project=project, vendor=vendor, model=model, concurrency=concurrency, **prices)

    judges = [judge("openai", f"gpt-{name}", split.judge), judge("anthropic", f"claude-{name}", split.judge)]
    return judge("openai", f"gpt-extract-{name}", split.extractor), judges


def run(
    dataset: Dataset, panel: tuple[Judge, list[Judge]], split: Split, vendor: Vendor, latency: float, workers: Workers
) -> Measured:
    """Start an audit, wait until it is judged, and say what it took. Raises TimeoutError, RuntimeError."""
    pids = [process.pid for process in workers]
    vendor.reset(latency)
    for pid in pids:
        forget_peak(pid)
    before = [cpu_seconds(pid) for pid in pids]
    vendor_before, database = cpu_seconds(vendor.pid), DatabaseCpu()
    started = time.monotonic()
    extractor, judges = panel
    audit = pipeline.start_audit(
        project=dataset.project,
        dataset=dataset,
        user=None,
        name=dataset.name,
        extractor=extractor,
        judges=judges,
        threshold=Decimal("0.02"),
        spot_check_size=10,
    )
    _wait(audit, workers, database)
    wall = time.monotonic() - started
    cpu = tuple(cpu_seconds(pid) - at for pid, at in zip(pids, before, strict=True))
    counts = vendor.counts()
    calls, samples = counts["requests"], dataset.samples.count()
    return Measured(
        wall=wall,
        latency=latency,
        concurrency=split.total,
        floor=_floor(samples, (calls - samples) // 2, split, latency),
        calls=calls,
        bought_twice=counts["doubled"],
        peak=counts["peak"],
        over_limit=_over_limit(audit, counts["peak_by_model"]),
        cpu=cpu,
        cpu_database=database.seconds(),
        cpu_vendor=cpu_seconds(vendor.pid) - vendor_before,
        peak_rss=tuple(memory_mb(pid, "VmHWM") for pid in pids),
        **_results(audit),
    )


def _wait(audit: Audit, workers: Workers, database: "DatabaseCpu") -> None:
    end = time.monotonic() + LIMIT
    look = 0
    while True:
        status = Audit.objects.values_list("status", flat=True).get(pk=audit.pk)
        if status == Audit.Status.REVIEWING:
            return
        if status != Audit.Status.JUDGING:
            stopped = list(audit.members.values_list("model", "stopped_fault", "stopped_message"))
            raise RuntimeError(f"The audit is {status}: {stopped}")
        for process in workers:
            if process.poll() is not None:
                raise RuntimeError(f"A worker ended with status {process.returncode}.")
        if time.monotonic() > end:
            raise TimeoutError(f"The audit was not judged within {LIMIT} s.")
        look += 1
        if look % 25 == 1:
            database.look()
        time.sleep(LOOK)


def _floor(samples: int, verifications: int, split: Split, latency: float) -> float:
    """The busiest member's rounds, after the first extraction has come back where that member is a judge."""
    rounds = max(math.ceil(samples / split.extractor) + 1, 1 + math.ceil(verifications / split.judge))
    return rounds * latency


def _over_limit(audit: Audit, peaks: dict[str, int]) -> int:
    limits = dict(audit.members.values_list("model", "concurrency"))
    return max([0, *(peak - limits.get(model, 0) for model, peak in peaks.items())])


def _results(audit: Audit) -> dict[str, int]:
    """Every claim should have exactly one verdict, with a label, of each judge."""
    judges = audit.members.filter(role=PanelMember.Role.JUDGE).count()
    found = Verdict.objects.filter(claim__audit=audit)
    pairs = Counter(found.values_list("claim_id", "member_id"))
    claims = audit.claims.count()
    expected = sum(len(sentences) for sentences in audit.extractions.values_list("sentences", flat=True))
    unjudged = claims * judges - len(pairs) + found.filter(label="").count()
    return {
        "claims": claims,
        "verdicts": sum(pairs.values()),
        "lost": unjudged + max(0, expected - claims) + audit.extractions.exclude(status="done").count(),
        "doubled": sum(pairs.values()) - len(pairs),
    }


class DatabaseCpu:
    """CPU time of the database server's processes that serve our database, where the kernel lets us see them."""

    def __init__(self) -> None:
        self._first: dict[int, float] = {}
        self._last: dict[int, float] = {}
        self.look(new=False)

    def look(self, *, new: bool = True) -> None:
        """Read the clocks of all backends but our own; one that is new has worked for us since it began."""
        if connection.vendor != "postgresql":
            return
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            pids = [row[0] for row in cursor.fetchall()]
        for pid in pids:
            try:
                if not (PROC / str(pid) / "comm").read_text().startswith("postgres"):
                    continue
                now = cpu_seconds(pid)
            except OSError:
                continue
            self._first.setdefault(pid, 0.0 if new else now)
            self._last[pid] = now

    def seconds(self) -> float | None:
        """Since this was made; None when nothing could be seen."""
        self.look()
        if not self._last:
            return None
        return sum(now - self._first[pid] for pid, now in self._last.items())


def salt() -> str:
    """A word that no earlier dataset has in its texts."""
    return secrets.token_hex(4)

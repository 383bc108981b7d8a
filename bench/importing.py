"""Importing beside a plain read of the same file by its reader library: `make bench NAME=importing`, one JSON line.

Rows with two contexts of 1 KB (UTF-8) together, half of them Chinese, in each database that is here: SQLite always,
PostgreSQL where a server is reachable. Every read and every import has a process of its own; they take turns, and the
medians are compared. BENCH_QUICK=1 takes a tenth of everything and leaves Label Studio out.

rows_per_second_F, plain_rows_per_second_F   of the format F; from the start of the import until the dataset is ready,
                  with the process that reads and the database
ratio_F           wall time of the import over that of the plain read
peak_rss_mb_F     memory of both processes at their peaks, added up: of a file of --big-mb for csv and jsonl, of the
                  same rows for xlsx
cpu_ratio_F       the same of processor time, without that of a database server: it says more on a busy machine
label_studio_over_assay   wall time that Label Studio 1.23.0 takes for the same tasks as JSON, over ours for JSONL,
                  both on SQLite; label_studio_cpu_over_assay of processor time. It is installed by pip into a folder
                  of its own (ASSAY_BENCH_CACHE, else ~/.cache/assay-bench), and left out, loudly, where it cannot be
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from bench.import_files import WRITE, rows
from bench.peers import Peer, environment_of
from bench.place import ROOT, place
from bench.processes import PROC, forget_peak, load, memory_mb

CONTEXT = 1024  # bytes of the contexts of a row
TURNS = 3
LOOK_EVERY = 0.1  # seconds between two looks at the memory of the process that reads
LIMIT = 3600  # seconds for one import
LABEL_STUDIO = Peer("label_studio", ("label-studio==1.23.0",))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print one JSON line. Returns the exit status."""
    quick = bool(os.environ.get("BENCH_QUICK"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000 if quick else 100_000)
    parser.add_argument("--context", type=int, default=CONTEXT, help="bytes of contexts in a row")
    parser.add_argument("--big-mb", type=int, default=100 if quick else 1024, help="0 leaves the large files out")
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--formats", default="csv,jsonl,xlsx")
    parser.add_argument("--databases", default="sqlite,postgresql")
    parser.add_argument("--no-peer", action="store_true", default=quick, help="leaves Label Studio out")
    parser.add_argument("--one", help=argparse.SUPPRESS)  # import this file here, see _one
    options = parser.parse_args(arguments)
    if options.one:
        print(json.dumps(_one(Path(options.one))))
        return 0
    if not PROC.joinpath("self/stat").exists():
        print(json.dumps({"bench": "importing", "skipped": "memory is read from Linux's /proc"}))
        return 0
    found: dict[str, Any] = {"bench": "importing", "rows": options.rows, "context": options.context, "load": load()}
    for database in options.databases.split(","):
        found[database] = _database(database, options)
    if not options.no_peer and "rows_per_second_jsonl" in found.get("sqlite", {}):
        found |= _label_studio(options, found["sqlite"])
    print(json.dumps(found))
    return 0


def _database(database: str, options: argparse.Namespace) -> dict[str, Any]:
    if database == "sqlite":
        os.environ["DATABASE_URL"] = "sqlite://"
    else:
        os.environ.pop("DATABASE_URL", None)
    with place() as here:
        if here.database != database:
            print(f"bench importing: {database} IS LEFT OUT, there is no server.", file=sys.stderr)
            return {"skipped": "no server"}
        _run(here.environment, "manage.py", "migrate", "-v0")
        found: dict[str, Any] = {}
        for kind in options.formats.split(","):
            found |= _format(kind, here.folder, here.environment, options)
        return found


def _format(kind: str, folder: Path, environment: dict[str, str], options: argparse.Namespace) -> dict[str, Any]:
    path = folder / f"rows.{kind}"
    WRITE[kind](path, options.rows, options.context)
    plain, ours = [], []
    for _ in range(options.turns):
        plain.append(json.loads(_run(environment, "-m", "bench.import_files", "plain", kind, str(path))))
        ours.append(json.loads(_run(environment, "-m", "bench.importing", "--one", str(path))))
        print(f"bench importing: {kind}: plain {plain[-1]}, import {ours[-1]}", file=sys.stderr)
    seconds, taken = (statistics.median(turn["seconds"] for turn in turns) for turns in (plain, ours))
    peak, name = max(turn["memory_mb"] for turn in ours), f"peak_rss_mb_{kind}"
    if options.big_mb and kind != "xlsx":
        big = folder / f"big.{kind}"
        WRITE[kind](big, options.rows * (options.big_mb << 20) // path.stat().st_size, options.context)
        found = json.loads(_run(environment, "-m", "bench.importing", "--one", str(big)))
        print(f"bench importing: {kind} of {options.big_mb} MB: {found}", file=sys.stderr)
        peak, name = found["memory_mb"], f"peak_rss_mb_{options.big_mb}mb_{kind}"
        big.unlink()
    path.unlink()
    return {
        f"rows_per_second_{kind}": round(options.rows / taken),
        f"plain_rows_per_second_{kind}": round(options.rows / seconds),
        f"ratio_{kind}": round(taken / seconds, 2),
        f"best_ratio_{kind}": round(min(t["seconds"] for t in ours) / min(t["seconds"] for t in plain), 2),
        f"cpu_ratio_{kind}": round(min(t["cpu"] for t in ours) / min(t["cpu"] for t in plain), 2),
        f"cpu_seconds_{kind}": round(min(t["cpu"] for t in ours), 2),
        f"understood_in_s_{kind}": round(statistics.median(turn["understood"] for turn in ours), 2),
        name: round(peak),
    }


def _run(environment: dict[str, str], *command: str) -> str:
    line = [sys.executable, *command]
    return subprocess.run(
        line, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True, timeout=LIMIT
    ).stdout


def _one(path: Path) -> dict[str, Any]:
    """Import a file in this process, as a worker would."""
    import django

    django.setup()
    from django.core.files import File

    from audits import pipeline
    from audits.models import Dataset, Project

    project, _ = Project.objects.get_or_create(slug="bench", defaults={"name": "bench"})
    began = time.perf_counter()
    with path.open("rb") as handle:
        dataset = pipeline.receive_upload(project=project, user=None, file=File(handle, name=path.name))
    understood = time.perf_counter() - began
    pipeline.confirm_mapping(dataset=dataset, mapping=dataset.mapping, user=None)
    forget_peak(os.getpid())
    watch = _Watch()
    began, used = time.perf_counter(), sum(os.times()[:4])
    assert pipeline.import_dataset(dataset.pk)
    seconds, used = time.perf_counter() - began, sum(os.times()[:4]) - used
    children = watch.stop()
    dataset.refresh_from_db()
    assert dataset.status == Dataset.Status.READY and dataset.samples.count() == dataset.rows_done, dataset.failure
    ours = memory_mb(os.getpid(), "VmHWM")
    found = {"seconds": seconds, "rows": dataset.rows_done, "understood": understood, "cpu": used}
    pipeline.delete_dataset(dataset=dataset, user=None)
    return found | {"memory_mb": ours + children, "parent_mb": ours, "child_mb": children}


def _label_studio(options: argparse.Namespace, ours: dict[str, Any]) -> dict[str, Any]:
    """The same tasks, imported by Label Studio."""
    python = environment_of(LABEL_STUDIO)
    if python is None:
        return {"left_out": ["label_studio"]}
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        file = Path(folder) / "tasks.json"
        with file.open("w", encoding="utf-8") as target:
            json.dump([*rows(options.rows, options.context)], target, ensure_ascii=False)
        quiet = {"LATEST_VERSION_CHECK": "false", "COLLECT_ANALYTICS": "false", "DJANGO_DB": "sqlite"}
        own = {"LABEL_STUDIO_BASE_DATA_DIR": folder, "SECRET_KEY": "bench", "HOME": folder}
        environment = {"PATH": os.environ["PATH"], **quiet, **own}
        command = [str(python), str(ROOT / "bench" / "peer_label_studio.py"), str(file)]
        done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, timeout=LIMIT)
    told = [line for line in done.stdout.splitlines() if line.startswith('{"seconds"')]
    if not told:
        print(f"bench importing: LABEL STUDIO FAILED with status {done.returncode}.", file=sys.stderr)
        return {"left_out": ["label_studio"]}
    theirs = json.loads(told[-1])
    print(f"bench importing: Label Studio: {theirs}", file=sys.stderr)
    assert theirs["rows"] == options.rows
    return {
        "label_studio_rows_per_second": round(theirs["rows"] / theirs["seconds"]),
        "label_studio_over_assay": round(theirs["seconds"] * ours["rows_per_second_jsonl"] / options.rows, 1),
        "label_studio_cpu_over_assay": round(theirs["cpu"] / ours["cpu_seconds_jsonl"], 1),
    }


class _Watch:
    """The largest peak of any child of this process, in megabytes."""

    def __init__(self) -> None:
        self._peak, self._over = 0.0, threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def stop(self) -> float:
        self._over.set()
        self._thread.join()
        return self._peak

    def _look(self) -> None:
        own = str(os.getpid())
        while not self._over.wait(LOOK_EVERY):
            for task in (PROC / own / "task").iterdir():
                with suppress(OSError, KeyError):
                    for pid in (task / "children").read_text().split():
                        if (PROC / pid / "cmdline").read_bytes().count(b"audits.formats.child"):
                            self._peak = max(self._peak, memory_mb(int(pid), "VmHWM"))


if __name__ == "__main__":
    sys.exit(main())

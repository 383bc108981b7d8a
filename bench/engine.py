"""The judging engine under load: how close to the physical limit, at what CPU and memory, with nothing lost.

Whole audits by real worker processes on a database and broker of their own, against a fake vendor at a fixed latency.
Ratios within one run; nothing here passes or fails. One JSON line. BENCH_QUICK=1 leaves out the 10,000 samples;
`python -m bench.engine --profile` says instead where a worker's CPU time goes.

wall_over_ideal_N   wall time from the start of an audit to its review, over calls x latency / N; N calls at once in
                    all, split among extractor and judges; floor_over_ideal_N is the least that this split allows
cpu_ms_per_call     user and system time of the workers and of the database's processes per vendor call; the fake
                    vendor's time comes apart. worker_ and database_cpu_ms_per_call are its parts
rss_mb_N            how far a fresh worker's peak memory rises over its idle memory in an audit of N samples
workers_2_over_1    throughput of two workers over that of one where waiting dominates: each has 16 calls in flight
                    at most (ASSAY_CALLS_PER_WORKER), the judges allow many more
busy_2_over_1       the same with nothing but the judges' 256 calls at once as a limit, more than one process can do;
                    cores_busy_2 near the number of cores means that the machine was the limit, not the engine
"""

import argparse
import json
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.place import Place, place
from bench.processes import Vendor, cpu_seconds, load, memory_mb, vendor, workers
from bench.samples import rows

LATENCY = 0.2  # seconds
SAMPLES, CLAIMS = 200, 5
WARM_UP = 40  # samples of an audit before the one that counts
TRIES = 8  # audits that a worker may need until it takes part in one
IMPORTS = 1.0  # seconds of CPU that a worker has used at least when it has imported the SDKs
SPLITS = {16: (2, 7), 64: (8, 28), 256: (24, 116)}  # calls at once of the extractor, of each judge
PASSAGE = 1300  # characters of each of three contexts in the runs that measure memory


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print one JSON line. Returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--profile", action="store_true", help="where the CPU time of a worker goes, function by function"
    )
    options = parser.parse_args(arguments)
    if not os.path.exists("/proc/self/stat"):
        print(json.dumps({"bench": "engine", "skipped": "CPU time and memory are read from Linux's /proc"}))
        return 0
    with place() as here, vendor() as fake:
        bench = Bench(here, fake)
        if options.profile:
            bench.profile()
        else:
            print(json.dumps({"bench": "engine", **bench.figures()}))
    return 0


@dataclass
class Bench:
    """The scenarios, in one place with one vendor."""

    here: Place
    fake: Vendor
    idle: dict[int, float] = field(default_factory=dict)  # process -> CPU seconds before its first audit

    def __post_init__(self) -> None:
        base = {"OPENAI_BASE_URL": f"{self.fake.url}/v1", "ANTHROPIC_BASE_URL": self.fake.url}
        keys = {"OPENAI_API_KEY": "sk-bench-openai", "ANTHROPIC_API_KEY": "sk-bench-anthropic"}
        self.here.environment.update(base | keys)
        os.environ.update(self.here.environment)
        import django

        django.setup()
        from audits.migrating import migrate

        migrate()

    def audit(self, name: str, at_once: int, processes: Any, samples: int = SAMPLES, **shape: Any) -> Any:
        """One measured audit; see bench.audits.Measured. shape: latency, claims, passage; as in the other runs."""
        from bench import audits

        latency = shape.pop("latency", LATENCY)
        split = audits.Split(*SPLITS[at_once])
        salt = audits.salt()
        project = audits.project_of(f"{name}-{salt}")
        texts = rows(samples, salt=salt, **{"claims": CLAIMS, **shape})
        dataset = audits.dataset_of(project, texts)
        panel = audits.panel_of(project, f"{name}-{salt}", split)
        found = audits.run(dataset, panel, split, self.fake, latency, processes)
        print(f"bench engine: {name}, {samples} samples, {len(processes)} workers: {found}", file=sys.stderr)
        return found

    def warm(self, at_once: int, processes: Any) -> None:
        """Audits until each worker has taken part in one: SDKs are imported, clients and caches are there."""
        for process in processes:
            self.idle.setdefault(process.pid, cpu_seconds(process.pid))
        for _ in range(TRIES):
            self.audit("warm", at_once, processes, WARM_UP)
            if all(cpu_seconds(process.pid) - self.idle[process.pid] >= IMPORTS for process in processes):
                return
        raise RuntimeError("A worker took part in no audit.")

    def twice(self, at_once: int, processes: Any, name: str = "bench", samples: int = SAMPLES) -> Any:
        """An audit on workers that are warm."""
        self.warm(at_once, processes)
        return self.audit(f"{name}-{at_once}", at_once, processes, samples)

    def figures(self) -> dict[str, Any]:
        """All scenarios."""
        load_before = load()
        with workers(1, self.here.environment) as processes:
            idle = memory_mb(processes[0].pid, "VmRSS")
            at16, at64_1, busy_1 = (self.twice(number, processes) for number in SPLITS)
        with workers(2, self.here.environment) as processes:
            at64, busy_2 = (self.twice(number, processes) for number in (64, 256))
        bound_1, bound_2 = (self.bound(number) for number in (1, 2))
        runs = (at16, at64_1, busy_1, at64, busy_2, bound_1, bound_2)
        return {
            "wall_over_ideal_16": over(at16.wall, at16.ideal),
            "floor_over_ideal_16": over(at16.floor, at16.ideal),
            "wall_over_ideal_64": over(at64.wall, at64.ideal),
            "wall_over_ideal_64_1worker": over(at64_1.wall, at64_1.ideal),
            "floor_over_ideal_64": over(at64.floor, at64.ideal),
            "cpu_ms_per_call": at16.per_call(at16.cpu_all),
            "cpu_ms_per_call_64": at64.per_call(at64.cpu_all),
            "cpu_ms_per_call_64_1worker": at64_1.per_call(at64_1.cpu_all),
            "worker_cpu_ms_per_call": at16.per_call(sum(at16.cpu)),
            "database_cpu_ms_per_call": at16.per_call(at16.cpu_database),
            "server_cpu_ms_per_call": at16.per_call(at16.cpu_vendor),
            **self.memory(),
            "rss_mb_idle": round(idle, 1),
            "workers_2_over_1": over(bound_1.wall, bound_2.wall),
            "calls_per_second_bound": [round(found.calls / found.wall) for found in (bound_1, bound_2)],
            "busy_2_over_1": over(busy_1.wall, busy_2.wall),
            "calls_per_second_busy": [round(found.calls / found.wall) for found in (busy_1, busy_2)],
            "cores_busy_1": busy_1.cores,
            "cores_busy_2": busy_2.cores,
            "cores": os.cpu_count(),
            "load_before": round(load_before, 2),
            "calls": sum(found.calls for found in runs),
            "verdicts": sum(found.verdicts for found in runs),
            "lost": sum(found.lost for found in runs),
            "doubled": sum(found.doubled for found in runs),
            "bought_twice": sum(found.bought_twice for found in runs),
            "peak_16": at16.peak,
            "peak_64": at64.peak,
            "over_limit": max(found.over_limit for found in runs),
            "database": self.here.database,
            "broker": self.here.broker,
            "python": platform.python_version(),
        }

    def bound(self, number: int) -> Any:
        """An audit by workers that may each have 16 calls in flight, with judges that allow many more."""
        with workers(number, self.here.environment | {"ASSAY_CALLS_PER_WORKER": "16"}) as processes:
            return self.twice(256, processes, "bound")

    def memory(self) -> dict[str, float | None]:
        """How far a fresh worker's memory rises at its peak, for few samples and for many."""
        figures: dict[str, float | None] = {}
        for samples in (100, 10_000):
            if samples > 100 and os.environ.get("BENCH_QUICK") == "1":
                figures[f"rss_mb_{samples}"] = None
                continue
            with workers(1, self.here.environment) as processes:
                idle = memory_mb(processes[0].pid, "VmRSS")
                found = self.audit("memory", 64, processes, samples, claims=1, passage=PASSAGE, latency=0.0)
                figures[f"rss_mb_{samples}"] = round(found.peak_rss[0] - idle, 1)
        return figures

    def profile(self) -> None:
        """Print where the CPU time of one worker goes in an audit of 200 samples at 64 calls at once."""
        from bench.profiled import COMMAND, begin, end, report

        out = self.here.folder / "profile.json"
        with workers(1, self.here.environment, (*COMMAND, str(out))) as processes:
            self.audit("profile-warm", 64, processes, WARM_UP)
            begin(processes[0])
            found = self.audit("profile", 64, processes)
            end(processes[0], out)
        print(report(out, found.calls, sum(found.cpu)))


def over(seconds: float, unit: float) -> float:
    """A ratio, rounded."""
    return round(seconds / unit, 3)


if __name__ == "__main__":
    sys.exit(main())

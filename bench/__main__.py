"""make bench [NAME=…]: runs one bench, or all quick ones; each prints one JSON line.

Quick, and all that `make bench` runs by itself: offline_accuracy, decomposition.
By name only, since they take minutes: fuzzing (20,000 damaged files), importing (files of 100,000 rows and of 1 GB,
and the same in Label Studio, which is installed at the first time), engine (the judging engine under load;
BENCH_QUICK=1 leaves out its 10,000 samples), engine_peers (the engine beside ragas and deepeval, which are installed
at the first time), coverage (how often the limits of the rate hold; a quarter of an hour, BENCH_QUICK=1 two minutes),
desk (the expert's desk in Chromium: from one key press to the next claim; beside it Label Studio, if installed).
"""

import importlib
import sys

QUICK = {"offline_accuracy": "bench.offline_accuracy", "decomposition": "bench.decomposition"}
LONG = {
    "desk": "bench.desk",
    "coverage": "bench.coverage",
    "fuzzing": "bench.fuzzing",
    "importing": "bench.importing",
    "engine": "bench.engine",
    "engine_peers": "bench.peers",
}
BENCHES = QUICK | LONG


def main(names: list[str]) -> int:
    """Run the named benches, else the quick ones. Returns the exit status."""
    unknown = [name for name in names if name not in BENCHES]
    if unknown:
        print(f"There is no bench {unknown[0]!r}. Known are: {', '.join(BENCHES)}.", file=sys.stderr)
        return 2
    for name in names or QUICK:
        importlib.import_module(BENCHES[name]).main([])
    if not names:
        print(f"Take minutes, and run by name only (make bench NAME=…): {', '.join(LONG)}.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

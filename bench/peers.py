"""The engine beside ragas and deepeval: `make bench NAME=engine_peers`, one JSON line with ratios within one run.

All judge the same 200 samples with their faithfulness metric, against the same fake vendor at 200 ms per call, at 16
and at 64 at once; beside them the bare loop over the SDKs' best path (bench.bare). Peers are installed by pip into a
folder of their own (ASSAY_BENCH_CACHE, else ~/.cache/assay-bench), never beside ours; one that cannot be installed is
left out, loudly. BENCH_QUICK=1 takes 40 samples.

wall_over_ideal  wall time over calls x latency / calls at once, as in bench.engine; deepeval counts test cases, of
                 which each may make two calls at once
cpu_ms           user and system time per vendor call from the first call on, imports and start left out. For the
                 engine that of workers and database together, for all others that of their one process
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.place import AMBIENT, ROOT, place
from bench.processes import Vendor, load, vendor, workers
from bench.samples import rows

LATENCY = 0.2  # seconds
CLAIMS = 5
PASSAGE = 500  # characters of each of three contexts
INSTALL_LIMIT = 1800  # seconds
RUN_LIMIT = 1800
QUIET = {
    "RAGAS_DO_NOT_TRACK": "true",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "DEEPEVAL_NO_INSPECT_PROMPT": "1",
    "DEEPEVAL_UPDATE_WARNING_OPT_OUT": "1",
    "OPENAI_API_KEY": "sk-bench",
}


@dataclass(frozen=True)
class Peer:
    """A package to be measured. needs: what pip is asked for; ways: values of WAY, of which the best one counts."""

    name: str
    needs: tuple[str, ...]
    ways: tuple[str, ...] = ("",)


PEERS = (
    # ragas 0.4.3 imports what langchain-community dropped in 0.4.2.
    Peer("ragas", ("ragas==0.4.3", "langchain-community==0.4.1"), ("langchain", "instructor")),
    Peer("deepeval", ("deepeval==4.3.1",)),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print one JSON line. Returns the exit status."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args(
        arguments
    )
    count = 40 if os.environ.get("BENCH_QUICK") == "1" else 200
    installed = [(peer, python) for peer in PEERS if (python := environment_of(peer)) is not None]
    found: dict[str, Any] = {"bench": "engine_peers", "samples": count, "load_before": round(load(), 2)}
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder, vendor() as fake:
        file = Path(folder) / "rows.jsonl"
        texts = rows(count, claims=CLAIMS, salt="peers", passage=PASSAGE)
        file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in texts), encoding="utf-8")
        ours = engine(fake, count)
        for at_once in (16, 64):
            figures = {"assay": ours[at_once], "bare": bare(file, fake, at_once)}
            figures |= {peer.name: measured(peer, python, file, fake, at_once) for peer, python in installed}
            found[f"at_{at_once}"] = figures | ratios(figures)
    found["left_out"] = [peer.name for peer in PEERS if peer not in [each for each, _ in installed]]
    print(json.dumps(found))
    return 0


def _folder(peer: Peer) -> Path:
    cache = Path(os.environ.get("ASSAY_BENCH_CACHE") or Path.home() / ".cache" / "assay-bench")
    return cache / "_".join(need.replace("==", "-") for need in peer.needs)


def installed_python(peer: Peer) -> Path | None:
    """The Python of the peer's own environment, if an earlier run has made it."""
    folder = _folder(peer)
    return folder / "bin" / "python" if (folder / "installed").exists() else None


def environment_of(peer: Peer) -> Path | None:
    """The Python of the peer's own environment, made when there is none; None, after a loud word, when it fails."""
    folder = _folder(peer)
    python, done = folder / "bin" / "python", folder / "installed"
    if done.exists():
        return python
    print(f"bench peers: installing {', '.join(peer.needs)} into {folder} …", file=sys.stderr)
    steps = (
        [sys.executable, "-m", "venv", "--clear", str(folder)],
        [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", *peer.needs],
    )
    try:
        for step in steps:
            subprocess.run(step, check=True, timeout=INSTALL_LIMIT, stdout=sys.stderr)
    except (OSError, subprocess.SubprocessError) as error:
        print(f"bench peers: {peer.name.upper()} IS LEFT OUT, it cannot be installed: {error}", file=sys.stderr)
        return None
    done.touch()
    return python


def engine(fake: Vendor, count: int) -> dict[int, dict[str, Any]]:
    """Our own figures: whole audits with their database, at 16 by one worker, at 64 by two."""
    from bench.engine import Bench, over

    found: dict[int, dict[str, Any]] = {}
    with place() as here:
        bench = Bench(here, fake)
        for at_once, number in ((16, 1), (64, 2)):
            with workers(number, here.environment) as processes:
                run = bench.twice(at_once, processes, "peers", count)
            found[at_once] = {
                "wall_over_ideal": over(run.wall, run.ideal),
                "cpu_ms": run.per_call(run.cpu_all),
                "calls": run.calls,
                "workers": number,
                "lost": run.lost,
                "doubled": run.doubled,
            }
    return found


def bare(file: Path, fake: Vendor, at_once: int) -> dict[str, Any]:
    """The best path through the SDKs alone."""
    command = [sys.executable, "-m", "bench.bare", str(file), fake.url, str(at_once)]
    return run(command, ROOT, {}, fake, at_once)


def measured(peer: Peer, python: Path, file: Path, fake: Vendor, at_once: int) -> dict[str, Any]:
    """A peer's figures, by the way to the model that costs it least; an error instead where it fails."""
    script = ROOT / "bench" / f"peer_{peer.name}.py"
    command = [str(python), str(script), str(file), f"{fake.url}/v1", str(at_once)]
    tried: list[dict[str, Any]] = []
    for way in peer.ways:
        found = run(command, file.parent, {"WAY": way, "HOME": str(file.parent)}, fake, at_once)
        tried.append(found | ({"way": way} if way else {}))
    return min(tried, key=lambda found: found.get("cpu_ms", float("inf")))


def run(command: list[str], folder: Path, extra: dict[str, str], fake: Vendor, at_once: int) -> dict[str, Any]:
    """Let a process warm up, then measure: the vendor counts its calls, itself its time."""
    environment = {name: value for name, value in os.environ.items() if not any(p in name.upper() for p in AMBIENT)}
    environment |= QUIET | extra | {"PYTHONDONTWRITEBYTECODE": "1"}
    fake.reset(LATENCY)
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        ready = any(line.strip() == "ready" for line in iter(process.stdout.readline, ""))
        fake.reset(LATENCY)
        said, _ = process.communicate("go\n" if ready else None, timeout=RUN_LIMIT)
    told = [line for line in said.splitlines() if line.startswith('{"wall"')]
    calls = fake.counts()["requests"]
    if not told or not calls:
        print(f"bench peers: {command} FAILED with status {process.returncode}.", file=sys.stderr)
        return {"failed": process.returncode}
    own = json.loads(told[-1])
    return {
        "wall_over_ideal": round(own["wall"] * at_once / (calls * LATENCY), 3),
        "cpu_ms": round(1000 * own["cpu"] / calls, 2),
        "calls": calls,
        "scored": own["scored"],
    }


def ratios(figures: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Our CPU per call over that of each of the others."""
    ours = figures["assay"]["cpu_ms"]
    return {
        f"cpu_over_{name}": round(ours / other["cpu_ms"], 3)
        for name, other in figures.items()
        if name != "assay" and other.get("cpu_ms")
    }


if __name__ == "__main__":
    sys.exit(main())

"""A worker that can say where its CPU time goes: `python -m bench.profiled OUT` is `manage.py worker`, watched.

A thread looks at the stacks of all the others every millisecond or so and charges to each stack the CPU time that its
thread has used since the last look, read from the thread's own clock: waiting costs nothing, and nothing is slowed
down as by a tracing profiler. A thread is seen where it lets go of the interpreter, so costs inside one function are
blurred towards input and output; whole branches are right. With BENCH_TRACE=1 every call of every thread is traced
instead, on the thread's CPU clock (Python 3.11): exact counts, but many small functions weigh too much.
A line "begin" on standard input starts a count, "end" writes it to OUT.
"""

import cProfile
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from bench.place import ROOT

COMMAND = ("-m", "bench.profiled")
EVERY = 0.001  # seconds between two looks
DEPTH = 200  # frames of a stack that are looked at


class Watch:
    """CPU seconds by thread, by function itself, by function with what it calls, by package, by branch of ours."""

    def __init__(self) -> None:
        self.running = False
        self.clear()

    def clear(self) -> None:
        """Start from nothing."""
        self.clocks: dict[int, float] = {}
        self.tables: dict[str, defaultdict[str, float]] = {
            name: defaultdict(float) for name in ("thread", "self", "total", "package", "ours", "statements", "count")
        }

    def run(self) -> None:
        """Look until the process ends."""
        own = threading.get_ident()
        while True:
            time.sleep(EVERY)
            if not self.running:
                continue
            names = {thread.ident: thread.name for thread in threading.enumerate()}
            for ident, frame in sys._current_frames().items():
                if ident != own and ident in names:
                    self._look(ident, names[ident], frame)

    def _look(self, ident: int, name: str, frame: Any) -> None:
        try:
            now = time.clock_gettime(time.pthread_getcpuclockid(ident))
        except OSError:  # it has ended
            return
        used = now - self.clocks.get(ident, now)
        self.clocks[ident] = now
        if used <= 0:
            return
        names: list[str] = []
        ours = ""
        while frame is not None and len(names) < DEPTH:
            names.append(_name(frame.f_code))
            if (
                not ours
                and "/site-packages/" not in frame.f_code.co_filename
                and str(ROOT) in frame.f_code.co_filename
            ):
                ours = names[-1]
            frame = frame.f_back
        tables = self.tables
        tables["thread"][name] += used
        tables["self"][names[0]] += used
        tables["package"][names[0].split(" ")[0].split("/")[0]] += used
        tables["ours"][ours or "(none of ours)"] += used
        for each in set(names):
            tables["total"][each] += used

    def execute(self, execute: Any, sql: Any, params: Any, many: bool, context: Any) -> Any:
        """Run one statement of the database for Django, and charge it the CPU time of its thread exactly."""
        before = time.thread_time()
        try:
            return execute(sql, params, many, context)
        finally:
            if self.running:
                shape = _VALUES.sub("(…)", str(sql))[:100]
                self.tables["statements"][shape] += time.thread_time() - before
                self.tables["count"][shape] += 1

    def write(self, path: Path) -> None:
        """Store what was counted, whole or not at all."""
        draft = path.with_suffix(".draft")
        draft.write_text(json.dumps(self.tables))
        os.replace(draft, path)


class Trace:
    """Every call of every thread: own CPU seconds and number of calls by function."""

    def __init__(self) -> None:
        self.running = False
        self.profiles: list[cProfile.Profile] = []
        threading.setprofile(self._first_call)

    def _first_call(self, *_: Any) -> None:
        """A thread's first event: from now on it has a profile of its own."""
        profile = cProfile.Profile(time.thread_time)
        self.profiles.append(profile)
        profile.enable()

    def run(self) -> None:
        """Nothing to do."""

    def clear(self) -> None:
        """Remember what was counted so far, to be left out."""
        self.before = self._counted()

    def _counted(self) -> dict[str, tuple[float, float, int]]:
        found: dict[str, tuple[float, float, int]] = {}
        for profile in self.profiles:
            for entry in profile.getstats():
                name = _name(entry.code) if hasattr(entry.code, "co_filename") else f"C {entry.code}"
                own, total, calls = found.get(name, (0.0, 0.0, 0))
                found[name] = own + entry.inlinetime, total + entry.totaltime, calls + entry.callcount
        return found

    def write(self, path: Path) -> None:
        """Store what was counted since clear()."""
        tables: dict[str, defaultdict[str, float]] = {
            name: defaultdict(float) for name in ("self", "total", "package", "count")
        }
        for name, values in self._counted().items():
            own, total, calls = (now - at for now, at in zip(values, self.before.get(name, (0, 0, 0)), strict=True))
            tables["self"][name] += own
            tables["total"][name] += total
            tables["count"][name] += calls
            tables["package"][name.split(" ")[0].split("/")[0]] += own
        draft = path.with_suffix(".draft")
        draft.write_text(json.dumps(tables))
        os.replace(draft, path)


_names: dict[Any, str] = {}


def _name(code: Any) -> str:
    """package/module.py function, short enough for a line."""
    found = _names.get(code)
    if found is None:
        path = code.co_filename
        for part in ("/site-packages/", f"{ROOT}/", "/lib/python3.11/"):
            path = path.rpartition(part)[2]
        found = _names[code] = f"{path} {code.co_qualname if hasattr(code, 'co_qualname') else code.co_name}"
    return found


def main() -> None:
    """The watched worker."""
    watch = Trace() if os.environ.get("BENCH_TRACE") == "1" else Watch()
    sys.setswitchinterval(EVERY / 2)
    threading.Thread(target=watch.run, name="watch", daemon=True).start()

    def obey() -> None:
        for line in sys.stdin:
            if line.strip() == "begin":
                watch.clear()
            watch.running = line.strip() == "begin"
            if not watch.running:
                watch.write(Path(sys.argv[1]))

    threading.Thread(target=obey, name="obey", daemon=True).start()
    from django.core.management import execute_from_command_line
    from django.db.backends.signals import connection_created

    def follow(connection: Any, **_: Any) -> None:
        if isinstance(watch, Watch) and watch.execute not in connection.execute_wrappers:
            connection.execute_wrappers.append(watch.execute)

    connection_created.connect(follow, weak=False)
    execute_from_command_line(["manage.py", "worker"])


def begin(process: "subprocess.Popen[str]") -> None:
    """Start counting in a watched worker."""
    _tell(process, "begin")


def end(process: "subprocess.Popen[str]", out: Path) -> None:
    """Stop counting and wait for the file."""
    _tell(process, "end")
    limit = time.monotonic() + 30
    while not out.exists():
        if time.monotonic() > limit:
            raise TimeoutError("The worker wrote no profile.")
        time.sleep(0.1)


def _tell(process: "subprocess.Popen[str]", word: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{word}\n")
    process.stdin.flush()


_VALUES = re.compile(r"\([^()]*(?:\([^()]*\)[^()]*)*%s[^()]*(?:\([^()]*\)[^()]*)*\)(?:, \([^()]*\))*")
TABLES = {
    "statements": ("by statement of the database", 40),
    "thread": ("by thread", 10),
    "package": ("by package, itself", 20),
    "ours": ("by the innermost function of ours", 30),
    "self": ("by function, itself", 50),
    "total": ("by function, with what it calls", 110),
}


def report(out: Path, calls: int, cpu: float) -> str:
    """Tables of milliseconds per vendor call. calls: of the audit; cpu: seconds that the worker used in it."""
    tables = json.loads(out.read_text())
    counts = tables.pop("count", {})
    seen = sum(tables["self"].values())
    lines = [f"{1000 * cpu / calls:.2f} ms CPU per call, of which {1000 * seen / calls:.2f} ms seen"]
    for name, (title, most) in TABLES.items():
        lines.append(f"\n{title} (ms per vendor call, share{', calls per vendor call' if counts else ''})")
        for key, used in sorted(tables.get(name, {}).items(), key=lambda item: -item[1])[:most]:
            often = f"{counts[key] / calls:8.1f}" if key in counts else ""
            lines.append(f"{1000 * used / calls:7.3f} {100 * used / seen:5.1f} %{often}  {key}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()

"""Processes beside the bench, and what the kernel says of them: CPU time and memory (Linux, /proc)."""

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.place import ROOT

TICK = os.sysconf("SC_CLK_TCK")
PROC = Path("/proc")
MEGABYTE = 1024  # in the kB that /proc counts in


def cpu_seconds(pid: int) -> float:
    """User and system time of a process and of its children that have ended. Raises FileNotFoundError when gone."""
    fields = (PROC / str(pid) / "stat").read_text().rsplit(")", 1)[1].split()
    return sum(int(fields[index]) for index in (11, 12, 13, 14)) / TICK


def memory_mb(pid: int, name: str) -> float:
    """VmRSS (now) or VmHWM (peak) of a process in megabytes."""
    for line in (PROC / str(pid) / "status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / MEGABYTE
    raise KeyError(name)


def forget_peak(pid: int) -> None:
    """Let VmHWM start anew from what is resident now."""
    (PROC / str(pid) / "clear_refs").write_text("5")


def load() -> float:
    """Processes that wanted to run within the last minute."""
    return os.getloadavg()[0]


class Vendor:
    """The fake vendor in a process of its own."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.pid = process.pid
        assert process.stdout is not None
        self.url = f"http://127.0.0.1:{int(process.stdout.readline())}"
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # never through a proxy

    def reset(self, latency: float) -> None:
        """Count from nothing, with a latency in seconds."""
        self._get(f"/reset?latency={latency}")

    def counts(self) -> dict[str, Any]:
        """What it saw since the last reset."""
        return self._get("/counts")

    def _get(self, path: str) -> dict[str, Any]:
        with self._opener.open(self.url + path, timeout=10) as response:
            found: dict[str, Any] = json.load(response)
        return found


@contextmanager
def vendor() -> Iterator[Vendor]:
    """A running fake vendor."""
    command = [sys.executable, "-m", "bench.vendor"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Vendor(process)
        finally:
            process.kill()


@contextmanager
def workers(
    count: int, environment: Mapping[str, str], command: tuple[str, ...] = ("manage.py", "worker")
) -> Iterator[list["subprocess.Popen[str]"]]:
    """So many worker processes, up and idle; ended afterwards. What they say goes to our standard error."""
    started: list[subprocess.Popen[str]] = []
    try:
        for _ in range(count):
            line = [sys.executable, *command]
            started.append(
                subprocess.Popen(
                    line, cwd=ROOT, env=dict(environment), stdin=subprocess.PIPE, stdout=sys.stderr, text=True
                )
            )
        for process in started:
            _wait_until_idle(process)
        yield started
    finally:
        for process in started:
            process.kill()
            process.wait()


def _wait_until_idle(process: "subprocess.Popen[str]", limit: float = 120) -> None:
    """Wait until a worker has imported everything and then used next to no CPU for a second and a half."""
    end = time.monotonic() + limit
    before, quiet = 0.0, 0
    while quiet < 3:
        time.sleep(0.5)
        if process.poll() is not None:
            raise RuntimeError(f"A worker ended with status {process.returncode}.")
        if time.monotonic() > end:
            raise TimeoutError("A worker did not come to rest.")
        now = cpu_seconds(process.pid)
        quiet = quiet + 1 if now > 0.3 and now - before <= 0.03 else 0
        before = now

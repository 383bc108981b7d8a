"""A server beside a bench, and how times are told."""

import statistics
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from typing import Any


def until_it_answers(url: str, process: "subprocess.Popen[Any]", seconds: float = 60) -> None:
    """Wait for a server. RuntimeError when it ends or stays silent."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # never through a proxy
    end = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < end:
        try:
            with opener.open(url, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise RuntimeError(f"No server answers at {url}.")


def spread(times: Sequence[float]) -> dict[str, float]:
    """Number, median, 95th percentile and worst of some milliseconds."""
    ordered = sorted(times)
    return {
        "n": len(ordered),
        "median": round(statistics.median(ordered), 1),
        "p95": round(ordered[round(0.95 * (len(ordered) - 1))], 1),
        "worst": round(ordered[-1], 1),
    }

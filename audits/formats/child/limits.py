"""What a process that reads a file may take: memory, time, disk. A file that wants more is refused in a sentence."""

import os
import resource
from contextlib import suppress
from pathlib import Path
from typing import Any

MEMORY_MB = 1536  # of addresses, not of memory in use, which stays far below
MEMORY_PARQUET_MB = 6144  # its library reserves addresses generously
CPU_AT_LEAST = 120  # seconds
CPU_PER_MB = 5  # seconds; a workbook takes 0.4 for a megabyte of its packed file
DISK_MB = 16_384  # of one file that it writes, unpacked or temporary
FILES = 64  # open at a time
NICE = 5


def limits_for(path: Path) -> dict[str, int]:
    """What reading this file may take, as the process is told."""
    size = path.stat().st_size if path.exists() else 0
    cpu = CPU_AT_LEAST + (size >> 20) * CPU_PER_MB
    return {"memory_mb": MEMORY_MB, "memory_parquet_mb": MEMORY_PARQUET_MB, "cpu_seconds": cpu}


def limit_process(limits: dict[str, Any]) -> None:
    """Bound this process, and let others go before it."""
    with suppress(OSError):
        os.nice(NICE)
    _set(resource.RLIMIT_CORE, 0)
    _set(resource.RLIMIT_NOFILE, FILES)
    _set(resource.RLIMIT_FSIZE, DISK_MB << 20)
    _set(resource.RLIMIT_CPU, int(limits["cpu_seconds"]))


def limit_memory(limits: dict[str, Any], path: Path) -> None:
    """Bound this process's memory, by the kind of the file."""
    most = int(limits["memory_mb"])
    with suppress(OSError), path.open("rb") as file:
        if file.read(4) == b"PAR1":
            most = int(limits["memory_parquet_mb"])
    _set(resource.RLIMIT_AS, most << 20)


def _set(what: int, most: int) -> None:
    """Never more than the process may have already; some systems do not know every limit."""
    with suppress(OSError, ValueError):
        _soft, hard = resource.getrlimit(what)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, hard))

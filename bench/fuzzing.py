"""Very many damaged files: each must end imported or explained, never in a traceback, and soon.

Prints one JSON line. Files of tests/audits/formats/messy, and packed and binary kinds of one of them, are damaged in
1 to 6 places, read to its end and mapped, as an import does it. FUZZ_FILES sets how many (default 20,000),
FUZZ_SEED the seed. Exit status 1 when one ended in anything else.
"""

import gzip
import io
import json
import os
import signal
import sys
import tempfile
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

from audits.formats import FormatError, SourceRow, map_record, open_dataset
from audits.formats.archives import is_archive, unpack
from tests.audits.formats.damage import spoil

FOLDER = Path(__file__).resolve().parents[1] / "tests/audits/formats"
LIMIT = 10  # seconds for one file
UNPACKED = 50 << 20  # bytes
SHARE = 250  # files that one process takes at a time


def main(arguments: Sequence[str] | None = None) -> int:
    """Damage, read, count, print. Returns the exit status."""
    number, seed = int(os.environ.get("FUZZ_FILES", "20000")), os.environ.get("FUZZ_SEED", "1")
    parts = [(seed, first, min(SHARE, number - first)) for first in range(0, number, SHARE)]
    counts: Counter[str] = Counter()
    slowest, failures, began = (0.0, ""), [], time.monotonic()
    with ProcessPoolExecutor(max_workers=2) as pool:
        for ends, longest, wrong in pool.map(_read_part, parts):
            counts += ends
            slowest = max(slowest, longest)
            failures += wrong
    line = {
        "bench": "fuzzing",
        "files": sum(counts.values()),
        "imported": counts["imported"],
        "explained": counts["explained"],
        "tracebacks": counts["traceback"],
        "too_slow": counts["too_slow"],
        "slowest_s": round(slowest[0], 2),
        "slowest": slowest[1],
        "seconds": round(time.monotonic() - began),
        "failures": failures[:10],
    }
    print(json.dumps(line))
    return 1 if failures else 0


def _read_part(part: tuple[str, int, int]) -> tuple[Counter[str], tuple[float, str], list[str]]:
    seed, first, number = part
    seeds = list(_seeds())
    ends: Counter[str] = Counter()
    slowest, failures = (0.0, ""), []
    signal.signal(signal.SIGALRM, _too_slow)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "upload"
        for at in range(first, first + number):
            name, content = seeds[at % len(seeds)]
            path.write_bytes(spoil(content, Random(f"{seed} {at}")))
            began = time.monotonic()
            end = _end_of(path)
            ends[end.partition(":")[0]] += 1
            slowest = max(slowest, (time.monotonic() - began, f"{name} #{at}"))
            if ":" in end:
                failures.append(f"{name} #{at} {end}")
    return ends, slowest, failures


def _end_of(path: Path) -> str:
    """imported | explained | traceback: … | too_slow: …"""
    signal.alarm(LIMIT)
    try:
        return "imported" if _imported(path) else "explained"
    except FormatError as error:
        return "explained" if "Nothing was imported." in str(error) else f"traceback: bare message {error.code}"
    except _TooSlow:
        return f"too_slow: more than {LIMIT} s"
    except Exception:
        return "traceback: " + " | ".join(traceback.format_exc().splitlines()[-3:])
    finally:
        signal.alarm(0)


def _imported(path: Path) -> int:
    """How many rows come through whole, as they would be stored."""
    if is_archive(path):
        inner = path.with_name("inner")
        unpack(path, inner, limit=UNPACKED)
        path = inner
    opened = open_dataset(path)
    good = 0
    for row in opened.rows():
        record: Any = map_record(row, opened.understanding.mapping) if isinstance(row, SourceRow) else row
        if hasattr(record, "contexts"):
            texts = [record.question, record.answer, *record.contexts]
            json.dumps([texts, record.metadata, record.tags], allow_nan=False, ensure_ascii=False).encode()
            good += 1
        else:
            (record.reason + record.column + record.value).encode("utf-8", "surrogatepass")
    return good


class _TooSlow(BaseException):
    """Not an Exception, so that no reader takes it for damage of the file."""


def _too_slow(*_: object) -> None:
    raise _TooSlow


def _seeds() -> Iterator[tuple[str, bytes]]:
    files = [*sorted((FOLDER / "messy").iterdir()), FOLDER / "old.xls"]
    seeds = {path.name: path.read_bytes() for path in files if path.name != "expected.json"}
    yield from seeds.items()
    table = seeds["06_embedded_newlines_json_contexts.csv"]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("answers.csv", table)
    yield "zip", packed.getvalue()
    yield "gz", gzip.compress(table, mtime=0)
    yield "parquet", _parquet()
    for encoding in ("utf-16", "gb18030", "big5hkscs"):
        yield f"csv in {encoding}", table.decode().encode(encoding, "ignore")


def _parquet() -> bytes:
    import pyarrow
    import pyarrow.parquet

    target = io.BytesIO()
    columns = {"question": ["退款？", "q"] * 20, "contexts": [["甲", "乙"], []] * 20, "answer": ["三天", "a"] * 20}
    pyarrow.parquet.write_table(pyarrow.table(columns), target)
    return target.getvalue()


if __name__ == "__main__":
    sys.exit(main())

"""Files to import, and what a plain read of each by its reader library takes: the measure that an import is held to.

`python -m bench.import_files plain FORMAT FILE` reads one in a process of its own and prints the seconds.
"""

import csv
import json
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TEXTS = {
    "en": "The loan costs five percent a year, and its term is 12 to 84 months, as the tariff of the branch says. ",
    "zh": "本合同自双方签字盖章之日起生效，有效期为三年；逾期未付的，按日计收万分之五的违约金，具体标准见附件二。",
}
COLUMNS = ("id", "question", "contexts", "answer", "source")


def rows(count: int, context: int) -> Iterator[dict[str, Any]]:
    """`count` rows, every other one Chinese: two passages of `context` bytes together (UTF-8), an answer of 160."""
    chance = random.Random(count)
    for number in range(count):
        language = "zh" if number % 2 else "en"
        said = TEXTS[language]
        yield {
            "id": f"q{number}",
            "question": f"Tariff {number}: what does it cost?" if number % 2 else f"第{number}条资费是多少？",
            "contexts": [_passage(said, context // 2, chance) for _ in range(2)],
            "answer": _passage(said, 160, chance),
            "source": f"desk {number % 7}",
        }


def _passage(said: str, size: int, chance: random.Random) -> str:
    """About so many bytes, no two alike."""
    wide = len(said.encode()) / len(said)
    start = chance.randrange(len(said))
    text = f"{chance.randrange(10**9)}: {said[start:]}{said * (size // len(said) + 1)}"
    return text[: int(size / wide)]


def write_csv(path: Path, count: int, context: int) -> None:
    """Contexts as JSON in their cell, as most exports write them."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for row in rows(count, context):
            writer.writerow([*map(str, _cells(row))])


def write_jsonl(path: Path, count: int, context: int) -> None:
    """One object per line."""
    with path.open("w", encoding="utf-8") as file:
        for row in rows(count, context):
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def write_xlsx(path: Path, count: int, context: int) -> None:
    """Texts inside the sheet, as programs write them."""
    import xlsxwriter

    book = xlsxwriter.Workbook(path, {"constant_memory": True, "strings_to_numbers": False, "strings_to_urls": False})
    sheet = book.add_worksheet("answers")
    sheet.write_row(0, 0, COLUMNS)
    for number, row in enumerate(rows(count, context), start=1):
        sheet.write_row(number, 0, _cells(row))
    book.close()


def _cells(row: dict[str, Any]) -> list[str]:
    return [json.dumps(cell, ensure_ascii=False) if isinstance(cell, list) else cell for cell in row.values()]


def read_csv(path: Path) -> int:
    """csv.reader, nothing else."""
    with path.open(encoding="utf-8", newline="") as file:
        return sum(1 for _ in csv.reader(file)) - 1


def read_jsonl(path: Path) -> int:
    """json.loads on every line, nothing else."""
    with path.open(encoding="utf-8") as file:
        return sum(1 for line in file if json.loads(line))


def read_xlsx(path: Path) -> int:
    """openpyxl row by row, nothing else."""
    import openpyxl

    book = openpyxl.load_workbook(path, read_only=True)
    return sum(1 for _ in book.worksheets[0].iter_rows(values_only=True)) - 1


WRITE = {"csv": write_csv, "jsonl": write_jsonl, "xlsx": write_xlsx}
READ = {"csv": read_csv, "jsonl": read_jsonl, "xlsx": read_xlsx}


if __name__ == "__main__":
    _, kind, name = sys.argv[1:]
    began, used = time.perf_counter(), time.process_time()
    found = READ[kind](Path(name))
    times = {"seconds": time.perf_counter() - began, "cpu": time.process_time() - used}
    print(json.dumps({**times, "rows": found}))

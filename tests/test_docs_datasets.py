"""docs/datasets.md says what is so: its tables name every format, export, code and option, and no other."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandParser, call_command, load_command_class

from audits.formats import cells, converted, extras, given, grouping, nested, parquet, sniff, workbook
from audits.formats.child import rows
from audits.formats.messages import ROW_PROBLEMS
from audits.formats.oddities import FLAGS
from audits.formats.readers import READERS
from audits.formats.shapes import SHAPES
from audits.formats.splitting import METHODS
from audits.mapping_option import NAMES
from audits.pipeline.mending import MOST_MB
from audits.sample_datasets import FOLDER, sample_datasets

DOC = (Path(__file__).resolve().parents[1] / "docs" / "datasets.md").read_text(encoding="utf-8")


def table(heading: str) -> list[list[str]]:
    """The rows of the first table below a heading, cells trimmed."""
    below = DOC.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = re.search(r"(?:^\|.*\n)+", below, re.MULTILINE)
    assert lines is not None
    return [[cell.strip() for cell in line.strip("|").split(" |")] for line in lines[0].splitlines()[2:]]


def named(text: str) -> set[str]:
    """What stands between backticks."""
    return set(re.findall(r"`([^`]+)`", text))


def first_cells(heading: str) -> list[str]:
    return [name for row in table(heading) for name in re.findall(r"`([^`]+)`", row[0])]


@pytest.mark.parametrize(
    ("heading", "there"),
    [
        ("Files that are read", READERS),
        ("Exports that are recognised", SHAPES),
        ("Rows that are not imported", ROW_PROBLEMS),
        ("Flags and warnings", FLAGS),
    ],
)
def test_a_table_names_all_that_there_are_once(heading: str, there: dict[str, Any]) -> None:
    assert sorted(first_cells(heading)) == sorted(there)


def parser_of(command: str) -> CommandParser:
    return load_command_class("audits", command).create_parser("manage.py", command)


def own_options() -> Iterator[str]:
    """The import command's, without those of every command."""
    everywhere = {name for action in parser_of("demo")._actions for name in action.option_strings}
    for action in parser_of("import")._actions:
        if action.option_strings and not everywhere.intersection(action.option_strings):
            yield action.option_strings[-1]


def test_every_option_of_the_command_is_named_once() -> None:
    assert sorted(first_cells("Without a browser")) == sorted(own_options())


def test_what_map_takes_is_named() -> None:
    (row,) = [row for row in table("Without a browser") if "--map" in row[0]]
    known = {name.removesuffix("=") for name in named(row[1])}
    assert {*NAMES, *METHODS} <= known


@pytest.mark.django_db
def test_every_field_of_the_printed_object_is_named(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("question,contexts,answer\nq,c,a\nq,c\n")
    out = StringIO()
    call_command("import", str(file), "--dry-run", "--json", stdout=out)
    told = json.loads(out.getvalue())
    below = DOC.split("\nThe object:\n")[1].split("\n## ")[0]
    fields = {name for line in below.splitlines() if line.startswith("| `") for name in named(line.split(" |")[0])}
    assert fields == {*told, "problem"}
    assert {*told["errors"][0], *told["samples"][0]} <= named(below)


def test_the_sample_datasets_are_as_the_table_says() -> None:
    found = []
    for sample in sample_datasets():
        lines = (FOLDER / sample.path.name).read_text(encoding="utf-8").splitlines()
        claims = Counter(claim["label"] for line in lines for claim in json.loads(line)["claims"])
        shares = [
            f"{100 * claims[label] / claims.total():.1f} %" for label in ("SUPPORTED", "CONTRADICTED", "UNVERIFIED")
        ]
        found.append([f"`{sample.path.name}`", str(len(lines)), str(claims.total()), *shares])
    assert [[row[0], *row[3:]] for row in table("Sample datasets")] == found


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (cells.MAX_TEXT, "characters"),
        (cells.MAX_CONTEXTS, "contexts"),
        (workbook.MAX_UNPACKED >> 20, "MB unpacked"),
        (converted.MAX_ROWS, "rows"),
        (parquet.MAX_GROUP >> 20, "MB in a row group"),
        (sniff.MAX_LINE, "characters in a line"),
        (nested.MAX_DEPTH, "levels deep"),
        (rows.MAX_ROW, "characters"),
        (given.MAX_CLAIMS, "claims"),
        (extras.MAX_TAGS, "tags"),
        (grouping.MAX_PARTS, "rows belong"),
        (MOST_MB, "MB are corrected"),
        (settings.ASSAY_MAX_UPLOAD_MB, "MB, packed and unpacked"),
    ],
)
def test_limits_are_those_of_the_code(number: int, words: str) -> None:
    assert f"{number:,} {words}" in " ".join(DOC.split())

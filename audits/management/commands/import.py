"""A dataset into a project without a browser."""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from django.utils.text import slugify

from audits import headless
from audits.formats.base import FormatError, Options
from audits.formats.encoding import ENCODINGS
from audits.formats.shapes import SHAPES
from audits.import_report import looked_at, stored_report
from audits.management.commands.audit import mapping_of
from audits.migrating import migrate
from audits.models import Project

DELIMITERS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "bar": "|"}


class Command(BaseCommand):
    """manage.py import FILE --project P"""

    help = (
        "Imports a file into a project, which is made where there is none. Exit status: 0 imported (rows that do not "
        "fit are listed), 2 the file cannot be read or its columns are not known; then nothing was imported."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Options."""
        parser.add_argument("file", type=Path)
        parser.add_argument("--project", default="command-line", metavar="P", help="the project's short name")
        parser.add_argument(
            "--map",
            action="append",
            default=[],
            metavar="question=COLUMN,…",
            help="columns that are not recognised; a path such as documents[].text is one, too; split=TEXT splits "
            "contexts that are joined in a cell",
        )
        parser.add_argument("--encoding", help=f"instead of the one found: {', '.join(ENCODINGS)}")
        parser.add_argument("--delimiter", help="a character, or tab, comma, semicolon, bar")
        parser.add_argument("--sheet", help="of a workbook; in JSON, the path of the list of rows")
        parser.add_argument("--shape", help=f"kind of export: {', '.join(SHAPES)}; plain for none")
        parser.add_argument("--member", help="file of an archive")
        parser.add_argument("--no-header", action="store_true", help="the first row is data")
        parser.add_argument("--dry-run", action="store_true", help="read all of it and store nothing")
        parser.add_argument("--json", action="store_true", help="print one JSON object on stdout")
        parser.add_argument("--rows", type=int, default=5, metavar="N", help="samples that are shown (default 5)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Import, tell, exit with 2 when nothing came of it."""
        try:
            options["file"].stat()
            told = self._looked_at(options) if options["dry_run"] else self._imported(options)
        except (headless.Refused, FormatError, OSError) as error:
            self.stderr.write(f"{options['file']}: {error.strerror}." if isinstance(error, OSError) else str(error))
            sys.exit(headless.BAD_INPUT)
        if options["json"]:
            self.stdout.write(json.dumps(told, ensure_ascii=False))
        else:
            self._say(told)
        if problem := told.get("problem"):
            self.stderr.write(problem)
            sys.exit(headless.BAD_INPUT)

    def _looked_at(self, options: dict[str, Any]) -> dict[str, Any]:
        path: Path = options["file"]
        reading = Options(filename=path.name, **_reading(options))
        told = looked_at(path, reading, mapping_of(options["map"]), options["rows"])
        return {"file": path.name, "dataset": None, "dry_run": True} | told

    def _imported(self, options: dict[str, Any]) -> dict[str, Any]:
        migrate()
        path: Path = options["file"]
        mapping, project = mapping_of(options["map"]), self._project(options["project"])
        dataset = headless.import_file(project, path, mapping, self.stderr.write, _reading(options))
        told = stored_report(dataset, options["rows"])
        return {"file": path.name, "dataset": dataset.pk, "dry_run": False} | told

    def _project(self, name: str) -> Project:
        found = Project.objects.filter(slug=name).first() or Project.objects.filter(name=name).first()
        if found is None:
            found = Project.objects.start(name=name, slug=slugify(name), user=None)
            self.stderr.write(f"made the project {found.slug}")
        return found

    def _say(self, told: dict[str, Any]) -> None:
        for name, value in told.items():
            if name == "errors":
                for error in value:
                    self.stdout.write(f"line {error['line']}, column {error['column'] or '-'}: {error['reason']}")
            elif name not in {"samples", "columns"}:
                self.stdout.write(f"{name}: {value}")
        for sample in told["samples"]:
            self.stdout.write(json.dumps(sample, ensure_ascii=False))


def _reading(options: dict[str, Any]) -> dict[str, Any]:
    """What was said of how the file is to be read."""
    said = {name: options[name] for name in ("encoding", "sheet", "member") if options[name]}
    if options["delimiter"]:
        said["delimiter"] = DELIMITERS.get(options["delimiter"], options["delimiter"])
    if options["shape"]:
        said["shape"] = "" if options["shape"] == "plain" else options["shape"]
    if options["no_header"]:
        said["header"] = False
    return said

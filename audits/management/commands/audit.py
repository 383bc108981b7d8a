"""Import, audit and result without a browser."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from audits import headless
from audits.mapping_option import parsed_mapping
from audits.migrating import migrate
from audits.models import Audit
from audits.pipeline.planting import MOST_PLANTED
from audits.planning import MOST_LOOKS, STEP


class Command(BaseCommand):
    """manage.py audit FILE --primary VENDOR:MODEL --secondary VENDOR:MODEL"""

    help = (
        "Audits a file. Exit status: 0 complete, 2 bad input, 3 finished with unscored or failed parts, "
        "4 vendor unusable (key, quota, network) or budget used up."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Options."""
        parser.add_argument("file", type=Path)
        parser.add_argument("--primary", required=True, metavar="VENDOR:MODEL")
        parser.add_argument("--secondary", required=True, metavar="VENDOR:MODEL")
        parser.add_argument("--extractor", metavar="VENDOR:MODEL", help="cuts claims (default: the primary)")
        parser.add_argument("--threshold", default="0.02", help="accepted rate, 0.0001 to 0.5 (default 0.02)")
        parser.add_argument(
            "--expected-rate",
            metavar="RATE",
            help="that the plan reckons with, 0 to 0.5 (default: a quarter of the threshold)",
        )
        parser.add_argument("--looks", default="1", help="at the spot check, planned beforehand, 1 to 4 (default 1)")
        parser.add_argument(
            "--map", action="append", default=[], metavar="question=COLUMN,…", help="columns that are not recognised"
        )
        parser.add_argument(
            "--budget", metavar="USD", help="stop before a call that could exceed it; needs the prices of all judges"
        )
        parser.add_argument("--no-reuse", action="store_true", help="ask anew what the project has paid for already")
        parser.add_argument(
            "--batch", action="store_true", help="at half price where the vendor has batches; takes up to a day"
        )
        parser.add_argument(
            "--probes", default="0", metavar="PERCENT", help="of claims that are judged again (default 0)"
        )
        parser.add_argument(
            "--planted",
            default="0",
            metavar="CLAIMS",
            help="supported claims that are made false, to see whether the judges notice; in no rate (default 0)",
        )
        parser.add_argument(
            "--doubles",
            default="0",
            metavar="PERCENT",
            help="of the experts' claims that two experts label, to measure how far they agree (default 0)",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object on stdout")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run and exit with the status."""
        migrate()
        try:
            audit = self._start(options)
        except headless.Refused as error:
            self.stderr.write(str(error))
            sys.exit(headless.BAD_INPUT)
        except KeyboardInterrupt:
            self.stderr.write("\nInterrupted during the import. No audit was started and no judge was called.")
            sys.exit(130)
        finish(self, audit, as_json=options["json"])

    def _start(self, options: dict[str, Any]) -> Audit:
        threshold = _threshold(options["threshold"])
        expected = None if options["expected_rate"] is None else _expected_rate(options["expected_rate"])
        looks = _looks(str(options["looks"]))
        probes, doubles = _percent("probes", options["probes"]), _percent("doubles", options["doubles"])
        planted = _planted(str(options["planted"]))
        budget = None if options["budget"] is None else amount(options["budget"])
        project = headless.project_for_command_line()
        names = [options["primary"], options["secondary"]]
        extractor = options["extractor"] or options["primary"]
        # before the import, which would leave a dataset behind
        headless.check_panel(project, names, extractor, budget)
        dataset = headless.import_file(project, options["file"], mapping_of(options["map"]), self.stderr.write)
        chosen = {"budget": budget, "reuse": not options["no_reuse"], "batch": options["batch"]}
        chosen |= {"probe_percent": probes, "double_percent": doubles, "expected_rate": expected, "looks": looks}
        chosen["planted"] = planted
        return headless.start(project, dataset, names, extractor, threshold, **chosen)


def finish(command: BaseCommand, audit: Audit, *, as_json: bool) -> None:
    """Run an audit to its end, print its result, exit with its status."""
    try:
        with headless.stops_in_order(command.stderr.write):
            status = headless.run(audit, command.stderr.write)
    except KeyboardInterrupt:
        command.stderr.write(f"\nInterrupted. Nothing that was answered is lost: manage.py resume {audit.pk}")
        sys.exit(130)
    summary = headless.summary(audit)
    if as_json:
        command.stdout.write(json.dumps(summary, ensure_ascii=False))
    else:
        for name, value in summary.items():
            if name != "details":
                command.stdout.write(f"{name}: {value}")
    sys.exit(status)


def _threshold(text: str) -> Decimal:
    return _rate("threshold", text, "0.0001", "0.02 for 2 %")


def _expected_rate(text: str) -> Decimal:
    return _rate("expected-rate", text, "0", "0.005 for 0.5 %")


def _rate(option: str, text: str, least: str, example: str) -> Decimal:
    try:
        value = Decimal(text)
    except InvalidOperation:
        value = Decimal(-1)
    if not value.is_finite() or not Decimal(least) <= value <= Decimal("0.5"):
        raise headless.Refused(f"--{option} is {text!r}; it must be a fraction from {least} to 0.5, as {example}.")
    return value.quantize(STEP)


def _planted(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) > MOST_PLANTED:
        raise headless.Refused(f"--planted is {text!r}; it must be a whole number from 0 to {MOST_PLANTED}.")
    return int(text)


def _looks(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text) <= MOST_LOOKS:
        raise headless.Refused(f"--looks is {text!r}; it must be a whole number from 1 to {MOST_LOOKS}.")
    return int(text)


def amount(text: str) -> Decimal:
    """US dollars as a person writes them after --budget. Raises Refused."""
    try:
        value = Decimal(text.strip().removeprefix("$"))
    except InvalidOperation:
        value = Decimal(0)
    if not value.is_finite() or not 0 < value <= 1_000_000:
        raise headless.Refused(f"--budget is {text!r}; it must be an amount of US dollars, as 25 or 4.50.")
    return value.quantize(Decimal("0.000001"))


def _percent(option: str, text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) > 100:
        raise headless.Refused(f"--{option} is {text!r}; it must be a whole number from 0 to 100, as 5 for 5 %.")
    return int(text)


def mapping_of(texts: Sequence[str]) -> dict[str, Any]:
    """What --map says. Raises Refused."""
    try:
        return parsed_mapping(texts)
    except ValueError as error:
        raise headless.Refused(str(error)) from error

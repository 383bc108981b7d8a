"""Who was asked and who answered, once more: judges, extractor and prompts, from panel.csv and ledger.csv."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from review.package.cells import Row
from review.package.errors import PackageError
from review.package.parts import OLD, Part, part
from review.package.rows import Tables

Seat = tuple[str, str]  # role, position from 0 as it stands in the table
NOBODY: Mapping[str, Any] = {"vendor": "", "model": "", "answered_by": [], "family": "", "refused": []}


class _Ledger:
    """seats: models that answered; prompts: (purpose, version, SHA-256)."""

    def __init__(self, tables: Tables) -> None:
        self.seats: dict[Seat, set[str]] = defaultdict(set)
        self.prompts: set[tuple[str, str, str]] = set()
        self.asked: dict[Seat, tuple[str, str]] = {}
        columns = ("role", "position", "judge_vendor", "judge_model", "model_answered", "purpose", "prompt_version")
        for row in tables.package.table("ledger.csv", *columns, "prompt_hash"):
            self._read(row)

    def _read(self, row: Row) -> None:
        seat = (row.raw("role"), row.raw("position"))
        model = (row.text("judge_vendor"), row.text("judge_model"))
        if self.asked.setdefault(seat, model) != model:
            raise row.error("judge_model", "one judge in every row of a role and position")
        if row.raw("model_answered"):
            self.seats[seat].add(row.text("model_answered"))
        self.prompts.add((row.text("purpose"), row.text("prompt_version"), row.raw("prompt_hash")))


def asked(statement: Mapping[str, Any], tables: Tables) -> Iterator[Part]:
    """Parts `prompts`, `judges` and `extractor`; the last two not from packages of format 1."""
    ledger = _Ledger(tables)
    names = ("name", "version", "sha256")
    again = [dict(zip(names, one, strict=True)) for one in sorted(ledger.prompts)]
    yield part("prompts", sorted(statement["prompts"], key=lambda one: [one[name] for name in names]), again)
    if tables.format < 2:
        yield Part("judges, extractor", missing=OLD)
        return
    judges, extractor = _panel(tables, ledger)
    for verdict in tables.verdicts:
        if verdict.judge not in judges:
            raise PackageError(f"verdicts.csv: judge {verdict.judge} is not in panel.csv")
    models = {(verdict.judge, *verdict.model) for verdict in tables.verdicts}
    for number, vendor, model in sorted(models):
        if (vendor, model) != (judges[number]["vendor"], judges[number]["model"]):
            raise PackageError(f"verdicts.csv: judge {number} has another model than in panel.csv")
    yield part("judges", [_sorted(one) for one in statement["judges"]], [judges[number] for number in sorted(judges)])
    yield part("extractor", _sorted(statement["extractor"]), extractor)


def _panel(tables: Tables, ledger: _Ledger) -> tuple[dict[int, Mapping[str, Any]], Mapping[str, Any]]:
    judges: dict[int, Mapping[str, Any]] = {}
    extractor = NOBODY
    for row in tables.package.table("panel.csv", "role", "judge", "vendor", "model", "family", "refused"):
        number = row.whole("judge") if row.one_of("role", ("judge", "extractor")) == "judge" else None
        if number in judges or (number is None and extractor is not NOBODY):
            raise row.error("judge", "a number that stands once")
        seats = [("judge", str(number - 1))] if number else [seat for seat in ledger.seats if seat[0] == "extractor"]
        one = {
            "vendor": row.text("vendor"),
            "model": row.text("model"),
            "answered_by": sorted(set().union(*(ledger.seats.get(seat, set()) for seat in seats))),
            "family": row.text("family"),
            "refused": [str(option) for option in row.json("refused", list)],
        }
        if number is None:
            extractor = one
        else:
            judges[number] = one
    return judges, extractor


def _sorted(model: Mapping[str, Any]) -> dict[str, Any]:
    """As stated; databases sort text each in its own way, and earlier versions left that to them."""
    return {**model, "answered_by": sorted(model["answered_by"])}

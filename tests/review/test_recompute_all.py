"""Every figure of a certificate once more from its evidence package, and what an altered value comes to."""

import csv
import hashlib
import io
import json
import re
import shutil
import subprocess
import warnings
import zipfile
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from audits.models import Role
from audits.planning import Density, Rule, outlook
from review.background import plan_fact
from review.keys import rotate, signing_key
from review.models import Certificate
from review.package.beside import plan_parts
from review.package.errors import PackageError
from review.package.limits import OUTSIDE, REPEATED, STATED
from review.package.options import Options
from review.package.reading import Package
from review.package.redoing import redo
from review.package.rows import Tables
from review.package.sums import SIGNATURE, SUMS, lines_of_sums, read_sums
from review.signature import envelope, file_bytes, generate_key, public_pem, sign
from tests.review.evidenced import evidenced, unpacked

LABELS = ("SUPPORTED", "CONTRADICTED", "UNVERIFIED")


@pytest.fixture(autouse=True)
def _own_key(settings: Any, tmp_path: Path) -> None:
    settings.SIGNING_KEY_FILE = tmp_path / "signing-key.pem"


@pytest.fixture
def experts(project: Any, expert: Any, person: Any) -> tuple[Any, Any, Any]:
    return expert, person("eva", project, Role.EXPERT), person("ada", project, Role.EXPERT)


@pytest.fixture
def certificate(project: Any, experts: Any, manager: Any) -> Certificate:
    return evidenced(project, experts, manager)


def recompute(*paths: Any) -> int:
    """Run the command; its exit status."""
    with pytest.raises(SystemExit) as ended:
        call_command("recompute", *map(str, paths))
    return int(str(ended.value.code))


def altered(cell: str) -> str:
    """Another value of the same kind."""
    if cell in ("true", "false"):
        return "false" if cell == "true" else "true"
    if cell in LABELS:
        return LABELS[LABELS.index(cell) - 1]
    return str(int(cell) + 1) if cell.isdecimal() and len(cell) < 15 else f"{cell}x"


def test_every_part_of_a_statement_is_repeated_or_said_not_to_be(
    certificate: Certificate, tmp_path: Path, capsys: Any, django_assert_num_queries: Any
) -> None:
    folder = unpacked(certificate, tmp_path / "p")
    with django_assert_num_queries(0):
        assert recompute(folder / "certificate.json", folder) == 0
    out = capsys.readouterr().out
    statement = certificate.envelope["statement"]
    assert not statement.keys() - {*STATED, *REPEATED, *OUTSIDE}
    said = {line.split(":")[0].strip().split(".")[0].split("[")[0] for line in out.splitlines() if "DIFF" not in line}
    assert said >= {*REPEATED} - {"draws"} and "draws[0]: same" in out
    assert out.count("not repeated: ") == 3
    review, evidence = statement["review"], statement["evidence"]
    assert all(review[name] for name in review), "nothing of this certificate is repeated idly"
    assert evidence["total"] > len(evidence["listed"]) > 0
    assert statement["extraction"]["unaccounted"] == 1 and statement["dataset"]["flags"]["not_imported"] == 1


def rows_of(path: Path) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a CSV file."""
    header, *rows = csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig")))
    return header, rows


def write(path: Path, header: list[str], rows: list[list[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def noticed(statement: Any, folder: Path) -> set[str]:
    """Parts that differ, or {"refused"}."""
    try:
        return {part.name for part in redo(statement, Package(folder)) if not part.same} - {SUMS}
    except PackageError:
        return {"refused"}


def columns(folder: Path) -> Iterator[tuple[str, str]]:
    """Every column of every table with one of its values altered in the file, until the next one is asked for."""
    for path in sorted(folder.glob("*.csv")):
        whole = path.read_bytes()
        header, rows = rows_of(path)
        for place, column in enumerate(header):
            filled = [row for row in rows if row[place]] or rows
            row = filled[len(filled) // 2]
            before, row[place] = row[place], altered(row[place])
            write(path, header, rows)
            yield path.name, column
            row[place] = before
        path.write_bytes(whole)


NO_FIGURE = {
    "adjudications.csv": "active_seconds audit audit_id guidelines keys reason slot taken verdicts_shown",
    "answers.csv": "refusal",  # of an answer with claims: only those without are counted
    "claims.csv": "end start",
    "items.csv": "given_up",  # of an item with a label
    "ledger.csv": (
        "at_most_usd attempt batch cache_read cache_write call cost_usd created finish latency_ms message "
        "model_asked outcome replicate reply request_hash reusable status tokens_in tokens_out vendor_request_id"
    ),
    "skips.csv": "item",  # of another claim that somebody passed over: as many claims as before
    "verdicts.csv": "quotes rationale unscored windows",
}
"""Columns on which no figure rests: that a value of them was altered, SHA256SUMS alone tells (docs/verify.md)."""


def test_an_altered_value_is_named_or_rests_on_the_sums_alone(certificate: Certificate, tmp_path: Path) -> None:
    folder, statement = unpacked(certificate, tmp_path / "p"), certificate.envelope["statement"]
    unnoticed: dict[str, list[str]] = {}
    for table, column in columns(folder):
        if not noticed(statement, folder):
            unnoticed.setdefault(table, []).append(column)
    beyond = {table: {*found} - {*NO_FIGURE.get(table, "").split()} for table, found in unnoticed.items()}
    assert not any(beyond.values()), beyond
    assert noticed(statement, folder) == set()


def test_the_sums_tell_of_every_file(certificate: Certificate, tmp_path: Path, capsys: Any) -> None:
    folder = unpacked(certificate, tmp_path / "p")
    certified = shutil.copy(folder / "certificate.json", tmp_path / "c.json")
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert {"samples.jsonl", "events.jsonl", "plan.json", "ledger.csv", SUMS} <= {path.name for path in files}
    for path in files:
        whole = path.read_bytes()
        path.write_bytes(whole.replace(b"q", b"Q", 1) if b"q" in whole[3:] else whole[:-1] + b"~")
        status = recompute(certified, folder)
        said = capsys.readouterr()
        assert status in (1, 2) and path.name in said.out + said.err, path.name
        path.write_bytes(whole)
    assert recompute(certified, folder) == 0


def test_the_documented_commands_check_the_sums(certificate: Certificate, tmp_path: Path) -> None:
    folder = unpacked(certificate, tmp_path / "p")
    (folder / "issuer.pem").write_bytes(public_pem(signing_key().public_key()))
    page = Path(__file__).parents[2].joinpath("docs", "verify.md").read_text(encoding="utf-8")
    blocks = [block for block in re.findall(r"```sh\n(.*?)```", page, re.DOTALL) if "SHA256SUMS" in block]
    assert len(blocks) == 2 and blocks[0] == blocks[1], "the same in both languages"
    script = ["bash", "-c", "set -e\n" + blocks[0]]
    assert subprocess.run(script, cwd=folder, capture_output=True, check=False).returncode == 0
    (folder / "ledger.csv").write_text("altered", encoding="utf-8")
    assert subprocess.run(script, cwd=folder, capture_output=True, check=False).returncode != 0


def test_sums_made_anew_are_not_the_issuers(certificate: Certificate, tmp_path: Path, capsys: Any) -> None:
    folder = unpacked(certificate, tmp_path / "p")
    path = folder / "ledger.csv"
    path.write_bytes(path.read_bytes().replace(b",ok,", b",OK,", 1))
    sums = read_sums((folder / SUMS).read_bytes())
    sums["ledger.csv"] = hashlib.sha256(path.read_bytes()).hexdigest()
    (folder / SUMS).write_bytes(lines_of_sums(sums))
    assert recompute(folder / "certificate.json", folder) == 1
    assert "SHA256SUMS.sig: expected signed" in capsys.readouterr().out
    forger = generate_key()
    (folder / SIGNATURE).write_bytes(sign((folder / SUMS).read_bytes(), forger))
    assert recompute(folder / "certificate.json", folder) == 1
    pem = tmp_path / "forger.pem"
    pem.write_bytes(public_pem(forger.public_key()))
    assert recompute(folder / "certificate.json", folder, "--key", pem) == 1, "the certificate is by another key"


def test_a_package_made_after_the_key_was_changed_needs_both_keys(certificate: Certificate, tmp_path: Path) -> None:
    old, new = rotate()
    folder = unpacked(certificate, tmp_path / "p")
    assert recompute(folder / "certificate.json", folder) == 1
    keys = []
    for row in (old, new):
        (tmp_path / row.key_id).write_text(row.public_pem)
        keys += ["--key", tmp_path / row.key_id]
    assert recompute(folder / "certificate.json", folder, *keys) == 0


@pytest.mark.parametrize("options", [Options(True, True), Options(False, False), Options(True, False)])
def test_without_names_and_contexts_the_figures_are_the_same(
    certificate: Certificate, tmp_path: Path, capsys: Any, options: Options
) -> None:
    folder = unpacked(certificate, tmp_path / "p", options)
    assert recompute(folder / "certificate.json", folder) == 0
    out = capsys.readouterr().out
    assert "evidence: same" in out and "reviewers: same" in out and "agreement: same" in out
    assert ("not repeated: reviewers.name" in out) == options.pseudonymised


def earlier(folder: Path) -> None:
    """The package as an earlier version made it: without tables, columns and sums that came later."""
    for name in ("dataset.csv", "panel.csv", "reviewers.csv", "skips.csv", "plan.json", SUMS, SIGNATURE):
        (folder / name).unlink()
    for name, added in (("answers.csv", 2), ("items.csv", 3)):
        header, rows = rows_of(folder / name)
        write(folder / name, header[:-added], [row[:-added] for row in rows])
    seeds = json.loads((folder / "seeds.json").read_text(encoding="utf-8"))
    del seeds["format"]
    (folder / "seeds.json").write_text(json.dumps(seeds), encoding="utf-8")


def test_a_package_of_an_earlier_version_repeats_what_it_holds(
    certificate: Certificate, tmp_path: Path, capsys: Any
) -> None:
    folder = unpacked(certificate, tmp_path / "p")
    earlier(folder)
    assert recompute(folder / "certificate.json", folder) == 0
    out = capsys.readouterr().out
    assert all(f"{part}: same" in out for part in ("result", "agreement", "disagreement", "refusals", "event_log"))
    for part in ("SHA256SUMS", "extraction", "evidence", "dataset", "plan", "judges, extractor", "reviewers.name"):
        assert f"not repeated: {part}: " in out


def test_the_plan_is_made_again(tmp_path: Path) -> None:
    rule = Rule(Decimal("0.2"), "dataset", expected_rate=Decimal("0.02"))
    stored = outlook(rule, answers=8, density=Density(2.0, "assumed"), double_percent=10).stored()
    (tmp_path / "seeds.json").write_text("{}", encoding="utf-8")
    (tmp_path / "plan.json").write_text(json.dumps(stored), encoding="utf-8")
    statement = {"plan": plan_fact(stored)}
    assert [part.same for part in plan_parts(statement, Tables(Package(tmp_path)))] == [True, True]
    (tmp_path / "plan.json").write_text(json.dumps(stored | {"labels": 1}), encoding="utf-8")
    assert [part.same for part in plan_parts(statement, Tables(Package(tmp_path)))] == [True, False]
    (tmp_path / "plan.json").write_text(json.dumps(stored | {"version": "0.0.1"}), encoding="utf-8")
    (_, left) = plan_parts(statement, Tables(Package(tmp_path)))
    assert "version 0.0.1" in left.missing


def test_a_difference_names_the_version_that_made_the_certificate(
    certificate: Certificate, tmp_path: Path, capsys: Any, settings: Any
) -> None:
    folder = unpacked(certificate, tmp_path / "p")
    settings.ASSAY_VERSION = "9.9.9"
    assert recompute(folder / "certificate.json", folder) == 0
    assert "made by version" not in capsys.readouterr().out
    (folder / "README.md").write_text("Another one", encoding="utf-8")
    assert recompute(folder / "certificate.json", folder) == 1
    assert "this is 9.9.9" in capsys.readouterr().out


def _twice(table: str) -> Any:
    def act(folder: Path) -> None:
        header, rows = rows_of(folder / table)
        write(folder / table, header, [*rows, rows[0]])

    return act


def _cell(table: str, column: str, value: str) -> Any:
    def act(folder: Path) -> None:
        header, rows = rows_of(folder / table)
        rows[0][header.index(column)] = value
        write(folder / table, header, rows)

    return act


def _put(name: str, data: bytes) -> Any:
    return lambda folder: (folder / name).write_bytes(data)


def _linked(folder: Path) -> None:
    (folder / "strata.txt").unlink()
    (folder / "strata.txt").symlink_to("/etc/hostname")


HOSTILE = [
    *(
        (_twice(f"{name}.csv"), f"{name}.csv, row")
        for name in ("adjudications", "answers", "claims", "items", "panel", "verdicts", "dataset")
    ),
    (lambda folder: (folder / "items.csv").unlink(), "items.csv: not in the package"),
    (_cell("items.csv", "needed", "-1"), "items.csv, row 2, needed: a whole number"),
    (_cell("items.csv", "needed", "9" * 5000), "items.csv, row 2, needed: a whole number"),
    (_cell("items.csv", "part_of_item", "7777"), "is not there"),
    (_cell("claims.csv", "vague", "yes"), "claims.csv, row 2, vague: true or false"),
    (_cell("claims.csv", "sample", "7777"), "a number that its own table knows"),
    (_cell("adjudications.csv", "label", "MAYBE"), "a label or nothing"),
    (_cell("adjudications.csv", "created", "soon"), "a time"),
    (_cell("adjudications.csv", "marks", "[" * 9000), "JSON"),
    (_put("claims.csv", b"claim,claim\r\n1,1\r\n"), "a column stands twice"),
    (_put("claims.csv", b"\xff\xfe\x00"), "no CSV in UTF-8"),
    (_put("answers.csv", b"sample\r\n1,2\r\n"), "no column"),
    (_put("seeds.json", b"[1]"), "a format that this version does not know"),
    (_put("seeds.json", b'{"format": 2, "double_percent": 1e999}'), "double_percent"),
    (_put("seeds.json", b"[" * 99_999), "seeds.json: no JSON"),
    (_put("plan.json", b'{"answers": NaN}'), "plan.json: no JSON"),
    (_put(SUMS, b"hello"), "SHA256SUMS: line 1"),
    (_put(SUMS, b"0" * 64 + b"  ../../etc/passwd\n"), "leads elsewhere"),
    (_linked, "not a file inside the package"),
]


def test_hostile_folders_end_with_one_sentence(certificate: Certificate, tmp_path: Path, capsys: Any) -> None:
    folder = unpacked(certificate, tmp_path / "p")
    certified = shutil.copy(folder / "certificate.json", tmp_path / "certificate.json")
    for number, (act, sentence) in enumerate(HOSTILE):
        spoilt = shutil.copytree(folder, tmp_path / str(number))
        act(spoilt)
        status = recompute(certified, spoilt)
        said = capsys.readouterr().err
        assert status == 2 and sentence in said and said.count("\n") == 1 and len(said) < 400, (sentence, said)


def zipped(path: Path, *members: tuple[str, bytes], cut: int = 0) -> Path:
    """A ZIP with these members, doubled names allowed; cut: bytes taken off its end."""
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")
        for name, data in members:
            archive.writestr(name, data)
    path.write_bytes(path.read_bytes()[: -cut or None])
    return path


def test_hostile_zips_end_with_one_sentence(certificate: Certificate, tmp_path: Path, capsys: Any) -> None:
    certified = unpacked(certificate, tmp_path / "p") / "certificate.json"
    encrypted = zipped(tmp_path / "e.zip", ("seeds.json", b"{}"))
    data = bytearray(encrypted.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    encrypted.write_bytes(data)
    for path, sentence in [
        (zipped(tmp_path / "bomb.zip", ("claims.csv", b"0" * 60_000_000)), "would unpack to 60,000,000 bytes"),
        (zipped(tmp_path / "up.zip", ("../claims.csv", b"")), "leads elsewhere"),
        (zipped(tmp_path / "root.zip", ("/claims.csv", b"")), "leads elsewhere"),
        (zipped(tmp_path / "back.zip", ("a\\b.csv", b"")), "leads elsewhere"),
        (zipped(tmp_path / "two.zip", ("claims.csv", b"1"), ("claims.csv", b"2")), "twice in the ZIP"),
        (zipped(tmp_path / "many.zip", *((f"{n}", b"") for n in range(10_001))), "more than 10,000 files"),
        (zipped(tmp_path / "short.zip", ("claims.csv", b"1"), cut=9), "neither a folder nor a ZIP"),
        (zipped(tmp_path / "empty.zip"), "certificate.json: not in the package"),
        (encrypted, "encrypted"),
    ]:
        status = recompute(certified, path)
        said = capsys.readouterr().err
        assert status == 2 and sentence in said and said.count("\n") == 1, (sentence, said)


def test_a_certificate_that_lacks_parts_is_refused(tmp_path: Path, certificate: Certificate, capsys: Any) -> None:
    folder = unpacked(certificate, tmp_path / "p")
    statement = {name: value for name, value in certificate.envelope["statement"].items() if name != "seeds"}
    forged = tmp_path / "forged.json"
    forged.write_bytes(file_bytes(envelope(statement, signing_key())))
    assert recompute(forged, folder) == 2
    assert "no value under the name 'seeds'" in capsys.readouterr().err
    forged.write_bytes(b"{}")
    assert recompute(forged, folder) == 2

"""The evidence package, and the same numbers from it without a database."""

import csv
import io
import json
import uuid
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from audits.chain import START, link
from audits.models import Audit, Claim, Role, Verdict
from review import gold
from review.adjudication import adjudicate
from review.certify import issue, revoke
from review.looks import extend
from review.models import Adjudication, Certificate, ReviewItem, Slot
from review.package.archive import evidence_package
from review.package.options import Options
from review.package.reading import Package
from review.package.redoing import redo
from review.recut import accept, propose
from review.spotcheck import open_review
from tests.review.factory import MIXED, C, S, U, make_audit

PLAIN = Options()


@pytest.fixture(autouse=True)
def _own_key(settings: Any, tmp_path: Path) -> None:
    settings.SIGNING_KEY_FILE = tmp_path / "signing-key.pem"


def label_all(audit: Audit, *people: Any) -> None:
    """Give every open slot the first judge's label, of the person of its number."""
    said = dict(Verdict.objects.filter(claim__audit=audit, member__position=0).values_list("claim", "label"))
    for slot in Slot.objects.filter(item__plan__audit=audit, state="waiting").select_related("item"):
        adjudicate(slot, None, user=people[slot.number - 1], label=said.get(slot.item.claim_id) or U,
                   idempotency_key=uuid.uuid4())  # fmt: skip


@pytest.fixture
def certificate(project: Any, person: Any, expert: Any, manager: Any) -> Certificate:
    """Of an audit with disputes, vague claims, two labels on some claims, one that is given up, several claims to an
    answer."""
    audit = make_audit(
        project, [*MIXED, (S, ""), (S, S)], per_answer=3, vague=(1, 4), spot_check=30, double_percent=20
    )
    open_review(audit)
    slots = Slot.objects.filter(item__plan__audit=audit)
    assert slots.filter(number=2).exists()
    left = ReviewItem.objects.filter(plan__audit=audit, kind="dispute", needed=1).first()
    assert left is not None
    slots.filter(item=left).update(state="done")
    label_all(audit, expert, person("eva", project, Role.EXPERT))
    ReviewItem.objects.filter(pk=left.pk).update(given_up_at=timezone.now(), given_up_reason="Nobody knows")
    return issue(audit, manager)


def unpacked(certificate: Certificate, folder: Path, options: Options = PLAIN) -> Path:
    """The package as a folder."""
    with evidence_package(certificate, options) as file, zipfile.ZipFile(file) as archive:
        archive.extractall(folder)
    return folder


def run(*paths: Path) -> int:
    """Run the command; its exit status."""
    with pytest.raises(SystemExit) as ended:
        call_command("recompute", *map(str, paths))
    return int(str(ended.value.code))


def test_the_figures_come_out_the_same(
    certificate: Certificate, tmp_path: Path, capsys: Any, django_assert_num_queries: Any
) -> None:
    path = tmp_path / "package.zip"
    with evidence_package(certificate, PLAIN) as file:
        path.write_bytes(file.read())
    folder = unpacked(certificate, tmp_path / "p")
    with django_assert_num_queries(0):
        assert run(folder / "certificate.json", path) == 0
        assert run(folder / "certificate.json", folder) == 0
    said = capsys.readouterr().out
    assert f"same: {certificate.number}" in said and "DIFFERENT" not in said
    parts = {part.name for part in redo(certificate.envelope["statement"], Package(folder))}
    assert parts >= {"draw", "seeds", "samples", "judged", "outcome", "spot_check", "result", "decisions", "claims"}


@pytest.mark.parametrize("options", [Options(True, True), Options(False, False), Options(True, False)])
def test_what_is_left_out_changes_no_figure(certificate: Certificate, tmp_path: Path, options: Options) -> None:
    folder = unpacked(certificate, tmp_path / "p", options)
    assert run(folder / "certificate.json", folder) == 0
    texts = {
        path.name: path.read_text(encoding="utf-8")
        for path in folder.rglob("*")
        if path.is_file() and path.name not in ("certificate.json", "SHA256SUMS.sig")
    }
    if options.pseudonymised:
        assert not [name for name, text in texts.items() if "eve" in text.replace("event", "").replace("every", "")
                    and name not in ("README.md", "schema.json")]  # fmt: skip
        assert "expert-1" in texts["adjudications.csv"] and ",q1," not in texts["claims.csv"]
    if not options.contexts:
        assert not [name for name, text in texts.items() if "12 branches" in text or "RATIONALE" in text]
        assert "opened in 1994" not in texts["verdicts.csv"] and "samples.jsonl" not in texts
    else:
        assert "opened in 1994" in texts["verdicts.csv"] and "12 branches" in texts["samples.jsonl"]


def edit(path: Path, change: Any) -> None:
    """Change the rows of a CSV file in place."""
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))
    change(rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def _relabel(rows: Any) -> None:
    row = next(row for row in rows if row["stratum"] == "supported" and row["label"] == S)
    row["label"] = C


def _revote(rows: Any) -> None:
    rows[0]["label"] = U


def _undraw(rows: Any) -> None:
    next(row for row in rows if row["kind"] == "spot_check")["kind"] = "dispute"


def _lengthen(rows: Any) -> None:
    rows[0]["quotes"] = "x" * 300_000


def _split(rows: Any) -> None:
    rows[0]["sample"] = rows[-1]["sample"]


@pytest.mark.parametrize(
    ("name", "change", "part"),
    [
        ("adjudications.csv", _relabel, "result"),
        ("verdicts.csv", _revote, "decisions"),
        ("items.csv", _undraw, "draw"),
        ("claims.csv", _split, "judged"),
    ],
)
def test_an_altered_row_is_found_and_named(
    certificate: Certificate, tmp_path: Path, capsys: Any, name: str, change: Any, part: str
) -> None:
    folder = unpacked(certificate, tmp_path / "p")
    edit(folder / name, change)
    assert run(folder / "certificate.json", folder) == 1
    said = capsys.readouterr().out
    assert f"{part}: DIFFERENT" in said and "expected" in said and said.rstrip().endswith(certificate.number)


def test_long_quotes_are_read(certificate: Certificate, tmp_path: Path) -> None:
    folder = unpacked(certificate, tmp_path / "p")
    edit(folder / "verdicts.csv", _lengthen)
    (row, *_rest) = Package(folder).table("verdicts.csv", "quotes")
    assert len(row.raw("quotes")) == 300_000


def test_another_certificate_and_a_broken_package_are_told_apart(
    certificate: Certificate, tmp_path: Path, capsys: Any
) -> None:
    folder = unpacked(certificate, tmp_path / "p")
    changed = tmp_path / "c.json"
    changed.write_bytes((folder / "certificate.json").read_bytes().replace(b'"version":1', b'"version":2'))
    assert run(changed, folder) == 1
    assert "not as it was signed" in capsys.readouterr().out
    with evidence_package(certificate, PLAIN) as file:
        data = bytearray(file.read())
    for place in range(data.index(b"verdicts.csv") + 20, len(data), len(data) // 40):
        data[place] ^= 255
    broken = tmp_path / "broken.zip"
    broken.write_bytes(data)
    assert run(folder / "certificate.json", broken) == 2
    (folder / "items.csv").unlink()
    assert run(folder / "certificate.json", folder) == 2
    assert run(folder / "certificate.json", tmp_path / "absent.zip") == 2


def test_the_bytes_are_the_same_every_time(certificate: Certificate) -> None:
    with evidence_package(certificate, PLAIN) as first, evidence_package(certificate, PLAIN) as second:
        data = first.read()
        assert data == second.read()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert {info.date_time[0] for info in archive.infolist()} == {1980}


def test_events_can_be_followed_to_the_head_of_the_certificate(certificate: Certificate, tmp_path: Path) -> None:
    folder = unpacked(certificate, tmp_path / "p")
    lines = [json.loads(line) for line in (folder / "events.jsonl").read_text(encoding="utf-8").splitlines()]
    head = certificate.envelope["statement"]["event_log"]
    assert (lines[-1]["sequence"], lines[-1]["hash"]) == (head["sequence"], head["hash"])
    before = START
    for line in lines:
        if line["entry"] is not None:
            assert link(before, line["entry"]) == line["hash"]
        before = line["hash"]
    assert any(line["entry"] and line["entry"]["kind"] == "review_opened" for line in lines)


def test_labels_after_the_certificate_are_not_in_its_package(
    certificate: Certificate, manager: Any, expert: Any, tmp_path: Path
) -> None:
    revoke(certificate, manager, "To be labelled anew")
    items = ReviewItem.objects.filter(plan__audit=certificate.audit, kind="spot_check", needed=1)
    item = items.filter(stratum="supported").order_by("pk")[0]
    slot = Slot.objects.get(item=item)
    word = {"item": item, "slot": slot, "reviewer": expert, "label": C, "revision": 2}
    Adjudication.objects.create(**word, idempotency_key=uuid.uuid4())
    folder = unpacked(certificate, tmp_path / "p")
    assert run(folder / "certificate.json", folder) == 0, "the figures are those of the labels that there were"


def test_the_package_is_for_those_who_may_see_verdicts(
    certificate: Certificate, signed_in: Any, person: Any, analyst: Any, expert: Any, manager: Any, stranger: Any
) -> None:
    project = certificate.audit.project
    url = reverse("evidence_package", args=(project.slug, certificate.pk))
    response = signed_in(analyst).get(url, {"pseudonymised": "1", "contexts": "0"})
    assert f"{certificate.number}-evidence-pseudonymised-without-contexts.zip" in response["Content-Disposition"]
    with zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content))) as archive:
        assert archive.testzip() is None and "samples.jsonl" not in archive.namelist()
    page = reverse("certificate", args=(project.slug, certificate.audit_id))
    assert url in signed_in(manager).get(page).content.decode()
    assert signed_in(expert).get(url).status_code == 403
    assert signed_in(stranger).get(url).status_code == 404
    both = person("both", project, Role.ANALYST, Role.EXPERT)
    assert signed_in(both).get(url).status_code == 200
    waiting = make_audit(project, [(S, C)])
    open_review(waiting)
    assert signed_in(both).get(url).status_code == 403, "claims wait for this person"


def test_looks_cuts_and_known_labels_come_out_the_same_too(
    project: Any, person: Any, expert: Any, manager: Any, tmp_path: Path
) -> None:
    audit = make_audit(
        project, MIXED, per_answer=2, spot_check=20, looks=2, threshold="0.45", double_percent=0, scope="dataset"
    )
    plan = open_review(audit)
    assert plan is not None
    label_all(audit, expert)
    assert extend(plan, manager, 12) == 12
    cut = plan.items.filter(kind="dispute").order_by("pk")[0]
    proposal = propose(cut, user=expert, texts=["Branch 50 opened.", "It opened in 2000."])
    assert accept(proposal, manager)
    known = Claim.objects.filter(audit=audit, review_item__isnull=True).first()
    assert known is not None
    gold.add(audit, known, label=S, reason="It is known here", by=manager)
    label_all(audit, expert)
    certificate = issue(Audit.objects.get(pk=audit.pk), manager)
    folder = unpacked(certificate, tmp_path / "p")
    assert run(folder / "certificate.json", folder) == 0
    assert len(certificate.envelope["statement"]["draws"]) == 2
    items = list(Package(folder).table("items.csv"))
    assert sum(row.truth("replaced") for row in items) == 1
    assert sum(bool(row.raw("part_of_item")) for row in items) == 2
    texts = [path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.suffix in (".csv", ".jsonl")]
    assert not [text for text in texts if "It is known here" in text], "known labels stay out"
    events = [json.loads(line) for line in (folder / "events.jsonl").read_text(encoding="utf-8").splitlines()]
    told = {line["entry"]["data"].get("item") for line in events if line["entry"]}
    assert known.review_item.pk not in told and cut.pk in told

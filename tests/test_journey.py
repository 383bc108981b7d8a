"""The whole way over HTTP: a file goes in, a certificate comes out, and a stranger can check it.

Three people do by hand what their pages offer, without scripts. The judges are the real SDKs against a vendor that
runs here, so the certificate is a real one; with offline judges it is a specimen.
"""

import csv
import io
import json
import re
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.utils.translation import gettext, override

from audits import tasks
from audits.models import Audit, Dataset, Judge, Project
from review.models import Certificate
from review.tasks import sweep
from tests.pages import Page, Visitor
from tests.vendor_server.server import VendorServer

pytestmark = pytest.mark.django_db
ANSWERS = 6
CHANGED = "The statement was changed after it was signed: its SHA-256 is another one."
SAID = 'class="said__who"'


@dataclass(frozen=True)
class Story:
    """A file, the language of its people, and what comes out. Each answer has three claims."""

    language: str
    filename: str
    columns: tuple[str, ...]
    encoding: str
    claim: str
    lie: str  # in an answer, in no context
    threshold: str
    decision: str
    lied: str  # words of the lie
    printed: str  # the decision as the certificate prints it

    def claims(self, number: int) -> list[str]:
        """The sentences of an answer: the third one of every fourth answer is made up."""
        texts = [self.claim.format(number, part) for part in range(3)]
        return [*texts[:2], self.lie.format(number)] if number % 4 == 0 else texts

    def file(self) -> SimpleUploadedFile:
        """What the analyst uploads."""
        gap = " " if self.language == "en" else ""
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerow(self.columns)
        for number in range(ANSWERS):
            contexts = json.dumps([self.claim.format(number, part) for part in range(3)], ensure_ascii=False)
            writer.writerow([f"r{number}", f"{self.columns[1]} {number}?", contexts, gap.join(self.claims(number))])
        return SimpleUploadedFile(self.filename, out.getvalue().encode(self.encoding), "text/csv")


ENGLISH = Story(
    language="en",
    filename="loans.csv",
    columns=("ref", "asked", "passages", "said"),
    encoding="utf-8",
    claim="Rule {0}.{1} allows {0}{1} days.",
    lie="Ms Otter signs paper {0}.",
    threshold="30",
    decision="PASS",
    lied="Ms Otter",
    printed="PASS",
)
CHINESE = Story(
    language="zh-hans",
    filename="贷款.csv",
    columns=("编码", "提问", "出处", "说法"),
    encoding="gb18030",
    claim="第{0}条第{1}款允许的期限为{0}{1}天。",
    lie="第{0}号文件由欧阳喆签字。",
    threshold="1",
    decision="FAIL",
    lied="欧阳喆",
    printed="不合格",
)


@pytest.fixture(autouse=True)
def _own_key(settings: Any, tmp_path: Path) -> None:
    """Each journey signs with a key of its own."""
    settings.SIGNING_KEY_FILE = tmp_path / "signing-key.pem"
    settings.ASSAY_ORGANISATION = "Northgate Assurance"


def upload(visitor: Visitor, project: Project, story: Story) -> Dataset:
    """Upload a file whose columns nobody could guess, say which is which, and let the worker import it."""
    page = visitor.open(f"/projects/{project.slug}/datasets/new/")
    page = visitor.send(page.form("/datasets/new/"), file=story.file())
    form = page.form("/mapping/")
    _, asked, passages, said = story.columns
    chosen = {"answer": said, "contexts": [passages], "question": asked, "id": story.columns[0]}
    shown = visitor.send(form, preview="1", **chosen)
    assert story.lied in shown.text
    assert Dataset.objects.get().samples.count() == 0  # showing the rows imports nothing
    page = visitor.send(form, **chosen)
    dataset = Dataset.objects.get()
    assert 'hx-trigger="every' in page.source  # the page watches the import
    tasks.import_dataset(dataset.pk)
    page = visitor.open(f"/projects/{project.slug}/datasets/{dataset.pk}/")
    assert 'hx-trigger="every' not in page.source
    assert f"r{ANSWERS - 1}" in page.text
    return Dataset.objects.get()


def start_audit(visitor: Visitor, project: Project, dataset: Dataset, story: Story, *names: str) -> Audit:
    """Choose the panel, see what it will cost, start; a second press starts nothing."""
    page = visitor.open(f"/projects/{project.slug}/audits/new/?dataset={dataset.pk}")
    form = page.form("/audits/new/")
    judges = {str(judge): judge.pk for judge in Judge.objects.all()}
    first, second = (judges[name] for name in names)
    chosen = {"primary": first, "second": second, "extractor": first}
    chosen |= {"threshold": story.threshold, "spot_check_size": 99}
    draft = visitor.send(form, recalculate="1", **chosen)
    assert not Audit.objects.exists()
    if "offline" not in names[0]:
        assert re.search(r"USD [1-9]\.\d\d", draft.text)  # before anything is called
    page = visitor.send(form, **chosen)
    audit = Audit.objects.get()
    assert page.path == f"/projects/{project.slug}/audits/{audit.pk}/"
    assert visitor.send(form, **chosen).path == page.path
    assert Audit.objects.count() == 1
    return audit


def watch(visitor: Visitor, audit: Audit) -> Page:
    """The page polls while the worker judges, and stops by itself; then the result stands on it."""
    url = f"/projects/{audit.project.slug}/audits/{audit.pk}/"
    part = {"hx-request": "true", "hx-target": "audit-progress"}
    running = visitor.client.get(url, headers=part)
    assert 'hx-trigger="every 2s"' in running.content.decode()
    tasks.work(audit.pk)
    sweep()
    settled = visitor.client.get(url, headers=part)
    assert 'hx-trigger="every 2s"' not in settled.content.decode()
    assert settled["HX-Trigger"] == "audit-settled"
    return visitor.open(url)


def exports(visitor: Visitor, audit: Audit) -> None:
    """All three files say the same, and no text of the dataset is lost in them."""
    url = f"/projects/{audit.project.slug}/audits/{audit.pk}/export/claims"
    records = [json.loads(line) for line in visitor.download(f"{url}.jsonl").decode().splitlines()]
    rows = list(csv.DictReader(io.StringIO(visitor.download(f"{url}.csv").decode("utf-8-sig"))))
    sheet = openpyxl.load_workbook(io.BytesIO(visitor.download(f"{url}.xlsx"))).active
    assert sheet is not None
    head, *body = sheet.iter_rows(values_only=True)
    table = [dict(zip(map(str, head), row, strict=True)) for row in body]
    claims = list(audit.claims.values_list("text", flat=True))
    assert len(claims) == ANSWERS * 3
    for found in (records, rows, table):
        assert sorted(str(row["claim"]) for row in found) == sorted(claims)
        decisions = Counter(str(row["decision"]) for row in found)
        assert decisions == Counter(audit.claims.values_list("decision", flat=True))


def label_all(visitor: Visitor, story: Story) -> None:
    """Settle every claim at the desk: the first one wrongly and taken back, another one skipped and settled last."""
    desk = visitor.open(f"/projects/{Project.objects.get().slug}/review/")
    desk = visitor.send(desk.form("/review/take/"))
    first = desk.element_text("claim")
    saved = visitor.send(desk.form("/label/"), button="CONTRADICTED", reason="a slip")
    desk = visitor.send(saved.form("/undo/"))
    assert desk.element_text("claim") == first
    desk = label(visitor, desk, story)
    verdicts = visitor.send(desk.form("/verdicts/"))
    assert verdicts.element_text("claim") == first
    assert verdicts.source.count(SAID) == 3  # only now the judges' words are shown, beside the expert's own
    desk = visitor.send(verdicts.form("/keep/"))
    skipped = desk.element_text("claim")
    desk = visitor.send(desk.form("/skip/"), button="unclear", reason="Which rule?")
    while desk.has_form("/label/"):
        assert desk.element_text("claim") != skipped
        desk = label(visitor, desk, story)
    desk = visitor.send(desk.form("/review/take/"))  # nothing else is left, so the page offers it again
    assert desk.element_text("claim") == skipped
    desk = label(visitor, desk, story)
    assert not desk.has_form("/label/") and not desk.has_form("/review/take/")


def label(visitor: Visitor, desk: Page, story: Story) -> Page:
    """Give the claim on the desk its true label; the next one is there. No word of a judge is on either page."""
    assert "Rationale" not in desk.source and SAID not in desk.source
    made_up = desk.element_text("claim") in {story.lie.format(number) for number in range(ANSWERS)}
    after = visitor.send(desk.form("/label/"), button="UNVERIFIED" if made_up else "SUPPORTED")
    assert after.path == f"/projects/{Project.objects.get().slug}/review/"  # still this project's desk
    assert "Rationale" not in after.source and SAID not in after.source
    return after


def certificate_page(visitor: Visitor, audit: Audit) -> Page:
    """What is missing, and what has been issued."""
    return visitor.open(f"/projects/{audit.project.slug}/audits/{audit.pk}/certificate/")


def certify(visitor: Visitor, audit: Audit) -> Certificate:
    """Issue the certificate, once, however often the button is pressed."""
    form = certificate_page(visitor, audit).form("/certificate/issue/")
    page = visitor.send(form)
    visitor.send(form)
    certificate = Certificate.objects.get()
    assert certificate.number in page.text
    return certificate


def pdf_text(data: bytes, folder: Path) -> str:
    """The text of a PDF, as the reader's tool finds it; without the tool only its head is looked at."""
    assert data.startswith(b"%PDF-")
    path = folder / "certificate.pdf"
    path.write_bytes(data)
    try:
        found = subprocess.run(["pdftotext", "-layout", path, "-"], capture_output=True, check=True)
    except FileNotFoundError:
        return ""
    return found.stdout.decode()


def check_file(path: Path) -> None:
    """What an auditor does with the file: accepted as it is, refused with a single changed byte, and told where."""
    assert _verify(path) == (0, "VALID")
    data = path.read_bytes()
    place = data.index(b'"decision":"') + len(b'"decision":"')
    path.write_bytes(data[:place] + b"Q" + data[place + 1 :])
    code, said = _verify(path)
    assert code == 1
    assert "statement was changed" in said


def _verify(path: Path) -> tuple[Any, str]:
    """Exit status of `manage.py verify`, and what it says: VALID or the reason."""
    out = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("verify", str(path), stdout=out)
    said = out.getvalue()
    return ended.value.code, "VALID" if said.startswith("VALID:") else said


@pytest.mark.parametrize("story", [ENGLISH, CHINESE], ids=["english", "chinese-gbk"])
def test_from_a_file_to_a_certificate_that_a_stranger_verifies(
    story: Story,
    project: Project,
    analyst: Any,
    expert: Any,
    manager: Any,
    vendor_server: VendorServer,
    tmp_path: Path,
) -> None:
    for vendor, model in (("openai", "model-a"), ("anthropic", "claude-b")):
        Judge.objects.create(project=project, vendor=vendor, model=model, price_in=100, price_out=400)
    disputed = [story.claim.format(number, 1) for number in (1, 2, 3)]
    vendor_server.labels(*({"claim": text, "model": "claude-b", "label": "CONTRADICTED"} for text in disputed))
    ana = Visitor(analyst, story.language)
    dataset = upload(ana, project, story)
    audit = start_audit(ana, project, dataset, story, "openai:model-a", "anthropic:claude-b")
    assert not vendor_server.requests
    result = watch(ana, audit)
    # 18 claims: 13 supported, 2 made up, 3 disputed. 2 of 15 decided are 13.3 %; open ones may make it 2/18 or 5/18.
    numbers = "".join(result.text.split())
    for shown in ("13.3%", "n=15", "83.3%", "11.1%", "27.8%"):
        assert shown in numbers
    exports(ana, audit)

    mia = Visitor(manager, story.language)
    assert not certificate_page(mia, audit).has_form("/certificate/issue/")  # 18 claims are owed to the experts
    label_all(Visitor(expert, story.language), story)
    certificate = certify(mia, audit)
    assert (certificate.decision, certificate.specimen) == (story.decision, False)
    verify_and_revoke(mia, certificate, story, tmp_path)


def verify_and_revoke(manager: Visitor, certificate: Certificate, story: Story, folder: Path) -> None:
    """A stranger reads, downloads and checks the certificate; then it is revoked, and that is what is said first."""
    stranger = Visitor(language=story.language)
    number = certificate.number
    page = stranger.open(f"/verify/{number}/")
    assert story.printed in page.text and "SPECIMEN" not in page.text
    assert f"stamp-{story.decision.lower()}" in page.source
    for language, word in (("en", number), ("zh", number)):
        text = pdf_text(stranger.download(f"/verify/{number}/{language}.pdf"), folder)
        assert not text or word in text
    sealed = stranger.download(f"/verify/{number}/certificate.json")
    statement = json.loads(sealed)["statement"]
    assert statement["number"] == number
    path = folder / "certificate.json"
    path.write_bytes(sealed)
    form = stranger.open("/verify/").form("/verify/file/")
    with override(story.language):
        valid, changed = gettext("The signature is valid"), gettext(CHANGED)
    assert valid in stranger.send(form, file=SimpleUploadedFile("c.json", sealed)).text
    check_file(path)
    page = stranger.send(form, file=SimpleUploadedFile("c.json", path.read_bytes()))
    assert valid not in page.text and changed in page.text

    manager.send(certificate_page(manager, certificate.audit).form("/revoke/"), reason="A row was entered twice.")
    text = stranger.open(f"/verify/{number}/").text
    assert text.index("A row was entered twice.") < text.index(story.printed)


def test_with_offline_judges_the_certificate_is_a_specimen(
    project: Project, analyst: Any, expert: Any, manager: Any
) -> None:
    ana = Visitor(analyst)
    dataset = upload(ana, project, ENGLISH)
    audit = start_audit(ana, project, dataset, ENGLISH, "offline:rules", "offline:vector")
    watch(ana, audit)
    label_all(Visitor(expert), ENGLISH)
    certificate = certify(Visitor(manager), audit)
    assert certificate.specimen
    assert certificate.envelope["statement"]["specimen"]
    assert "SPECIMEN" in Visitor().open(f"/verify/{certificate.number}/").text

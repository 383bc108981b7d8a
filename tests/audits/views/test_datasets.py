"""A dataset from upload to samples: what is understood, what is refused, and what came of every row."""

import csv
import io
import json

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import translation

from audits import pipeline
from audits.format_messages import explain, row_reason
from audits.formats.messages import ROW_PROBLEMS, file_error, row_problem
from audits.models import Audit, Dataset, Event, RowError, Sample
from tests.audits.factory import make_dataset

GOOD = "id,question,contexts,answer\n1,What is the fee?,The fee is 2 %.,It is 2 %.\n2,When?,,Yearly.\n"
CHINESE = "编号,问题,参考证据,回答\n1,贷款年利率是多少？,贷款年利率为百分之四点二。,年利率为百分之四点二。\n"


def upload(browser, project, content=GOOD, name="loans.csv", title=""):
    data = content if isinstance(content, bytes) else content.encode()
    body = {"name": title, "file": SimpleUploadedFile(name, data)}
    return browser.post(reverse("dataset_new", args=[project.slug]), body)


def at(name, dataset):
    return reverse(name, args=[dataset.project.slug, dataset.pk])


def chosen(**changed):
    return {"id": "id", "question": "question", "contexts": ["contexts"], "answer": "answer"} | changed


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path


@pytest.fixture
def uploaded(signed_in, analyst, project):
    upload(signed_in(analyst), project)
    return Dataset.objects.get()


@pytest.fixture
def imported(signed_in, analyst, uploaded):
    signed_in(analyst).post(at("dataset_mapping", uploaded), chosen())
    pipeline.import_dataset(uploaded.pk, seconds=60)
    uploaded.refresh_from_db()
    return uploaded


def test_the_limit_and_the_formats_stand_at_the_control(signed_in, analyst, project, settings):
    settings.ASSAY_MAX_UPLOAD_MB = 7
    page = signed_in(analyst).get(reverse("dataset_new", args=[project.slug])).content.decode()
    assert "up to 7 MB" in page
    assert "XLSX" in page


def test_an_upload_is_stored_and_leads_to_its_columns(signed_in, analyst, project):
    response = upload(signed_in(analyst), project, title="Spring")
    dataset = Dataset.objects.get()
    assert response["Location"] == at("dataset_mapping", dataset)
    assert (dataset.name, dataset.created_by) == ("Spring", analyst)
    assert dataset.path.read_text() == GOOD
    assert dataset.status == Dataset.Status.UPLOADED
    assert not Sample.objects.exists()


@pytest.mark.parametrize(
    ("content", "words"), [(b"", "The file is empty."), (b"%PDF-1.7 \x00", "not a dataset"), (b"a,b\n", "no rows")]
)
def test_what_cannot_be_read_is_refused_in_words_and_not_kept(signed_in, analyst, project, content, words):
    response = upload(signed_in(analyst), project, content)
    assert response.status_code == 422
    problem = response.context["problem"]
    assert words in problem.what
    assert problem.safe == "Nothing was imported."
    assert problem.todo
    assert not Dataset.objects.exists()
    assert not [path for path in settings.MEDIA_ROOT.rglob("*") if path.is_file()]


def test_too_large_a_file_is_refused_with_the_limit(signed_in, analyst, project, settings):
    settings.ASSAY_MAX_UPLOAD_MB = 1
    response = upload(signed_in(analyst), project, GOOD + "x" * (1 << 20), name="big.csv")
    assert response.status_code == 422
    (message,) = response.context["form"].errors["file"]
    assert "larger than 1 MB" in message
    assert not Dataset.objects.exists()


def test_a_form_without_a_file_is_said_to_have_none(signed_in, analyst, project):
    response = signed_in(analyst).post(reverse("dataset_new", args=[project.slug]), {"name": "x"})
    assert response.status_code == 422
    assert "No file has arrived" in response.context["form"].errors["file"][0]


def test_the_columns_page_shows_what_was_understood(signed_in, analyst, uploaded):
    page = signed_in(analyst).get(at("dataset_mapping", uploaded))
    first = page.context["rows"][0]["record"]
    assert (first.question, first.answer, first.contexts) == ("What is the fee?", "It is 2 %.", ("The fee is 2 %.",))
    assert page.context["form"].mapping == {
        "id": "id",
        "question": "question",
        "answer": "answer",
        "contexts": "contexts",
    }


def test_the_preview_follows_the_choice_and_writes_nothing(signed_in, analyst, uploaded):
    part = {"HX-Request": "true", "HX-Target": "mapping-preview"}
    data = chosen(answer="question", contexts=["answer", "contexts"], preview="1")
    page = signed_in(analyst).post(at("dataset_mapping", uploaded), data, headers=part)
    assert page.context["rows"][0]["record"].answer == "What is the fee?"
    assert len(page.context["rows"][0]["record"].contexts) == 2
    assert "<html" not in page.content.decode()
    assert "HX-Target" in page["Vary"]
    uploaded.refresh_from_db()
    assert uploaded.status == Dataset.Status.UPLOADED


def test_while_too_little_is_chosen_the_first_row_is_shown_as_it_is(signed_in, analyst, project):
    browser = signed_in(analyst)
    upload(browser, project, "甲,乙\n你好,世界\n")
    page = browser.get(at("dataset_mapping", Dataset.objects.get()))
    assert page.context["rows"] == []
    assert page.context["example"] == [("甲", "你好"), ("乙", "世界")]


def test_a_gbk_file_reads_well_and_another_encoding_can_be_chosen(signed_in, analyst, project):
    browser = signed_in(analyst)
    upload(browser, project, CHINESE.encode("gbk"))
    dataset = Dataset.objects.get()
    page = browser.get(at("dataset_mapping", dataset))
    assert page.context["rows"][0]["record"].question == "贷款年利率是多少？"
    refused = browser.post(at("dataset_reading", dataset), {"encoding": "utf-8", "delimiter": ","})
    dataset.refresh_from_db()
    assert (refused.status_code, dataset.encoding) == (422, "gb18030")
    assert refused.context["problem"].what
    assert refused.context["problem"].todo
    accepted = browser.post(at("dataset_reading", dataset), {"encoding": "gb18030", "delimiter": ","})
    assert accepted["Location"] == at("dataset_mapping", dataset)


def test_another_separator_is_read_at_once(signed_in, analyst, project):
    browser = signed_in(analyst)
    upload(browser, project, "question;contexts;answer,x\nq;c;a,b\n")
    dataset = Dataset.objects.get()
    browser.post(at("dataset_reading", dataset), {"encoding": "utf-8", "delimiter": ";"})
    dataset.refresh_from_db()
    assert dataset.columns == ["question", "contexts", "answer,x"]


def test_an_import_starts_once(signed_in, analyst, uploaded):
    browser = signed_in(analyst)
    for _ in range(2):
        response = browser.post(at("dataset_mapping", uploaded), chosen(generator="qwen-max"))
        assert response["Location"] == at("dataset", uploaded)
    uploaded.refresh_from_db()
    assert (uploaded.status, uploaded.generator) == (Dataset.Status.IMPORTING, "qwen-max")
    assert Event.objects.filter(kind="import").count() == 1


@pytest.mark.parametrize("wrong", [{"answer": ""}, {"contexts": []}, {"answer": "no such column"}])
def test_an_import_without_the_needed_columns_is_refused(signed_in, analyst, uploaded, wrong):
    response = signed_in(analyst).post(at("dataset_mapping", uploaded), chosen(**wrong))
    assert response.status_code == 422
    assert set(response.context["form"].errors) == set(wrong)
    uploaded.refresh_from_db()
    assert uploaded.status == Dataset.Status.UPLOADED


def test_a_file_without_questions_can_be_imported(signed_in, analyst, uploaded):
    response = signed_in(analyst).post(at("dataset_mapping", uploaded), chosen(question=""))
    assert response.status_code == 302
    uploaded.refresh_from_db()
    assert uploaded.mapping["question"] == ""


def test_the_same_file_again_is_allowed_and_said(signed_in, analyst, uploaded, project):
    browser = signed_in(analyst)
    upload(browser, project)
    again = Dataset.objects.exclude(pk=uploaded.pk).get()
    assert browser.get(at("dataset_mapping", again)).context["twin"] == uploaded


def test_the_page_polls_while_the_import_runs_and_stops_by_itself(signed_in, analyst, uploaded):
    browser = signed_in(analyst)
    browser.post(at("dataset_mapping", uploaded), chosen())
    part = {"HX-Request": "true", "HX-Target": "dataset-state"}
    moving = browser.get(at("dataset", uploaded), headers=part).content.decode()
    assert "hx-trigger" in moving
    assert "<html" not in moving
    pipeline.import_dataset(uploaded.pk, seconds=60)
    done = browser.get(at("dataset", uploaded), headers=part).content.decode()
    assert "every 1s" not in done
    assert "What is the fee?" in done


def test_a_page_that_waits_in_vain_says_that_no_worker_came(signed_in, analyst, uploaded):
    browser = signed_in(analyst)
    browser.post(at("dataset_mapping", uploaded), chosen())
    assert not browser.get(at("dataset", uploaded)).context["nobody_works"]
    assert browser.get(at("dataset", uploaded), {"waited": "9"}).context["nobody_works"]
    assert not browser.get(at("dataset", uploaded), {"waited": "x" * 9}).context["nobody_works"]


def test_the_counts_say_what_came_of_every_row(signed_in, expert, imported):
    page = signed_in(expert).get(at("dataset", imported))
    assert (imported.rows_total, page.context["n_samples"], page.context["n_errors"]) == (2, 2, 0)
    assert page.context["flags"] == [("no_context", 1)]
    assert imported.sha256 in page.content.decode()


def test_samples_are_searched_filtered_and_paged(signed_in, analyst, project):
    dataset = make_dataset(project, samples=30)
    Sample.objects.filter(position=3).update(question="利率是多少？", flags=["no_answer"])
    browser = signed_in(analyst)

    def shown(**query):
        return [sample.position for sample in browser.get(at("dataset", dataset), query).context["page"]]

    assert shown() == list(range(25))
    assert shown(page="2") == [25, 26, 27, 28, 29]
    assert shown(page="none") == list(range(25))
    assert shown(q="利率") == [3]
    assert shown(q="Q-30") == [29]
    assert shown(flag="no_answer") == [3]
    assert shown(flag="no_such_flag") == list(range(25))
    assert shown(q="nothing like it") == []


def test_a_part_is_given_only_where_the_page_offers_it(signed_in, analyst, imported):
    browser = signed_in(analyst)
    part = browser.get(at("dataset", imported), headers={"HX-Request": "true", "HX-Target": "samples"})
    whole = browser.get(at("dataset", imported), headers={"HX-Request": "true", "HX-Target": "elsewhere"})
    assert part.content.decode().lstrip().startswith("<section")
    assert "<html" in whole.content.decode()


def test_text_of_a_dataset_never_runs(signed_in, analyst, project):
    browser = signed_in(analyst)
    rows = [{"question": "<script>x()</script>", "contexts": ["<img src=x onerror=x()>"], "answer": "{{ 7*7 }}<b>"}]
    upload(browser, project, json.dumps(rows), name="<b>.json")
    dataset = Dataset.objects.get()
    before = browser.get(at("dataset_mapping", dataset)).content.decode()
    browser.post(at("dataset_mapping", dataset), chosen(id=""))
    pipeline.import_dataset(dataset.pk, seconds=60)
    for page in (before, browser.get(at("dataset", dataset)).content.decode()):
        assert "<script>x()" not in page
        assert "<img src=x" not in page
        assert "&lt;script&gt;x()" in page
        assert "49&lt;b&gt;" not in page


def test_bad_rows_are_listed_and_downloaded_with_line_column_and_reason(signed_in, expert, project):
    dataset = make_dataset(project)
    RowError.objects.create(dataset=dataset, line=7, column="=1+1", code="x", reason="=cmd()")
    RowError.objects.create(dataset=dataset, line=9, column="answer", code="bad_list", reason='列表, "坏"')
    browser = signed_in(expert)
    assert [error.line for error, _ in browser.get(at("dataset", dataset)).context["errors"]] == [7, 9]
    response = browser.get(at("dataset_errors_csv", dataset))
    body = b"".join(response.streaming_content)
    assert body.startswith(b"\xef\xbb\xbf")
    assert response["Content-Disposition"].startswith("attachment")
    assert list(csv.reader(io.StringIO(body.decode("utf-8-sig")))) == [
        ["line", "column", "code", "reason"],
        ["7", "'=1+1", "x", "'=cmd()"],
        ["9", "answer", "bad_list", '列表, "坏"'],
    ]


def test_only_the_first_hundred_bad_rows_are_on_the_page(signed_in, analyst, project):
    dataset = make_dataset(project)
    RowError.objects.bulk_create(RowError(dataset=dataset, line=n, code="x", reason="bad") for n in range(1, 151))
    context = signed_in(analyst).get(at("dataset", dataset)).context
    assert (len(context["errors"]), context["n_errors"]) == (100, 150)


def test_a_failed_import_says_why_and_can_be_tried_again(signed_in, analyst, uploaded):
    failure = {"code": "undecodable", "message": "…", "params": {"line": 3, "encoding": "utf-8"}}
    Dataset.objects.update(status=Dataset.Status.FAILED, failure=failure)
    browser = signed_in(analyst)
    problem = browser.get(at("dataset", uploaded)).context["problem"]
    assert problem.what == "Line 3 holds bytes that are not utf-8 text."
    assert "another encoding" in problem.todo
    assert browser.get(at("dataset_mapping", uploaded)).status_code == 200
    browser.post(at("dataset_mapping", uploaded), chosen())
    uploaded.refresh_from_db()
    assert uploaded.status == Dataset.Status.IMPORTING


def test_a_dataset_is_deleted_with_its_file(signed_in, analyst, imported, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        response = signed_in(analyst).post(at("dataset_delete", imported))
    assert response["Location"] == reverse("project", args=[imported.project.slug])
    assert not Dataset.objects.exists()
    assert not imported.path.exists()
    assert signed_in(analyst).post(at("dataset_delete", imported)).status_code == 404


def test_a_dataset_with_audits_stays(signed_in, analyst, imported):
    Audit.objects.create(project=imported.project, dataset=imported, name="First", seed=1)
    response = signed_in(analyst).post(at("dataset_delete", imported), follow=True)
    assert "Nothing was deleted" in response.content.decode()
    assert Dataset.objects.get() == imported
    assert imported.path.exists()


WRITING = ("dataset_mapping", "dataset_reading", "dataset_delete")


@pytest.mark.parametrize("who", ["expert", "manager"])
def test_only_analysts_bring_data_in(signed_in, request, project, imported, who):
    browser = signed_in(request.getfixturevalue(who))
    assert upload(browser, project).status_code == 403
    for name in WRITING:
        assert browser.post(at(name, imported)).status_code == 403
    assert browser.get(at("dataset", imported)).status_code == 200
    assert browser.get(at("dataset_errors_csv", imported)).status_code == 200
    assert Dataset.objects.get() == imported


def test_a_stranger_finds_nothing(signed_in, stranger, project, imported):
    browser = signed_in(stranger)
    assert upload(browser, project).status_code == 404
    for slug in (project.slug, "elsewhere"):  # not through one's own project either
        args = [slug, imported.pk]
        assert browser.get(reverse("dataset", args=args)).status_code == 404
        assert browser.get(reverse("dataset_errors_csv", args=args)).status_code == 404
        for name in WRITING:
            assert browser.post(reverse(name, args=args)).status_code == 404
    assert Dataset.objects.get() == imported


def test_a_get_changes_nothing(signed_in, analyst, imported):
    browser = signed_in(analyst)
    assert browser.get(at("dataset_delete", imported)).status_code == 405
    assert browser.get(at("dataset_reading", imported)).status_code == 405
    assert browser.post(at("dataset", imported)).status_code == 405
    assert browser.post(at("dataset_errors_csv", imported)).status_code == 405
    assert browser.get(at("dataset_mapping", imported))["Location"] == at("dataset", imported)
    assert browser.post(at("dataset_reading", imported), {"encoding": "big5"})["Location"] == at("dataset", imported)


def test_every_row_problem_is_read_back_for_translation():
    gaps = {
        "found": 1,
        "expected": 2,
        "last": 9,
        "limit": 7,
        "encoding": "utf-8",
        "position": 4,
        "detail": "a: %s %(x)s",
    }
    with translation.override("zh-hans"):
        for code in ROW_PROBLEMS:
            reason = row_problem(3, code, **gaps).reason
            assert row_reason(code, reason)
    assert row_reason("too_few_fields", "not that sentence") == "not that sentence"
    assert row_reason("unknown", "as stored") == "as stored"


def test_a_readers_error_names_the_column_in_words():
    explained = explain(file_error("missing_column", column="contexts", columns="a, b"))
    assert explained.what == "No column of the file is chosen for the contexts."
    assert explained.todo == "Choose one of the columns found: a, b."

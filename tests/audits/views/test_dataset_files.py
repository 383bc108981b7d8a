"""Downloads of a dataset, safe to open, and the table of bad rows coming back mended."""

import csv
import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import translation

from audits import pipeline
from audits.formats.merging import BOOKKEEPING
from audits.models import Dataset, RowError, Sample
from tests.audits.factory import make_dataset
from tests.audits.views.dataset_road import GOOD, at, chosen, upload


def table_of(response):
    body = b"".join(response.streaming_content)
    assert body.startswith(b"\xef\xbb\xbf")  # Excel reads it as UTF-8 for this
    return list(csv.reader(io.StringIO(body.decode("utf-8-sig"))))


@pytest.fixture
def with_bad_rows(signed_in, analyst, project, media):
    browser = signed_in(analyst)
    upload(browser, project, GOOD + "3,too,few\n4,=q,c,a,one too many\n")
    dataset = Dataset.objects.get()
    browser.post(at("dataset_mapping", dataset), chosen())
    pipeline.import_dataset(dataset.pk)
    dataset.refresh_from_db()
    return dataset


def test_bad_rows_are_listed_with_line_column_value_reason_and_remedy(signed_in, expert, with_bad_rows):
    page = signed_in(expert).get(at("dataset", with_bad_rows))
    assert [error.line for error, _reason, _todo in page.context["errors"]] == [4, 5]
    for _error, reason, todo in page.context["errors"]:
        assert "fields where the header has 4" in reason
        assert todo in page.content.decode()


def test_all_bad_rows_are_downloaded_with_their_own_columns(signed_in, manager, project):
    values = {"answer": "=1+1", "tags": ["甲"], "line": None, "question": "q"}
    dataset = make_dataset(project, columns=["question", "answer", "tags", "line"])
    RowError.objects.create(dataset=dataset, line=7, column="=1+1", code="x", reason="=cmd()")
    RowError.objects.create(
        dataset=dataset, line=9, column="answer", code="bad_list", reason='列表, "坏"', value="[1", values=values
    )
    response = signed_in(manager).get(at("dataset_errors_csv", dataset))
    assert response["Content-Disposition"].startswith("attachment")
    head, first, second = table_of(response)
    assert head == [*BOOKKEEPING, "question", "answer", "tags", "line"]  # in the file's order
    assert first[:4] == ["7", "'=1+1", "", "'=cmd()"]
    assert second[:4] == ["9", "answer", "[1", '列表, "坏"']
    assert "Export the list again" in second[4]
    assert second[5:] == ["q", "'=1+1", '["甲"]', ""]


def test_the_reasons_are_in_the_language_of_the_page_and_the_columns_are_not(signed_in, analyst, with_bad_rows):
    with translation.override("zh-hans"):
        response = signed_in(analyst).get(
            at("dataset_errors_csv", with_bad_rows), headers={"accept-language": "zh-hans"}
        )
        head = table_of(response)[0]
    assert head[:5] == list(BOOKKEEPING)


def test_the_file_comes_back_as_it_was_and_never_runs(signed_in, analyst, project, media):
    browser = signed_in(analyst)
    upload(browser, project, GOOD + "<script>,,,\n", name='résumé "x".html')
    dataset = Dataset.objects.get()
    response = browser.get(at("dataset_original", dataset))
    assert b"".join(response.streaming_content).decode() == GOOD + "<script>,,,\n"
    assert response["Content-Type"] == "application/octet-stream"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Disposition"].startswith("attachment; filename*=utf-8''r%C3%A9sum%C3%A9")
    dataset.path.unlink()
    gone = browser.get(at("dataset_original", dataset), follow=True)
    assert "no longer on the server" in gone.content.decode()


def test_an_archive_comes_back_packed(signed_in, analyst, project, media):
    dataset = make_dataset(project, stored_as="packed.zip", unpacked_as="unpacked.csv", filename="a.zip")
    (media / "packed.zip").write_bytes(b"PK packed")
    (media / "unpacked.csv").write_bytes(b"unpacked")
    assert b"".join(signed_in(analyst).get(at("dataset_original", dataset)).streaming_content) == b"PK packed"


def mend(browser, dataset, table, name="mended.csv"):
    text = io.StringIO()
    csv.writer(text).writerows(table)
    return browser.post(at("dataset_mend", dataset), {"file": SimpleUploadedFile(name, text.getvalue().encode())})


def test_mended_rows_make_a_new_version_with_the_good_ones(signed_in, analyst, with_bad_rows):
    browser = signed_in(analyst)
    page = browser.get(at("dataset_mend", with_bad_rows)).content.decode()
    assert at("dataset_errors_csv", with_bad_rows) in page
    head, first, *rest = table_of(browser.get(at("dataset_errors_csv", with_bad_rows)))
    for name, value in {"question": "Why?", "contexts": "Because.", "answer": "So."}.items():
        first[head.index(name, len(BOOKKEEPING))] = value
    response = mend(browser, with_bad_rows, [head, first, *rest])
    fresh = Dataset.objects.exclude(pk=with_bad_rows.pk).get()
    assert response["Location"] == at("dataset", fresh)
    assert (fresh.previous, fresh.version) == (with_bad_rows, 2)
    pipeline.import_dataset(fresh.pk)
    assert [sample.question for sample in fresh.samples.all()] == ["What is the fee?", "When?", "Why?"]
    assert Sample.objects.filter(dataset=with_bad_rows).count() == 2
    assert "1 row is mended." in browser.get(at("dataset", fresh)).content.decode()


@pytest.mark.parametrize(
    ("table", "words"),
    [([["id", "question"], ["1", "q"]], "not the table of rows"), ([list(BOOKKEEPING)], "")],
)
def test_another_table_is_refused_in_words(signed_in, analyst, with_bad_rows, table, words):
    response = mend(signed_in(analyst), with_bad_rows, table)
    assert response.status_code == 422
    assert words in response.context["problem"].what
    assert response.context["problem"].safe == "Nothing was imported."
    assert Dataset.objects.get() == with_bad_rows


def test_mending_needs_a_file_and_a_dataset_that_is_ready(signed_in, analyst, with_bad_rows):
    browser = signed_in(analyst)
    response = browser.post(at("dataset_mend", with_bad_rows))
    assert response.status_code == 422
    assert "No file has arrived" in response.context["form"].errors["file"][0]
    Dataset.objects.update(status=Dataset.Status.STOPPED)
    assert mend(browser, with_bad_rows, [list(BOOKKEEPING)])["Location"] == at("dataset", with_bad_rows)


def test_who_may_download_and_mend(signed_in, expert, manager, stranger, with_bad_rows):
    may = ((expert, 403, 403, 403), (manager, 200, 200, 403), (stranger, 404, 404, 404))
    for who, errors, original, mending in may:
        browser = signed_in(who)
        assert browser.get(at("dataset_errors_csv", with_bad_rows)).status_code == errors
        assert browser.get(at("dataset_original", with_bad_rows)).status_code == original
        assert browser.get(at("dataset_mend", with_bad_rows)).status_code == mending
        assert browser.post(at("dataset_mend", with_bad_rows)).status_code == mending
        for name in ("dataset_errors_csv", "dataset_original"):
            assert browser.post(at(name, with_bad_rows)).status_code == 405
    assert Dataset.objects.get() == with_bad_rows

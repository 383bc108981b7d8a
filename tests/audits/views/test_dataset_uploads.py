"""The ways in: a file, pasted rows, a sample dataset, a corrected version; and what is refused in words."""

import zipfile
from io import BytesIO

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from audits.models import Dataset, Project, Sample
from audits.sample_datasets import sample_datasets
from tests.audits.factory import make_dataset
from tests.audits.views.dataset_road import GOOD, at, upload

pytestmark = pytest.mark.usefixtures("media")
PASTED = "问题\t参考证据\t回答\n年费是多少？\t年费为120元。\t120元。\n"


def new(project):
    return reverse("dataset_new", args=[project.slug])


def paste(project):
    return reverse("dataset_paste", args=[project.slug])


def sample_of(project):
    return reverse("dataset_sample", args=[project.slug])


def kept_files():
    return [path for path in settings.MEDIA_ROOT.rglob("*") if path.is_file()]


def test_the_limit_and_the_formats_stand_at_the_control(signed_in, analyst, project, settings):
    settings.ASSAY_MAX_UPLOAD_MB = 7
    page = signed_in(analyst).get(new(project)).content.decode()
    assert "up to 7 MB" in page
    for kind in ("XLSX", "XLS", "Parquet", "ZIP", ".ndjson", ".html"):
        assert kind in page


def test_an_upload_is_stored_and_leads_to_its_columns(signed_in, analyst, project):
    response = upload(signed_in(analyst), project, title="Spring")
    dataset = Dataset.objects.get()
    assert response["Location"] == at("dataset_mapping", dataset)
    assert (dataset.name, dataset.created_by, dataset.previous) == ("Spring", analyst, None)
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
    assert kept_files() == []


def test_too_large_a_file_is_refused_with_the_limit(signed_in, analyst, project, settings):
    settings.ASSAY_MAX_UPLOAD_MB = 1
    response = upload(signed_in(analyst), project, GOOD + "x" * (1 << 20), name="big.csv")
    assert response.status_code == 422
    (message,) = response.context["form"].errors["file"]
    assert "larger than 1 MB" in message
    assert not Dataset.objects.exists()


def test_a_form_without_a_file_is_said_to_have_none(signed_in, analyst, project):
    response = signed_in(analyst).post(new(project), {"name": "x"})
    assert response.status_code == 422
    assert "No file has arrived" in response.context["form"].errors["file"][0]


def test_pasted_rows_become_a_file_of_their_own(signed_in, analyst, project):
    response = signed_in(analyst).post(paste(project), {"name": "", "pasted": PASTED})
    dataset = Dataset.objects.get()
    assert response["Location"] == at("dataset_mapping", dataset)
    assert (dataset.filename, dataset.name, dataset.delimiter) == ("pasted.tsv", "pasted", "\t")
    assert dataset.mapping["answer"] == "回答"
    assert dataset.path.read_text() == PASTED


def test_a_browser_with_scripts_sends_pasted_rows_as_a_file(signed_in, analyst, project):
    body = {"name": "Mine", "file": SimpleUploadedFile("pasted.tsv", PASTED.encode())}
    response = signed_in(analyst).post(paste(project), body)
    dataset = Dataset.objects.get()
    assert response["Location"] == at("dataset_mapping", dataset)
    assert (dataset.filename, dataset.name) == ("pasted.tsv", "Mine")


def test_a_script_that_sends_a_file_is_told_where_to_go_on(signed_in, analyst, project):
    body = {"file": SimpleUploadedFile("loans.csv", GOOD.encode())}
    response = signed_in(analyst).post(new(project), body, headers={"X-Upload": "script"})
    assert (response.status_code, response["X-Next-Page"]) == (204, at("dataset_mapping", Dataset.objects.get()))


def test_too_many_pasted_rows_are_refused_with_the_limit(signed_in, analyst, project, settings):
    settings.ASSAY_MAX_UPLOAD_MB = 1
    body = {"file": SimpleUploadedFile("pasted.tsv", PASTED.encode() + b"x" * (1 << 20))}
    response = signed_in(analyst).post(paste(project), body)
    assert response.status_code == 422
    assert "larger than 1 MB" in response.context["form"].errors["file"][0]


@pytest.mark.parametrize(("pasted", "words"), [("  \n", "Nothing was pasted"), ("", "Nothing was pasted")])
def test_nothing_pasted_is_said_at_the_field(signed_in, analyst, project, pasted, words):
    response = signed_in(analyst).post(paste(project), {"pasted": pasted})
    assert response.status_code == 422
    assert response.context["pasting"]  # the field stands open
    assert words in response.context["paste"].errors["pasted"][0]


def test_pasted_rows_that_cannot_be_read_stay_in_the_field(signed_in, analyst, project):
    response = signed_in(analyst).post(paste(project), {"pasted": "question\tanswer\n"})
    assert response.status_code == 422
    assert response.context["problem"].what
    assert "question\tanswer" in response.content.decode()
    assert not Dataset.objects.exists()


def test_a_file_that_another_reading_may_help_is_kept_and_leads_there(signed_in, analyst, project):
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("one.csv", GOOD)
        archive.writestr("two.csv", GOOD)
    response = upload(signed_in(analyst), project, packed.getvalue(), name="two.zip")
    dataset = Dataset.objects.get()
    assert response["Location"] == at("dataset_mapping", dataset)
    assert (dataset.status, dataset.failure["code"]) == (Dataset.Status.FAILED, "several_files")


def test_every_sample_dataset_has_a_button_that_brings_it_in_once(signed_in, analyst, project):
    browser = signed_in(analyst)
    page = browser.get(new(project)).content.decode()
    for sample in sample_datasets():
        assert f'name="key" value="{sample.key}"' in page
    for _ in range(2):
        response = browser.post(sample_of(project), {"key": "law.zh"})
    dataset = Dataset.objects.get()
    assert response["Location"] == at("dataset_mapping", dataset)
    assert (dataset.name, dataset.filename) == ("Sample: Law (Chinese)", "law.zh.jsonl")
    assert dataset.mapping["claims"] == "claims"
    dataset.status = Dataset.Status.READY
    dataset.save()
    again = browser.post(sample_of(project), {"key": "law.zh"})
    assert again["Location"] == at("dataset", dataset)
    assert "in the project already" in browser.get(at("dataset", dataset)).content.decode()


def test_there_is_no_other_sample_dataset(signed_in, analyst, project):
    for key in ("", "law", "none.en", "law.zh.jsonl"):
        assert signed_in(analyst).post(sample_of(project), {"key": key}).status_code == 404


def test_a_corrected_version_says_of_what_and_is_linked(signed_in, analyst, project):
    old = make_dataset(project, name="Spring")
    browser = signed_in(analyst)
    page = browser.get(new(project), {"previous": old.pk})
    assert page.context["corrected"] == old
    assert "A corrected version of “Spring”" in page.content.decode()
    upload(browser, project, previous=old.pk)
    fresh = Dataset.objects.exclude(pk=old.pk).get()
    assert (fresh.previous, fresh.version) == (old, 2)


def test_a_dataset_of_elsewhere_is_no_version_of_anything_here(signed_in, analyst, project):
    elsewhere = make_dataset(Project.objects.create(name="Other", slug="other"))
    browser = signed_in(analyst)
    for odd in (str(elsewhere.pk), "x", "9" * 30, "²"):
        assert browser.get(new(project), {"previous": odd}).context["corrected"] is None
    response = upload(browser, project, previous=elsewhere.pk)
    assert response.status_code == 422
    assert "is gone" in response.content.decode()
    assert Dataset.objects.get() == elsewhere


def test_a_refused_version_still_knows_what_it_corrects(signed_in, analyst, project):
    old = make_dataset(project, name="Spring")
    response = upload(signed_in(analyst), project, b"", previous=old.pk)
    assert response.context["corrected"] == old
    assert f'name="previous" value="{old.pk}"' in response.content.decode()


@pytest.mark.parametrize("who", ["expert", "manager", "stranger"])
def test_only_analysts_bring_data_in(signed_in, request, project, who):
    browser = signed_in(request.getfixturevalue(who))
    expected = 404 if who == "stranger" else 403
    assert upload(browser, project).status_code == expected
    assert browser.get(new(project)).status_code == expected
    assert browser.post(paste(project), {"pasted": PASTED}).status_code == expected
    assert browser.post(sample_of(project), {"key": "law.zh"}).status_code == expected
    assert not Dataset.objects.exists()


def test_a_get_brings_nothing_in(signed_in, analyst, project):
    browser = signed_in(analyst)
    assert browser.get(sample_of(project)).status_code == 405
    assert browser.get(paste(project)).status_code == 405
    assert browser.put(new(project)).status_code == 405
    assert not Dataset.objects.exists()


def test_a_name_with_a_path_or_markup_is_only_a_name(signed_in, analyst, project):
    file = SimpleUploadedFile("x.csv", GOOD.encode())
    file.name = "../../<b>x</b>.csv"
    signed_in(analyst).post(new(project), {"file": file})
    dataset = Dataset.objects.get()
    assert "/" not in dataset.filename
    assert dataset.path.parent == settings.MEDIA_ROOT
    assert "<b>x" not in signed_in(analyst).get(at("dataset_mapping", dataset)).content.decode()

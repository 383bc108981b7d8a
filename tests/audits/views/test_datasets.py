"""The page of a dataset: the import while it runs, what came of every row, and the end of it."""

import json
from datetime import UTC, datetime

import pytest
from django.urls import reverse

from audits import pipeline
from audits.models import Audit, Dataset, Event, GivenLabel, RowError, Sample
from tests.audits.factory import make_dataset, make_sample
from tests.audits.views.dataset_road import at, chosen, upload

STATE = {"HX-Request": "true", "HX-Target": "dataset-state"}
WRITING = ("dataset_stop", "dataset_resume", "dataset_discard", "dataset_delete")


@pytest.fixture
def moving(signed_in, analyst, uploaded):
    """An import that no worker has taken up."""
    signed_in(analyst).post(at("dataset_mapping", uploaded), chosen())
    uploaded.refresh_from_db()
    return uploaded


def test_the_page_polls_while_the_import_runs_and_stops_by_itself(signed_in, analyst, moving):
    browser = signed_in(analyst)
    part = browser.get(at("dataset", moving), headers=STATE).content.decode()
    assert "every 1s" in part
    assert "<html" not in part
    assert at("dataset_stop", moving) in part
    pipeline.import_dataset(moving.pk)
    done = browser.get(at("dataset", moving), headers=STATE).content.decode()
    assert "every 1s" not in done
    assert "What is the fee?" in done
    assert at("dataset_stop", moving) not in done


def test_how_far_the_import_is_is_said_as_a_share_and_in_rows(signed_in, analyst, moving):
    Dataset.objects.update(progress=0.42, rows_done=12_345)
    page = signed_in(analyst).get(at("dataset", moving)).content.decode()
    assert "42.0 %" in page
    assert "12,345 rows" in page
    assert 'value="0.4200"' in page


def test_a_page_that_waits_in_vain_says_that_no_worker_came(signed_in, analyst, moving):
    browser = signed_in(analyst)
    assert not browser.get(at("dataset", moving)).context["nobody_works"]
    assert browser.get(at("dataset", moving), {"waited": "9"}).context["nobody_works"]
    assert not browser.get(at("dataset", moving), {"waited": "x" * 9}).context["nobody_works"]


def test_an_import_is_stopped_once_and_resumed_once(signed_in, analyst, moving):
    browser = signed_in(analyst)
    for name, status in (("dataset_stop", Dataset.Status.STOPPED), ("dataset_resume", Dataset.Status.IMPORTING)):
        for _ in range(2):
            assert browser.post(at(name, moving))["Location"] == at("dataset", moving)
            moving.refresh_from_db()
            assert moving.status == status
    assert Event.objects.filter(kind__in=("stop_import", "resume_import")).count() == 2
    pipeline.import_dataset(moving.pk)
    assert Sample.objects.count() == 2


def test_a_stopped_import_can_be_given_up_and_mapped_anew(signed_in, analyst, moving):
    browser = signed_in(analyst)
    browser.post(at("dataset_stop", moving))
    page = browser.get(at("dataset", moving)).content.decode()
    assert "The import was stopped" in page
    assert 'data-confirm="What has been read so far is thrown away' in page
    assert browser.post(at("dataset_discard", moving))["Location"] == at("dataset_mapping", moving)
    moving.refresh_from_db()
    assert moving.status == Dataset.Status.UPLOADED
    assert browser.get(at("dataset_mapping", moving)).status_code == 200


def test_what_does_not_run_is_neither_stopped_nor_given_up(signed_in, analyst, imported):
    browser = signed_in(analyst)
    for name in ("dataset_stop", "dataset_resume", "dataset_discard"):
        browser.post(at(name, imported))
        imported.refresh_from_db()
        assert imported.status == Dataset.Status.READY
    assert Sample.objects.count() == 2


def test_the_counts_say_what_came_of_every_row(signed_in, expert, imported):
    page = signed_in(expert).get(at("dataset", imported))
    assert (imported.rows_total, page.context["n_samples"], page.context["n_errors"]) == (2, 2, 0)
    assert page.context["facts"].flags == [("no_context", 1)]
    assert imported.sha256 in page.content.decode()
    assert "columns separated by “,”" in page.context["understood"]


def test_what_was_found_on_import_is_said(signed_in, analyst, project):
    notices = [{"code": "mojibake", "params": {}}, "a sentence of an older version"]
    page = signed_in(analyst).get(at("dataset", make_dataset(project, notices=notices)))
    assert "wrongly decoded" in page.context["notices"][0]
    assert page.context["notices"][1] == notices[1]


def test_samples_are_searched_filtered_and_paged(signed_in, analyst, project):
    dataset = make_dataset(project, samples=30)
    Sample.objects.filter(position=3).update(question="利率是多少？", flags=["no_answer"], tags=["利率", "fees"])
    Sample.objects.filter(position=4).update(metadata={"渠道": "电话", "n": 1})
    Sample.objects.filter(position=5).update(metadata={"渠道": "网页"})
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
    assert shown(tag="利率") == [3]
    assert shown(tag="利") == list(range(25))
    assert shown(column="渠道", value="=网页") == [5]
    assert shown(column="渠道", value="-", q="q-5") == []
    assert shown(column="渠道", value="-", q="q-7") == [6]
    assert shown(column="渠道", value="=no such value") == list(range(25))
    assert shown(column="no such column", value="=网页") == list(range(25))
    assert shown(q="nothing like it") == []


def test_tags_and_flags_stand_with_their_sample(signed_in, analyst, project):
    dataset = make_dataset(project, samples=0)
    make_sample(dataset, 0, tags=["利率", "<b>"], flags=["cut_text"])
    page = signed_in(analyst).get(at("dataset", dataset)).content.decode()
    assert 'lang="zh-Hans">利率' in page
    assert "&lt;b&gt;" in page
    assert "text probably cut off" in page


def test_only_who_sees_labels_sees_the_other_columns_and_the_file(signed_in, expert, manager, project):
    dataset = make_dataset(project, samples=0)
    sample = make_sample(dataset, 0, metadata={"verdict": "wrong"}, timestamp=datetime(2024, 3, 1, 10, tzinfo=UTC))
    GivenLabel.objects.create(sample=sample, position=0, word="不支持", label="NOT_SUPPORTED")
    blind = signed_in(expert).get(at("dataset", dataset))
    assert "column" not in blind.context["filter"].fields
    assert "not said which" not in blind.content.decode()
    assert at("dataset_original", dataset) not in blind.content.decode()
    filtered = signed_in(expert).get(at("dataset", dataset), {"column": "verdict", "value": "=right"})
    assert len(filtered.context["page"].object_list) == 1  # the filter tells nothing
    seeing = signed_in(manager).get(at("dataset", dataset))
    assert seeing.context["facts"].labels == [("NOT_SUPPORTED", 1)]
    assert "not supported, not said which" in seeing.content.decode()
    assert "2024-03-01 10:00" in seeing.content.decode()


def test_a_part_is_given_only_where_the_page_offers_it(signed_in, analyst, imported):
    browser = signed_in(analyst)
    part = browser.get(at("dataset", imported), headers={"HX-Request": "true", "HX-Target": "samples"})
    whole = browser.get(at("dataset", imported), headers={"HX-Request": "true", "HX-Target": "elsewhere"})
    assert part.content.decode().lstrip().startswith("<section")
    assert "<html" in whole.content.decode()


def test_text_of_a_dataset_never_runs(signed_in, analyst, project, media):
    browser = signed_in(analyst)
    rows = [{"question": "<script>x()</script>", "contexts": ["<img src=x onerror=x()>"], "answer": "{{ 7*7 }}<b>"}]
    upload(browser, project, json.dumps(rows), name="<b>.json")
    dataset = Dataset.objects.get()
    before = browser.get(at("dataset_mapping", dataset)).content.decode()
    browser.post(at("dataset_mapping", dataset), chosen(id=""))
    pipeline.import_dataset(dataset.pk)
    for page in (before, browser.get(at("dataset", dataset)).content.decode()):
        assert "<script>x()" not in page
        assert "<img src=x" not in page
        assert "&lt;script&gt;x()" in page
        assert "49&lt;b&gt;" not in page


def test_only_the_first_hundred_bad_rows_are_on_the_page(signed_in, analyst, project):
    dataset = make_dataset(project)
    RowError.objects.bulk_create(RowError(dataset=dataset, line=n, code="x", reason="bad") for n in range(1, 151))
    context = signed_in(analyst).get(at("dataset", dataset)).context
    assert (len(context["errors"]), context["n_errors"]) == (100, 150)


def test_the_versions_of_a_dataset_lead_to_each_other(signed_in, analyst, project):
    first = make_dataset(project, name="First")
    second = make_dataset(project, name="Second", previous=first, version=2)
    third = make_dataset(project, name="Third", previous=second, version=3)
    browser = signed_in(analyst)
    for dataset in (first, second, third):
        page = browser.get(at("dataset", dataset))
        assert page.context["versions"] == [first, second, third]
        assert f"version {dataset.version} of 3" in page.content.decode()
    assert reverse("dataset_new", args=[project.slug]) + f"?previous={third.pk}" in page.content.decode()
    assert "Compare with version 2" in page.content.decode()
    assert "Compare with" not in browser.get(at("dataset", first)).content.decode()


def test_a_failed_import_says_why(signed_in, analyst, uploaded):
    failure = {"code": "undecodable", "message": "…", "params": {"line": 3, "encoding": "utf-8"}}
    Dataset.objects.update(status=Dataset.Status.FAILED, failure=failure)
    page = signed_in(analyst).get(at("dataset", uploaded))
    assert page.context["problem"].what == "Line 3 holds bytes that are not utf-8 text."
    assert "another encoding" in page.context["problem"].todo
    assert at("dataset_mapping", uploaded) in page.content.decode()


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


@pytest.mark.parametrize("who", ["expert", "manager"])
def test_only_analysts_change_anything(signed_in, request, imported, who):
    browser = signed_in(request.getfixturevalue(who))
    for name in WRITING:
        assert browser.post(at(name, imported)).status_code == 403
    page = browser.get(at("dataset", imported))
    assert page.status_code == 200
    for name in (*WRITING, "dataset_mend", "dataset_new"):
        args = [imported.project.slug] + ([] if name == "dataset_new" else [imported.pk])
        assert reverse(name, args=args) not in page.content.decode()
    assert Dataset.objects.get() == imported


def test_a_stranger_finds_nothing(signed_in, stranger, project, imported):
    browser = signed_in(stranger)
    for slug in (project.slug, "elsewhere"):  # not through one's own project either
        args = [slug, imported.pk]
        assert browser.get(reverse("dataset", args=args)).status_code == 404
        for name in WRITING:
            assert browser.post(reverse(name, args=args)).status_code == 404
    assert Dataset.objects.get() == imported


def test_a_get_changes_nothing(signed_in, analyst, imported):
    browser = signed_in(analyst)
    for name in WRITING:
        assert browser.get(at(name, imported)).status_code == 405
    assert browser.post(at("dataset", imported)).status_code == 405

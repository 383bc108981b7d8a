"""The page that compares two versions of a dataset: counts, filters, marked words, empty states, who sees what."""

from typing import Any

import pytest
from django.urls import reverse

from audits.comparison.words import LONGEST
from audits.models import Dataset, GivenLabel, Project
from tests.audits.factory import make_dataset, make_sample
from tests.pages import Page

ROW = {"question": "What is the fee?", "answer": "The fee is 2 %. It is paid yearly."}


@pytest.fixture
def old(project: Project) -> Dataset:
    return version(project, {"external_id": "a"}, {"external_id": "b"}, {"external_id": "c"}, name="Loans")


@pytest.fixture
def new(project: Project, old: Dataset) -> Dataset:
    """One row changed, one added, one removed, one as it was."""
    changed = {"answer": "The fee is 3 %. It is paid yearly.", "reference": "Two percent."}
    rows = [{"external_id": "a"} | changed, {"external_id": "c"}, {"external_id": "d", "question": "Who pays?"}]
    return version(project, *rows, name="Loans, corrected", previous=old, version=2)


def version(project: Project, *rows: dict[str, Any], **fields: Any) -> Dataset:
    dataset = make_dataset(project, samples=0, mapping={"id": "id", "question": "question"}, **fields)
    for position, row in enumerate(rows):
        make_sample(dataset, position, **(ROW | row))
    return dataset


def page_of(browser: Any, dataset: Dataset, **options: Any) -> Page:
    return Page(browser.get(reverse("dataset_compare", args=[dataset.project.slug, dataset.pk]), **options))


def test_the_previous_version_is_compared_and_changed_rows_come_first(
    signed_in: Any, analyst: Any, old: Dataset, new: Dataset
) -> None:
    page = page_of(signed_in(analyst), new)
    assert "Before Loans version 1" in page.text and "After Loans, corrected version 2" in page.text
    assert "Changed 1 Added 1 Removed 1 Unchanged 1" in page.text
    assert "Rows are matched by their identifiers." in page.text
    assert "Answer 1" in page.links and "Reference answer 1" in page.links
    assert 'The fee is <mark class="">2</mark> %.' in page.source
    assert 'The fee is <mark class="">3</mark> %.' in page.source
    assert "Reference answer Before empty After Two percent." in page.text


def test_rows_of_each_kind(signed_in: Any, analyst: Any, old: Dataset, new: Dataset) -> None:
    browser = signed_in(analyst)
    added = page_of(browser, new, data={"kind": "added"})
    assert "Who pays?" in added.text and "2</mark>" not in added.source
    removed = page_of(browser, new, data={"kind": "removed"})
    assert " b " in removed.text and "Who pays?" not in removed.text
    unchanged = page_of(browser, new, data={"kind": "unchanged", "with": old.pk})
    assert " c line 4, now 3 " in unchanged.text
    by_field = page_of(browser, new, data={"kind": "changed", "field": "answer"})
    assert 'mark class="">3</mark>' in by_field.source
    assert page_of(browser, new, data={"kind": "nonsense", "field": "nonsense", "page": "99"}).status == 200


def test_without_changed_rows_the_first_kind_there_is(signed_in: Any, analyst: Any, old: Dataset) -> None:
    more = version(old.project, *({"external_id": name} for name in "abcd"))
    browser = signed_in(analyst)
    page = page_of(browser, more, data={"with": old.pk})
    assert "Changed 0 Added 1" in page.text and " d line 5 " in page.text
    assert "No row was changed." in page_of(browser, more, data={"with": old.pk, "kind": "changed"}).text
    assert "No row was removed." in page_of(browser, more, data={"with": old.pk, "kind": "removed"}).text


def test_the_same_rows_are_said_to_be_the_same(signed_in: Any, analyst: Any, old: Dataset) -> None:
    again = version(old.project, *({"external_id": name} for name in "cab"), previous=old)
    page = page_of(signed_in(analyst), again)
    assert "The two files hold the same rows." in page.text and "3 rows, with the same texts." in page.text


def test_what_cannot_be_compared_says_why(signed_in: Any, analyst: Any, old: Dataset) -> None:
    browser = signed_in(analyst)
    page = page_of(browser, old)
    assert "This project has no other dataset that is ready." in page.text
    other = version(old.project, {"external_id": "a"}, name="Other")
    page = page_of(browser, old)
    assert "Choose another dataset above." in page.text and 'name="with"' in page.source
    Dataset.objects.filter(pk=other.pk).update(status=Dataset.Status.IMPORTING)
    assert "“Other” is not imported" in page_of(browser, old, data={"with": other.pk}).text
    assert "“Other” is not imported" in page_of(browser, other, data={"with": old.pk}).text


def test_only_datasets_of_the_project_are_found(
    signed_in: Any, analyst: Any, stranger: Any, new: Dataset, project: Project
) -> None:
    foreign = version(Project.objects.create(name="Other", slug="other"), {"external_id": "a"})
    browser = signed_in(analyst)
    for asked in (foreign.pk, new.pk, "x", "9" * 30, "-1", 10**17):
        assert page_of(browser, new, data={"with": asked}).status == 404, asked
    assert page_of(signed_in(stranger), new).status == 404
    url = reverse("dataset_compare", args=[project.slug, new.pk])
    assert browser.post(url).status_code == 405


def test_experts_see_that_it_changed_but_not_what_others_say(
    signed_in: Any, expert: Any, manager: Any, new: Dataset
) -> None:
    GivenLabel.objects.create(sample=new.samples.all()[0], position=0, word="made up", label="UNVERIFIED")
    page = page_of(signed_in(expert), new)
    assert "Reference answer 1" in page.links and "Labels given by people 1" in page.links
    assert "Two percent." not in page.text and "made up" not in page.text
    assert "hidden from experts" in page.text and 'mark class="">3</mark>' in page.source
    page = page_of(signed_in(manager), new)
    assert "Two percent." in page.text and "made up" in page.text


def test_very_long_texts_are_folded_and_hostile_ones_are_text(signed_in: Any, analyst: Any, old: Dataset) -> None:
    texts = ["x" * (LONGEST + 1), "<script>alert(1)</script> is safe"]
    rows = [{"external_id": name, "contexts": [text]} for name, text in zip("ab", texts, strict=True)]
    page = page_of(signed_in(analyst), version(old.project, *rows), data={"with": old.pk})
    assert "Changed. The texts are too long to mark the words." in page.text and "All 20,001 characters" in page.text
    assert "<script>alert" not in page.source and "&lt;" in page.source


def test_many_rows_come_in_pages(signed_in: Any, analyst: Any, project: Project) -> None:
    before, after = (
        version(project, *({"external_id": str(n), "answer": f"{word} {n}."} for n in range(30)))
        for word in ("Old", "New")
    )
    browser = signed_in(analyst)
    first = page_of(browser, after, data={"with": before.pk})
    assert "1 to 25 of 30" in first.text and first.links["Next"].endswith(f"?with={before.pk}&page=2")
    second = page_of(browser, after, data={"with": before.pk, "page": 2})
    assert "26 to 30 of 30" in second.text and second.links["Previous"].endswith("page=1")


def test_chinese_is_marked_by_character(signed_in: Any, analyst: Any, project: Project) -> None:
    before, after = (
        version(project, {"external_id": "a", "answer": f"贷款期限为{months}个月。"}) for months in (12, 24)
    )
    page = page_of(signed_in(analyst), after, data={"with": before.pk}, headers={"accept-language": "zh-hans"})
    assert '<span class="data-text" lang="zh-Hans">贷款期限为<mark class="">24</mark>个月。' in page.source

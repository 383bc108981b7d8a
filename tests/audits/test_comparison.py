"""Comparing versions: rows by their keys, words of two texts, claims of two answers, what an audit was made with."""

import datetime
from collections.abc import Iterator
from typing import Any

import pytest
from django.utils import translation

from audits.comparison.claims import match_claims
from audits.comparison.datasets import compare
from audits.comparison.rows import Row, changed_fields, digest, match
from audits.comparison.shown import HIDDEN, ShownRow, shown_rows
from audits.comparison.words import LONG, LONGEST, aligned, differing, stretches
from audits.models import Dataset, GivenLabel, Project
from tests.audits.factory import make_dataset, make_sample

MAPPED = {"id": "id", "question": "question", "answer": "answer", "contexts": "contexts"}


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """Whatever language another test's page was in."""
    with translation.override("en"):
        yield


def row(pk: int, key: str, *texts: str) -> Row:
    return Row(pk, digest(key), b"".join(map(digest, texts)))


def test_rows_are_matched_by_key_and_told_apart_by_field() -> None:
    old = [row(1, "a", "Q", "A"), row(2, "b", "Q", "A"), row(3, "c", "Q", "A")]
    new = [row(11, "c", "Q", "B"), row(12, "d", "Q", "A"), row(13, "a", "Q", "A")]
    found = match(old, new)
    assert found.pairs == ((3, 11, 0b10), (1, 13, 0))
    assert (found.added, found.removed) == ((12,), (2,))
    assert changed_fields(0b10, ("question", "answer")) == ["answer"]


def test_rows_with_one_key_go_in_order_and_equal_ones_first() -> None:
    old = [row(1, "a", "one"), row(2, "a", "two"), row(3, "a", "three")]
    new = [row(11, "a", "new"), row(12, "a", "one"), row(13, "a", "two"), row(14, "a", "other")]
    found = match(old, new)
    assert found.pairs == ((3, 11, 1), (1, 12, 0), (2, 13, 0))
    assert found.added == (14,) and found.removed == ()


def marked(old: str, new: str) -> tuple[list[str], list[str]]:
    spans = differing(old, new)
    assert spans is not None
    return [old[s:e] for s, e in spans[0]], [new[s:e] for s, e in spans[1]]


@pytest.mark.parametrize(
    ("old", "new", "gone", "come"),
    [
        ("The fee is 2 % a year.", "The fee is 3 % a year.", ["2"], ["3"]),
        ("It costs 4.90 a month.", "It costs 7.90 a month.", ["4.90"], ["7.90"]),
        ("It is paid yearly.", "It is paid every year.", ["yearly"], ["every year"]),
        ("期限为12个月。", "贷款期限为24个月。", ["", "12"], ["贷款", "24"]),
        ("same", "same", [], []),
        ("", "new", [""], ["new"]),
        ("one two", "one  two", [" "], ["  "]),
        ("a b c", "a c", ["b "], [""]),
    ],
)
def test_words_that_differ(old: str, new: str, gone: list[str], come: list[str]) -> None:
    assert marked(old, new) == (gone, come)


def test_the_words_of_very_long_texts_are_not_compared() -> None:
    assert differing("a" * (LONGEST + 1), "b") is None and differing("b", "a" * (LONGEST + 1)) is None
    old = "的是" * (LONGEST // 2)
    spans = differing(old, "的" + old[2:])
    assert spans is not None and sum(end - start for start, end in spans[0]) == 1


def test_what_is_far_from_a_difference_is_folded() -> None:
    text = "This sentence stays. " * 200 + "The fee is 2 %. " + "This one stays, too. " * 200
    at = text.index("2 %")
    parts = stretches(text, [(at, at + 1)])
    assert "".join(part.text for part in parts) == text
    assert [part.folded for part in parts] == [True, False, True]
    ((start, end),) = parts[1].spans
    assert parts[1].text[start:end] == "2" and len(parts[1].text) < 1000
    assert [part.folded for part in stretches(text[:LONG], [(3, 4)])] == [False]


def test_lists_of_texts_are_aligned() -> None:
    assert list(aligned(["a", "b", "c"], ["a", "x", "c", "d"])) == [(1, 1), (None, 3)]
    assert list(aligned(["a", "b"], ["b"])) == [(0, None)]
    assert list(aligned([], [])) == []


@pytest.mark.parametrize(
    ("old", "new", "matches"),
    [
        (["The fee is 2 %.", "It is late."], ["It is late.", "The fee is 2 %."], [(1, 0), (0, 1)]),
        (["THE fee is  2 %."], ["The fee is 2 %."], [(0, 0)]),
        (["A.", "A."], ["A.", "A.", "A."], [(0, 0), (1, 1)]),
        (["The annual fee was 5 % in 2020."], ["The annual fees were 5 % in 2020."], [(0, 0)]),
        (["The annual fee was 5 % in 2020."], ["The annual fee was 6 % in 2020."], []),
        (["The annual fee of the loan is 5 %."], ["The annual fee of the loan is not 5 %."], []),
        (["The annual fee increased by 5 % in 2020."], ["The annual fee decreased by 5 % in 2020."], []),
        (["贷款期限为12个月至84个月。"], ["贷款的期限为12个月至84个月。"], [(0, 0)]),
        (["贷款期限为12个月至84个月。"], ["贷款期限为12个月至48个月。"], []),
        (["可以提前还款而不收取违约金。"], ["可以提前还款且收取违约金。"], []),
        (["The bank opened in Lyon."], ["Fees are waived for students."], []),
        ([], ["A."], []),
    ],
)
def test_claims_are_matched(old: list[str], new: list[str], matches: list[tuple[int, int]]) -> None:
    assert match_claims(old, new) == matches


def test_of_several_alike_claims_the_most_alike_go_together() -> None:
    old = ["The branch in the old town of Lyon is open.", "The branch in the new town of Lyon is open."]
    new = ["The branch in the new town of Lyons is open.", "The branch in the old town of Lyons is open."]
    assert match_claims(old, new) == [(1, 0), (0, 1)]


def versions(project: Project, old: list[dict[str, Any]], new: list[dict[str, Any]], **mapping: Any) -> Any:
    """Two datasets of these rows, which have identifiers unless `mapping` says otherwise."""
    made = []
    for rows in (old, new):
        dataset = make_dataset(project, samples=0, mapping=MAPPED | mapping)
        for position, fields in enumerate(rows):
            make_sample(dataset, position, **fields)
        made.append(dataset)
    return made


def shown(old: Dataset, new: Dataset, kind: str = "changed", **options: Any) -> list[ShownRow]:
    return shown_rows(compare(old, new).rows(kind), **options)


@pytest.mark.django_db
def test_datasets_with_identifiers(project: Project) -> None:
    rows = [{"external_id": name, "question": f"About {name}?"} for name in "abcd"]
    changed = [rows[3], rows[0] | {"answer": "Another.", "question": "About A?"}, rows[1], {"external_id": "e"}]
    found = compare(*versions(project, rows, changed))
    assert found.by == "id"
    assert found.counts == {"changed": 1, "added": 1, "removed": 1, "unchanged": 2}
    assert found.fields == {"question": 1, "answer": 1}
    assert len(found.rows("changed", "answer")) == 1 and found.rows("changed", "contexts") == []
    assert [len(found.rows(kind)) for kind in ("added", "removed", "unchanged")] == [1, 1, 2]


@pytest.mark.django_db
@pytest.mark.parametrize(("mapping", "twice"), [({"id": None}, False), ({}, True)])
def test_without_real_identifiers_questions_count(project: Project, mapping: Any, twice: bool) -> None:
    names = ["1", "1"] if twice else ["1", "2"]
    old = [{"external_id": name, "question": f"About  {word}?"} for name, word in zip(names, "ab", strict=True)]
    new = [{"external_id": "1", "question": "About b?"}, {"external_id": "2", "question": " About a? "}]
    found = compare(*versions(project, old, new, **mapping))
    assert found.by == "question"
    assert found.counts == {"changed": 2, "added": 0, "removed": 0, "unchanged": 0}
    assert found.fields == {"question": 2}  # blanks


@pytest.mark.django_db
def test_without_questions_rows_go_in_order_around_equal_ones(project: Project) -> None:
    old = [{"question": "", "answer": text} for text in ("one", "two")]
    new = [{"question": "", "answer": text} for text in ("zero", "one", "two, better")]
    found = compare(*versions(project, old, new, id=None, question=""))
    assert found.by == "order"
    assert found.counts == {"changed": 1, "added": 1, "removed": 0, "unchanged": 1}


@pytest.mark.django_db
def test_every_field_counts_and_the_order_of_columns_does_not(project: Project) -> None:
    same = {"metadata": {"topic": "fees", "year": 2020}}
    rows = [{"external_id": name} | same for name in "abcdef"]
    time = datetime.datetime(2026, 1, 2, 3, tzinfo=datetime.UTC)
    new = [
        rows[0] | {"metadata": {"year": 2020, "topic": "fees"}},
        rows[1] | {"metadata": {"topic": "fees"}},
        rows[2] | {"reference": "2 %"},
        rows[3] | {"contexts": ["Fees: the fee is 2 % of the sum.", "Another passage."]},
        rows[4] | {"generator": "bot-8b", "tags": ["a"], "timestamp": time},
        rows[5],
    ]
    before, after = versions(project, rows, new)
    for dataset in (before, after):
        GivenLabel.objects.create(sample=dataset.samples.all()[0], position=0, word="good", label="SUPPORTED")
    GivenLabel.objects.create(sample=after.samples.all()[5], position=0, word="bad", label="CONTRADICTED")
    found = compare(before, after)
    assert found.counts == {"changed": 5, "added": 0, "removed": 0, "unchanged": 1}
    assert found.fields == {"contexts": 1, "reference": 1, "metadata": 2, "labels": 1}

    year, reference, contexts, rest, labels = (row.changes[0] for row in shown(before, after))
    assert [(part.title, part.old, part.new) for part in year.parts] == [("year", "2020", None)]
    assert [(part.title, part.old, part.new) for part in reference.parts] == [("", "", "2 %")]
    assert [part.title for part in contexts.parts] == ["Context 2"]
    assert {part.title: part.new for part in rest.parts} == {
        "Tags": "a",
        "Generator model": "bot-8b",
        "Time": "2026-01-02T03:00:00+00:00",
    }
    assert [(part.old, part.new) for part in labels.parts] == [(None, "bad")]


@pytest.mark.django_db
def test_what_is_hidden_is_not_loaded_into_the_rows(project: Project) -> None:
    old, new = versions(project, [{"external_id": "a"}], [{"external_id": "a", "reference": "x", "answer": "y"}])
    (row,) = shown(old, new, hidden=HIDDEN)
    assert [(change.field, bool(change.parts)) for change in row.changes] == [("answer", True), ("reference", False)]


@pytest.mark.django_db
def test_texts_are_read_for_the_shown_rows_only(project: Project, django_assert_num_queries: Any) -> None:
    old, new = versions(project, [{"external_id": "a"}], [{"external_id": "a", "answer": "Another."}])
    found = compare(old, new)
    with django_assert_num_queries(2):
        (row,) = shown_rows(found.rows("changed"))
    ((part,),) = (change.parts for change in row.changes)
    assert part.new == "Another." and part.new_words is not None
    with django_assert_num_queries(0):
        assert compare(old, new).counts == found.counts  # kept for who turns its pages

"""Marks of experts: read strictly, joined, kept verbatim in code points; what cannot be kept is never dropped."""

import uuid
from typing import Any

import pytest
from django.urls import reverse

from audits.models import Audit, Project, Sample
from review.evidence_marks import MOST, BadMark, as_form, parse, store
from review.models import Adjudication, EvidenceMark, ReviewItem, Slot
from review.spotcheck import open_review
from tests.review.factory import C, S, U, make_audit

TEXT = "😀 𠀀𪚥 first\u00a0line\n=SUM(A1) / 家 second"


@pytest.fixture
def row(project: Project, expert: Any) -> Adjudication:
    """A label on a claim whose second context has emoji and rare characters."""
    audit: Audit = make_audit(project, [(S, C)])
    open_review(audit)
    Sample.objects.update(contexts=["", TEXT])
    item = ReviewItem.objects.get()
    return Adjudication.objects.create(item=item, reviewer=expert, label=U, idempotency_key=uuid.uuid4())


def test_a_form_is_read_in_any_order_and_neighbours_are_joined() -> None:
    assert parse(["1:5:9", "0:3:4", "1:9:12", "1:6:7", "1:20:21", "0:3:4"]) == ((0, 3, 4), (1, 5, 12), (1, 20, 21))
    assert parse([]) == ()


@pytest.mark.parametrize(
    "value",
    ["", "1:2", "1:2:3:4", "a:1:2", "1:-1:2", "0:5:5", "0:6:5", " 0:1:2", "0:1:2\n", "0:1:9999999999", "0:１:2"],
)
def test_anything_else_is_refused(value: str) -> None:
    with pytest.raises(BadMark) as refused:
        parse(["0:1:2", value])
    assert refused.value.code == "unreadable"


def test_there_are_fifty_marks_at_most_after_joining() -> None:
    apart = [f"0:{n * 3}:{n * 3 + 1}" for n in range(MOST)]
    assert len(parse(apart)) == MOST
    assert len(parse([*apart, "0:0:1"])) == MOST
    with pytest.raises(BadMark) as refused:
        parse([*apart, "1:0:1"])
    assert refused.value.code == "too_many"


@pytest.mark.django_db
def test_texts_are_kept_verbatim_in_code_points(row: Adjudication) -> None:
    start = TEXT.index("𪚥")
    store(row, parse([f"1:{start}:{len(TEXT)}", "1:0:1"]))
    assert [(mark.context, mark.start, mark.end, mark.text) for mark in row.marks.all()] == [
        (1, 0, 1, "😀"),
        (1, start, len(TEXT), TEXT[start:]),
    ]
    assert parse(as_form(row)) == ((1, 0, 1), (1, start, len(TEXT)))
    assert as_form(None) == []


@pytest.mark.django_db
@pytest.mark.parametrize("mark", [(0, 0, 1), (2, 0, 1), (1, 0, len(TEXT) + 1), (1, 3, 3), (-1, 0, 1), (1, -2, 1)])
def test_a_mark_outside_the_contexts_stores_nothing(row: Adjudication, mark: tuple[int, int, int]) -> None:
    with pytest.raises(BadMark) as refused:
        store(row, [(1, 0, 2), mark])
    assert refused.value.code == "outside"
    assert not EvidenceMark.objects.exists()


@pytest.mark.django_db
def test_too_many_marks_store_nothing(row: Adjudication) -> None:
    Sample.objects.update(contexts=["", "x" * 1000])
    row.refresh_from_db()
    with pytest.raises(BadMark):
        store(row, [(1, n * 3, n * 3 + 1) for n in range(MOST + 1)])
    assert store(row, []) == [] and not EvidenceMark.objects.exists()


# --- At the desk ------------------------------------------------------------------------------------------------


@pytest.fixture
def slot(project: Project, expert: Any, signed_in: Any) -> Slot:
    """The claim that the expert has taken."""
    open_review(make_audit(project, [(S, C)]))
    signed_in(expert).post(reverse("review_take"))
    return Slot.objects.held().get(reviewer=expert)


def send(client: Any, slot: Slot, *marks: str) -> Any:
    """A label with these marks, as the form sends it."""
    data = {"label": U, "token": str(slot.token), "key": str(uuid.uuid4()), "mark": marks}
    return client.post(reverse("review_label", args=(slot.code,)), data)


@pytest.mark.django_db
def test_marks_go_with_the_label_and_come_back_when_it_is_taken_back(slot: Slot, expert: Any, signed_in: Any) -> None:
    client = signed_in(expert)
    assert send(client, slot, "0:4:8", "0:0:3").status_code == 302
    assert [mark.text for mark in EvidenceMark.objects.all()] == ["The", "bank"]
    given = Adjudication.objects.get()
    change = client.get(reverse("review_change", args=(given.pk,))).content.decode()
    assert change.count('<input type="hidden" name="mark" form="change"') == 2
    client.post(reverse("review_undo", args=(given.pk,)))
    page = client.get(reverse("review_desk")).content.decode()
    assert '<input type="hidden" name="mark" form="decision" value="0:4:8">' in page
    assert page.count('name="mark"') == 2


@pytest.mark.django_db
@pytest.mark.parametrize("mark", ["0:0:99999", "7:0:1", "x", "0:3:1"])
def test_a_mark_that_cannot_be_kept_saves_nothing_and_says_so(
    slot: Slot, expert: Any, signed_in: Any, mark: str
) -> None:
    refused = send(signed_in(expert), slot, "0:0:3", mark)
    assert refused.status_code == 400 and refused["Content-Type"].startswith("text/plain")
    assert "Nothing was saved" in refused.content.decode()
    assert not Adjudication.objects.exists() and not EvidenceMark.objects.exists()
    assert Slot.objects.held().filter(reviewer=expert).exists()


@pytest.mark.django_db
def test_a_change_has_marks_of_its_own(slot: Slot, expert: Any, signed_in: Any) -> None:
    client = signed_in(expert)
    send(client, slot, "0:0:3")
    data = {"label": C, "key": str(uuid.uuid4()), "mark": ["0:4:8"]}
    client.post(reverse("review_change", args=(Adjudication.objects.get().pk,)), data)
    assert [(mark.adjudication.label, mark.text) for mark in EvidenceMark.objects.all()] == [(U, "The"), (C, "bank")]

"""The page that compares two audits: its headline, warnings, claims, filters, download, and who may see it."""

import csv
import io
from typing import Any

import pytest
from django.urls import reverse

from audits.models import Audit, Claim, Dataset, Extraction, Project
from tests.pages import Page
from tests.review.factory import C, S, U, make_audit, settle_all

pytestmark = pytest.mark.django_db


@pytest.fixture
def audits(project: Project) -> tuple[Audit, Audit]:
    """Ten claims in each: one worse, one better, one hallucinated otherwise, one open, the rest the same."""
    before = make_audit(project, [(S, S), (C, C), (U, U), (S, C), *[(S, S)] * 6])
    after = make_audit(project, [(U, U), (S, S), (C, C), (S, S), *[(S, S)] * 6])
    Audit.objects.filter(pk=before.pk).update(name="Spring")
    Audit.objects.filter(pk=after.pk).update(name="Autumn")
    Dataset.objects.update(mapping={"id": "id", "question": "question"})
    Dataset.objects.filter(pk=after.dataset_id).update(previous=before.dataset, sha256="cd" * 32)
    after.dataset.samples.update(answer="Another answer. " * 10)
    return Audit.objects.get(pk=before.pk), Audit.objects.get(pk=after.pk)


def page_of(browser: Any, audit: Audit, **options: Any) -> Page:
    return Page(browser.get(reverse("audit_compare", args=[audit.project.slug, audit.pk]), **options))


def test_the_audit_before_of_an_earlier_version_is_compared(
    signed_in: Any, analyst: Any, audits: tuple[Audit, Audit]
) -> None:
    after = audits[1]
    page = page_of(signed_in(analyst), after)
    assert "Before Spring" in page.text and "After Autumn" in page.text
    assert "The rate fell from 22.2 % to 20.0 %: difference -2.2 points, 95 % interval -" in page.text
    assert "the data do not rule out no change." in page.text
    assert "Before 22.2 % (1.5" in page.text and "n = 9)" in page.text and "n = 10)" in page.text
    assert "Before · Spring Coverage 90.0 % 9 of 10 claims decided" in page.text
    assert "provisional" in page.text and "Once the 1 open claim is settled" in page.text
    assert "The judges' verdict, not audited." in page.text
    assert "Answers in both audits 10 0 of them with the same question, contexts and answer" in page.text
    assert "Worse supported before, hallucinated after 1" in page.text
    assert "The same the same label before and after 6" in page.text


def test_worse_claims_come_first_with_their_labels_and_links(
    signed_in: Any, manager: Any, audits: tuple[Audit, Audit]
) -> None:
    page = page_of(signed_in(manager), audits[1])
    table = page.text.split("1 to 10 of 10 claims")[1]
    assert table.startswith(
        " q0 Worse Before Supported claim 1 Branch 0 opened in 1950."
        " After Unverified claim 1 Branch 0 opened in 1950."
    )
    for audit in audits:
        sample = audit.dataset.samples.get(external_id="q0")
        place = reverse("audit_sample", args=[audit.project.slug, audit.pk, sample.pk])
        assert f'href="{place}#claim-1"' in page.source
    places = [table.index(word) for word in ("Worse", "Hallucinated otherwise", "Still open", "Better")]
    assert places == sorted(places)
    assert "q3 Still open Before Disputed claim 1 Branch 3" in table


def test_claims_are_filtered_by_kind(signed_in: Any, analyst: Any, audits: tuple[Audit, Audit]) -> None:
    browser = signed_in(analyst)
    page = page_of(browser, audits[1], data={"kind": "better"})
    assert "1 to 1 of 1 claims" in page.text and "Branch 1 " in page.text and "Branch 0 " not in page.text
    assert "No claim is of this kind." in page_of(browser, audits[1], data={"kind": "only_after"}).text
    assert "1 to 10 of 10 claims" in page_of(browser, audits[1], data={"kind": "nonsense", "page": "99"}).text


def test_what_else_differs_is_a_warning(signed_in: Any, analyst: Any, audits: tuple[Audit, Audit]) -> None:
    before, after = audits
    browser = signed_in(analyst)
    page = page_of(browser, after)
    assert "What else differs" in page.text and "SHA-256 abababababab" in page.text
    assert "not judged alike" not in page.text
    member = after.panel[1]
    type(member).objects.filter(pk=member.pk).update(model="another")
    page = page_of(browser, after)
    assert "The answers were not judged alike" in page.text and "B anthropic:another" in page.text
    other = make_audit(after.project, [(S, S)])
    other.dataset.samples.update(question="Something else?")
    assert "No answer is in both audits" in page_of(browser, other, data={"with": before.pk}).text


def test_the_same_answers_are_said_to_be_the_same(signed_in: Any, analyst: Any, project: Project) -> None:
    first, second = make_audit(project, [(S, S)]), make_audit(project, [(C, C)])
    Dataset.objects.update(mapping={"id": "id", "question": "question"})
    page = page_of(signed_in(analyst), second, data={"with": first.pk})
    assert "Both audits judge the same answers on the same contexts" in page.text
    assert "The difference comes from the judging and not from the system." in page.text
    assert "No interval can be stated: all claims come from one answer." in page.text


def test_what_experts_said_is_counted(signed_in: Any, analyst: Any, expert: Any, audits: tuple[Audit, Audit]) -> None:
    settle_all(audits[0], expert, label=U)
    page = page_of(signed_in(analyst), audits[1])
    assert "The judges' verdict, not audited." not in page.text
    assert "10 of them by experts" in page.text
    assert "none of them by an expert: the judges' verdict, not audited" in page.text
    assert "Before Unverified expert claim 1 Branch 3" in page.text


def test_where_nothing_can_be_compared_it_says_why(signed_in: Any, analyst: Any, project: Project) -> None:
    browser = signed_in(analyst)
    alone = make_audit(project, [(S, S)])
    page = page_of(browser, alone)
    assert "This project has no other audit." in page.text and 'name="with"' not in page.source
    result = Page(browser.get(reverse("audit", args=[project.slug, alone.pk])))
    assert "Compare" not in result.links
    other = make_audit(project, [(S, S)])
    page = page_of(browser, other)
    assert "No earlier audit judged this dataset" in page.text and 'name="with"' in page.source
    result = Page(browser.get(reverse("audit", args=[project.slug, alone.pk])))
    assert result.links["Compare"] == reverse("audit_compare", args=[project.slug, alone.pk])
    Audit.objects.filter(pk=other.pk).update(status=Audit.Status.CANCELLED)
    assert "A cancelled audit is not compared" in page_of(browser, other, data={"with": alone.pk}).text
    assert page_of(browser, alone, data={"with": other.pk}).status == 404


def test_nothing_decided_yet_is_undefined_with_its_reason(signed_in: Any, analyst: Any, project: Project) -> None:
    first, second = make_audit(project, [(S, S)]), make_audit(project, [(S, C)], status=Audit.Status.JUDGING)
    Extraction.objects.filter(audit=second).update(status=Extraction.Status.PENDING)
    page = page_of(signed_in(analyst), second, data={"with": first.pk})
    assert "The difference is undefined: no claim of “First audit” is decided yet." in page.text
    assert "After undefined (no claim is decided yet; n = 0)" in page.text
    assert "1 sample is not cut into claims yet and in no number here." in page.text


def test_only_analysts_and_managers_of_the_project_see_it(
    signed_in: Any, expert: Any, stranger: Any, analyst: Any, audits: tuple[Audit, Audit]
) -> None:
    after = audits[1]
    foreign = make_audit(Project.objects.create(name="Other", slug="other"), [(S, S)])
    for name in ("audit_compare", "audit_compare_csv"):
        url = reverse(name, args=[after.project.slug, after.pk])
        hidden = signed_in(expert).get(url)
        assert hidden.status_code == 403 and b"hidden from experts" in hidden.content
        assert b"Branch" not in hidden.content
        assert signed_in(stranger).get(url).status_code == 404
        browser = signed_in(analyst)
        assert browser.post(url).status_code == 405
        for asked in (foreign.pk, after.pk, "x", "9" * 30, 10**17):
            assert browser.get(url, {"with": asked}).status_code == 404, asked


def test_the_download_holds_every_claim_and_no_formula(
    signed_in: Any, analyst: Any, expert: Any, audits: tuple[Audit, Audit]
) -> None:
    after = audits[1]
    Claim.objects.filter(audit=after, position=0, sample__external_id="q9").update(text="=1+1")
    settle_all(after, expert, label=C)
    answer = signed_in(analyst).get(reverse("audit_compare_csv", args=[after.project.slug, after.pk]))
    assert "Spring - Autumn.csv" in answer["Content-Disposition"]
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert len(rows) == 11
    first, by_kind = rows[0], {row["change"]: row for row in rows}
    assert list(first.values()) == [
        *("worse", "q0", "1", "Branch 0 opened in 1950.", "SUPPORTED", "false"),
        *("q0", "1", "Branch 0 opened in 1950.", "CONTRADICTED", "true"),
    ]
    assert by_kind["only_after"]["claim_after"] == "'=1+1" and by_kind["only_after"]["label_before"] == ""
    assert by_kind["open"]["label_before"] == "disputed"


def test_texts_that_differ_are_marked_and_hostile_ones_are_text(
    signed_in: Any, analyst: Any, project: Project
) -> None:
    audits = [make_audit(project, [(S, S), (S, S)]) for _ in range(2)]
    Dataset.objects.update(mapping={"id": "id", "question": "question"})
    texts = ("The branch in <b>Lyon</b> opened in 1950.", "The branches in <b>Lyon</b> opened in 1950.")
    for audit, text in zip(audits, texts, strict=True):
        Claim.objects.filter(audit=audit, sample__external_id="q0").update(text=text)
        Claim.objects.filter(audit=audit, sample__external_id="q1").update(text="期限为12个月。")
    page = page_of(signed_in(analyst), audits[1], data={"with": audits[0].pk}, headers={"accept-language": "zh-hans"})
    assert 'The <mark class="">branches</mark> in &lt;b&gt;Lyon' in page.source
    assert 'lang="zh-Hans">期限为12个月。' in page.source


def test_many_claims_come_in_pages(signed_in: Any, analyst: Any, project: Project) -> None:
    first, second = make_audit(project, [(S, S)] * 60), make_audit(project, [(C, C)] * 60)
    page = page_of(signed_in(analyst), second, data={"with": first.pk, "kind": "worse"})
    assert "1 to 50 of 60 claims" in page.text and "Page 1 of 2" in page.text
    assert page.links["Next"].endswith(f"?with={first.pk}&kind=worse&page=2")

"""The page on stability: rates, what became what, the claims, its states, both languages, and its downloads."""

import csv
import io
import json
from typing import Any

import pytest
from django.urls import reverse

from audits.labels import Unscored
from audits.models import Audit, Probe, Project
from tests.audits.factory import C, S, U, cut, judged_audit, make_audit, make_dataset, make_sample, speak
from tests.audits.test_stability import REORDER, REPEAT, ask_again
from tests.pages import Page


@pytest.fixture
def audit(project: Project) -> Audit:
    """Six claims; the first judge flips on two when asked the same again, and on one in another order."""
    audit = judged_audit(project, probe_percent=100)
    claims = list(audit.claims.all())
    for claim, again in zip(claims, (S, S, U, U, C, S), strict=True):
        ask_again(claim, 0, REPEAT, again)
    ask_again(claims[0], 0, REORDER, U)
    ask_again(claims[3], 0, REORDER, U)
    ask_again(claims[0], 1, REPEAT, Unscored.REFUSED)
    return audit


def page_of(browser: Any, audit: Audit, **options: Any) -> Page:
    return Page(browser.get(reverse("audit_stability", args=[audit.project.slug, audit.pk]), **options))


def test_rates_pairs_and_the_claims_with_both_labels(signed_in: Any, analyst: Any, audit: Audit) -> None:
    page = page_of(signed_in(analyst), audit)
    assert "chance of 100 % to be drawn by the audit's seed: 6 of 6 claims were." in page.text
    assert "A · same question again 33.3 %" in page.text and "n = 6" in page.text
    assert "A · contexts in another order 50.0 %" in page.text
    assert "B · contexts in another order undefined (no claim was labelled both times; n = 0)" in page.text
    assert "Supported → Unverified 0 1" in page.text and "Contradicted → Unverified 1 0" in page.text
    assert "Flipped 2 of 6 1 of 2" in page.text
    assert "same question again 1, contexts in another order 0; in no flip rate" in page.text
    assert "Drawn, but not asked again" in page.text  # the second judge refused one claim at first
    sample = audit.dataset.samples.get(external_id="q-2")
    place = reverse("audit_sample", args=[audit.project.slug, audit.pk, sample.pk])
    assert page.links["The bank has a desk."] == f"{place}#claim-2"
    assert "The fee is low." in page.links and "The desk is open." not in page.links
    assert "hx-get" not in page.source.split('id="stability"')[1].split(">")[0]


def test_every_page_of_the_audit_links_to_it(signed_in: Any, manager: Any, audit: Audit) -> None:
    browser = signed_in(manager)
    for name in ("audit", "audit_claims", "audit_stability"):
        links = Page(browser.get(reverse(name, args=[audit.project.slug, audit.pk]))).links
        assert links["Stability"] == reverse("audit_stability", args=[audit.project.slug, audit.pk])


def test_experts_are_told_why_they_do_not_see_it(signed_in: Any, expert: Any, audit: Audit) -> None:
    page = page_of(signed_in(expert), audit)
    assert page.status == 403 and "hidden from experts" in page.text and "Flip" not in page.text


def test_not_measured_says_so(signed_in: Any, analyst: Any, project: Project) -> None:
    page = page_of(signed_in(analyst), judged_audit(project))
    assert "Not measured" in page.text and "No probes were asked for." in page.text
    assert "Flip rates" not in page.text and "hx-get" not in page.source.split('id="stability"')[1].split(">")[0]


def test_nothing_drawn_yet_and_nothing_drawn_at_all(signed_in: Any, analyst: Any, project: Project) -> None:
    running = make_audit(make_dataset(project), probe_percent=5)
    page = page_of(signed_in(analyst), running)
    assert "No claim is judged again yet" in page.text
    assert 'hx-trigger="every 6s"' in page.source
    over = judged_audit(project, probe_percent=1)
    page = page_of(signed_in(analyst), over)
    assert "No claim was judged again" in page.text and "had a chance of 1 %" in page.text


def test_while_probes_are_owed_it_says_how_far_it_is(signed_in: Any, analyst: Any, audit: Audit) -> None:
    ask_again(audit.claims.all()[1], 0, REORDER, None)
    Audit.objects.filter(pk=audit.pk).update(status=Audit.Status.JUDGING)
    browser = signed_in(analyst)
    page = page_of(browser, audit)
    assert "9 of 10" in page.text and "Judging again" in page.text and "of what is answered so far" in page.text
    assert "1 question still to be asked" in page.text
    asked = {"HX-Request": "true", "HX-Target": "stability"}
    part = page_of(browser, audit, headers=asked)
    assert "Flip rates" in part.text and "<html" not in part.source and 'hx-trigger="every 6s"' in part.source
    main = Page(browser.get(reverse("audit", args=[audit.project.slug, audit.pk])))
    assert "Asked again, to see whether judges stay with their labels: 9 of 10 questions." in main.text
    for status, said in (("paused", "when it goes on"), ("cancelled", "is not asked any more")):
        Audit.objects.filter(pk=audit.pk).update(status=status)
        page = page_of(browser, audit)
        assert said in page.text and "every 6s" not in page.source


def test_a_first_label_out_of_a_call_on_several_claims_is_told(signed_in: Any, analyst: Any, audit: Audit) -> None:
    assert "one claim alone" not in page_of(signed_in(analyst), audit).text
    Audit.objects.filter(pk=audit.pk).update(claims_per_call=5)
    assert "came out of calls on up to 5 claims" in page_of(signed_in(analyst), audit).text


def test_judges_that_never_flip(signed_in: Any, analyst: Any, project: Project) -> None:
    audit = judged_audit(project, probe_percent=100)
    for claim in audit.claims.all()[:2]:
        ask_again(claim, 1, REPEAT, S)
    page = page_of(signed_in(analyst), audit)
    assert "no label changed 0 0" in page.text and "Every judge stayed with all its labels." in page.text


def test_many_labels_that_changed_come_in_pages(signed_in: Any, analyst: Any, project: Project) -> None:
    dataset = make_dataset(project, samples=0)
    audit = make_audit(dataset, status=Audit.Status.JUDGING, probe_percent=100)
    for position in range(60):
        sample = make_sample(dataset, position)
        audit.extractions.create(sample=sample)
        (claim,) = cut(audit, sample, [f"Claim {position + 1}."])
        ask_again(speak(claim, S, S), 0, REPEAT, C)
    browser = signed_in(analyst)
    first, second = page_of(browser, audit), page_of(browser, audit, data={"page": "2"})
    assert "Page 1 of 2" in first.text and first.links["Next"] == "?page=2"
    assert "Claim 51." in second.links and "Claim 1." not in second.links
    assert "?page=2" in second.source.split('id="stability"')[1].split(">")[0]  # it stays on its page
    assert page_of(browser, audit, data={"page": "99"}).status == 200


def test_hostile_and_chinese_claims_are_text(signed_in: Any, analyst: Any, project: Project) -> None:
    audit = make_audit(make_dataset(project, samples=1), probe_percent=100, status=Audit.Status.REVIEWING)
    for claim in cut(audit, audit.dataset.samples.get(), ["期限为12个月。", "<script>alert(1)</script>"]):
        ask_again(speak(claim, S, S), 0, REORDER, U)
    page = page_of(signed_in(analyst), audit, headers={"accept-language": "zh-hans"})
    assert '<html lang="zh-Hans">' in page.source
    assert 'lang="zh-Hans">期限为12个月。' in page.source and "期限为12个月。" in page.links
    assert "&lt;script&gt;alert(1)" in page.source and "<script>alert" not in page.source


def table(browser: Any, audit: Audit, kind: str) -> list[dict[str, str]]:
    answer = browser.get(reverse("audit_export", args=[audit.project.slug, audit.pk, kind, "csv"]))
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_probes_are_downloaded_one_row_each(signed_in: Any, analyst: Any, audit: Audit) -> None:
    ask_again(audit.claims.all()[5], 0, REORDER, None)
    rows = table(signed_in(analyst), audit, "probes")
    assert len(rows) == Probe.objects.count() == 10
    assert list(rows[1].values()) == [
        *("q-1", "1", "The fee is 2 %.", "A", "deepseek:deepseek-v4", "reorder", "done"),
        *("SUPPORTED", "UNVERIFIED", "", "true", "", "2, 1"),
    ]
    refused, owed = rows[2], rows[-1]
    assert (refused["judge"], refused["unscored"], refused["flipped"]) == ("B", "refused", "")
    assert (owed["status"], owed["first_label"], owed["label"], owed["flipped"]) == ("owed", "SUPPORTED", "", "")


def test_probes_stand_beside_the_verdicts(signed_in: Any, analyst: Any, audit: Audit) -> None:
    browser = signed_in(analyst)
    first = table(browser, audit, "claims")[0]
    said = [first[f"deepseek:deepseek-v4 {part}"] for part in ("label", "repeat", "reorder")]
    assert said == ["SUPPORTED", "SUPPORTED", "UNVERIFIED"]
    assert [first[f"anthropic:claude-x {part}"] for part in ("repeat", "reorder")] == ["refused", ""]
    answer = browser.get(reverse("audit_export", args=[audit.project.slug, audit.pk, "claims", "jsonl"]))
    record = json.loads(b"".join(answer.streaming_content).splitlines()[0])
    assert record["probes"][1] == {
        "judge": "A",
        "kind": "reorder",
        "status": "done",
        "label": "UNVERIFIED",
        "unscored": None,
    }


def test_a_verdict_is_exported_with_the_evidence_it_rests_on(signed_in: Any, analyst: Any, audit: Audit) -> None:
    verdict = audit.claims.all()[0].verdicts.all()[0]
    type(verdict).objects.filter(pk=verdict.pk).update(conflict=True, windows=3, shown=[[0, 0, 12], [1, 4, 9]])
    first, second = table(signed_in(analyst), audit, "claims")[:2]
    parts = ("conflict", "windows", "shown")
    assert [first[f"deepseek:deepseek-v4 {part}"] for part in parts] == ["true", "3", "[1] 0-12, [2] 4-9"]
    assert [second[f"deepseek:deepseek-v4 {part}"] for part in parts] == ["false", "1", "all"]

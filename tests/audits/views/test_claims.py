"""The list of claims with its filters, and one sample with everything that was said about it."""

from typing import Any

import pytest
from django.urls import reverse

from audits.labels import Unscored
from audits.models import Audit, Claim, Extraction, Project
from tests.audits.factory import C, S, U, cut, judged_audit, make_audit, make_dataset, make_sample, speak


@pytest.fixture
def audit(project: Project) -> Audit:
    return judged_audit(project)


def claims_url(audit: Audit) -> str:
    return reverse("audit_claims", args=[audit.project.slug, audit.pk])


def texts(browser: Any, audit: Audit, **query: str) -> list[str]:
    return [claim.text for claim, _ in browser.get(claims_url(audit), query).context["rows"]]


def test_all_claims_with_both_verdicts(signed_in: Any, analyst: Any, audit: Audit) -> None:
    page = signed_in(analyst).get(claims_url(audit))
    rows = page.context["rows"]
    assert [claim.text for claim, _ in rows][:2] == ["The fee is 2 %.", "The fee is yearly."]
    assert [(one.label, two.label or two.unscored) for _, ((_, one), (_, two)) in rows][4:] == [
        ("SUPPORTED", "UNVERIFIED"),
        ("SUPPORTED", "refused"),
    ]


def test_each_filter(signed_in: Any, analyst: Any, audit: Audit) -> None:
    browser = signed_in(analyst)
    Claim.objects.filter(text="The fee is low.").update(vague=True)
    assert texts(browser, audit, decision="disputed") == ["The bank has a desk.", "The desk is open."]
    assert texts(browser, audit, decision="CONTRADICTED") == ["The fee is low."]
    assert texts(browser, audit, q="DESK") == ["The bank has a desk.", "The desk is open."]
    assert texts(browser, audit, vague="on") == ["The fee is low."]
    assert texts(browser, audit, label="unscored") == ["The desk is open."]
    assert texts(browser, audit, label="unscored", judge="A") == []
    assert texts(browser, audit, label="UNVERIFIED", judge="A") == ["The bank was founded in 1900."]
    assert len(texts(browser, audit, label="UNVERIFIED")) == 2
    assert texts(browser, audit, label="SUPPORTED", judge="A", decision="disputed", q="open") == ["The desk is open."]


def test_what_is_on_no_list_is_no_filter(signed_in: Any, analyst: Any, audit: Audit) -> None:
    browser = signed_in(analyst)
    for query in ({"decision": "evil"}, {"label": "x", "judge": "Z"}, {"verdicts__call__reply": "a"}, {"page": "no"}):
        assert len(texts(browser, audit, **query)) == 6


def test_pending_claims_are_shown_as_waiting(signed_in: Any, analyst: Any, project: Project) -> None:
    audit = make_audit(make_dataset(project, samples=1))
    first, second = cut(audit, audit.dataset.samples.get(), ["One.", "Two."])
    speak(first, S, S)
    speak(second, S, None)
    browser = signed_in(analyst)
    assert texts(browser, audit, decision="pending") == ["Two."]
    assert "waiting" in browser.get(claims_url(audit)).content.decode()


def test_htmx_gets_the_list_alone(signed_in: Any, analyst: Any, audit: Audit) -> None:
    answer = signed_in(analyst).get(
        claims_url(audit), {"q": "desk"}, headers={"hx-request": "true", "hx-target": "claims-list"}
    )
    html = answer.content.decode()
    assert 'id="claims-list"' in html and "<html" not in html and "2 of 2 claims" in html


def test_pages_keep_the_filter(signed_in: Any, analyst: Any, project: Project) -> None:
    audit = make_audit(make_dataset(project, samples=1))
    cut(audit, audit.dataset.samples.get(), [f"Claim {n}." for n in range(60)])
    browser = signed_in(analyst)
    page = browser.get(claims_url(audit), {"q": "Claim"})
    assert len(page.context["rows"]) == 50 and "q=Claim&amp;page=2" in page.content.decode()
    assert len(browser.get(claims_url(audit), {"q": "Claim", "page": "2"}).context["rows"]) == 10


def test_nothing_found_offers_the_way_back(signed_in: Any, analyst: Any, audit: Audit) -> None:
    html = signed_in(analyst).get(claims_url(audit), {"q": "zebra"}).content.decode()
    assert "No claim passes this filter" in html


def test_the_list_never_loads_long_texts_and_needs_few_queries(
    signed_in: Any, analyst: Any, project: Project, django_assert_num_queries: Any
) -> None:
    audit = make_audit(make_dataset(project, samples=6))
    for sample in audit.dataset.samples.all():
        for claim in cut(audit, sample, ["One.", "Two."]):
            speak(claim, U, Unscored.REFUSED)
    browser = signed_in(analyst)
    # session, person, project, roles, audit, specimen, panel, tags, columns, count, claims, verdicts, other audits
    with django_assert_num_queries(13) as seen:
        browser.get(claims_url(audit))
    assert not any('"contexts"' in query["sql"] or '"answer"' in query["sql"] for query in seen.captured_queries)


def test_strangers_and_posts(signed_in: Any, analyst: Any, stranger: Any, audit: Audit) -> None:
    sample = reverse("audit_sample", args=[audit.project.slug, audit.pk, audit.dataset.samples.first().pk])
    for url in (claims_url(audit), sample):
        assert signed_in(stranger).get(url).status_code == 404
        assert signed_in(analyst).post(url).status_code == 405


def sample_page(browser: Any, audit: Audit, number: int = 0) -> Any:
    sample = audit.dataset.samples.all()[number]
    return browser.get(reverse("audit_sample", args=[audit.project.slug, audit.pk, sample.pk]))


def test_the_answer_is_marked_with_the_heaviest_decision(signed_in: Any, analyst: Any, audit: Audit) -> None:
    page = sample_page(signed_in(analyst), audit)
    marked, rest = page.context["answer"][0], page.context["answer"][1]
    # All three claims lie on the first sentence: two supported, one contradicted.
    assert marked[0].text == "The fee is 2 %." and marked[1] == "CONTRADICTED"
    assert [row.number for row in marked[0].ends] == [1, 2, 3] and not rest[0].over
    assert '<mark class="mark-contradicted">The fee is 2 %.</mark>' in page.content.decode()


def test_quotes_are_marked_in_their_context_and_a_lost_quote_is_said(
    signed_in: Any, analyst: Any, project: Project
) -> None:
    audit = make_audit(make_dataset(project, samples=1))
    first, second = cut(audit, audit.dataset.samples.get(), ["One.", "Two."])
    speak(first, S, S)
    speak(second, C, C, quote="words that stand nowhere")
    page = sample_page(signed_in(analyst), audit)
    fees, other = page.context["contexts"]
    (quoted,) = [piece for piece in fees.pieces if piece.over]
    assert quoted.text == "the fee is 2 %" and [quote.letter for quote in quoted.over] == ["A", "B"]
    assert fees.quoted and not other.quoted
    html = page.content.decode()
    assert 'id="quote-1-A-1"' in html and 'href="#quote-1-B-1"' in html
    assert html.count("not found in the contexts") == 2


def test_sentences_without_claims_have_their_reason(signed_in: Any, analyst: Any, audit: Audit) -> None:
    page = sample_page(signed_in(analyst), audit, 2)
    assert page.context["without_claims"][0] == (1, "The fee is 2 %.", "refusal")
    html = page.content.decode()
    assert "a transition" in html and "neither a hallucination nor a success" in html


def test_a_sentence_with_neither_claim_nor_reason_is_shown(signed_in: Any, analyst: Any, audit: Audit) -> None:
    Extraction.objects.filter(audit=audit).update(unaccounted=[2])
    assert "no reason was given" in sample_page(signed_in(analyst), audit).content.decode()


def test_hostile_text_stays_text(signed_in: Any, analyst: Any, project: Project) -> None:
    attack = "<script>alert(1)</script>"
    dataset = make_dataset(project, samples=0)
    sample = make_sample(dataset, 0, question=attack, answer=attack + attack, contexts=[attack])
    audit = make_audit(dataset)
    (claim,) = cut(audit, sample, [attack])
    speak(claim, S, C, quote="alert(1)")
    browser = signed_in(analyst)
    for html in (sample_page(browser, audit).content.decode(), browser.get(claims_url(audit)).content.decode()):
        assert attack not in html and "&lt;script&gt;" in html


def test_a_sample_of_another_dataset_is_not_found(signed_in: Any, analyst: Any, audit: Audit) -> None:
    other = make_dataset(audit.project).samples.first()
    assert other is not None
    url = reverse("audit_sample", args=[audit.project.slug, audit.pk, other.pk])
    assert signed_in(analyst).get(url).status_code == 404


def test_neighbours(signed_in: Any, analyst: Any, audit: Audit) -> None:
    one, two, three = audit.dataset.samples.values_list("pk", flat=True)
    page = sample_page(signed_in(analyst), audit, 1)
    assert (page.context["previous_pk"], page.context["next_pk"]) == (one, three)
    assert sample_page(signed_in(analyst), audit, 0).context["previous_pk"] is None
    assert sample_page(signed_in(analyst), audit, 2).context["next_pk"] is None
    assert two

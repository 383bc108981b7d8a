"""The page of a calibration, judges side by side, and the audit that is started from them."""

from typing import Any

import pytest
from django.urls import reverse

from audits.labels import Label, Unscored
from audits.models import Audit, Dataset, Project
from tests.audits.factory import C, S, U, cut, make_audit, make_dataset, make_judge, make_sample, speak
from tests.pages import Page

pytestmark = pytest.mark.django_db
PANEL = ("deepseek:deepseek-v4", "anthropic:claude-x")
Rows = list[tuple[str, Label | Unscored, Label | Unscored]]
# people, first judge, second judge: of 40 claims each finds 6 and 4 of 10; both miss 3; disputed 5 + 2
SAID: Rows = [
    *[("SUPPORTED", S, S)] * 27,
    *[("SUPPORTED", C, S)] * 2,
    ("SUPPORTED", U, U),
    *[("CONTRADICTED", C, C)] * 2,
    *[("NOT_SUPPORTED", U, S)] * 3,
    ("UNVERIFIED", U, U),
    ("UNVERIFIED", S, U),
    *[("UNVERIFIED", S, S)] * 3,
]


def labelled(project: Project) -> Dataset:
    """Twenty answers with two labelled claims each, in one language, the first sixteen with a tag."""
    dataset = make_dataset(project, samples=0)
    for position in range(20):
        sample = make_sample(dataset, position, tags=["fees"] if position < 16 else ["<b>rare</b>"])
        for number in range(2):
            people = SAID[2 * position + number][0]
            sample.given_labels.create(position=number, claim=f"Claim {number}.", word=people, label=people)
    return dataset


def calibrated(dataset: Dataset, said: Rows = SAID, panel: tuple[str, ...] = PANEL, **fields: Any) -> Audit:
    given: dict[str, Any] = {"calibration": True, "status": Audit.Status.REVIEWING, "name": "Trial"}
    audit = make_audit(dataset, panel=panel, **(given | fields))
    for sample in dataset.samples.all():
        claims = cut(audit, sample, ["Claim 0.", "Claim 1."])
        for number, claim in enumerate(claims):
            speak(claim, *said[2 * sample.position + number][1:])
    return audit


def page_of(browser: Any, audit: Audit, name: str = "calibration") -> Page:
    return Page(browser.get(reverse(name, args=[audit.project.slug, audit.pk])))


def test_the_page_has_every_figure_with_n_and_interval(signed_in: Any, manager: Any, project: Project) -> None:
    page = page_of(signed_in(manager), calibrated(labelled(project)))
    # Of 10 hallucinated claims 3 are found, 4 disputed, 3 slip through; 6 of 40 are disputed.
    assert "let through 30.0 %" in page.text and "n = 10)" in page.text
    assert "Found by the judges 30.0 %" in page.text and "Left to experts 40.0 %" in page.text
    assert "Disputed, of everything 15.0 %" in page.text
    assert "All wrong together 10.0 %" in page.text  # 1 + 3 of 40
    assert "A deepseek:deepseek-v4 60.0 %" in page.text and "B anthropic:claude-x 40.0 %" in page.text  # recall
    assert "A deepseek:deepseek-v4 66.7 %" in page.text  # precision: 6 of 9 alarms
    assert "Left out 3 claims that the judge left unscored, or that people call hallucinated" in page.text
    assert "By tag" in page.text and "fees" in page.text and "By language" not in page.text
    assert "1 part with too few labels" in page.text
    assert "<b>rare</b>" not in page.source and "&lt;b&gt;rare" in page.source
    assert "Agreement" not in page.links and page.links["Compare judges"].endswith(
        f"?dataset={Dataset.objects.get().pk}"
    )


def test_experts_and_strangers_do_not_see_it(signed_in: Any, expert: Any, stranger: Any, project: Project) -> None:
    audit = calibrated(labelled(project))
    page = page_of(signed_in(expert), audit)
    assert page.status == 403 and "hidden from experts" in page.text and "60.0 %" not in page.text
    assert page_of(signed_in(stranger), audit).status == 404
    side = reverse("calibrations", args=[project.slug])
    assert signed_in(expert).get(side).status_code == 403
    assert signed_in(stranger).get(side).status_code == 404
    assert signed_in(expert).post(side).status_code == 405


def test_before_the_end_there_are_no_figures(signed_in: Any, analyst: Any, project: Project) -> None:
    audit = make_audit(labelled(project), calibration=True)
    page = page_of(signed_in(analyst), audit)
    assert "Not judged to the end yet" in page.text and "Choose this panel" not in page.links
    cancelled = make_audit(labelled(project), calibration=True, status=Audit.Status.CANCELLED)
    assert "no fair sample" in page_of(signed_in(analyst), cancelled).text
    other = make_audit(make_dataset(project), status=Audit.Status.REVIEWING)
    answer = signed_in(analyst).get(reverse("calibration", args=[project.slug, other.pk]))
    assert answer.status_code == 302 and answer["Location"] == reverse("audit", args=[project.slug, other.pk])


def test_the_audits_page_leads_to_it_instead_of_a_rate(signed_in: Any, analyst: Any, project: Project) -> None:
    page = page_of(signed_in(analyst), calibrated(labelled(project)), "audit")
    assert "See what the judges find and miss" in page.links and "not how a system does" in page.text
    assert "Hallucination rate, provisional" not in page.text and "To the certificate" not in page.text
    assert "judged" in page.text and "Certificate" not in page.links


def test_judges_of_two_calibrations_stand_side_by_side(signed_in: Any, analyst: Any, project: Project) -> None:
    dataset = labelled(project)
    calibrated(dataset, name="First trial")
    better: Rows = [(people, S if people == "SUPPORTED" else U, b) for people, _, b in SAID]
    calibrated(dataset, better, ("openai:gpt-x", "anthropic:claude-x"), name="Second trial")
    browser = signed_in(analyst)
    page = Page(browser.get(reverse("calibrations", args=[project.slug])))
    assert page.text.count("the others are compared with it") == 1
    # deepseek finds 6 of 10, the yardstick gpt-x all; and it raises 3 false alarms of 30 where gpt-x raises none.
    assert "-40.0 %" in page.text and "-10.0 %" in page.text
    assert page.links["First trial"] and page.links["Second trial"]
    seat = Audit.objects.get(name="First trial").panel[0]
    page = Page(browser.get(reverse("calibrations", args=[project.slug]), {"against": seat.pk}))
    assert "40.0 % (" in page.text and "-40.0 %" not in page.text
    assert browser.get(reverse("calibrations", args=[project.slug]), {"dataset": "99999"}).status_code == 404


def test_without_calibrations_the_page_says_how_to_get_one(signed_in: Any, manager: Any, project: Project) -> None:
    page = Page(signed_in(manager).get(reverse("calibrations", args=[project.slug])))
    assert page.status == 200 and "No calibration yet" in page.text


def test_a_panel_is_chosen_on_its_figures(signed_in: Any, analyst: Any, project: Project) -> None:
    audit = calibrated(labelled(project))
    make_judge("qwen", "qwen-max")
    browser = signed_in(analyst)
    link = page_of(browser, audit).links["Choose this panel"]
    page = Page(browser.get(link))
    assert "Panel chosen on the figures of" in page.text
    chosen_on_it = make_audit(make_dataset(project), calibrated_by=audit, status=Audit.Status.REVIEWING)
    rule = page_of(browser, chosen_on_it, "audit")
    assert rule.links["Trial"] == reverse("calibration", args=[project.slug, audit.pk])
    members = [member.judge_id for member in audit.panel]
    for name, chosen in (("primary", members[0]), ("second", members[1]), ("calibrated_by", audit.pk)):
        assert f'<option value="{chosen}" selected' in page.source.split(f'name="{name}"')[1].split("</select>")[0]


def test_the_choice_to_calibrate_stands_only_where_there_are_labels(
    signed_in: Any, analyst: Any, project: Project
) -> None:
    plain, dataset = make_dataset(project, name="Plain"), labelled(project)
    for name in PANEL:
        make_judge(*name.split(":"))
    new, browser = reverse("audit_new", args=[project.slug]), signed_in(analyst)
    words = "Calibrate the judges with the labels of this dataset"
    assert words not in Page(browser.get(new, {"dataset": plain.pk})).text
    page = Page(browser.get(new, {"dataset": dataset.pk}))
    assert words in page.text
    first, second = (make_judge(*name.split(":")).pk for name in PANEL)
    sent = {
        "name": "Trial", "dataset": dataset.pk, "primary": first, "second": second, "extractor": first,
        "threshold": "2", "scope": "dataset", "confidence": "0.95", "looks": "1", "calibration": "on",
    }  # fmt: skip
    answer = browser.post(new, sent)
    assert answer.status_code == 302, Page(answer).text
    audit = Audit.objects.get()
    assert audit.calibration and audit.spot_check_size == 0 and audit.claims.count() == 40
    answer = browser.post(new, sent | {"dataset": plain.pk})
    assert answer.status_code == 422 and "People labelled nothing in this dataset" in Page(answer).text

"""What the agreement page works out beyond the certificate's figures: precision, recall, parts, drift, the desk."""

import datetime
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone, translation

from audits.models import Claim, Event, Role, Sample
from review.agreement import Material
from review.agreement.asides import asides, second_thought
from review.agreement.claims import Size, facts, size_of
from review.agreement.details import details
from review.agreement.slices import findings, slices
from review.models import Recut, ReviewPlan, Skip
from review.reports.judges import judge_reports
from tests.review.factory import C, S, U, make_audit
from tests.review.words import double, items_of, say

pytestmark = pytest.mark.django_db


def test_precision_and_recall_count_each_claim_for_its_group(project: Any, expert: Any) -> None:
    """20 agreed supported of which 10 are seen, 5 agreed contradicted all seen, 5 disputed all seen.

    Experts: 1 of 10 supported is hallucinated (stands for 2), 4 of 5 contradicted, 3 of 5 disputed (A: S, B: C).
    A: alarms 5, hits 4, hallucinated 2 + 4 + 3 = 9. B: alarms 10, hits 7, of the same 9.
    """
    audit = make_audit(project, [(S, S)] * 20 + [(C, C)] * 5 + [(S, C)] * 5, spot_check=15)
    items = items_of(audit)
    by_group = {name: [item for item in items if item.stratum == name] for name in {item.stratum for item in items}}
    assert {name: len(rows) for name, rows in by_group.items()} == {"supported": 10, "contradicted": 5, "disputed": 5}
    for name, wrong in (("supported", 1), ("contradicted", 4), ("disputed", 3)):
        for number, item in enumerate(by_group[name]):
            say(item, expert, C if number < wrong else S)
    first, second = findings(Material(audit))
    assert first.detection.precision.value == pytest.approx(4 / 5)
    assert first.detection.recall.value == pytest.approx(4 / 9)
    assert second.detection.precision.value == pytest.approx(7 / 10)
    assert second.detection.recall.value == pytest.approx(7 / 9)
    assert first.detection.recall.low is not None and first.detection.recall.low < 4 / 9
    assert (first.hits, first.alarms, first.hallucinated) == (4, 5, 8), "as they lie, 8 and not 9"


def test_parts_of_an_audit_have_the_groups_of_their_own_claims(project: Any, expert: Any) -> None:
    audit = make_audit(project, [(S, C)] * 4)
    Sample.objects.filter(position__in=(0, 1)).update(language="zh", tags=["fees", "loans"])
    Sample.objects.filter(position=2).update(tags=["fees"])
    for number, item in enumerate(items_of(audit)):
        say(item, expert, C if number else S)
    found = slices(Material(audit))
    assert [(part.name, part.claims, part.reviewed) for part in found.languages] == [("en", 2, 2), ("zh", 2, 2)]
    assert [(part.name, part.claims) for part in found.tags] == [("fees", 3), ("loans", 2)]
    english, chinese = found.languages
    assert english.by_judge[1][1].precision.value == 1 and chinese.by_judge[1][1].precision.value == 0.5
    assert [(part.name, part.claims) for part in found.sizes] == [(Size.SHORT, 2), (Size.MIDDLE, 2)]


def test_a_claim_is_as_long_as_its_language_counts() -> None:
    assert [size_of("en", 300, words) for words in (9, 10, 20, 21)] == [Size.SHORT, *[Size.MIDDLE] * 2, Size.LONG]
    assert [size_of("zh", n, 1) for n in (19, 20, 40, 41)] == [Size.SHORT, *[Size.MIDDLE] * 2, Size.LONG]


def test_words_and_letters_are_counted_by_the_database(project: Any) -> None:
    audit = make_audit(project, [(S, S)] * 2)
    first, second = Claim.objects.filter(audit=audit)
    Claim.objects.filter(pk=first.pk).update(text="one two three four five six seven eight nine ten")
    Claim.objects.filter(pk=second.pk).update(text="贷" * 41)
    Sample.objects.filter(pk=second.sample_id).update(language="zh")
    assert [one.size for one in facts(audit).values()] == [Size.MIDDLE, Size.LONG]


def test_three_experts_on_pairs_of_claims_are_measured_together(project: Any, expert: Any, person: Any) -> None:
    others = [person(name, project, Role.EXPERT) for name in ("emil", "fay")]
    audit = make_audit(project, [(S, C)] * 3)
    items = items_of(audit)
    ReviewPlan.objects.update(doubles=3)
    for item, (first, second), labels in zip(
        items,
        ((expert, others[0]), (others[0], others[1]), (expert, others[1])),
        ((S, S), (C, C), (S, U)),
        strict=True,
    ):
        double(item)
        say(item, first, labels[0], number=1)
        say(item, second, labels[1], number=2)
    doubles = details(audit).doubles
    assert (doubles.asked, doubles.labelled, doubles.people) == (3, 3, 3)
    assert doubles.raters is not None and doubles.raters.percent.value == pytest.approx(2 / 3)
    # labels S S C C S U: observed disagreement 1/3; expected 1 - (3*2 + 2*1 + 0) / (6*5) = 22/30
    assert doubles.raters.alpha.value == pytest.approx(1 - (1 / 3) / (22 / 30))


def test_drift_is_read_from_the_spot_check_alone(project: Any, expert: Any) -> None:
    """60 claims of the spot check: the first thirty agreed on, the others not. Disputed ones are not in it."""
    audit = make_audit(project, [(S, S)] * 60 + [(S, C)] * 5, spot_check=60)
    start = timezone.now() - datetime.timedelta(days=2)
    for number, item in enumerate(items_of(audit)):
        say(item, expert, S if number < 30 else U, at=start + datetime.timedelta(minutes=number))
    found = details(audit).drift
    assert (found.n, found.trend) == (60, "fell")
    assert found.windows[0].share.value == 1 and found.windows[-1].share.value == 0


@pytest.mark.parametrize(
    ("words", "thought"),
    [
        ([(S, True)], ""),
        ([(S, True), (C, False)], "changed"),
        ([(S, True), (S, False)], "kept"),
        ([(S, True), ("", False)], ""),
        ([(S, True), (C, False), (S, False)], "kept"),
    ],
)
def test_second_thoughts_are_what_stands_after_the_reveal(words: list[tuple[str, bool]], thought: str) -> None:
    assert second_thought(words) == thought


def test_what_happened_at_the_desk_is_counted(project: Any, expert: Any, person: Any) -> None:
    other = person("emil", project, Role.EXPERT)
    audit = make_audit(project, [(S, C)] * 3)
    first, second, third = items_of(audit)
    say(first, expert, S, shown=True)
    say(first, expert, C)
    say(second, expert, S, shown=True)
    say(second, expert, S)
    for who in (expert, other):
        Skip.objects.create(item=third, reviewer=who, reason=Skip.Reason.UNCLEAR)
    Recut.objects.create(item=third, proposer=expert, texts=["a", "b"])
    Event.record("second_label_waived", project=project, audit=audit, actor=None, items=[first.pk, second.pk])
    with translation.override("en"):
        found = asides(audit)
    assert (found.shown, found.changed, found.kept, found.waived) == (2, 1, 1, 2)
    assert found.skips[0] == ("The claim is unclear", 2) and found.skipped == 1 and len(found.skips) == 4
    assert found.recuts == (("proposed", 1),)


def test_the_page_asks_no_more_for_more_claims(project: Any, manager: Any, expert: Any, signed_in: Any) -> None:
    browser, counts = signed_in(manager), []
    for size in (2, 30):
        audit = make_audit(project, [(S, C)] * size + [(S, S)] * size, spot_check=size)
        for item in items_of(audit):
            say(item, expert, C)
        with CaptureQueriesContext(connection) as asked:
            assert browser.get(reverse("agreement", args=(project.slug, audit.pk))).status_code == 200
        counts.append(len(asked))
    assert counts[0] == counts[1] < 40


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_the_page_says_the_rule_and_what_is_undefined(
    project: Any, manager: Any, expert: Any, person: Any, signed_in: Any, language: str
) -> None:
    """In Chinese only that it comes out at all: the words are the translators'."""
    audit = make_audit(project, [(S, S)] * 3 + [(S, C)] * 2, spot_check=3)
    browser = signed_in(manager)
    browser.cookies["django_language"] = language
    address = reverse("agreement", args=(project.slug, audit.pk))
    before = browser.get(address).content.decode()
    emil = person("emil", project, Role.EXPERT)
    for item in items_of(audit):
        double(item)
        say(item, expert, S, number=1)
        say(item, emil, S, number=2)
    after = browser.get(address).content.decode()
    if language == "en":
        assert (
            "First independent label of each expert" in before and "Agreement of two judges is not accuracy" in before
        )
        assert "no claim has independent labels of two experts" in before
        assert "only one label occurs" in after, "kappa of experts who say one and the same"
        assert "under 30 claims" in after and "the experts call no claim contradicted or unverified" in after


def test_what_experts_say_of_the_judges_is_shown_when_all_labels_are_in(
    project: Any, manager: Any, expert: Any, signed_in: Any
) -> None:
    """The table of a judge and the experts holds the corrected rate as a margin: nobody sees it grow, on no page."""
    audit = make_audit(project, [(S, S)] * 6 + [(S, C)] * 2, spot_check=6)
    browser = signed_in(manager)
    pages = [reverse("agreement", args=(project.slug, audit.pk)), reverse("review_reports", args=(project.slug,))]
    *most, last = items_of(audit)
    for item in most:
        say(item, expert, U if item.kind == "spot_check" else S)
    agreement, reports = (browser.get(page).content.decode() for page in pages)
    assert "Counted on the reviewed claims only" not in agreement and "<h3>Precision</h3>" not in agreement
    assert agreement.count("whoever saw that grow could stop when they please") == 3
    assert "Judge A and judge B" in agreement, "the judges' own agreement tells nothing of the experts"
    assert judge_reports(project) == [] and "Precision" not in reports
    say(last, expert, S)
    agreement, reports = (browser.get(page).content.decode() for page in pages)
    assert "Counted on the reviewed claims only" in agreement and "<h3>Precision</h3>" in agreement
    assert len(judge_reports(project)) == 2 and "Precision" in reports


def test_roles(project: Any, expert: Any, analyst: Any, stranger: Any, signed_in: Any) -> None:
    address = reverse("agreement", args=(project.slug, make_audit(project, [(S, S)]).pk))
    assert [signed_in(user).get(address).status_code for user in (expert, analyst, stranger)] == [403, 200, 404]
    assert signed_in(analyst).post(address).status_code == 405

"""Two audits compared: what became of each claim, both rates and their difference, and what differs besides."""

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.utils import translation

from audits.comparison.claims import plain
from audits.comparison.settings import differences
from audits.labels import Label
from audits.models import Audit, Call, Claim, Dataset, Extraction, Project, Verdict
from audits.stats.difference import rate_difference
from audits.text.normalise import normalise
from review.comparison import Comparison, Kind, compare_audits, kind_of
from review.comparison_words import headline, points, reach_text
from review.models import Adjudication, Slot
from review.spotcheck import open_review
from tests.review.factory import C, S, U, make_audit, settle_all

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """Whatever language another test's page was in."""
    with translation.override("en"):
        yield


def two(project: Project, before: list[Any], after: list[Any], **options: Any) -> tuple[Audit, Audit]:
    """Two audits whose claims have the same texts, number by number, in two datasets with identifiers."""
    found = tuple(make_audit(project, pairs, **options) for pairs in (before, after))
    Dataset.objects.update(mapping={"id": "id", "question": "question"})
    for audit in found:
        audit.dataset.refresh_from_db()
    return found


def kinds(found: Comparison) -> dict[str, int]:
    return {kind.value: n for kind, n in found.counts.items() if n}


def test_what_became_of_each_claim(project: Project) -> None:
    before = [(S, S), (S, S), (C, C), (U, U), (C, C), (S, C), (S, S)]
    after = [(C, C), (S, S), (S, S), (C, C), (C, C), (S, S), (S, U), (U, U)]
    found = compare_audits(*two(project, before, after))
    assert kinds(found) == {"worse": 1, "same": 2, "better": 1, "other": 1, "open": 2, "only_after": 1}
    assert [change.kind for change in found.changes[:4]] == [Kind.WORSE, Kind.OTHER, Kind.OPEN, Kind.OPEN]
    worse = found.changes[0]
    assert worse.before and worse.after and worse.before.text == worse.after.text == "Branch 0 opened in 1950."
    assert (worse.before.label, worse.after.label) == (Label.SUPPORTED, Label.CONTRADICTED)
    assert (len(found.answers.partners), found.answers.before, found.answers.after) == (7, 0, 1)


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (Label.SUPPORTED, Label.UNVERIFIED, Kind.WORSE),
        (Label.UNVERIFIED, Label.SUPPORTED, Kind.BETTER),
        (Label.UNVERIFIED, Label.CONTRADICTED, Kind.OTHER),
        (Label.UNVERIFIED, Label.UNVERIFIED, Kind.SAME),
        (None, Label.SUPPORTED, Kind.OPEN),
        (None, None, Kind.OPEN),
    ],
)
def test_kinds(before: Label | None, after: Label | None, kind: Kind) -> None:
    assert kind_of(before, after) == kind


def test_rates_count_every_decided_claim_and_share_the_answers(project: Project) -> None:
    """Two claims to an answer. Before: 8 of 80 hallucinated, in 40 answers; after: 4 of 82, in 41."""
    before = [(C, C)] * 8 + [(S, S)] * 72
    after = [(C, C)] * 4 + [(S, S)] * 78
    found = compare_audits(*two(project, before, after, per_answer=2))
    assert (found.rates.before.value, found.rates.before.n) == (0.1, 80)
    assert (found.rates.after.value, found.rates.after.n) == (pytest.approx(4 / 82), 82)
    rows = [[(number // 2, pair[0] != S) for number, pair in enumerate(pairs)] for pairs in (before, after)]
    expected = rate_difference(*rows)
    assert found.rates == expected and found.rates.answers == 40 and found.rates.correlation > 0
    assert (found.before.rate.coverage, found.after.rate.coverage, found.provisional) == (1, 1, False)


def test_answers_that_are_not_the_same_share_no_key(project: Project) -> None:
    before, after = two(project, [(S, S)] * 3, [(S, S)] * 3)
    after.dataset.samples.filter(external_id="q0").update(external_id="q7")
    found = compare_audits(before, after)
    assert kinds(found) == {"only_before": 1, "only_after": 1, "same": 2}
    assert (found.answers.before, found.answers.after, found.rates.answers) == (1, 1, 2)


def test_a_claim_is_never_matched_with_one_of_another_answer(project: Project) -> None:
    before, after = two(project, [(S, S), (C, C)], [(S, S), (C, C)])
    first, second = after.claims.order_by("pk").values_list("text", flat=True)
    for claim, text in zip(after.claims.order_by("pk"), (second, first), strict=True):
        Claim.objects.filter(pk=claim.pk).update(text=text)
    assert kinds(compare_audits(before, after)) == {"only_before": 2, "only_after": 2}


def test_an_experts_word_counts_before_the_judges(project: Project, expert: Any) -> None:
    before, after = two(project, [(S, S)] * 2 + [(S, C)], [(S, S)] * 2 + [(S, C)], spot_check=0)
    assert kinds(compare_audits(before, after)) == {"same": 2, "open": 1}
    settle_all(after, expert, label=C)
    found = compare_audits(before, after)
    assert kinds(found) == {"same": 2, "open": 1}  # still open before
    assert (found.before.expert, found.after.expert) == (0, 1)
    assert (found.before.provisional, found.after.provisional) == (True, False)
    settle_all(before, expert, label=S)
    found = compare_audits(before, after)
    assert kinds(found) == {"worse": 1, "same": 2} and found.changes[0].after and found.changes[0].after.expert


def test_where_the_difference_ends_once_all_is_settled(project: Project) -> None:
    """Before 1 of 4 hallucinated and 1 open: 25 to 50 %; after 0 of 4 and 1 open: 0 to 25 %."""
    found = compare_audits(*two(project, [(C, C), (S, C), (S, S), (S, S)], [(S, S), (S, C), (S, S), (S, S)]))
    assert found.reach == (-0.5, 0.0)
    assert reach_text(found) == (
        "Once the 2 open claims are settled, the difference over all claims lies between -50.0 and 0.0 points."
    )
    assert reach_text(compare_audits(*two(project, [(S, S)], [(C, C)]))) == ""


def test_the_same_dataset_is_matched_by_its_samples(project: Project) -> None:
    first = make_audit(project, [(S, S), (C, C)])
    second = Audit.objects.create(project=project, dataset=first.dataset, name="Again", seed=8, status="reviewing")
    for claim in first.claims.all():
        extraction = Extraction.objects.create(audit=second, sample=claim.sample, status="done")
        fields = {"position": 0, "sentence": 1, "text": claim.text, "start": 0, "end": 5, "decision": U}
        Claim.objects.create(audit=second, extraction=extraction, sample=claim.sample, **fields)
    found = compare_audits(first, second)
    assert kinds(found) == {"worse": 1, "other": 1}
    assert found.answers.by == "same" and found.answers.same_texts
    assert [one.code for one in found.settings] == ["judges"] and found.judged_differently


def test_answers_on_other_texts_are_counted(project: Project) -> None:
    before, after = two(project, [(S, S)] * 2, [(S, S)] * 2)
    assert compare_audits(before, after).answers.same_texts
    after.dataset.samples.filter(external_id="q0").update(contexts=["Other evidence."])
    found = compare_audits(before, after).answers
    assert (found.unchanged, found.same_texts) == (1, False)


def test_what_differs_between_the_audits(project: Project) -> None:
    before, after = two(project, [(S, S)], [(S, S)])
    assert differences(before, after) == ()
    changed = make_audit(project, [(S, S)], vendors=("openai", "deepseek"), threshold="0.0500", scope="traffic")
    Dataset.objects.filter(pk=changed.dataset_id).update(sha256="cd" * 32)
    changed = Audit.objects.get(pk=changed.pk)
    for audit, version in ((before, "verdict_v1.en"), (changed, "verdict_v2.en")):
        call = Call.objects.create(
            audit=audit, member=audit.panel[0], purpose="verify", request_hash=version, prompt_version=version,
            prompt_hash=version[::-1], outcome="ok",
        )  # fmt: skip
        Verdict.objects.filter(claim__audit=audit).update(call=call)
    found = {one.code: (one.before, one.after) for one in differences(before, changed)}
    assert found == {
        "judges": (
            ("A openai:openai-model-x", "B anthropic:anthropic-model-x"),
            ("A openai:openai-model-x", "B deepseek:deepseek-model-x"),
        ),
        "prompts": (("verdict_v1.en (ne.1v_tc)",), ("verdict_v2.en (ne.2v_tc)",)),
        "threshold": (("0.02",), ("0.05",)),
        "scope": (("dataset",), ("traffic",)),
        "dataset": (("Answers", "SHA-256 abababababab"), ("Answers", "SHA-256 cdcdcdcdcdcd")),
    }


def sentence(project: Project, before: list[Any], after: list[Any], **options: Any) -> str:
    return headline(compare_audits(*two(project, before, after, **options))).sentence


def test_the_headline(project: Project) -> None:
    many = [(S, S)] * 40
    assert sentence(project, [(C, C)] * 10 + many, [(C, C)] * 5 + many).startswith(
        "The rate fell from 20.0 % to 11.1 %: difference -8.9 points, 95 % interval -"
    )
    assert sentence(project, many, [(U, U)] * 30 + many).endswith(": the data rule out no change.")
    same = sentence(project, [(C, C), *many], [(C, C), *many])
    assert same.startswith("The rate is 2.4 % before and after: difference 0.0 points, 95 % interval -")
    assert same.endswith(": the data do not rule out no change.")


def test_a_headline_without_interval_or_rate_says_why(project: Project) -> None:
    one = [(S, S)] * 3 + [(C, C)]
    assert sentence(project, one, [(C, C)] * 4, per_answer=4) == (
        "The rate rose from 25.0 % to 100 %: difference +75.0 points. "
        "No interval can be stated: all claims come from one answer."
    )
    assert sentence(project, [(S, C)], one) == (
        "The difference is undefined: no claim of “First audit” is decided yet."
    )
    assert sentence(project, [], []) == " ".join(["The difference is undefined: “First audit” has no claims."] * 2)
    assert headline(compare_audits(*two(project, [], one))).text is None


def test_points_keep_the_sign_of_what_is_rounded_to_nothing() -> None:
    assert [points(value) for value in (-0.029, 0.002, 0, -0.0001)] == ["-2.9", "+0.2", "0.0", "-0.0"]
    assert points(-0.0001, 2) == "-0.01"


def test_a_label_makes_an_open_claim_better_or_worse(project: Project, expert: Any) -> None:
    before, after = two(project, [(S, C)], [(S, S)], spot_check=0)
    open_review(before)
    slot = Slot.objects.get(item__plan__audit=before)
    row = {"item": slot.item, "slot": slot, "reviewer": expert, "idempotency_key": uuid.uuid4()}
    Adjudication.objects.create(label=C, **row)
    assert kinds(compare_audits(before, after)) == {"better": 1}


def test_few_queries_whatever_the_size(project: Project, django_assert_max_num_queries: Any) -> None:
    before, after = two(project, [(S, S)] * 60, [(S, C)] * 60)
    with django_assert_max_num_queries(24):
        compare_audits(before, after)


@pytest.mark.parametrize("text", ["The  `Fee` is 2 %.", " Ends. ", "A\tB", "费用为 2 %", "naïve", "", "“x”"])
def test_the_short_cut_gives_what_normalise_does(text: str) -> None:
    assert plain(text) == normalise(text).text.strip()

"""A calibration from the file with labels to its figures: what is asked, what is compared, and what stands apart."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from audits.calibration import calibration_fact, can_calibrate, findings, finished
from audits.calibration_units import units_of
from audits.headless import import_file, run, start
from audits.judges.prompting import build_prompt
from audits.labels import Unscored
from audits.models import Audit, Call, Extraction, Judging, PanelMember, Project, Verdict
from audits.pipeline import PanelError
from audits.pipeline.owing import verification_questions
from audits.sample_datasets import FOLDER
from tests.audits.factory import C, S, U, cut, make_audit, make_dataset, speak
from tests.audits.road import judge
from tests.audits.road import start as start_on_road

pytestmark = pytest.mark.django_db
OFFLINE = ("offline:rules", "offline:vector")
BAD = {"CONTRADICTED", "UNVERIFIED"}


def calibrated(project: Project, path: Path) -> Audit:
    """The whole road, driven by this process with the judges that need no vendor."""
    dataset = import_file(project, path, {}, lambda _line: None)
    audit = start(project, dataset, OFFLINE, "offline:rules", Decimal("0.05"), calibration=True)
    assert run(audit, lambda _line: None) == 0
    audit.refresh_from_db()
    return audit


def test_a_sample_dataset_is_run_as_a_calibration(project: Project, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (FOLDER / "law.zh.jsonl").read_text("utf-8").splitlines()[:16]]
    path = tmp_path / "law.jsonl"
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    audit = calibrated(project, path)

    said = {(row["id"], claim["text"]): claim["label"] for row in rows for claim in row.get("claims", [])}
    claims = {(claim.sample.external_id, claim.text): claim for claim in audit.claims.select_related("sample")}
    assert claims.keys() == said.keys()  # the claims of people, no other
    assert not Call.objects.filter(audit=audit, purpose="extract").exists()
    assert audit.status == Audit.Status.REVIEWING and audit.calibration and audit.spot_check_size == 0

    found = findings(audit)
    (kind,) = found.kinds
    assert (kind.unit, kind.found.units, found.apart.unusable) == ("claims", len(said), 0)
    for member, one in zip(audit.panel, kind.found.judges, strict=True):
        label = {row.claim_id: row.label for row in Verdict.objects.filter(member=member)}
        pairs = [(said[key] in BAD, label[claim.pk] in BAD) for key, claim in claims.items()]
        counted = (one.hits, one.false_alarms, one.misses, one.passes)
        assert counted == tuple(
            pairs.count(pair) for pair in [(True, True), (False, True), (True, False), (False,) * 2]
        )
        assert one.hits and one.false_alarms and one.misses  # all cells are put to the test
        assert one.three is not None and one.three.n == len(said)
    both = [
        all((v.label in BAD) != (said[key] in BAD) for v in claim.verdicts.all()) for key, claim in claims.items()
    ]
    assert kind.found.together.shared_errors.value == pytest.approx(sum(both) / len(both))
    disputed = sum(claim.decision == "disputed" for claim in claims.values())
    assert kind.found.together.disputed.value == pytest.approx(disputed / len(both))
    assert finished(project) == [audit]


def labelled(project: Project, labels: dict[int, list[tuple[str, str]]]) -> Any:
    """Three rows; position -> (claim, label) of people."""
    dataset = make_dataset(project)
    for sample in dataset.samples.all():
        for number, (claim, label) in enumerate(labels.get(sample.position, [])):
            sample.given_labels.create(position=number, claim=claim, word=label, label=label)
    return dataset


def test_only_labelled_answers_are_asked_about(project: Project) -> None:
    dataset = labelled(
        project,
        {0: [("", "SUPPORTED"), ("The fee is 2 %.", "SUPPORTED"), ("Fees are paid yearly", "NOT_SUPPORTED")],
         1: [("", "CONTRADICTED")]},
    )  # fmt: skip
    audit = start_on_road(dataset, calibration=True)
    first, second = audit.extractions.order_by("sample__position")
    assert (first.status, second.status) == (Extraction.Status.DONE, Extraction.Status.PENDING)
    assert first.judgings.count() == 2 and second.judgings.count() == 0
    one, two = audit.claims.all()
    answer = one.sample.answer
    assert answer[one.start : one.end] == "The fee is 2 %." and one.sentence == 1
    assert answer[two.start : two.end] == "It is paid yearly." and two.sentence == 2
    row = {member["role"]: member["calls"] for member in audit.expected}
    assert row["extractor"] == 1  # the answer of which only the whole has a label


def test_the_judges_never_see_what_people_said(project: Project) -> None:
    dataset = labelled(project, {0: [("The fee is 2 %.", "NOT_SUPPORTED")]})
    audit = start_on_road(dataset, calibration=True)
    judging = Judging.objects.filter(audit=audit).select_related("member").first()
    assert judging is not None
    (question,) = verification_questions(audit, judging.member, [judging])
    prompt = build_prompt(question.task)
    assert "The fee is 2 %." in prompt.user and "NOT_SUPPORTED" not in prompt.system + prompt.user


def test_a_dataset_without_usable_labels_cannot_be_calibrated(project: Project) -> None:
    dataset = labelled(project, {0: [("", "UNCERTAIN")]})
    assert not can_calibrate(dataset)
    with pytest.raises(PanelError, match="no labels"):
        start_on_road(dataset, calibration=True)
    assert not Audit.objects.exists()


def test_answers_are_units_where_only_they_have_labels(project: Project) -> None:
    dataset = labelled(project, {0: [("", "CONTRADICTED")], 1: [("", "SUPPORTED")], 2: [("", "NOT_SUPPORTED")]})
    audit = make_audit(dataset, calibration=True)
    one, two, three = dataset.samples.all()
    first = cut(audit, one, ["a", "b"])
    second = cut(audit, two, ["c", "d"])
    cut(audit, three)
    for claim, labels in zip(
        first + second, [(S, S), (C, Unscored.REFUSED), (S, S), (Unscored.REFUSED, U)], strict=True
    ):
        speak(claim, *labels)
    found = units_of(audit)
    bad, good = (placed.unit for placed in found.units["answers"])
    # One claim makes an answer hallucinated; an unscored one leaves it open unless another does.
    assert (bad.human, bad.said, bad.panel) == (True, (True, None), None)
    assert (good.human, good.said, good.panel) == (False, (None, True), None)
    assert (found.without_claims, found.without_claims_hallucinated) == (1, 1)
    (kind,) = findings(audit).kinds
    assert kind.unit == "answers" and kind.found.judges[0].three is None


def test_a_panel_chosen_on_a_calibration_is_named_with_its_figures(project: Project) -> None:
    dataset = labelled(project, {0: [("The fee is 2 %.", "SUPPORTED"), ("It is paid yearly.", "UNVERIFIED")]})
    calibration = start_on_road(dataset, calibration=True)
    for claim in calibration.claims.all():
        speak(claim, S, S)
    with pytest.raises(PanelError, match="other judges"):  # it is not done yet
        start_on_road(dataset, calibrated_by=calibration)
    calibration.advance(Audit.Status.JUDGING, Audit.Status.REVIEWING)
    audit = start_on_road(dataset, calibrated_by=calibration)
    fact = calibration_fact(audit)
    assert fact is not None and fact["dataset"]["sha256"] == dataset.sha256 and fact["audit"] == calibration.pk
    (found,) = fact["sets"]
    assert [one["model"] for one in found["judges"]] == ["model-a", "claude-b"]
    assert found["panel"]["missed_by_all"]["value"] == 1 and found["panel"]["missed_by_all"]["n"] == 1
    assert json.loads(json.dumps(fact)) == fact
    assert calibration_fact(calibration) is None
    other = judge("qwen", "qwen-max")
    with pytest.raises(PanelError, match="other judges"):
        start_on_road(dataset, judge("openai", "model-a"), other, calibrated_by=calibration)
    assert PanelMember.objects.filter(model="qwen-max").count() == 0

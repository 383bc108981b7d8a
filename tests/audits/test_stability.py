"""What probes say of the judges: read from rows, and over a whole audit without a vendor."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from audits.labels import Label, Unscored
from audits.models import Audit, Claim, Probe, Project
from audits.results import result
from audits.stability import flip_rates, flipped, stability
from tests.audits.factory import C, S, U, cut, judged_audit, make_audit, make_dataset, speak

pytestmark = pytest.mark.django_db
REPEAT, REORDER = Probe.Kind.REPEAT, Probe.Kind.REORDER


def ask_again(claim: Claim, seat: int, kind: str, said: Label | Unscored | None) -> None:
    """One probe of a judge by its seat; None: not answered yet."""
    given: dict[str, Any] = {"status": Probe.Status.OWED if said is None else Probe.Status.DONE}
    given |= {"label": said.value} if isinstance(said, Label) else {"unscored": said.value} if said else {}
    member = claim.audit.panel.get(position=seat)
    Probe.objects.create(audit=claim.audit, claim=claim, member=member, kind=kind, context_order=[1, 0], **given)


@pytest.fixture
def audit(project: Project) -> Audit:
    """Six claims SS, SS, CC | UU, SU, S/refused; the first judge flips twice, the second one has no label once."""
    audit = judged_audit(project, probe_percent=100)
    claims = list(audit.claims.all())
    for claim, again in zip(claims, (S, S, U, U, C, S), strict=True):
        ask_again(claim, 0, REPEAT, again)
    ask_again(claims[0], 0, REORDER, U)
    ask_again(claims[4], 0, REORDER, None)
    ask_again(claims[0], 1, REPEAT, Unscored.REFUSED)
    ask_again(claims[3], 1, REPEAT, U)
    return audit


def test_flips_are_counted_for_each_judge_and_kind(audit: Audit) -> None:
    found = stability(audit)
    assert (found.percent, found.claims, found.drawn, found.probes, found.owed, found.done) == (100, 6, 6, 10, 1, 9)
    first, second = found.judges
    assert (first.repeat.n, first.repeat.flips, first.repeat.unscored) == (6, 2, 0)
    assert first.repeat.rate.value == pytest.approx(2 / 6) and first.repeat.rate.low is not None
    assert first.repeat.changes == {(C, U): 1, (S, C): 1}
    assert (first.reorder.n, first.reorder.flips, first.reorder.rate.reason) == (1, 1, "one_answer")
    assert (first.owed, first.unlabelled) == (1, 0)
    assert [(c.first, c.second, c.repeat, c.reorder) for c in first.changes] == [
        (C, U, 1, 0),
        (S, C, 1, 0),
        (S, U, 0, 1),
    ]
    assert (second.repeat.n, second.repeat.flips, second.repeat.unscored, second.unscored) == (1, 0, 1, 1)
    assert (second.reorder.n, second.reorder.rate.reason) == (0, "not_judged_again")
    assert (second.owed, second.unlabelled) == (0, 1)  # it refused one claim at first


def test_claims_that_were_not_drawn_are_not_missed(audit: Audit) -> None:
    Audit.objects.filter(pk=audit.pk).update(probe_percent=0)
    audit.refresh_from_db()
    assert [judge.unlabelled for judge in stability(audit).judges] == [0, 0]
    assert flip_rates(audit) is None


def test_labels_that_changed_come_in_the_order_of_the_claims(audit: Audit) -> None:
    rows = [(p.claim.text, p.member.letter, p.kind, p.first, p.label) for p in flipped(audit)]
    assert rows == [
        ("The fee is 2 %.", "A", REORDER, S, U),
        ("The fee is low.", "A", REPEAT, C, U),
        ("The bank has a desk.", "A", REPEAT, S, C),
    ]


def test_nothing_that_counts_reads_a_probe(audit: Audit) -> None:
    before = result(audit)
    Probe.objects.all().delete()
    assert result(audit) == before


def test_the_plain_form_has_rates_intervals_and_pairs(audit: Audit) -> None:
    found = flip_rates(audit)
    assert found is not None and list(found) == ["deepseek:deepseek-v4", "anthropic:claude-x"]
    repeat, reorder = found["deepseek:deepseek-v4"]["repeat"], found["anthropic:claude-x"]["reorder"]
    low, high = repeat.pop("interval")
    assert 0 <= low < 2 / 6 < high <= 1
    pairs = [["SUPPORTED", "CONTRADICTED", 1], ["CONTRADICTED", "UNVERIFIED", 1]]
    assert repeat == {"rate": pytest.approx(2 / 6), "n": 6, "flips": 2, "unscored": 0, "pairs": pairs}
    assert reorder == {"rate": None, "interval": [None, None], "n": 0, "flips": 0, "unscored": 0, "pairs": []}


def test_the_number_of_queries_does_not_grow_with_the_probes(
    project: Project, django_assert_num_queries: Any
) -> None:
    audit = make_audit(make_dataset(project, samples=4), probe_percent=100)
    for sample in audit.dataset.samples.all():
        for claim in cut(audit, sample, ["One.", "Two.", "Three."]):
            speak(claim, S, S)
            ask_again(claim, 0, REPEAT, U)
    with django_assert_num_queries(6):
        assert stability(audit).judges[0].repeat.rate.value == 1.0


def test_judges_without_a_vendor_never_flip(tmp_path: Path) -> None:
    """They answer the same to the same, whatever comes first; how sure that is, the interval says."""
    rows = [
        {
            "id": str(number),
            "question": "利率和期限是多少？" if number % 2 else "What are rate and term?",
            "contexts": [f"年利率为{number}%。", "期限为12个月。"]
            if number % 2
            else [f"The rate is {number} percent.", "The term is 12 months."],
            "answer": f"年利率为{number}%。期限为24个月。"
            if number % 2
            else f"The rate is {number} percent. It is green.",
        }
        for number in range(1, 11)
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    out, err = StringIO(), StringIO()
    panel = ["--primary", "offline:rules", "--secondary", "offline:vector", "--probes", "100", "--json"]
    with pytest.raises(SystemExit) as ended:
        call_command("audit", str(path), *panel, stdout=out, stderr=err)
    found = json.loads(out.getvalue())
    assert ended.value.code == 0 and found["status"] == "reviewing"
    assert set(found["flip_rates"]) == {"offline:rules", "offline:vector"}
    for kinds in found["flip_rates"].values():
        for flips in kinds.values():
            low, high = flips["interval"]
            assert (flips["rate"], flips["n"], flips["flips"], low) == (0.0, found["total_claims"], 0, 0.0)
            assert 0.1 < high < 0.6  # ten answers of two claims
    assert f"judged again {4 * found['total_claims']}/{4 * found['total_claims']}" in err.getvalue()

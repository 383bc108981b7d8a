"""The estimate before the start: from all of the dataset's text, the real prompts, and what a model did before."""

import contextlib
import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from audits import pipeline
from audits.judges.base import ClaimText, Purpose, Reply, Task
from audits.judges.prompting import build_prompt
from audits.judges.sentence_windows import windows
from audits.judges.verifying import room_in, verifying
from audits.models import Audit, Dataset, Judge, Project
from audits.pipeline import counting
from audits.pipeline.counting import count_sentences, count_tokens, load_of, static_tokens
from audits.pipeline.estimating import Estimate, MemberEstimate, estimate
from audits.pipeline.experience import ENOUGH, experience_with
from audits.text.sentences import split_sentences
from tests.audits.factory import make_audit, make_dataset, make_judge, make_sample
from tests.audits.pipeline import ledger

D = Decimal
pytestmark = pytest.mark.django_db
PANEL = ("openai:model-a", "anthropic:claude-b")


@pytest.fixture(autouse=True)
def forget_counts() -> None:
    counting.cache.clear()


def judges(**fields: Any) -> tuple[Judge, Judge]:
    return make_judge("openai", "model-a", **fields), make_judge("anthropic", "claude-b", **fields)


def estimated(dataset: Dataset, **options: Any) -> Estimate:
    first, second = judges()
    return estimate(dataset=dataset, extractor=first, judges=[first, second], **options)


def by_role(found: Estimate) -> tuple[MemberEstimate, MemberEstimate, MemberEstimate]:
    extractor, first, second = found.per_member
    return extractor, first, second


def test_texts_are_counted_in_both_languages() -> None:
    assert count_tokens("a" * 400) == 100
    assert count_tokens("年费" * 50) == 80
    assert count_tokens("年费 200 元") == round(3 * 0.8 + 5 / 4 + 0.5)
    assert count_sentences("One. Two! Is it 2.5 %? Yes… no") == 5
    assert count_sentences("年费为 200 元。每年扣收一次！如何免除？") == 3
    assert count_sentences("- first\n- second\n\nthird") == 3
    assert count_sentences("……!\n—") == 0


def test_every_sample_is_counted(project: Project) -> None:
    dataset = make_dataset(project, samples=2)
    long = make_sample(dataset, 2, answer="The fee is 2 %. " * 500)
    found = load_of(dataset)
    assert (found.total, found.counted, found.scale) == (3, 3, 1.0)
    assert [size.answer for size in found.sizes][2] == count_tokens(long.answer)
    assert found.sizes[0].passages == 2


def test_of_a_large_dataset_a_seeded_draw_stands_for_all(project: Project, monkeypatch: Any) -> None:
    dataset = make_dataset(project, samples=40)
    whole = estimated(dataset)
    monkeypatch.setattr(counting, "COUNTED", 10)
    counting.cache.clear()
    drawn, first = estimated(dataset), load_of(dataset)
    assert (whole.samples, whole.counted) == (40, 40) and (drawn.samples, drawn.counted) == (40, 10)
    assert drawn.calls == pytest.approx(whole.calls, rel=0.05)  # the samples are alike
    counting.cache.clear()
    assert load_of(dataset) == first  # the same draw on each look


def test_a_dataset_is_counted_once(project: Project, django_assert_max_num_queries: Any) -> None:
    dataset = make_dataset(project, samples=20)
    load_of(dataset)
    with django_assert_max_num_queries(2):  # which samples there are, and how many
        load_of(dataset)
    make_sample(dataset, 20)
    assert load_of(dataset).total == 21


def test_the_instructions_are_those_of_the_real_prompts(project: Project) -> None:
    dataset = make_dataset(project, samples=1)
    extractor, first, _ = by_role(estimated(dataset))
    assert static_tokens(Purpose.EXTRACT, "en") > 300
    sample = dataset.samples.get()
    texts = count_tokens(sample.question) + count_tokens(sample.answer)
    assert extractor.tokens_in == pytest.approx(static_tokens(Purpose.EXTRACT, "en") + texts, abs=10)
    contexts = count_tokens(sample.question) + sum(map(count_tokens, sample.contexts))
    each = first.tokens_in / (3 * 1.2)  # three sentences
    assert each == pytest.approx(static_tokens(Purpose.VERIFY, "en") + contexts, abs=20)


def test_a_chinese_dataset_is_asked_in_chinese(project: Project) -> None:
    dataset = make_dataset(project, samples=0)
    make_sample(dataset, 0, language="zh", answer="年费为二百元。每年扣收一次。", contexts=["年费二百元。"])
    extractor, _, _ = by_role(estimated(dataset))
    assert extractor.tokens_in == pytest.approx(static_tokens(Purpose.EXTRACT, "zh") + 25, abs=15)


def test_nothing_is_asked_about_empty_answers_and_missing_contexts(project: Project) -> None:
    dataset = make_dataset(project, samples=0)
    make_sample(dataset, 0, answer="  ")
    make_sample(dataset, 1, contexts=[])
    extractor, first, second = by_role(estimated(dataset))
    assert (extractor.calls, first.calls, second.calls) == (1, 0, 0)


def test_a_model_nobody_has_seen_gets_a_span(project: Project) -> None:
    found = estimated(make_dataset(project))
    assert found.low is not None and found.cost is not None and found.high is not None
    assert found.low < found.cost < found.high and found.is_span
    assert all(member.learned == 0 for member in found.per_member)


def seen(audit: Audit, *, ratio: float, claims: int, per_claim: int, per_verdict: int, **cached: int) -> None:
    """Every sample of the audit cut and judged by the first judge, whose tokens are `ratio` of ours."""
    member = audit.panel[0]
    for sample in audit.dataset.samples.all():
        ours = static_tokens(Purpose.EXTRACT, "en") + count_tokens(sample.question) + count_tokens(sample.answer)
        ours += counting.MARK * count_sentences(sample.answer)
        ledger.cut(audit, sample, claims, tokens_in=round(ours * ratio), per_claim=per_claim)
        shown = static_tokens(Purpose.VERIFY, "en") + count_tokens(sample.question)
        shown += counting.context_tokens(sample.contexts)
        for claim in audit.claims.filter(sample=sample):
            ours = shown + count_tokens(claim.text) + counting.MARK
            ledger.judge(claim, member, tokens_in=round(ours * ratio), tokens_out=per_verdict, **cached)


@pytest.fixture
def seen_audit(project: Project) -> Callable[..., Audit]:
    def make(samples: int = ENOUGH, **habits: Any) -> Audit:
        audit = make_audit(make_dataset(project, samples=samples), panel=PANEL)
        seen(audit, **({"ratio": 1.5, "claims": 6, "per_claim": 40, "per_verdict": 300} | habits))
        return audit

    return make


def test_a_model_is_estimated_by_what_it_did_before(project: Project, seen_audit: Callable[..., Audit]) -> None:
    dataset = make_dataset(project, samples=10)
    before = by_role(estimated(dataset))
    seen_audit()
    after = by_role(estimated(dataset))
    assert [member.learned for member in after] == [ENOUGH, 180, 0]  # the second judge is new
    extractor, first, second = after
    assert extractor.tokens_in == pytest.approx(1.5 * before[0].tokens_in, rel=0.01)
    assert extractor.tokens_out == 10 * 6 * 40  # six claims of three sentences
    assert first.calls == second.calls == 60
    assert first.tokens_out == 60 * 300
    assert first.low == first.cost == first.high
    assert second.low is not None and second.high is not None and second.low < second.high


def test_few_calls_tell_nothing(project: Project, seen_audit: Callable[..., Audit]) -> None:
    seen_audit(samples=ENOUGH - 1, claims=1)
    assert experience_with("openai", "model-a", "", Purpose.EXTRACT) is None
    assert experience_with("openai", "model-a", "", Purpose.VERIFY) is None


def test_only_complete_answers_with_counts_are_compared(seen_audit: Callable[..., Audit]) -> None:
    audit = seen_audit(claims=1)
    member = audit.panel[0]
    calls = audit.calls.filter(member=member)
    for change in ({"outcome": "server"}, {"finish": "length"}, {"tokens_in": None}, {"prompt_hash": "of old words"}):
        first = calls.filter(outcome="ok", finish="stop", tokens_in__isnull=False).first()
        assert first is not None
        calls.filter(pk=first.pk).update(**change)
        assert experience_with("openai", "model-a", "", Purpose.VERIFY) is None
        calls.filter(pk=first.pk).update(
            outcome="ok", finish="stop", tokens_in=first.tokens_in, prompt_hash=first.prompt_hash
        )
        assert experience_with("openai", "model-a", "", Purpose.VERIFY) is not None


def test_another_address_is_another_model(seen_audit: Callable[..., Audit]) -> None:
    seen_audit()
    assert experience_with("openai", "model-a", "https://gateway.example", Purpose.VERIFY) is None
    assert experience_with("qwen", "model-a", "", Purpose.VERIFY) is None


def test_verdicts_on_parts_of_the_contexts_are_not_compared(seen_audit: Callable[..., Audit]) -> None:
    audit = seen_audit(claims=1)
    verdict = audit.panel[0].verdicts.first()
    assert verdict is not None
    audit.panel[0].verdicts.filter(pk=verdict.pk).update(windows=3)
    assert experience_with("openai", "model-a", "", Purpose.VERIFY) is None


def test_what_came_out_of_the_cache_before_is_priced_so(project: Project, seen_audit: Callable[..., Audit]) -> None:
    seen_audit(cache_read=100, cache_write=0)
    dataset = make_dataset(project, samples=10)
    first, second = judges()
    dear = by_role(estimate(dataset=dataset, extractor=first, judges=[first, second]))[1]
    Judge.objects.filter(pk=first.pk).update(price_cache_read=D("0.1"))
    first.refresh_from_db()
    cheap = by_role(estimate(dataset=dataset, extractor=first, judges=[first, second]))[1]
    assert dear.cost is not None and cheap.cost is not None
    assert dear.cost - cheap.cost == pytest.approx(D("0.9") * 60 * 100 / 1_000_000, rel=D("0.01"))


def test_a_batch_halves_the_vendors_that_have_one(project: Project) -> None:
    dataset = make_dataset(project)
    first, other = make_judge("openai", "model-a"), make_judge("deepseek", "deepseek-v4")
    plain = by_role(estimate(dataset=dataset, extractor=first, judges=[first, other]))
    batch = by_role(estimate(dataset=dataset, extractor=first, judges=[first, other], batch=True))
    assert batch[1].cost is not None and plain[1].cost == 2 * batch[1].cost
    assert (batch[1].batch, batch[2].batch) == (True, False)
    assert plain[2].cost == batch[2].cost


def test_probes_are_asked_twice_each(project: Project) -> None:
    dataset = make_dataset(project, samples=100)
    plain, probed = estimated(dataset), estimated(dataset, probe_percent=10)
    assert plain.claims == probed.claims == 360
    assert [member.calls for member in probed.per_member] == [100, 360 + 72, 360 + 72]


def test_several_claims_share_a_call(project: Project, settings: Any) -> None:
    dataset = make_dataset(project, samples=0)
    make_sample(dataset, 0, answer="It is so. " * 10)  # 12 claims
    settings.ASSAY_CLAIMS_PER_CALL = 4
    _, first, _ = by_role(estimated(dataset))
    assert first.calls == 4  # 3, or 4 when the number of claims does not divide
    settings.ASSAY_CLAIMS_PER_CALL = 1
    assert by_role(estimated(dataset))[1].tokens_in > 2.5 * first.tokens_in


def really_asked(task: Task, room: int) -> tuple[int, int]:
    """Calls, and input tokens as we count them, of a judge that finds nothing in any window."""
    steps = verifying(task, range(len(task.contexts)), room)
    calls = tokens = 0
    asked = next(steps)
    with contextlib.suppress(StopIteration):
        while True:
            calls += len(asked)
            for prompt in map(build_prompt, asked):
                tokens += sum(map(count_tokens, (prompt.system, prompt.user, json.dumps(prompt.schema))))
            said = [{"claim": 1, "label": "UNVERIFIED", "rationale": "", "quotes": []}]
            asked = steps.send([Reply(json.dumps({"verdicts": said}), "m", "stop")] * len(asked))
    return calls, tokens


@pytest.mark.parametrize("window", [8_000, 12_000, 16_000, 200_000])
@pytest.mark.parametrize(
    ("language", "context", "claim"),
    [
        ("en", "The loan costs five percent a year. ", "The fee is 2 %."),
        ("zh", "贷款年利率为百分之五。", "年费为百分之二。"),
    ],
)
def test_long_contexts_are_counted_window_by_window(
    project: Project, window: int, language: str, context: str, claim: str
) -> None:
    contexts = [context * 300 for _ in range(4)]
    dataset = make_dataset(project, samples=0)
    make_sample(dataset, 0, answer=claim, contexts=contexts, language=language)
    judge, other = make_judge("openai", "m", context_tokens=window), make_judge("anthropic", "claude-b")
    found = by_role(estimate(dataset=dataset, extractor=other, judges=[judge, other]))[1]
    task = Task(Purpose.VERIFY, language, dataset.samples.get().question, contexts=tuple(contexts),
                claims=(ClaimText(1, claim),))  # fmt: skip
    calls, tokens = really_asked(task, room_in(window))
    # For 1.2 claims of the sentence. Windows are cut at sentences, so there may be one more than their size says.
    assert found.calls == pytest.approx(1.2 * calls, abs=1.3)
    assert found.tokens_in == pytest.approx(1.2 * tokens, rel=0.15)


def test_a_long_answer_is_cut_in_parts(project: Project) -> None:
    dataset = make_dataset(project, samples=0)
    answers = ["The fee of the account is two percent. " * 200, "账户年费为百分之二。" * 400, "It is so. " * 9]
    for position, answer in enumerate(answers):
        make_sample(dataset, position, answer=answer)
    extractor, _, _ = by_role(estimated(dataset))
    assert extractor.calls == sum(len(windows(split_sentences(answer))) for answer in answers) > 10


def test_the_audit_keeps_the_estimate_of_each_member(project: Project) -> None:
    first, second = judges()
    dataset = make_dataset(project)
    expected = estimate(dataset=dataset, extractor=first, judges=[first, second])
    audit = pipeline.start_audit(
        project=project, dataset=dataset, user=None, name="A", extractor=first, judges=[first, second],
        threshold=D("0.02"),
    )  # fmt: skip
    audit.refresh_from_db()
    assert audit.expected_cost == pytest.approx(expected.cost) and audit.expected_calls == expected.calls
    rows = [(row["name"], row["role"], row["position"], row["calls"], row["tokens_in"]) for row in audit.expected]
    assert rows == [
        (member.name, member.role, member.position, member.calls, member.tokens_in) for member in expected.per_member
    ]
    assert D(audit.expected[1]["cost"]) == expected.per_member[1].cost


def test_an_unknown_price_stays_unknown(project: Project) -> None:
    first, second = make_judge("openai", "model-a"), make_judge("anthropic", "new", price=None)
    found = estimate(dataset=make_dataset(project), extractor=first, judges=[first, second])
    assert found.cost is None and found.low is None and found.high is None
    assert found.unknown_prices == ("anthropic:new",)
    assert found.stored()[2]["cost"] is None and found.stored()[1]["cost"] is not None

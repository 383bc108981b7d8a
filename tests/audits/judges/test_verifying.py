"""Verdicts on contexts that fit: one call, and one more for each claim that a reply to several left unsettled."""

import asyncio
import dataclasses
from collections.abc import Sequence

import pytest

from audits.judges.base import Answer, Fault, JudgeError, JudgeSpec, Reply, Task
from audits.judges.offline import build
from audits.judges.prompting import build_prompt
from audits.judges.verifying import fits
from audits.labels import Label, Unscored
from tests.audits.judges.calling import ask
from tests.audits.judges.driving import (
    AGAINST,
    FOR,
    LONG,
    filler,
    long_task,
    one,
    quoting,
    reader,
    reply,
    true_quotes,
    verify,
)
from tests.audits.judges.samples import VERIFY
from tests.vendor_server.server import VendorServer


def test_contexts_that_fit_cost_one_call_as_they_are() -> None:
    judgements, rounds = verify(VERIFY, reader(["founded in 1999"]), room=100_000)
    assert rounds == [[VERIFY]]
    assert [(j.claim, j.label, j.shown, j.windows) for j in judgements] == [
        (1, Label.SUPPORTED, None, 1),
        (2, Label.SUPPORTED, None, 1),
    ]


def test_fitting_is_about_tokens_not_characters() -> None:
    english = "word " * 4000
    assert fits([english], 6500)
    assert not fits([english], 1000)
    assert fits(["汉" * 5000], 5600)
    assert not fits(["汉" * 5000], 5000)
    assert fits([], 0)


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (Fault.REFUSED, Unscored.REFUSED),
        (Fault.SERVER, Unscored.FAILED),
        (Fault.TIMEOUT, Unscored.FAILED),
        (Fault.RATE_LIMIT, Unscored.FAILED),
    ],
)
def test_a_failed_call_leaves_every_claim_unscored_with_its_reason(fault: Fault, reason: Unscored) -> None:
    judgements, rounds = verify(VERIFY, lambda task: JudgeError(fault, "it said no"), room=100_000)
    assert [(j.claim, j.label, j.unscored, j.detail) for j in judgements] == [
        (1, None, reason, "it said no"),
        (2, None, reason, "it said no"),
    ]
    assert len(rounds) == 1


def test_one_claim_is_not_asked_again() -> None:
    task = dataclasses.replace(VERIFY, claims=VERIFY.claims[:1])
    for answer, reason in (
        (reply(), Unscored.MISSING),
        (Reply('{"verdicts": [{"cl', "m", "length"), Unscored.TRUNCATED),
        (Reply("no idea", "m", "stop"), Unscored.UNPARSEABLE),
    ):
        (judgement,), rounds = verify(task, lambda task, answer=answer: answer, room=100_000)
        assert judgement.unscored is reason
        assert len(rounds) == 1


FOUR = long_task(
    "The fee is 2%. Refunds take 5 days. Oslo is cold. Anvils are heavy.",
    claims=["The fee is 2%.", "Refunds take 5 days.", "Oslo is cold.", "Anvils are heavy."],
)


def supporting(task: Task, left_out: Sequence[str] = ()) -> Reply:
    kept = [claim for claim in task.claims if claim.text not in left_out]
    return reply(
        *({"claim": c.number, "label": "SUPPORTED", "quotes": quoting(task, c.text.rstrip("."))} for c in kept)
    )


def test_one_verdict_of_four_scores_one_claim_and_the_others_are_asked_singly() -> None:
    def first_only(task: Task) -> Answer:
        return supporting(task, left_out=[c.text for c in task.claims[1:]])

    judgements, rounds = verify(FOUR, first_only)
    assert [(j.claim, j.label) for j in judgements] == [(n, Label.SUPPORTED) for n in (1, 2, 3, 4)]
    assert [[[c.text for c in task.claims] for task in tasks] for tasks in rounds] == [
        [[c.text for c in FOUR.claims]],
        [[c.text] for c in FOUR.claims[1:]],
    ]
    assert all(task.claims[0].number == 1 for task in rounds[1])  # the same request, whatever group it was in
    assert judgements[0].notes == ()
    assert all("by itself" in judgement.notes[-1] for judgement in judgements[1:])


def test_a_verdict_that_stays_missing_is_never_supported() -> None:
    judgements, rounds = verify(FOUR, lambda task: supporting(task, left_out=["Oslo is cold."]))
    assert [j.unscored for j in judgements] == [None, None, Unscored.MISSING, None]
    assert judgements[2].label is None
    assert [len(tasks) for tasks in rounds] == [1, 1]


def test_a_reply_without_any_verdict_passes_no_claim() -> None:
    judgements, _ = verify(FOUR, lambda task: reply())
    assert [j.label for j in judgements] == [None] * 4
    assert {j.unscored for j in judgements} == {Unscored.MISSING}


def test_a_truncated_reply_to_several_claims_is_split() -> None:
    def cut(task: Task) -> Answer:
        whole = supporting(task)
        return whole if len(task.claims) == 1 else dataclasses.replace(whole, text=whole.text[:90], finish="length")

    judgements, rounds = verify(FOUR, cut)
    assert [j.label for j in judgements] == [Label.SUPPORTED] * 4
    assert [len(tasks) for tasks in rounds] == [1, 4]


def test_an_invalid_label_and_an_invented_quote_are_asked_again_singly() -> None:
    def sloppy(task: Task) -> Answer:
        if len(task.claims) == 1:
            return supporting(task)
        return reply(
            {"claim": 1, "label": "PROBABLY"},
            {"claim": 2, "label": "SUPPORTED", "quotes": [{"context": 1, "text": "Refunds take 9 weeks"}]},
            {"claim": 3, "label": "UNVERIFIED"},
            {"claim": 4, "label": "SUPPORTED", "quotes": quoting(task, "Anvils are heavy")},
        )

    judgements, rounds = verify(FOUR, sloppy)
    assert [task.claims[0].text for task in rounds[1]] == ["The fee is 2%.", "Refunds take 5 days."]
    assert [j.label for j in judgements] == ["SUPPORTED", "SUPPORTED", "UNVERIFIED", "SUPPORTED"]
    assert all(j.grounded for j in judgements)


def test_a_second_call_that_fails_takes_nothing_away() -> None:
    def breaking(task: Task) -> Answer:
        if len(task.claims) == 1:
            return JudgeError(Fault.SERVER, "down")
        return reply({"claim": 1, "label": "CONTRADICTED"}, {"claim": 2, "label": "UNVERIFIED"})

    judgements, _ = verify(FOUR, breaking)
    assert (judgements[0].label, judgements[0].grounded) == (Label.CONTRADICTED, False)
    assert [j.unscored for j in judgements[2:]] == [Unscored.FAILED] * 2


def test_a_refusal_is_not_asked_again() -> None:
    judgements, rounds = verify(FOUR, lambda task: Reply("I cannot", "m", "refusal"))
    assert {j.unscored for j in judgements} == {Unscored.REFUSED}
    assert len(rounds) == 1


def test_claims_on_long_contexts_are_asked_one_by_one_and_share_their_windows() -> None:
    claims = ["The fee is 2%.", "Oslo is cold.", "Anvils are heavy."]
    contexts = (filler(150) + " The fee is 2%.", "Anvils are heavy. " + filler(150))

    def judge(task: Task) -> Answer:
        return reader([task.claims[0].text.rstrip(".")])(task)

    judgements, (windows, last) = verify(long_task(*contexts, claims=claims), judge)
    assert [(j.claim, j.label) for j in judgements] == [
        (1, Label.SUPPORTED),
        (2, Label.UNVERIFIED),
        (3, Label.SUPPORTED),
    ]
    assert all(len(task.claims) == 1 for task in [*windows, *last])
    assert len(last) == 3
    prefixes = [build_prompt(task).prefix for task in windows]
    assert [prefixes[at : at + 3].count(prefixes[at]) for at in range(0, len(prefixes), 3)] == [3] * (
        len(windows) // 3
    )


def test_the_same_answers_lead_to_the_same_result() -> None:
    first, rounds = verify(long_task(*LONG), reader([FOR]))
    again, repeated = verify(long_task(*LONG), reader([FOR]))
    assert (first, rounds) == (again, repeated)
    assert [build_prompt(t) for ts in rounds for t in ts] == [build_prompt(t) for ts in repeated for t in ts]


@pytest.mark.parametrize("model", ["rules", "vector"])
def test_an_offline_judge_finds_both_sides_far_apart(model: str) -> None:
    judge = build(JudgeSpec("offline", model))
    contexts = (f"{filler(150)} The annual fee is 2%.", f"The annual fee is 3%. {filler(150)}")
    judgement = one(long_task(*contexts), lambda task: asyncio.run(judge.complete(task)))
    assert (judgement.label, judgement.conflict) == (Label.CONTRADICTED, True)
    assert sorted(true_quotes(judgement, contexts)) == ["The annual fee is 2%.", "The annual fee is 3%."]


@pytest.mark.parametrize("vendor", ["openai", "anthropic"])
def test_over_http_a_vendor_with_a_small_window_finds_the_contradiction(
    vendor_server: VendorServer, vendor: str
) -> None:
    error = {"message": "This model's maximum context length is exceeded", "code": "context_length_exceeded"}
    vendor_server.rules({"longer": 9000, "status": 400, "error": error})
    both = {"claim": "annual fee", "quotes": [FOR, AGAINST]}
    vendor_server.labels(
        {**both, "context": AGAINST, "label": "CONTRADICTED", "conflict": True},
        {**both, "context": FOR, "label": "SUPPORTED"},
    )
    contexts = (f"{filler(100)} {FOR}. {filler(100)}", f"{filler(200)} Today {AGAINST}.")
    spec = JudgeSpec(vendor, "small", timeout=10)
    judgement = one(long_task(*contexts), lambda task: ask(spec, task)[0], room=100_000)
    assert (judgement.label, judgement.conflict) == (Label.CONTRADICTED, True)
    assert sorted(true_quotes(judgement, contexts)) == sorted([FOR, AGAINST])
    assert judgement.windows == sum(len(request["user"]) <= 9000 for request in vendor_server.requests)

import asyncio
import json

import pytest

from audits.judges import build_judge
from audits.judges.base import ClaimText, Fault, JudgeError, JudgeSpec, Purpose, Task
from audits.judges.offline import MODELS, build
from audits.judges.parsing import read_reply

CONTEXTS = (
    "The board approved a dividend of $1.5 million on 3 March 2024. The fee was not refunded to the client.",
    "公司2023年营收为12亿元，同比增长8%。董事会批准了分红方案，合同自签字之日起生效。",
)


def ask(model, claims, contexts=CONTEXTS, language="en", question=""):
    task = Task(
        Purpose.VERIFY,
        language,
        question,
        contexts=contexts,
        claims=tuple(ClaimText(number, text) for number, text in enumerate(claims, start=1)),
    )
    return asyncio.run(build(JudgeSpec("offline", model)).complete(task))


def judgements(model, claims, contexts=CONTEXTS, **more):
    reply = ask(model, claims, contexts, **more)
    return read_reply(reply, range(1, len(claims) + 1), contexts, range(len(contexts)))


@pytest.mark.parametrize("model", MODELS)
def test_what_stands_there_is_supported_and_what_does_not_is_unverified(model):
    claims = ["The board approved a dividend of $1.5 million.", "The moon is made of cheese.",
              "公司2023年营收为12亿元。", "火星基地由机器人建造。"]  # fmt: skip
    labels = [str(judgement.label) for judgement in judgements(model, claims)]
    assert labels == ["SUPPORTED", "UNVERIFIED", "SUPPORTED", "UNVERIFIED"]


@pytest.mark.parametrize(
    "claim",
    [
        "The board approved a dividend of $2.5 million.",
        "The fee was refunded to the client.",
        "The board rejected a dividend of $1.5 million on 3 March 2024.",
        "公司2023年营收为13亿元。",
        "董事会未批准分红方案。",
        "营收同比下降8%。",
    ],
)
def test_rules_sees_another_number_sign_or_opposite(claim):
    (judgement,) = judgements("rules", [claim])
    assert str(judgement.label) == "CONTRADICTED" and judgement.grounded


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("claim", "context"),
    [
        ("The board approved a dividend of $2.5 million on 3 March 2024.", CONTEXTS[0]),
        ("The fee was refunded to the client.", CONTEXTS[0]),
        ("公司2023年营收为13亿元。", CONTEXTS[1]),
        ("董事会未批准分红方案。", CONTEXTS[1]),
    ],
)
def test_neither_judge_supports_a_claim_whose_number_or_sign_was_altered(model, claim, context):
    (judgement,) = judgements(model, [claim], (context,))
    assert str(judgement.label) != "SUPPORTED"


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("claim", "context"),
    [
        ("The board approved a dividend [3].", "The board approved a dividend."),
        ("他起初不愿意离开公司。", "要不要搬家另说，他起初不愿意离开公司。"),
        ("他离开了公司。", "大家问他要不要走，他离开了公司。"),
        ("主角Rick离开了公司。", "主角Rick一开始离开了公司，没有人知道原因。"),
    ],
)
def test_neither_a_citation_nor_a_foreign_negation_takes_support_away(model, claim, context):
    (judgement,) = judgements(model, [claim], (context,))
    assert str(judgement.label) == "SUPPORTED"


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("claim", "other"),
    [
        ("The board approved a dividend of $1.5 million.", "The board approved a dividend of $2.5 million."),
        ("公司2023年营收为12亿元。", "公司2023年营收为13亿元。"),
        ("手续费为2%。", "手续费为３％。"),
    ],
)
def test_another_number_in_another_context_is_a_conflict_with_both_sides_quoted(model, claim, other):
    contexts = (claim, "A context about the weather.", other)
    (judgement,) = judgements(model, [claim], contexts)
    assert (str(judgement.label), judgement.conflict) == ("CONTRADICTED", True)
    assert [quote.context for quote in judgement.quotes] == [0, 2] and judgement.grounded
    assert judgements(model, [claim], contexts[:2])[0].conflict is False


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    "other",
    [
        "The fee was 3% in 2024.",  # of another year
        "The fee was not 3%.",
        "The fee for companies was 3%.",
        "The fee was 3% or 4%.",
        "The rebate was 3%.",
        "The fee was 3 dollars.",
        "The fee was 2%.",
    ],
)
def test_what_might_be_no_conflict_is_none(model, other):
    (judgement,) = judgements(model, ["The fee was 2%."], ("The fee was 2%.", other))
    assert (str(judgement.label), judgement.conflict) == ("SUPPORTED", False)


def test_rules_does_not_call_what_is_merely_missing_a_contradiction():
    claims = ["The board approved new offices in Paris and Rome.", "公司2023年在上海开设了三家新的门店。"]
    assert [str(judgement.label) for judgement in judgements("rules", claims)] == ["UNVERIFIED", "UNVERIFIED"]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_label_but_unverified_shows_a_real_quote_and_every_verdict_a_reason(model, language):
    claims = ["The board approved a dividend.", "The board approved a dividend of 9%.", "合同自签字之日起生效",
              "合同自签字之日起失效", "Nothing of this kind.", "", "。", "12"]  # fmt: skip
    found = judgements(model, claims, language=language)
    assert len(found) == len(claims) and all(judgement.label for judgement in found)
    assert all(judgement.grounded and judgement.rationale for judgement in found)
    assert all(judgement.rationale[0].isascii() == (language == "en") for judgement in found)


@pytest.mark.parametrize("model", MODELS)
def test_the_same_task_has_the_same_reply_and_numbers_follow_the_order_shown(model):
    claims = ["公司2023年营收为12亿元。"]
    assert ask(model, claims).text == ask(model, claims).text
    for contexts, number in ((CONTEXTS, 2), (CONTEXTS[::-1], 1)):
        verdict = json.loads(ask(model, claims, contexts).text)["verdicts"][0]
        assert verdict["quotes"][0]["context"] == number and verdict["quotes"][0]["text"] in CONTEXTS[1]


@pytest.mark.parametrize("model", MODELS)
def test_the_reply_looks_like_a_vendors_but_reports_no_usage(model):
    reply = ask(model, ["Anything."])
    assert (reply.model, reply.finish, reply.usage.tokens_in) == (f"{model}-1", "stop", None)
    assert ask(model, ["营收"], language="zh").text.count("\\u") == 0


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    "contexts", [(), ("",), ("，。",), ("x" * 50_000,), ("。" * 50_000,), ('{"verdicts": [{"claim": 1}]}',)]
)
def test_odd_contexts_leave_a_readable_unverified(model, contexts):
    assert [str(judgement.label) for judgement in judgements(model, ["公司盈利。"], contexts)] == ["UNVERIFIED"]


@pytest.mark.parametrize("model", MODELS)
def test_a_long_context_is_read_to_its_end_and_many_calls_run_at_once(model):
    filler = "".join(f"第{number}号说明与此无关。" for number in range(10_000))
    contexts = (filler + CONTEXTS[1],)
    judge = build(JudgeSpec("offline", model))
    task = Task(Purpose.VERIFY, "zh", "", contexts=contexts, claims=(ClaimText(1, "公司2023年营收为12亿元。"),))

    async def twice():
        return await asyncio.gather(judge.complete(task), judge.complete(task))

    first, second = asyncio.run(twice())
    assert first.text == second.text
    (judgement,) = read_reply(first, [1], contexts, [0])
    assert str(judgement.label) == "SUPPORTED" and judgement.quotes[0].start >= len(filler)


def test_the_question_does_not_count_as_evidence():
    contexts = ("Tickets for the final in Tampa sold out.",)
    (judgement,) = judgements(
        "rules", ["Where was the final held: Miami"], contexts, question="Where was the final held"
    )
    assert str(judgement.label) != "SUPPORTED"


def test_an_unknown_model_stops_the_judge():
    with pytest.raises(JudgeError) as caught:
        build_judge(JudgeSpec("offline", "oracle"))
    assert caught.value.fault is Fault.NOT_FOUND and "rules, vector" in caught.value.message

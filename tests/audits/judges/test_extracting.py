"""One answer in several calls: parts, cut replies, sentences left out, failures. The generator is driven by hand."""

import json
import re

import pytest

from audits.judges.base import Fault, JudgeError, JudgeSpec, Purpose, Reply, Task
from audits.judges.extracting import MAX_CUTS, ExtractionFailed, extracting
from audits.judges.prompting import build_prompt, request_hash
from audits.labels import Unscored
from audits.text.sentences import split_sentences

ANSWER = "甲公司成立于1999年。它在上海。你呢？"


def task_of(answer=ANSWER, language="zh"):
    sentences = tuple(split_sentences(answer))
    return Task(Purpose.EXTRACT, language, "甲公司？", answer=answer, sentences=sentences)


def reply(claims=(), no_claims=(), finish="stop"):
    """claims: (sentence, text); no_claims: (sentence, reason)."""
    said = {
        "claims": [{"sentence": number, "text": text, "vague": False, "ambiguous": False} for number, text in claims],
        "no_claims": [{"sentence": number, "reason": reason} for number, reason in no_claims],
    }
    return Reply(json.dumps(said, ensure_ascii=False), "m", finish)


def whole(task):
    """A reply that makes a claim of each sentence asked."""
    return reply([(sentence.number, sentence.text) for sentence in task.sentences])


def drive(task, *rounds, **options):
    """Run to the end. rounds: what each list of tasks is answered with, a list or a function of one task.

    Returns the result and the tasks of each round.
    """
    steps = extracting(task, **options)
    asked, sent = [], None
    for answers in (*rounds, None):
        try:
            tasks = steps.send(sent)
        except StopIteration as stop:
            assert answers is None, "fewer rounds were asked than expected"
            return stop.value, asked
        assert answers is not None, f"asked once more: {[numbers(task) for task in tasks]}"
        asked.append(list(tasks))
        sent = [answers(task) for task in tasks] if callable(answers) else answers
    raise AssertionError


def numbers(task):
    return [sentence.number for sentence in task.sentences]


def shown(tasks):
    return [numbers(task) for task in tasks]


def test_an_answer_that_fits_takes_one_call_of_the_task_as_it_is():
    task = task_of()
    claims = [(2, "甲公司在上海。"), (1, "甲公司成立于1999年。")]
    found, asked = drive(task, [reply(claims, [(3, "question")])])
    assert asked == [[task]]
    assert [(claim.sentence, claim.text) for claim in found.claims] == sorted(claims)
    assert (found.no_claims, found.unaccounted, found.parts, found.asked_again) == ({3: "question"}, (), 1, False)


def test_an_answer_without_sentences_takes_no_call():
    found, asked = drive(task_of("😀 …"))
    assert asked == []
    assert (found.claims, found.no_claims, found.unaccounted) == ((), {}, ())


def test_a_long_answer_is_asked_in_parts_at_once_and_put_together_in_order():
    answer = "".join(f"第{number}项费用为{number}元。" for number in range(1, 71))
    found, asked = drive(task_of(answer), whole)
    assert [n for numbers in shown(asked[0]) for n in numbers] == list(range(1, 71))
    assert len(asked[0]) == 3
    middle = asked[0][1]
    first = numbers(middle)[0]
    around = [first - 3, first - 2, first - 1, numbers(middle)[-1] + 1]
    assert [sentence.number for sentence in middle.neighbours] == [1, *around]
    assert [claim.sentence for claim in found.claims] == list(range(1, 71))
    assert all(answer[claim.start : claim.end] == claim.text for claim in found.claims)
    assert (found.parts, found.unaccounted, found.asked_again) == (3, (), False)


def test_sentences_beside_a_part_yield_no_claims():
    answer = "".join(f"第{number}项费用为{number}元。" for number in range(1, 41))

    def greedy(task):
        own, beside = whole(task), [(s.number, s.text) for s in task.neighbours]
        return reply([(c["sentence"], c["text"]) for c in json.loads(own.text)["claims"]] + beside)

    found, asked = drive(task_of(answer), greedy)
    assert len(found.claims) == 40
    assert asked[0][0].neighbours and asked[0][1].neighbours
    assert "unknown sentence" in found.notes[0]


def test_the_same_claim_of_two_parts_stays_two_claims_at_their_own_places():
    answer = "费用为5元。" * 40
    found, _ = drive(task_of(answer), whole)
    assert [(claim.sentence, claim.start) for claim in found.claims] == [(n + 1, 6 * n) for n in range(40)]


def test_sentences_left_out_are_asked_again_once_and_only_they():
    task = task_of()
    found, (_, again) = drive(task, [reply([(1, "甲公司成立于1999年。")])], [reply([(2, "甲公司在上海。")])])
    assert shown(again) == [[2, 3]]
    assert again[0].again and [sentence.number for sentence in again[0].neighbours] == [1]
    assert [claim.sentence for claim in found.claims] == [1, 2]
    assert (found.unaccounted, found.asked_again, found.parts) == ((3,), True, 2)


@pytest.mark.parametrize(
    "answer",
    [
        JudgeError(Fault.TIMEOUT, "It took too long."),
        Reply("I will not.", "m", "refusal"),
        Reply("no JSON", "m", "stop"),
        Reply('{"claims": [', "m", "length"),
    ],
)
def test_asking_again_in_vain_leaves_what_was_found_and_the_rest_in_view(answer):
    found, asked = drive(task_of(), [reply([(1, "x"), (2, "y")])], [answer])
    assert shown(asked[1]) == [[3]]
    assert [claim.text for claim in found.claims] == ["x", "y"]
    assert (found.unaccounted, found.asked_again) == ((3,), True)
    assert found.notes[-1].startswith("Asked again in vain. Sentence 3: ")


@pytest.mark.parametrize("empty", [reply(), reply([(7, "of no sentence that was asked")])])
def test_a_reply_that_says_nothing_is_asked_again_once_and_then_fails(empty):
    with pytest.raises(ExtractionFailed, match="neither claims nor a reason") as failure:
        drive(task_of(), [empty], [empty])
    assert failure.value.reason is Unscored.UNPARSEABLE
    found, asked = drive(task_of(), [empty], [reply([(1, "x")], [(2, "other"), (3, "question")])])
    assert shown(asked[1]) == [[1, 2, 3]]
    assert (found.parts, found.asked_again, len(found.claims)) == (2, True, 1)


def test_a_silent_reply_and_then_an_error_is_a_failure():
    with pytest.raises(ExtractionFailed, match=r"^It took too long\.$") as failure:
        drive(task_of(), [reply()], [JudgeError(Fault.TIMEOUT, "It took too long.")])
    assert failure.value.reason is Unscored.FAILED


@pytest.mark.parametrize(
    ("answer", "reasons"),
    [
        ("抱歉，资料中没有相关信息。建议您咨询客服。", {1: "refusal", 2: "other"}),
        ("I don't know. Please contact support.", {1: "refusal", 2: "other"}),
    ],
)
def test_a_refusal_needs_no_second_call(answer, reasons):
    for said in ([], [(1, "refusal")]):
        found, asked = drive(task_of(answer), [reply([], said)])
        assert len(asked) == 1
        assert (found.claims, found.no_claims, found.unaccounted) == ((), reasons, ())


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (JudgeError(Fault.REFUSED, "Filtered."), Unscored.REFUSED),
        (JudgeError(Fault.TOO_LONG, "Too long."), Unscored.TOO_LONG),
        (JudgeError(Fault.NETWORK, "Reset."), Unscored.FAILED),
        (Reply("", "m", "refusal"), Unscored.REFUSED),
        (Reply("I would rather not.", "m", "refusal"), Unscored.REFUSED),
        (Reply("Here are the claims: none", "m", "stop"), Unscored.UNPARSEABLE),
        (Reply('{"claims": [{"sentence": 1, "te', "m", "stop"), Unscored.UNPARSEABLE),
        (Reply('{"claims": [{"sentence": 1, "te', "m", "length"), Unscored.TRUNCATED),
    ],
)
def test_what_cannot_be_used_fails_with_its_reason(answer, reason):
    with pytest.raises(ExtractionFailed) as failure:
        drive(task_of("甲公司成立于1999年。"), [answer])
    assert failure.value.reason is reason
    assert str(failure.value) and "Sentence" not in str(failure.value)


def test_a_part_that_fails_fails_the_whole_and_is_named():
    answer = "".join(f"第{number}项费用为{number}元。" for number in range(1, 71))

    def but_not_the_middle(task):
        return JudgeError(Fault.REFUSED, "Filtered.") if 30 in numbers(task) else whole(task)

    with pytest.raises(ExtractionFailed, match=r"^Sentences \d+-\d+: Filtered\.$") as failure:
        drive(task_of(answer), but_not_the_middle)
    low, high = map(int, re.findall(r"\d+", str(failure.value)))
    assert 1 < low <= 30 <= high < 70


def test_a_cut_reply_keeps_what_is_whole_and_goes_on_with_the_rest_in_smaller_parts():
    answer = "".join(f"第{number}项费用为{number}元。" for number in range(1, 9))
    full = whole(task_of(answer)).text
    cut = Reply(full[: full.index('"sentence": 4') + 20], "m", "length")
    found, asked = drive(task_of(answer), [cut], whole)
    assert shown(asked[1]) == [[3, 4, 5], [6, 7, 8]]  # 3 was the last one seen: more of it may have been cut off
    assert asked[1][0].neighbours[-1].number == 6
    assert [claim.sentence for claim in found.claims] == list(range(1, 9))
    assert (found.parts, found.unaccounted, found.asked_again) == (3, (), False)
    assert "A reply was cut; Sentences 3-8 asked again" in found.notes[0]


def test_nothing_is_kept_of_a_cut_reply_that_is_not_sure():
    answer = "费用为5元。" * 4
    evil = '{"claims": [{"sentence": 4, "text": "evil"}, {"sentence": 1, "text": "evil"}, '
    found, asked = drive(task_of(answer), [Reply(evil, "m", "length")], whole)
    assert shown(asked[1]) == [[1, 2], [3, 4]]
    assert {claim.text for claim in found.claims} == {"费用为5元。"}


def test_a_whole_reply_that_says_it_was_cut_is_whole():
    found, asked = drive(task_of(), [reply([(1, "x"), (2, "y")], [(3, "question")], finish="length")])
    assert len(asked) == 1 and len(found.claims) == 2


def test_a_model_that_is_always_cut_is_given_up_after_a_few_rounds():
    answer = "费用为5元。" * 29
    cut = Reply('{"claims": [', "m", "length")
    with pytest.raises(ExtractionFailed, match="cut at the token limit") as failure:
        drive(task_of(answer), *[lambda task: cut] * (MAX_CUTS + 1))
    assert failure.value.reason is Unscored.TRUNCATED


def test_a_request_that_is_too_long_is_asked_in_halves():
    answer = "费用为5元。" * 4

    def small(task):
        return whole(task) if len(task.sentences) < 3 else JudgeError(Fault.TOO_LONG, "Too long.")

    found, asked = drive(task_of(answer), small, small)
    assert [len(tasks) for tasks in asked] == [1, 2]
    assert len(found.claims) == 4


def test_no_two_requests_for_an_answer_are_the_same_and_a_second_run_asks_the_same():
    answer = "".join(f"第{number}项费用为{number}元。" for number in range(1, 41))
    spec = JudgeSpec("openai", "m")
    cut = Reply('{"claims": [', "m", "length")

    def first(task):
        return cut if 1 in numbers(task) else reply()

    def run():
        _, asked = drive(task_of(answer), first, whole, whole)
        return [request_hash(spec, build_prompt(task)) for tasks in asked for task in tasks]

    hashes = run()
    assert len(set(hashes)) == len(hashes) == 5
    assert run() == hashes


def test_thousands_of_claims_are_no_answer():
    answer = "费用为5元。" * 40

    def many(task):
        return reply([(task.sentences[0].number, f"费用{number}") for number in range(600)])

    with pytest.raises(ExtractionFailed, match="more than 1000 claims"):
        drive(task_of(answer), many)

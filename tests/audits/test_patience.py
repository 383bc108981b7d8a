"""When a judge is asked again: no I/O and no clock."""

import json

import pytest

from audits.judges.base import Fault, JudgeError, Reply
from audits.patience import Patience, Policy
from tests.audits.judges.samples import EXTRACT, VERIFY, VERIFY_ZH

ONE = VERIFY.__class__(**{**VERIFY.__dict__, "claims": VERIFY.claims[:1]})


def reply(*verdicts: tuple[int, str], finish: str = "stop", tail: str = "") -> Reply:
    entries = [{"claim": claim, "label": label, "quotes": [], "rationale": ""} for claim, label in verdicts]
    return Reply(json.dumps({"verdicts": entries}, ensure_ascii=False) + tail, "m", finish)


@pytest.mark.parametrize(
    ("said", "again"),
    [
        (reply((1, "SUPPORTED")), False),
        (reply((1, "无据")), False),
        (reply((1, "MAYBE")), True),
        (reply((2, "SUPPORTED")), True),
        (reply(), True),
        (reply((1, "SUPPORTED"), (1, "UNVERIFIED")), True),
        (reply((1, "SUPPORTED"), (1, "supported.")), False),
        (Reply("SUPPORTED", "m", "stop"), True),
        (Reply("", "m", "refusal"), False),
    ],
)
def test_a_single_claim_without_one_label_is_asked_once_more(said: Reply, again: bool) -> None:
    patience = Patience(Policy(), ONE, 100)
    assert patience.after_reply(said) is again
    assert patience.after_reply(said) is False


def test_what_several_claims_left_out_is_not_asked_all_over() -> None:
    assert not Patience(Policy(), VERIFY, 100).after_reply(reply((1, "SUPPORTED")))
    assert not Patience(Policy(), VERIFY_ZH, 100).after_reply(reply())
    assert not Patience(Policy(), EXTRACT, 100).after_reply(Reply('{"claims": []}', "m", "stop"))


def test_a_cut_reply_gets_twice_the_room_once() -> None:
    patience, cut = Patience(Policy(), VERIFY, 100), Reply('{"verdicts": [{"cl', "m", "length")
    assert patience.after_reply(cut) and patience.max_tokens == 200
    assert not patience.after_reply(cut)
    assert patience.instead_of(JudgeError(Fault.CONFIG, "too large", status=400)) is cut


def test_a_whole_answer_with_endless_blanks_behind_it_is_not_bought_again() -> None:
    patience = Patience(Policy(), ONE, 100)
    assert not patience.after_reply(reply((1, "SUPPORTED"), finish="length", tail="\n" * 5000))
    assert patience.max_tokens is None


def test_there_is_a_cap_on_tries_and_one_on_time() -> None:
    error = JudgeError(Fault.TIMEOUT, "x")
    tries = Patience(Policy(max_tries=3), VERIFY, 100)
    assert [tries.after_error(error) is None for _ in range(3)] == [False, False, True]
    slow = Patience(Policy(max_tries=9, longest=300), VERIFY, 100)
    assert slow.after_error(error, elapsed=120) is not None
    assert slow.after_error(error, elapsed=301) is None

"""What a call costs, and at most can cost: unknown is never 0, and cached tokens have prices of their own."""

from decimal import Decimal

import pytest

from audits.judges.base import ClaimText, Purpose, Task, Usage
from audits.judges.prompting import build_prompt
from audits.models.judge import price
from audits.prices import BATCH_SHARE, FRAME_TOKENS, Prices, has_batches, size_of

D = Decimal
CLAUDE = Prices(D(3), D(15), D("0.3"), D("3.75"))


def test_cached_tokens_are_billed_at_their_own_prices() -> None:
    # 100,000 in all: 60,000 read at 0.30, 10,000 written at 3.75, 30,000 plain at 3; 2,000 out at 15
    usage = Usage(100_000, 2_000, cache_read=60_000, cache_write=10_000)
    assert CLAUDE.cost(usage) == D("0.018") + D("0.0375") + D("0.09") + D("0.03")


def test_without_prices_of_its_own_a_cached_token_costs_what_others_cost() -> None:
    assert Prices(D(3), D(15)).cost(Usage(100_000, 2_000, 60_000, 10_000)) == D("0.33")


@pytest.mark.parametrize(
    "usage",
    [
        Usage(None, 20, 10, 10),
        Usage(100, None, 10, 10),
        Usage(100, 20, None, 10),  # needed: read tokens have a price of their own
        Usage(100, 20, 10, None),
        Usage(15, 20, 10, 10),  # more cached than all: these are no counts
    ],
)
def test_a_missing_count_that_is_needed_leaves_the_cost_unknown(usage: Usage) -> None:
    assert CLAUDE.cost(usage) is None


def test_a_count_that_is_not_needed_may_be_missing() -> None:
    same = Prices(D(3), D(15), D(3), D(3))  # cached tokens at the price of others
    assert same.cost(Usage(100_000, 2_000)) == D("0.33")
    only_read = Prices(D(3), D(15), D("0.3"), D(3))
    assert only_read.cost(Usage(100_000, 0, 50_000, None)) == D("0.15") + D("0.015")


@pytest.mark.parametrize("unknown", [Prices(None, D(15)), Prices(D(3), None), Prices(None, None)])
def test_an_unknown_price_is_not_zero(unknown: Prices) -> None:
    assert unknown.cost(Usage(100, 20, 0, 0)) is None
    assert unknown.at_most(100, 20) is None and not unknown.known


def test_zero_is_a_price() -> None:
    free = Prices(D(0), D(0), D(0), D(0))
    assert free.known and free.cost(Usage()) == 0  # whatever was used, and although nobody said how much
    assert free.at_most(10**6, 10**6) == 0
    assert Prices(D(0), D(2)).cost(Usage(None, 1_000_000)) == 2


def test_a_batch_costs_half() -> None:
    usage = Usage(100_000, 2_000, 60_000, 10_000)
    whole = CLAUDE.cost(usage)
    assert whole is not None and CLAUDE.cost(usage, BATCH_SHARE) == whole / 2


def test_the_function_says_the_same_and_needs_no_more_than_before() -> None:
    assert price(D(1), D(2), 1_000_000, 500_000) == 2
    assert price(D(1), D(2), 1_000_000, None) is None
    halved = price(
        D(3), D(15), 100_000, 2_000, cache_read=60_000, cache_write=10_000, price_cache_read=D("0.3"),
        price_cache_write=D("3.75"), share=D("0.5"),
    )  # fmt: skip
    assert halved == D("0.1755") / 2


def test_blank_cache_prices_are_settled_by_what_the_vendor_documents() -> None:
    assert Prices(D(3), D(15)).settled("anthropic") == Prices(D(3), D(15), D("0.3"), D("3.75"))
    assert Prices(D(3), D(15)).settled("openai") == Prices(D(3), D(15), D(3), D(3))
    entered = Prices(D(3), D(15), D(0), D(4))
    assert entered.settled("anthropic") == entered  # 0 was entered: a price
    assert Prices(None, D(15)).settled("anthropic") == Prices(None, D(15))
    assert Prices(D("0.0004"), D(1)).settled("anthropic").cache_read == D("0.0001")  # stored with four decimals


def test_no_call_costs_more_than_at_most() -> None:
    """The dearest case: each byte a token, all of them written to the cache, and the whole reply used up."""
    size, room = 5_000, 4_000
    bound = CLAUDE.at_most(size, room)
    assert bound == (D("3.75") * (size + FRAME_TOKENS) + 15 * room) / 1_000_000
    for read, write in ((0, 0), (size, 0), (0, size), (size // 2, size // 2)):
        cost = CLAUDE.cost(Usage(size, room, read, write))
        assert cost is not None and bound is not None and cost <= bound
    assert CLAUDE.at_most(size, room, BATCH_SHARE) == bound / 2


def test_a_request_is_measured_in_bytes_with_its_schema() -> None:
    def sized(question: str) -> int:
        task = Task(Purpose.VERIFY, "zh", question, contexts=("年费为 200 元。",), claims=(ClaimText(1, "年费。"),))
        return size_of(build_prompt(task))

    assert sized("费用是多少？") - sized("费") == 5 * 3  # a Chinese character has three bytes
    prompt = build_prompt(Task(Purpose.VERIFY, "zh", ""))
    words = len((prompt.system + prompt.user).encode())
    assert size_of(prompt) > words + 100


def test_batches_are_the_vendors_own() -> None:
    assert has_batches("openai") and has_batches("anthropic")
    assert not has_batches("deepseek") and not has_batches("offline") and not has_batches("unheard-of")

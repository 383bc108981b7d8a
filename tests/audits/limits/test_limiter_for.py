"""One limiter per judge, address and loop; forgotten when it ends."""

import asyncio

from audits import limits
from audits.limits import Limits, limiter_for
from audits.limits.shared import SharedLimiter


def test_the_same_key_gives_the_same_limiter_and_new_limits_change_it() -> None:
    async def main() -> None:
        one = limiter_for("openai:判官", Limits(4))
        assert limiter_for("openai:判官", Limits(4)) is one
        assert limiter_for("anthropic:判官", Limits(4)) is not one
        assert limiter_for("openai:判官", Limits(9, rpm=60)) is one
        assert one.limits == Limits(9, rpm=60) and one.state().wanted == 9
        await limits.close_limiters()
        assert one.closed and limiter_for("openai:判官", Limits(4)) is not one

    asyncio.run(main())


def test_a_new_loop_gets_its_own_and_those_of_ended_loops_are_forgotten() -> None:
    async def get() -> limits.Limiter:
        return limiter_for("k", Limits(4))

    first = asyncio.run(get())
    second = asyncio.run(get())
    assert first is not second
    assert first not in limits._limiters.values()


def test_an_address_of_redis_makes_it_shared() -> None:
    async def main() -> None:
        shared = limiter_for("k", Limits(4), "redis://127.0.0.1:1/0")
        assert isinstance(shared, SharedLimiter)
        assert shared.name.startswith("assay:limit:") and len(shared.name) == len("assay:limit:") + 32
        await limits.close_limiters()

    asyncio.run(main())


def test_limiters_of_other_loops_stay_open() -> None:
    async def get() -> limits.Limiter:
        return limiter_for("other", Limits(4))

    other_loop = asyncio.new_event_loop()
    other = other_loop.run_until_complete(get())
    asyncio.run(limits.close_limiters())
    assert not other.closed
    other_loop.run_until_complete(limits.close_limiters())
    assert other.closed
    other_loop.close()

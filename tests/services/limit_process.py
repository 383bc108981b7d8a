"""A worker process for test_shared_limits: makes calls under a shared limiter and prints when each began and ended.

Arguments: address of Redis, prefix, key, concurrency, number of calls (0: for ever). One line per event:
"+ TIME" and "- TIME", the system's monotonic clock, which all processes share.
"""

import asyncio
import sys
import time

from audits.limits import Limits
from audits.limits.shared import SharedLimiter
from tests.services.limits_at_work import PACE


async def main(url: str, prefix: str, key: str, concurrency: int, calls: int) -> None:
    limiter = SharedLimiter(key, Limits(concurrency), url, prefix=prefix, pace=PACE)

    async def call() -> None:
        await limiter.acquire(0)
        print("+", time.monotonic(), flush=True)
        await asyncio.sleep(0.02)
        print("-", time.monotonic(), flush=True)
        limiter.release(fault=None, latency=0.02)

    async def caller(share: int) -> None:
        while share:
            share -= 1
            await call()

    await asyncio.gather(*(caller(calls // 20 or -1) for _ in range(20)))
    await limiter.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:4], *map(int, sys.argv[4:6])))

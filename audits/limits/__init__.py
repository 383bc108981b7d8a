"""Limits of a judge: how many calls at a time, requests and tokens per minute; alone or with other processes.

limiter = limiter_for(key, Limits(concurrency=16, rpm=600), redis_url)
if not limiter.try_acquire(estimate):
    await limiter.acquire(estimate)
... one call ...
limiter.release(fault=None, latency=seconds, tokens=used)

In any 60 seconds at most rpm requests and tpm tokens pass, plus a burst: alone one second's worth (buckets.py), with
other processes at most three, since each holds a little ahead (stock.py); or one request that is larger than that.
Without contact to Redis each process goes on with its last share.
"""

import asyncio
import os
from typing import Any

from audits.limits.base import Limits, LimitState, Tuning
from audits.limits.local import Limiter

__all__ = ["LimitState", "Limiter", "Limits", "Tuning", "close_limiters", "limiter_for"]

_Key = tuple[Any, str, str]  # loop, key, address of Redis
_limiters: dict[_Key, Limiter] = {}
_asked: dict[_Key, Limits] = {}
_inherited: list[Any] = []  # kept alive in a forked child: to collect them would disturb the parent's connections


def limiter_for(key: str, limits: Limits, redis_url: str = "") -> Limiter:
    """The limiter of a judge in this process, the same one for the same key. Call it on the loop that will use it.

    key tells judges apart and is stored as a hash; without redis_url nobody else shares the limits. Asking with other
    limits than the last time changes them.
    """
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        loop = None
    name = (loop, key, redis_url)
    limiter = _limiters.get(name)
    if limiter is None or limiter.closed:
        _drop_ended()
        limiter = _limiters[name] = _new(key, limits, redis_url)
    elif _asked[name] != limits:
        limiter.change(limits)
    _asked[name] = limits
    return limiter


async def close_limiters() -> None:
    """Close all limiters of the running loop, before it ends: their places go back to other processes at once."""
    loop = asyncio.get_running_loop()
    await asyncio.gather(*(limiter.close() for name, limiter in list(_limiters.items()) if name[0] is loop))
    _drop_ended()


def _new(key: str, limits: Limits, redis_url: str) -> Limiter:
    if not redis_url:
        return Limiter(limits)
    from audits.limits.shared import SharedLimiter  # the client of Redis takes a while to import

    return SharedLimiter(key, limits, redis_url)


def _drop_ended() -> None:
    """Forget limiters that were closed or whose loop has ended."""
    for name, limiter in list(_limiters.items()):
        if limiter.closed or (name[0] is not None and name[0].is_closed()):
            del _limiters[name], _asked[name]


def _forget() -> None:
    """After a fork the loops live in the parent only."""
    _inherited.append((_limiters.copy(), _asked.copy()))
    _limiters.clear()
    _asked.clear()


os.register_at_fork(after_in_child=_forget)

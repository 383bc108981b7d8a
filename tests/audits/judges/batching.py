"""Drives the batch interface of one judge, built, used and closed within one event loop."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from audits.judges import build_judge
from audits.judges.base import JudgeError, JudgeSpec, Reply, Task
from audits.judges.batching import BatchFile, BatchJudge, BatchState, custom_id
from audits.judges.prompting import build_prompt

T = TypeVar("T")
TAG = uuid.UUID("0f0e0d0c-0b0a-0908-0706-050403020100")
OTHER = uuid.UUID("ffffffff-0b0a-0908-0706-050403020100")
LONG_AGO = datetime.now(UTC) - timedelta(days=1)


def drive(spec: JudgeSpec, use: Callable[[BatchJudge], Awaitable[T]]) -> T:
    """What `use` makes of the judge. Each call is a process of its own, so to say: nothing is remembered between."""

    async def run() -> T:
        judge = build_judge(spec)
        assert isinstance(judge, BatchJudge)
        try:
            return await use(judge)
        finally:
            await judge.close()

    return asyncio.run(run())


def filled(judge: BatchJudge, tag: uuid.UUID, *tasks: Task) -> BatchFile:
    """A file with these tasks, numbered from 1."""
    file = judge.batch_file()
    for number, task in enumerate(tasks, start=1):
        assert file.add(custom_id(tag, number), build_prompt(task))
    return file


async def submit(judge: BatchJudge, *tasks: Task, tag: uuid.UUID = TAG) -> BatchState:
    """Hand a batch of these tasks over."""
    file = filled(judge, tag, *tasks)
    try:
        return await judge.submit_batch(tag, file)
    finally:
        file.close()


async def collect(judge: BatchJudge, vendor_id: str) -> list[tuple[str, Reply | JudgeError]]:
    """All results, as they come."""
    async with aclosing(judge.collect(vendor_id)) as results:
        return [result async for result in results]


async def through(judge: BatchJudge, *tasks: Task) -> dict[str, Reply | JudgeError]:
    """Hand over, look until it is over, collect."""
    state = await submit(judge, *tasks)
    for _ in range(10):
        state = await judge.look(state.vendor_id)
        if state.status.collectable:
            return dict(await collect(judge, state.vendor_id))
    raise AssertionError(f"the batch is still {state.says}")


async def fault_of(call: Awaitable[object]) -> JudgeError:
    """The error that a call is expected to end with."""
    try:
        result = await call
    except JudgeError as error:
        return error
    raise AssertionError(f"no error, but {result}")

"""Makes calls on a judge that is built, used and closed within one event loop."""

import asyncio
from typing import Any

from audits.judges import build_judge
from audits.judges.base import JudgeError, JudgeSpec, Reply, Task


def ask(spec: JudgeSpec, *tasks: Task, **options: Any) -> list[Reply | JudgeError]:
    """Ask one judge the tasks one after the other; errors are returned, not raised."""

    async def run() -> list[Reply | JudgeError]:
        judge = build_judge(spec)
        results: list[Reply | JudgeError] = []
        try:
            for task in tasks:
                try:
                    results.append(await judge.complete(task, **options))
                except JudgeError as error:
                    results.append(error)
        finally:
            await judge.close()
        return results

    return asyncio.run(run())


def ask_one(spec: JudgeSpec, task: Task, **options: Any) -> Reply:
    """Ask once and expect a reply."""
    (result,) = ask(spec, task, **options)
    assert isinstance(result, Reply), result
    return result


def fail_one(spec: JudgeSpec, task: Task, **options: Any) -> JudgeError:
    """Ask once and expect an error."""
    (result,) = ask(spec, task, **options)
    assert isinstance(result, JudgeError), result
    return result

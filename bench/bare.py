"""The best path through the vendors' SDKs and nothing else: `python -m bench.bare ROWS URL AT_ONCE`.

The calls of an audit of the same rows (one per answer, then one per claim and judge), over long-lived clients on
aiohttp, their replies read as JSON and thrown away: no database, no limits, no check of evidence, no ledger.
"""

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from typing import Any

import anthropic
import httpx2
import openai

from audits.judges.base import ClaimText, Prompt, Purpose, Task
from audits.judges.prompting import build_prompt
from audits.text.sentences import split_sentences

WARM_UP = 64  # calls before those that count
ROOM = 4096  # tokens of a reply


def prompts(rows: list[dict[str, Any]]) -> Iterator[tuple[str, Prompt]]:
    """(vendor, prompt) of each call, built beforehand: building is no part of the path."""
    for row in rows:
        language = "zh" if "资费" in row["question"] else "en"
        sentences = tuple(split_sentences(row["answer"]))
        shared = {"language": language, "question": row["question"]}
        yield "openai", build_prompt(Task(Purpose.EXTRACT, answer=row["answer"], sentences=sentences, **shared))
        for vendor in ("openai", "anthropic"):
            for sentence in sentences:
                claims = (ClaimText(1, sentence.text.rstrip(".。")),)
                contexts = tuple(row["contexts"])
                yield vendor, build_prompt(Task(Purpose.VERIFY, contexts=contexts, claims=claims, **shared))


def body(vendor: str, prompt: Prompt) -> dict[str, Any]:
    """A request as the engine sends it: the same words and schema."""
    user = {"role": "user", "content": prompt.user}
    if vendor == "openai":
        schema = {"name": prompt.schema_name, "strict": True, "schema": prompt.schema}
        return {
            "model": "gpt-bare",
            "messages": [{"role": "system", "content": prompt.system}, user],
            "response_format": {"type": "json_schema", "json_schema": schema},
            "max_completion_tokens": ROOM,
        }
    form = {"format": {"type": "json_schema", "schema": prompt.schema}}
    shared = {"model": "claude-bare", "max_tokens": ROOM, "output_config": form}
    return {**shared, "system": prompt.system, "messages": [user]}


async def run(rows: list[dict[str, Any]], url: str, at_once: int) -> dict[str, Any]:
    """Warm up, wait for a line, measure."""
    settings: dict[str, Any] = {"api_key": "sk-bench", "max_retries": 0}
    inner = {"follow_redirects": False, "trust_env": False}
    openai_client = openai.AsyncOpenAI(
        base_url=f"{url}/v1", http_client=openai.DefaultAioHttpClient(**inner), **settings
    )
    anthropic_client = anthropic.AsyncAnthropic(
        base_url=url, http_client=anthropic.DefaultAioHttpClient(**inner), **settings
    )
    paths = {
        "openai": (openai_client, "/chat/completions", openai.AsyncStream[Any]),
        "anthropic": (anthropic_client, "/v1/messages", anthropic.AsyncStream[Any]),
    }

    async def work(queue: Iterator[tuple[str, dict[str, Any]]]) -> None:
        for vendor, request in queue:
            client, path, stream = paths[vendor]
            response = await client.post(path, cast_to=httpx2.Response, body=request, stream=True, stream_cls=stream)
            json.loads(await response.aread())
            await response.aclose()

    async def all_of(requests: list[tuple[str, dict[str, Any]]]) -> None:
        queue = iter(requests)
        await asyncio.gather(*(work(queue) for _ in range(at_once)))

    requests = [(vendor, body(vendor, prompt)) for vendor, prompt in prompts(rows)]
    await all_of(requests[:WARM_UP])
    print("ready", flush=True)
    sys.stdin.readline()
    wall, cpu = time.perf_counter(), time.process_time()
    await all_of(requests)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    await openai_client.close()
    await anthropic_client.close()
    return {"wall": wall, "cpu": cpu, "scored": len(rows), "score": 0.0}


def main() -> None:
    """Print a JSON line."""
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    print(json.dumps(asyncio.run(run(rows, sys.argv[2], int(sys.argv[3])))))


if __name__ == "__main__":
    main()

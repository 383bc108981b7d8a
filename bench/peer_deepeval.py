"""deepeval's faithfulness over rows, in deepeval's own environment: `python peer_deepeval.py ROWS URL AT_ONCE`.

See peers.py. Imports nothing of ours.
"""

import json
import sys
import time
import warnings
from typing import Any

warnings.simplefilter("ignore")
WARM_UP = 8  # rows before those that count


def main() -> None:
    """Warm up, wait for a line, measure, print a JSON line."""
    path, url, at_once = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(path, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    from deepeval import evaluate
    from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig
    from deepeval.metrics import FaithfulnessMetric
    from deepeval.models import OpenAIModel
    from deepeval.test_case import LLMTestCase

    judge = OpenAIModel(model="gpt-4.1", api_key="sk-bench", base_url=url)
    metric = FaithfulnessMetric(model=judge, async_mode=True)

    def run(some: list[dict[str, Any]]) -> Any:
        cases = [
            LLMTestCase(input=row["question"], actual_output=row["answer"], retrieval_context=row["contexts"])
            for row in some
        ]
        return evaluate(
            cases,
            [metric],
            async_config=AsyncConfig(max_concurrent=at_once),
            display_config=DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False),
            cache_config=CacheConfig(write_cache=False, use_cache=False),
        )

    run(rows[:WARM_UP])
    print("ready", flush=True)
    sys.stdin.readline()
    wall, cpu = time.perf_counter(), time.process_time()
    found = run(rows)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    scores = [data.score for result in found.test_results for data in result.metrics_data if data.score is not None]
    print(json.dumps({"wall": wall, "cpu": cpu, "scored": len(scores), "score": sum(scores) / max(1, len(scores))}))


if __name__ == "__main__":
    main()

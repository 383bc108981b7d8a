"""ragas' faithfulness over rows, in ragas' own environment: `python peer_ragas.py ROWS URL AT_ONCE` (see peers.py).

Both of its ways to a model are tried by the bench; WAY is "langchain" or "instructor". Imports nothing of ours.
"""

import json
import os
import sys
import time
import warnings
from typing import Any

warnings.simplefilter("ignore")
WARM_UP = 8  # rows before those that count


def model(way: str, url: str) -> Any:
    """The judge as ragas' documentation builds it."""
    if way == "instructor":
        from openai import AsyncOpenAI
        from ragas.llms import llm_factory

        return llm_factory("gpt-4.1", client=AsyncOpenAI(base_url=url, api_key="sk-bench"))
    from langchain_openai import ChatOpenAI
    from ragas.llms import LangchainLLMWrapper

    return LangchainLLMWrapper(ChatOpenAI(model="gpt-4.1", base_url=url, api_key="sk-bench"))


def main() -> None:
    """Warm up, wait for a line, measure, print a JSON line."""
    path, url, at_once, way = sys.argv[1], sys.argv[2], int(sys.argv[3]), os.environ.get("WAY", "langchain")
    with open(path, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    from ragas import EvaluationDataset, evaluate
    from ragas.metrics import Faithfulness
    from ragas.run_config import RunConfig

    metric, judge, settings = Faithfulness(), model(way, url), RunConfig(max_workers=at_once)

    def run(some: list[dict[str, Any]]) -> Any:
        samples = [
            {"user_input": row["question"], "response": row["answer"], "retrieved_contexts": row["contexts"]}
            for row in some
        ]
        dataset = EvaluationDataset.from_list(samples)
        return evaluate(dataset, metrics=[metric], llm=judge, run_config=settings, show_progress=False)

    run(rows[:WARM_UP])
    print("ready", flush=True)
    sys.stdin.readline()
    wall, cpu = time.perf_counter(), time.process_time()
    scores = run(rows)["faithfulness"]
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    scored = [score for score in scores if score == score]
    print(json.dumps({"wall": wall, "cpu": cpu, "scored": len(scored), "score": sum(scored) / max(1, len(scored))}))


if __name__ == "__main__":
    main()

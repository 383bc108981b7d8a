"""How near an extractor's claims come to those that people made of the same answers.

Prints one JSON line for the offline extractor, and one for the model named in ASSAY_BENCH_EXTRACTOR (vendor:model)
when that is set and its key is, too. Run it as `python -m bench.decomposition`.

The reference (Factcheck-GPT, Apache-2.0, English) is for measuring only and no part of the product; people there
split finer than a product should: judging.md, lesson 5.
"""

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

from audits.judges import build_judge, parse_name, resolve
from audits.judges.base import RETRY_LATER, Answer, Extracted, Judge, JudgeError, JudgeSpec, Purpose, Task
from audits.judges.extracting import ExtractionFailed, extracting
from audits.text.sentences import split_sentences
from audits.text.tokens import tokens

FOLDER = Path(
    os.environ.get("DECOMPOSITION", Path(__file__).resolve().parents[1].parent / "shared/data/decomposition")
)
EXTRACTOR = "ASSAY_BENCH_EXTRACTOR"
CONCURRENCY = 8  # calls at once
TRIES, PAUSE = 4, 5.0  # per call, and seconds between two
SAME = 0.7  # F1 over tokens from which two claims say the same


@dataclass(frozen=True)
class Item:
    """An answer and the claims that people made of it: those about facts, and the others."""

    question: str
    answer: str
    language: str
    facts: tuple[str, ...]
    others: tuple[str, ...]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print. Returns the exit status; without the reference nothing is measured, which is said."""
    answers = list(items())
    if not answers:
        print(json.dumps({"bench": "decomposition", "skipped": f"no reference claims in {FOLDER}"}))
        print(f"SKIPPED: no reference claims in {FOLDER}; set DECOMPOSITION to a folder of them.", file=sys.stderr)
        return 0
    for name in ["offline:rules", *filter(None, [os.environ.get(EXTRACTOR, "").strip()])]:
        print(json.dumps({"bench": "decomposition", "extractor": name} | measured(name, answers)))
    return 0


def items() -> list[Item]:
    """All answers with reference claims."""
    found = []
    for path in sorted(FOLDER.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            facts = [claim["text"] for claim in row["atomic_claims"] if claim["checkworthiness"] == "factual"]
            others = [claim["text"] for claim in row["atomic_claims"] if claim["checkworthiness"] != "factual"]
            found.append(Item(row["question"], row["answer"], row["lang"], tuple(facts), tuple(others)))
    return found


def measured(name: str, answers: Sequence[Item]) -> dict[str, Any]:
    """The figures of one extractor, or why there are none."""
    try:
        vendor, model = parse_name(name)
        resolve(JudgeSpec(vendor, model))
        found = asyncio.run(_extract_all(JudgeSpec(vendor, model), answers))
    except (ValueError, JudgeError) as problem:
        print(f"SKIPPED: {name}: {problem}", file=sys.stderr)
        return {"skipped": str(problem)}
    return figures(answers, found)


def figures(answers: Sequence[Item], found: Sequence[Extracted | None]) -> dict[str, Any]:
    """Ratios over all answers that were cut.

    claim_ratio: claims over those of people; _median: of the ratios of single answers.
    token_coverage: share of the words of people's claims that stand in some claim of the same answer; token_excess:
    share of the words of the claims that stand in none of people's. Means over answers.
    claims_matched: share of people's claims that one claim says alone; opinions_taken: the same of what people kept
    apart as no facts.
    """
    cut = [(item, extracted) for item, extracted in zip(answers, found, strict=True) if extracted is not None]
    texts = [[claim.text for claim in extracted.claims] for _, extracted in cut]
    ratios = [len(own) / len(item.facts) for (item, _), own in zip(cut, texts, strict=True) if item.facts]
    sentences = sum(len(split_sentences(item.answer)) for item, _ in cut)
    return {
        "answers": len(answers),
        "failed": len(answers) - len(cut),
        "claims": sum(map(len, texts)),
        "reference_claims": sum(len(item.facts) for item, _ in cut),
        "claim_ratio": _ratio(sum(map(len, texts)), sum(len(item.facts) for item, _ in cut)),
        "claim_ratio_median": round(median(ratios), 3) if ratios else None,
        "token_coverage": _mean(_covered(item.facts, own) for (item, _), own in zip(cut, texts, strict=True)),
        "token_excess": _mean(
            1 - _covered(own, item.facts + item.others) for (item, _), own in zip(cut, texts, strict=True) if own
        ),
        "claims_matched": _matched([(item.facts, own) for (item, _), own in zip(cut, texts, strict=True)]),
        "opinions_taken": _matched([(item.others, own) for (item, _), own in zip(cut, texts, strict=True)]),
        "sentences": sentences,
        "unaccounted": sum(len(extracted.unaccounted) for _, extracted in cut),
        "calls": sum(extracted.parts for _, extracted in cut),
    }


def _ratio(part: float, whole: float) -> float | None:
    return round(part / whole, 3) if whole else None


def _mean(values: Any) -> float | None:
    listed = list(values)
    return round(fmean(listed), 3) if listed else None


def _covered(wanted: Sequence[str], given: Sequence[str]) -> float:
    """Share of the distinct content words of the wanted claims that stand in the given ones."""
    words = {word for text in wanted for word in tokens(text)}
    return len(words & {word for text in given for word in tokens(text)}) / len(words) if words else 1.0


def _matched(pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> float | None:
    hits = total = 0
    for wanted, given in pairs:
        bags = [frozenset(tokens(text)) for text in given]
        for text in wanted:
            total += 1
            hits += any(_f1(frozenset(tokens(text)), bag) >= SAME for bag in bags)
    return _ratio(hits, total)


def _f1(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 0.0


async def _extract_all(spec: JudgeSpec, answers: Sequence[Item]) -> list[Extracted | None]:
    judge, gate = build_judge(spec), asyncio.Semaphore(CONCURRENCY)
    try:
        return await asyncio.gather(*(_extract(judge, gate, item) for item in answers))
    finally:
        await judge.close()


async def _extract(judge: Judge, gate: asyncio.Semaphore, item: Item) -> Extracted | None:
    """The claims of one answer, along the product's own steps; None when they fail."""
    sentences = tuple(split_sentences(item.answer))
    task = Task(Purpose.EXTRACT, item.language, item.question, answer=item.answer, sentences=sentences)
    steps = extracting(task)
    sent: list[Answer] | None = None
    while True:
        try:
            asked = next(steps) if sent is None else steps.send(sent)
        except StopIteration as end:
            extracted: Extracted = end.value
            return extracted
        except ExtractionFailed as failure:
            print(f"FAILED: {failure}", file=sys.stderr)
            return None
        sent = list(await asyncio.gather(*(_ask(judge, gate, task) for task in asked)))


async def _ask(judge: Judge, gate: asyncio.Semaphore, task: Task) -> Answer:
    for attempt in range(1, TRIES + 1):
        async with gate:
            try:
                return await judge.complete(task)
            except JudgeError as error:
                if attempt == TRIES or error.fault not in RETRY_LATER:
                    return error
                pause = error.retry_after or PAUSE
        await asyncio.sleep(pause)
    raise AssertionError  # the last try returns


if __name__ == "__main__":
    sys.exit(main())

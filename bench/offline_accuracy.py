"""How often the offline judges agree with people, set by set, beside a rule that only counts shared words.

Prints one JSON line; with --write it also writes the table that the product shows. How it was measured: NOTE below,
which the table carries too. Run it as `python -m bench.offline_accuracy`.
"""

import argparse
import json
import re
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from audits.judges.offline import rules, vector
from audits.judges.offline.passages import Passages
from audits.judges.offline.reading import Reading
from audits.text.language import language_of
from bench.offline_fit import Array, arrays, balanced, best_threshold, left_out
from bench.open_sets import FOLDER, FREE_FOR_FITTING, THREE, Item, items

TABLE = Path(__file__).resolve().parents[1] / "audits/judges/offline_accuracy.json"
NOTE = (
    "Weights and the fitted threshold come from the sets with fitted=true only, which are free with attribution. "
    "rules, vector, baseline: fitted on the free sets of other origin, so never on the set they are measured on. "
    "*_shipped: the judges as they ship. For sets with fitted=true that is in-sample; sets with fitted=false were "
    "never fitted on, so there it is out of sample and the same as rules and vector. baseline_own_threshold: "
    "in-sample everywhere. What the judges look at was first designed with all sets at hand: no set is wholly unseen."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print one JSON line, write the table when asked to. Returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the table that the product shows")
    options = parser.parse_args(arguments)
    if not any(FOLDER.glob("*.jsonl")):
        print(json.dumps({"bench": "offline_accuracy", "skipped": f"no human-labelled sets in {FOLDER}"}))
        print(f"SKIPPED: no human-labelled sets in {FOLDER}; set OPEN_SETS to a folder of them.", file=sys.stderr)
        return 0
    claims = list(items())
    table = measure(claims)
    if options.write:
        TABLE.write_text(json.dumps(table, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(json.dumps({"bench": "offline_accuracy", "claims": len(claims), **table["means"], **speed(claims)}))
    return 0


def measure(claims: list[Item]) -> dict[str, Any]:
    """Per set and as means over sets: balanced accuracy (two-way) and macro F1 (three-way)."""
    gold, sets, families = arrays(claims)
    shipped = {
        name: np.array([str(judge(claim.reading).label) for claim in claims], dtype="<U12")
        for name, judge in (("rules", rules.judge), ("vector", vector.judge))
    }
    told = left_out(claims, shipped) | {f"{name}_shipped": labels for name, labels in shipped.items()}
    told["baseline"], told["baseline_own_threshold"] = overlap_labels(claims, gold, sets, families)
    rows = [_row(name, sets == name, gold, told) for name in sorted(set(sets))]
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "judges": {"rules": rules.MODEL, "vector": vector.MODEL},
        "claims": len(claims),
        "note": NOTE,
        "means": means(rows),
        "means_never_fitted": means([row for row in rows if not row["fitted"]]),
        "sets": rows,
    }


def means(rows: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Each figure's mean over the rows that have it."""
    return {
        metric: {
            key: round(float(np.mean([row[metric][key] for row in rows if metric in row])), 3)
            for key in next(row[metric] for row in rows if metric in row)
        }
        for metric in ("balanced_accuracy", "macro_f1")
    }


def _row(name: str, here: Array, gold: Array, told: dict[str, Array]) -> dict[str, Any]:
    row: dict[str, Any] = {"set": name, "language": "zh" if "_zh" in name else "en", "claims": int(here.sum())}
    row["fitted"] = name in FREE_FOR_FITTING
    supported = gold == "SUPPORTED"
    if 0 < supported[here].mean() < 1:
        row["balanced_accuracy"] = {
            key: round(balanced((labels == "SUPPORTED")[here], supported[here]), 3) for key, labels in told.items()
        }
    three = here & np.isin(gold, THREE)
    if (gold[three] == "CONTRADICTED").any() and (gold[three] == "UNVERIFIED").any():
        row["macro_f1"] = {
            key: round(macro_f1(labels[three], gold[three]), 3)
            for key, labels in told.items()
            if not key.startswith("baseline")
        }
        constant = max(macro_f1(np.full(three.sum(), label), gold[three]) for label in THREE)
        row["macro_f1"]["best_constant"] = round(constant, 3)
    return row


def overlap_labels(claims: list[Item], gold: Array, sets: Array, families: Array) -> tuple[Array, Array]:
    """What shared words alone say: with a threshold from free sets of other origin, and with the set's own best."""
    shares = np.array([overlap(claim.reading.claim, claim.contexts) for claim in claims])
    supported, free = gold == "SUPPORTED", np.isin(sets, list(FREE_FOR_FITTING))
    other = np.full(len(claims), "UNVERIFIED", dtype="<U12")
    own = other.copy()
    for name in set(sets):
        here = sets == name
        family = families[here][0]
        other[here & (shares >= best_threshold(shares, supported, sets, free & (families != family)))] = "SUPPORTED"
        if 0 < supported[here].mean() < 1:
            own[here & (shares >= best_threshold(shares, supported, sets, here, near=0.0))] = "SUPPORTED"
    return other, own


def overlap(claim: str, contexts: Sequence[str]) -> float:
    """Share of the claim's words (Chinese: pairs of characters) that stand somewhere in the contexts."""
    text = "\n".join(contexts)
    if language_of(claim) == "zh":
        letters = re.sub(r"\W", "", claim)
        pairs = [letters[at : at + 2] for at in range(len(letters) - 1)] or [letters]
        return sum(pair in text for pair in pairs) / len(pairs)
    words, known = re.findall(r"\w+", claim.lower()), set(re.findall(r"\w+", text.lower()))
    return sum(word in known for word in words) / max(1, len(words))


def macro_f1(told: Array, true: Array) -> float:
    """Mean F1 over the labels that occur in the truth."""
    scores = []
    for label in THREE:
        if (true == label).any():
            hits = ((told == label) & (true == label)).sum()
            scores.append(2 * hits / ((told == label).sum() + (true == label).sum()))
    return float(np.mean(scores))


def speed(claims: list[Item]) -> dict[str, float]:
    """Claims per CPU second of each judge, reading of the contexts included, on every fifth claim."""
    some = claims[::5]
    rates = {}
    for name, judge in (("rules", rules.judge), ("vector", vector.judge)):
        start = time.process_time()
        for claim in some:
            judge(Reading(claim.reading.claim, claim.reading.question, Passages(claim.contexts)))
        rates[f"{name}_claims_per_cpu_second"] = round(len(some) / (time.process_time() - start), 1)
    return rates


if __name__ == "__main__":
    sys.exit(main())

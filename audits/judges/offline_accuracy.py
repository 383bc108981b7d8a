"""How often the offline judges were right on published sets, as measured by bench/offline_accuracy.py."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

TABLE = Path(__file__).with_name("offline_accuracy.json")


@dataclass(frozen=True)
class Accuracy:
    """Balanced accuracy as fractions, each of a judge fitted without the set; means weigh every set the same.

    baseline: counting shared words alone. sets: how many entered the means; claims: of all sets together.
    rows: one mapping per set: name, language, claims, and rules, vector, baseline where both labels occur.
    """

    rules: float
    vector: float
    baseline: float
    sets: int
    claims: int
    rows: tuple[Mapping[str, Any], ...]


@cache
def measured() -> Accuracy:
    """The table that ships with the judges."""
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    means = table["means"]["balanced_accuracy"]
    rows = tuple(
        {"name": row["set"], "language": row["language"], "claims": row["claims"], **row.get("balanced_accuracy", {})}
        for row in table["sets"]
    )
    sets = sum("rules" in row for row in rows)
    return Accuracy(means["rules"], means["vector"], means["baseline"], sets, table["claims"], rows)

"""Human-labelled sets for measuring the offline judges: licensed for measuring, never part of the product."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from audits.judges.offline.passages import passages_of
from audits.judges.offline.reading import Reading

FOLDER = Path(os.environ.get("OPEN_SETS", Path(__file__).resolve().parents[1].parent / "shared/data/open"))
NOT_FOR_FITTING = ("memerag_en", "memerag_ext_en")  # their terms ask not to train on them
THREE = ("SUPPORTED", "CONTRADICTED", "UNVERIFIED")


@dataclass(frozen=True)
class Item:
    """One claim of a set, read against its contexts. label may also be NOT_SUPPORTED."""

    set: str
    label: str
    reading: Reading
    contexts: tuple[str, ...]

    @property
    def family(self) -> str:
        """Sets of one origin; leaving one out leaves out all of them."""
        return self.set.split("_")[0]


def items() -> Iterator[Item]:
    """All claims on which people agreed, set by set."""
    for path in sorted(FOLDER.glob("*.jsonl")):
        for line in path.open(encoding="utf-8"):
            record = json.loads(line)
            contexts = tuple(record["contexts"])
            for claim in record["claims"]:
                if claim["label"] != "UNCERTAIN":
                    reading = Reading(claim["text"], record["question"], passages_of(contexts))
                    yield Item(path.stem, claim["label"], reading, contexts)

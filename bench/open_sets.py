"""Human-labelled sets for measuring the offline judges: licensed for measuring, never part of the product."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from audits.judges.offline.passages import passages_of
from audits.judges.offline.reading import Reading

FOLDER = Path(os.environ.get("OPEN_SETS", Path(__file__).resolve().parents[1].parent / "shared/data/open"))

# The product is Apache-2.0, so whatever it ships may be fitted only on sets that are free with attribution:
# CiteCheck, SciTab, ExpertQA (MIT), Factcheck-GPT, UHGEval (Apache-2.0), WiCE (ODC-BY, CC BY-SA).
# All others are only measured, among them those for non-commercial use: MEMERAG (CC BY-NC, and asks not to be trained
# on), FaithBench and RGB (CC BY-NC-SA), OCNLI (CC BY-NC). A set that is not named here is never fitted on.
FREE_FOR_FITTING = frozenset(
    {
        "citecheck_zh_dev", "citecheck_zh_test", "expertqa", "factcheckgpt_stance", "scitab", "uhgeval_zh", "wice",
    }
)  # fmt: skip
THREE = ("SUPPORTED", "CONTRADICTED", "UNVERIFIED")


@dataclass(frozen=True)
class Item:
    """One claim of a set, read against its contexts. label may also be NOT_SUPPORTED."""

    set: str
    label: str
    reading: Reading
    contexts: tuple[str, ...]

    @property
    def language(self) -> str:
        """ "zh" | "en", from the name of the set."""
        return "zh" if "_zh" in self.set else "en"

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

"""What nobody can repeat from an evidence package, in a sentence each."""

from collections.abc import Iterator, Mapping
from typing import Any

STATED = (
    *("schema_version", "number", "version", "issued_at", "issuer", "project", "system", "traffic", "client"),
    *("specimen", "software_version", "rule", "overrides", "limits", "families"),
)
"""Parts of a statement that people set or wrote: no figures that follow from others."""
REPEATED = (
    *("samples", "judged", "outcome", "spot_check", "result", "macro", "draws", "seeds", "extraction", "refusals"),
    *("disagreement", "agreement", "review", "evidence", "reviewers", "dataset", "judges", "extractor", "prompts"),
    *("plan", "event_log"),
)
OUTSIDE = {
    "calibration": "calibration: it rests on another dataset with labels that people gave, which is not in here.",
    "specimen_accuracy": "specimen_accuracy: it was measured on public sets that come with the program.",
}
ALWAYS = (
    "verdicts and labels: what judges and experts said is taken as recorded; the calls behind it are in ledger.csv.",
    "seeds.context_order: it shuffled the contexts that judges saw and is in no figure.",
    "rule, overrides, families, limits, and the names, texts and times of the certificate: people set or wrote them.",
)


def not_repeated(statement: Mapping[str, Any]) -> Iterator[str]:
    """For this certificate."""
    yield from ALWAYS
    for name, sentence in OUTSIDE.items():
        if statement.get(name):
            yield sentence
    for name in sorted(statement.keys() - {*STATED, *REPEATED, *OUTSIDE}):
        yield f"{name}: this version of the program does not know it."

"""What every file and column of an evidence package means, for people and programs: schema.json."""

from collections.abc import Mapping
from typing import Any

from audits.export_ledger import ledger_columns
from review.export import COLUMNS

ANSWERS = {
    "sample": "number of the answer in every file of this package",
    "sample_id": "identifier in the dataset; a hash in a pseudonymised package",
    "line": "line of the uploaded file",
    "status": "done: cut into claims; failed: it could not be cut and is in no rate",
    "refusal": "true: the answer declines to answer",
    "sentences": "sentences of the answer",
    "passed_over": "those of them with neither claims nor a reason",
    "without_claims": "JSON: number of a sentence -> why it has no claims",
}
CLAIMS = {
    "claim": "number of the claim in every file",
    "sample": "its answer",
    "sample_id": "as in answers.csv",
    "sentence": "number of the sentence, from 1",
    "start": "first code point in the answer, from 0",
    "end": "code point after the last",
    "text": "the claim",
    "vague": "true: too vague to be checked as it stands",
    "ambiguous": "true: a word in it can mean several things",
    "decision": "SUPPORTED, CONTRADICTED or UNVERIFIED by the whole panel, else DISPUTED",
    "stratum": "supported, supported_vague, contradicted, unverified, disputed",
    "drawn": "true: drawn by the spot check",
    "expert": "what experts settled; empty: nothing",
    "given_up": "true: no expert could decide it; hallucinated in upper limits, supported in lower ones",
    "outcome": "the expert's label where there is one, else the decision; empty: open or given up",
}
ITEMS = {
    "item": "number of the place on the experts' list",
    "claim": "its claim; a part of a claim that was cut anew has a number that is not in claims.csv",
    "part_of_item": "of a part: the item that was cut anew; the outcome is the worst of the parts",
    "kind": "dispute or spot_check",
    "stratum": "as in claims.csv",
    "needed": "independent labels needed; where two differ, a third expert decides",
    "place": "place in the order in which the list was stored",
    "replaced": "true: cut anew, its parts stand for it",
    "given_up": "true: closed without a label",
    "sample": "answer of its claim",
    "start": "first code point of its claim in the answer, from 0",
    "waived": "true: a manager did without the second label",
}
DATASET = {
    "line": "line of the uploaded file",
    "sample": "number of the sample, as in answers.csv; empty: the row was not imported",
    "flags": "JSON: codes of what was noticed about the row",
}
PANEL = {
    "role": "judge or extractor",
    "judge": "number of the judge, as in the certificate; empty: the extractor",
    "vendor": "of the model",
    "model": "asked for",
    "family": "models of one family share errors",
    "refused": "JSON: options that the model did not take",
}
REVIEWERS = {
    "reviewer": "as in adjudications.csv",
    "name": "as in the certificate; empty in a pseudonymised package",
}
SKIPS = {
    "item": "as in items.csv; known-1, known-2 … for claims that test experts",
    "reason": "context_missing, two_claims, unclear, not_my_field",
}
VERDICTS = {
    "claim": "as in claims.csv",
    "judge": "number of the judge, as in the certificate",
    "vendor": "of the judge",
    "model": "asked for",
    "label": "empty: unscored",
    "unscored": "why there is no usable label",
    "grounded": "true: what it quotes stands in the contexts",
    "conflict": "true: it found contexts that contradict each other",
    "windows": "calls over parts of the contexts behind it",
    "rationale": "the judge's words; empty without contexts",
    "quotes": "JSON: context from 0, start and end in code points, text",
}
FILES = {
    "README.md": "how to redo everything",
    "SHA256SUMS": "SHA-256 of every other file, as sha256sum writes and checks it",
    "SHA256SUMS.sig": "the issuer's Ed25519 signature over the bytes of SHA256SUMS",
    "certificate.json": "the signed certificate",
    "events.jsonl": "one line per entry of the event log up to the head in the certificate: sequence, hash, entry",
    "plan.json": "what was planned before the first label, as it was shown; {} without a plan",
    "prompts/": "prompts by the SHA-256 of their text",
    "samples.jsonl": "question, answer and contexts of every answer; absent without contexts",
    "seeds.json": "what repeats the draw",
    "strata.txt": "one line per claim: number, blank, stratum",
}


def schema() -> dict[str, Any]:
    """{"files": name -> meaning, "tables": name -> {"columns": [{"name", "meaning"}]}}; null: the column
    is named for what it holds."""
    tables: dict[str, Mapping[str, str | None]] = {
        "adjudications.csv": dict.fromkeys(COLUMNS),
        "answers.csv": ANSWERS,
        "claims.csv": CLAIMS,
        "dataset.csv": DATASET,
        "items.csv": ITEMS,
        "ledger.csv": dict.fromkeys(ledger_columns()),
        "panel.csv": PANEL,
        "reviewers.csv": REVIEWERS,
        "skips.csv": SKIPS,
        "verdicts.csv": VERDICTS,
    }
    return {
        "files": FILES,
        "tables": {
            name: {"columns": [{"name": column, "meaning": meaning} for column, meaning in columns.items()]}
            for name, columns in tables.items()
        },
    }

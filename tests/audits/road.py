"""Shortcuts along the real road, for tests: a file's text becomes a dataset, an audit, and is worked off."""

import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django.core.files.base import ContentFile

from audits import pipeline
from audits.models import Audit, Dataset, Judge, Project
from audits.tasks import work

TWO_ROWS = [
    {
        "id": "a1",
        "question": "What does the loan cost?",
        "contexts": ["The loan costs 5 percent a year.", "The term is 12 to 84 months."],
        "answer": "The loan costs 5 percent a year. The term is 12 to 84 months.",
    },
    {
        "id": "a2",
        "question": "Is there a fee?",
        "contexts": ["No fee is charged for opening the account."],
        "answer": "No fee is charged for opening the account. The manager is called Ms Otter.",
    },
]


def receive(project: Project, rows: Sequence[dict[str, Any]], **fields: Any) -> Dataset:
    """Upload rows as a JSON lines file."""
    text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    file = ContentFile(text.encode("utf-8"), name="rows.jsonl")
    return pipeline.receive_upload(project=project, user=None, file=file, **fields)


def make_dataset(project: Project, rows: Sequence[dict[str, Any]] = TWO_ROWS, **fields: Any) -> Dataset:
    """Upload, confirm and import rows as a JSON lines file."""
    dataset = receive(project, rows, **fields)
    pipeline.confirm_mapping(dataset=dataset, mapping=dataset.mapping, user=None)
    while not pipeline.import_dataset(dataset.pk, seconds=60):
        pass
    dataset.refresh_from_db()
    return dataset


def judge(vendor: str, model: str, project: Project | None = None, **fields: Any) -> Judge:
    """A judge of that name."""
    found, _ = Judge.objects.get_or_create(vendor=vendor, model=model, project=project, defaults=fields)
    return found


def start(dataset: Dataset, *judges: Judge, extractor: Judge | None = None, **fields: Any) -> Audit:
    """Start an audit; by default OpenAI's model-a extracts and judges with Anthropic's claude-b."""
    panel = list(judges) or [
        judge("openai", "model-a", price_in=1, price_out=2),
        judge("anthropic", "claude-b", price_in=3, price_out=4),
    ]
    options: dict[str, Any] = {"name": "First", "threshold": Decimal("0.05"), "spot_check_size": 2, **fields}
    return pipeline.start_audit(
        project=dataset.project, dataset=dataset, user=None, extractor=extractor or panel[0], judges=panel, **options
    )


def work_off(audit: Audit) -> Audit:
    """Run the task that a worker runs, until it has nothing left to do."""
    for _ in range(20):
        work(audit.pk)
        audit.refresh_from_db()
        if audit.status != Audit.Status.JUDGING or not pipeline.anything_free(audit):
            break
    return audit

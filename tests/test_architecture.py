"""The walls of the house: who may import whom, what is pure, where writes may happen."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PURE = (
    "audits/labels.py",
    "audits/decision.py",
    "audits/asks.py",
    "audits/flow.py",
    "audits/engine.py",
    "audits/patience.py",
    "audits/purse.py",
    "audits/limits/",
    "audits/evidence_view.py",
    "audits/prices.py",
    "audits/chain.py",
    "audits/exporting.py",
    "audits/formats/",
    "audits/judges/",
    "audits/text/",
    "audits/stats/",
    "review/statement.py",
    "review/attached.py",
    "review/counted.py",
    "review/default_guidelines.py",
    "review/throughput.py",
    "review/signature.py",
    "review/timestamping.py",
    "review/countersigning.py",
    "review/differences.py",
    "review/standalone/",
    "review/document/",
)
WRITERS = (
    "audits/pipeline/",
    "audits/models/",
    "review/models",
    "review/queue.py",
    "review/adjudication.py",
    "review/words.py",
    "review/settling.py",
    "review/spotcheck.py",
    "review/looks.py",
    "review/giving_up.py",
    "review/evidence_marks.py",
    "review/gold.py",
    "review/places.py",
    "review/recut.py",
    "review/certify.py",
    "review/guidelines.py",
    "review/comments.py",
    "review/mentions.py",
    "review/assigning.py",
    "review/rules.py",
)
REVIEW_MAY_USE = (
    "audits.models", "audits.labels", "audits.stats", "audits.access", "audits.text", "audits.templatetags",
    "audits.judges.base", "audits.parts", "audits.decision", "audits.blindness", "audits.generators",
    "audits.judges.offline_accuracy", "audits.comparison", "audits.export_files", "audits.json_queries",
    "audits.extraction_quality", "audits.judges.families", "audits.planning",  # told beside the result
    "audits.chain",  # the log in an evidence package is followed link by link
    "audits.pipeline.contents", "audits.rights",  # what the log holds of judging and of people, to be checked
    "audits.pipeline.sealing",  # the log is closed before a certificate rests on it, and checked
    "audits.pipeline.ruling",  # its signal: a certificate keeps the rule it rests on
    "audits.calibration",  # what a certificate names of the calibration that its panel was chosen on
    "audits.export_ledger", "audits.exporting", "audits.judges.prompting",  # what an evidence package holds
    "audits.pipeline.recutting",  # the one writer of the parts of a claim that was cut anew
)  # fmt: skip
WRITES = {"save", "create", "update", "delete", "bulk_create", "bulk_update", "get_or_create", "update_or_create"}


def sources(*folders: str) -> Iterator[Path]:
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imports(path: Path) -> Iterator[str]:
    """Every module a file imports, also inside functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def starts(module: str, *prefixes: str) -> bool:
    return any(module == prefix or module.startswith(f"{prefix}.") for prefix in prefixes)


@pytest.mark.parametrize("path", [p for p in sources("audits", "review") if name_of(p).startswith(PURE)], ids=name_of)
def test_the_pure_middle_knows_neither_django_nor_celery(path: Path) -> None:
    wrong = [m for m in imports(path) if starts(m, "django", "celery", "audits.models", "audits.pipeline", "config")]
    assert wrong == []


def test_audits_never_looks_into_review() -> None:
    wrong = {name_of(p): m for p in sources("audits") for m in imports(p) if starts(m, "review")}
    assert wrong == {}


def test_nobody_imports_config() -> None:
    allowed = {"audits/management/commands/worker.py"}  # it starts the Celery app itself
    found = {name_of(p) for p in sources("audits", "review") for m in imports(p) if starts(m, "config")}
    assert found <= allowed


def test_review_uses_only_what_audits_offers_it() -> None:
    wrong = {
        (name_of(p), m)
        for p in sources("review")
        for m in imports(p)
        if starts(m, "audits") and m != "audits" and not starts(m, *REVIEW_MAY_USE)
    }
    assert wrong == set()


def test_lower_floors_do_not_call_upper_ones() -> None:
    floors = {
        "audits/pipeline/": ("audits.views", "audits.tasks", "audits.working", "audits.forms"),
        "audits/models/": ("audits.views", "audits.tasks", "audits.pipeline", "audits.forms"),
        "audits/engine.py": ("audits.pipeline", "audits.models"),
        "audits/flow.py": ("audits.pipeline", "audits.models"),
        "review/queue.py": ("review.views", "review.certify"),
        "review/outcomes.py": ("review.views", "review.certify"),
    }
    wrong = {
        (name_of(path), module)
        for path in sources("audits", "review")
        for floor, forbidden in floors.items()
        if name_of(path).startswith(floor)
        for module in imports(path)
        if starts(module, *forbidden)
    }
    assert wrong == set()


def writes(path: Path) -> Iterator[str]:
    """Calls of a manager's or an instance's writing methods."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in WRITES:
            if isinstance(node.func.value, ast.Attribute) and node.func.value.attr == "objects":
                yield f"{node.lineno}: objects.{node.func.attr}"
            elif node.func.attr in {"save", "bulk_create"} or (
                node.func.attr in {"update", "delete"} and isinstance(node.func.value, ast.Call)
            ):
                yield f"{node.lineno}: {node.func.attr}"


def test_writes_happen_only_where_the_road_passes() -> None:
    # projects, people, judges: not results
    setting_up = ("audits/management/commands/demo.py", "audits/headless.py", "audits/admin.py")
    wrong = {
        name_of(path): list(writes(path))
        for path in sources("audits", "review")
        if not name_of(path).startswith((*WRITERS, *setting_up, *PURE)) and list(writes(path))  # the pure cannot
    }
    assert wrong == {}

"""manage.py audit and resume with a budget, batches, probes and without reuse."""

import json
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from audits import headless
from audits.models import Audit, Call, Dataset, Judge
from tests.audits.road import TWO_ROWS
from tests.vendor_server.server import VendorServer

pytestmark = pytest.mark.django_db
PANEL = ["--primary", "openai:model-a", "--secondary", "anthropic:claude-b"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in TWO_ROWS), encoding="utf-8")
    return path


@pytest.fixture
def priced() -> None:
    project = headless.project_for_command_line()
    for name in PANEL[1::2]:
        judge = headless.judge_named(project, name)
        Judge.objects.filter(pk=judge.pk).update(price_in=1, price_out=2)


def run(command: str, *arguments: Any) -> tuple[int, str]:
    out, err = StringIO(), StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command(command, *map(str, arguments), stdout=out, stderr=err)
    return int(ended.value.code or 0), err.getvalue()


def test_options_reach_the_audit(file: Path, vendor_server: VendorServer, priced: None) -> None:
    assert run("audit", file, *PANEL, "--budget", "12.5", "--no-reuse", "--probes", "50")[0] == 0
    audit = Audit.objects.get()
    assert (audit.budget, audit.reuse, audit.batch, audit.probe_percent) == (Decimal("12.5"), False, False, 50)
    assert 0 < audit.spent < 1


def test_without_reuse_everything_is_bought_again(file: Path, vendor_server: VendorServer) -> None:
    for option in ([], [], ["--no-reuse"]):
        run("audit", file, *PANEL, *option)
    calls = [Call.objects.filter(audit=audit).count() for audit in Audit.objects.order_by("pk")]
    # Reused: extractions, and verdicts on the sample with one context. Several are shown in a new order each time.
    assert calls[1] <= 4 < calls[0] == calls[2]


def test_a_budget_that_is_used_up_gives_status_4_and_can_be_raised(
    file: Path, vendor_server: VendorServer, priced: None
) -> None:
    status, err = run("audit", file, *PANEL, "--budget", "0.001")
    audit = Audit.objects.get()
    assert status == 4 and audit.stopped_by == "budget"
    assert "Paused: the budget of USD 0.0010 is used up (USD 0.00 spent). Raise it to go on." in err
    assert f"manage.py resume {audit.pk} --budget AMOUNT" in err
    status, err = run("resume", audit.pk)
    assert status == 4 and "is used up" in err  # nothing has changed
    assert run("resume", audit.pk, "--budget", "5")[0] == 0
    audit.refresh_from_db()
    assert (audit.status, audit.stopped_by, audit.budget, audit.headless) == ("reviewing", "", 5, True)


def test_a_budget_needs_prices(file: Path, vendor_server: VendorServer) -> None:
    status, err = run("audit", file, *PANEL, "--budget", "5")
    assert status == 2 and "none is known for openai:model-a, anthropic:claude-b" in err
    assert not Dataset.objects.exists() and vendor_server.script.log == []


@pytest.mark.parametrize(
    "wrong",
    [["--budget", "0"], ["--budget", "much"], ["--budget", "nan"], ["--probes", "101"], ["--probes", "-1"],
     ["--probes", "x"]],
)  # fmt: skip
def test_what_is_no_amount_is_refused_before_the_import(file: Path, priced: None, wrong: list[str]) -> None:
    status, err = run("audit", file, *PANEL, *wrong)
    assert status == 2 and wrong[0] in err and not Dataset.objects.exists()


def test_a_lower_budget_than_was_spent_is_refused(file: Path, vendor_server: VendorServer, priced: None) -> None:
    run("audit", file, *PANEL, "--budget", "0.001")
    audit = Audit.objects.get()
    Audit.objects.update(spent=Decimal("0.0009"))
    status, err = run("resume", audit.pk, "--budget", "0.0005")
    assert status == 2 and "cannot be less" in err
    assert run("resume", audit.pk, "--budget", "nothing")[0] == 2

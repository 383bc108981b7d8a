"""manage.py audit: one object on stdout, progress on stderr, an exit status that tells."""

import json
import os
import signal
import threading
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from audits.models import Audit, Dataset
from audits.tasks import sweep, work
from tests.audits.road import TWO_ROWS
from tests.vendor_server.server import VendorServer

pytestmark = pytest.mark.django_db
PANEL = ["--primary", "openai:model-a", "--secondary", "anthropic:claude-b"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in TWO_ROWS), encoding="utf-8")
    return path


def run(*arguments: Any) -> tuple[int, str, str]:
    out, err = StringIO(), StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("audit", *map(str, arguments), stdout=out, stderr=err)
    return int(ended.value.code or 0), out.getvalue(), err.getvalue()


def run_resume() -> tuple[int, str, str]:
    out, err = StringIO(), StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("resume", str(Audit.objects.get().pk), "--json", stdout=out, stderr=err)
    return int(ended.value.code or 0), out.getvalue(), err.getvalue()


def test_a_complete_audit_prints_one_object(file: Path, vendor_server: VendorServer) -> None:
    vendor_server.script.labels = [{"claim": "12 to 84", "label": "UNVERIFIED", "model": "claude-b"}]
    status, out, err = run(file, *PANEL, "--doubles", "20", "--json")
    found = json.loads(out)
    assert status == 0 and Audit.objects.get().double_percent == 20
    assert out.count("\n") <= 1 and "imported: 2 samples" in err
    labels = ("supported", "contradicted", "unverified", "disputed")
    assert [found[label] for label in labels] == [2, 0, 1, 1]
    assert sum(found[label] for label in labels) == found["total_claims"] == 4
    assert found["hallucinated_claims"] == 1 and found["unscored"] == 0
    assert found["hallucination_rate"] == pytest.approx(1 / 3)
    assert found["faithfulness_score"] == pytest.approx(2 / 3)
    assert found["rate_bounds"] == pytest.approx([1 / 4, 2 / 4])
    assert found["coverage"] == pytest.approx(3 / 4) and found["disagreement_rate"] == pytest.approx(1 / 4)
    assert found["samples"] == 2 and found["samples_without_claims"] == 0 and found["refusals"] == 0
    disputed = [row for row in found["details"] if row["decision"] == "disputed"]
    assert disputed == [
        {
            "sample": "a1",
            "claim": "The term is 12 to 84 months.",
            "label": None,
            "decision": "disputed",
            "verdicts": {"openai:model-a": "SUPPORTED", "anthropic:claude-b": "UNVERIFIED"},
            "grounded": {"openai:model-a": True, "anthropic:claude-b": True},
        }
    ]


def test_workers_leave_an_audit_of_the_command_line_alone(file: Path, vendor_server: VendorServer) -> None:
    vendor_server.script.rules = [{"vendor": "anthropic", "status": 401}]
    run(file, *PANEL)
    audit = Audit.objects.get()
    audit.advance(Audit.Status.PAUSED, Audit.Status.JUDGING)
    calls = len(vendor_server.script.log)
    work(audit.pk)
    sweep()
    assert len(vendor_server.script.log) == calls


def test_unscored_parts_give_status_3(file: Path, vendor_server: VendorServer) -> None:
    vendor_server.script.rules = [{"purpose": "verify", "vendor": "anthropic", "fault": "malformed"}]
    status, out, _ = run(file, *PANEL, "--json")
    found = json.loads(out)
    assert status == 3
    assert found["unscored"] == found["disputed"] == 4
    assert found["hallucination_rate"] is None and found["coverage"] == 0 and found["rate_bounds"] == [0, 1]


@pytest.mark.parametrize("rule", [{"status": 401}, {"status": 402}, {"status": 429, "error": "insufficient_quota"}])
def test_an_unusable_vendor_gives_status_4(file: Path, vendor_server: VendorServer, rule: dict[str, Any]) -> None:
    vendor_server.script.rules = [rule]
    status, out, err = run(file, *PANEL, "--json")
    assert status == 4
    assert "stopped" in err and "manage.py resume" in err
    assert json.loads(out)["total_claims"] == 0 and json.loads(out)["hallucination_rate"] is None


def test_a_missing_key_gives_status_4(file: Path, vendor_server: VendorServer, monkeypatch: Any) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    status, _, err = run(file, *PANEL)
    assert status == 4 and "OPENAI_API_KEY" in err


def test_resuming_goes_on_where_it_was(file: Path, vendor_server: VendorServer) -> None:
    vendor_server.script.rules = [{"vendor": "anthropic", "status": 401}]
    assert run(file, *PANEL)[0] == 4
    vendor_server.script.reset()
    status, out, _ = run_resume()
    assert status == 0 and json.loads(out)["total_claims"] == 4
    assert {request["vendor"] for request in vendor_server.script.log} == {"anthropic"}


def test_ctrl_c_lets_calls_in_flight_come_back_so_that_nothing_is_bought_twice(
    file: Path, vendor_server: VendorServer
) -> None:
    vendor_server.script.rules = [{"purpose": "extract", "hold": True}]

    def interrupt() -> None:
        vendor_server.wait_for(1)
        os.kill(os.getpid(), signal.SIGINT)
        vendor_server.release()

    other = threading.Thread(target=interrupt)
    other.start()
    status, out, err = run(file, *PANEL, "--json")
    other.join()
    assert (status, out) == (130, "") and "manage.py resume" in err
    status, out, _ = run_resume()
    assert status == 0 and json.loads(out)["coverage"] == 1.0
    asked = [(request["model"], request["user"]) for request in vendor_server.script.log]
    assert len(asked) == len(set(asked)) == 2 + 2 * 4


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--primary", "openai:a", "--secondary", "openai:b"], "vendor family"),
        (["--primary", "nobody:a", "--secondary", "openai:b"], "nobody"),
        (["--primary", "offline:rules", "--secondary", "offline:magic"], "magic"),
        (["--primary", "openai", "--secondary", "openai:b"], "VENDOR:MODEL"),
        ([*PANEL, "--threshold", "2"], "--threshold"),
        ([*PANEL, "--map", "answer=nowhere"], "nowhere"),
        ([*PANEL, "--doubles", "101"], "--doubles"),
    ],
)
def test_what_cannot_be_done_gives_status_2(file: Path, arguments: list[str], said: str) -> None:
    status, out, err = run(file, *arguments)
    assert (status, out) == (2, "") and said in err
    assert not Dataset.objects.exists() and not Audit.objects.exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", "empty"), (b"id,question,contexts,answer\n", "no rows"), (b"question,contexts\nQ,C\n", "answer")],
)
def test_a_bad_file_gives_status_2_and_leaves_nothing(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    status, out, err = run(path, *PANEL)
    assert (status, out) == (2, "") and said in err and "bad.csv" in err
    assert not Dataset.objects.exists()


def test_a_batch_audit_waits_for_its_batches(file: Path, vendor_server: VendorServer, settings: Any) -> None:
    settings.ASSAY_BATCH_POLL_SECONDS = 0
    vendor_server.batches.load({"plan": {"polls": 2}})
    status, out, err = run(file, *PANEL, "--batch", "--json")
    assert status == 0
    assert json.loads(out)["total_claims"] == 4
    assert not vendor_server.requests and len(vendor_server.batches.asked) == 2 + 8
    assert "batch of 2 at openai:model-a: submitted" in err
    assert "batch of 4 at anthropic:claude-b: collected" in err


def test_a_batch_audit_goes_on_after_it_was_interrupted(
    file: Path, vendor_server: VendorServer, settings: Any
) -> None:
    settings.ASSAY_BATCH_POLL_SECONDS = 0
    vendor_server.batches.load({"faults": [{"on": "create", "status": 401}]})
    status, _, err = run(file, *PANEL, "--batch")
    assert status == 4 and "manage.py resume" in err
    assert run_resume()[0] == 0
    assert not vendor_server.requests
    assert vendor_server.batches.log.count("create") == 4  # the refused one, and each batch once


def test_the_plan_is_made_for_the_chosen_rate_and_looks(file: Path, vendor_server: VendorServer) -> None:
    status, _, _ = run(file, *PANEL, "--threshold", "0.05", "--expected-rate", "0.004", "--looks", "2", "--json")
    audit = Audit.objects.get()
    assert status == 0 and (str(audit.expected_rate), audit.looks) == ("0.0040", 2)
    assert (audit.plan["expected_rate"], audit.plan["looks"]) == ("0.004", 2)


@pytest.mark.parametrize("wrong", [("--expected-rate", "0.6"), ("--expected-rate", "NaN"), ("--looks", "5")])
def test_a_plan_that_is_none_is_refused(file: Path, wrong: tuple[str, str]) -> None:
    status, _, err = run(file, *PANEL, *wrong)
    assert status == 2 and wrong[0] in err and not Dataset.objects.exists()

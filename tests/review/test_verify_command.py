"""manage.py verify: what a client's auditor runs, with exit codes for scripts."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from review.signature import envelope, file_bytes, generate_key, public_pem

STATEMENT = {"number": "A-2026-0001", "version": 1, "specimen": False, "result": {"decision": "FAIL"}}
KEY = generate_key()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A signed file."""
    path = tmp_path / "A-2026-0001.json"
    path.write_bytes(file_bytes(envelope(STATEMENT, KEY)))
    return path


def status(*args: Any) -> int:
    """Run the command; its exit status."""
    with pytest.raises(SystemExit) as ended:
        call_command("verify", *map(str, args))
    return int(str(ended.value.code))


def test_a_genuine_file_is_valid(file: Path, tmp_path: Path, capsys: Any) -> None:
    key = tmp_path / "key.pem"
    key.write_bytes(public_pem(KEY.public_key()))
    assert status(file, "--key", key) == 0
    said = capsys.readouterr().out
    assert "VALID: A-2026-0001" in said and "Decision: FAIL" in said and "came with the file" not in said
    assert status(file) == 0
    assert "came with the file" in capsys.readouterr().out


def test_one_altered_byte_is_invalid_and_says_where(file: Path, capsys: Any) -> None:
    file.write_bytes(file.read_bytes().replace(b"FAIL", b"PASS"))
    assert status(file) == 1
    said = capsys.readouterr().out
    assert "INVALID" in said and "changed after it was signed" in said


def test_a_rewritten_file_is_invalid_and_says_where(file: Path, capsys: Any) -> None:
    data = file.read_bytes()
    file.write_bytes(data + b"\n")
    assert status(file) == 1
    assert f"differs first at byte {len(data)}" in capsys.readouterr().out


def test_a_changed_figure_is_found_in_whatever_form_the_file_is(file: Path) -> None:
    whole = json.loads(file.read_bytes())
    whole["statement"]["version"] = 2
    file.write_text(json.dumps(whole))
    assert status(file) == 1


def test_another_key_is_invalid(file: Path, tmp_path: Path, capsys: Any) -> None:
    key = tmp_path / "key.pem"
    key.write_bytes(public_pem(generate_key().public_key()))
    assert status(file, "--key", key) == 1
    assert "not with the key that was given" in capsys.readouterr().out


def test_what_cannot_be_read_is_neither(file: Path, tmp_path: Path) -> None:
    assert status(tmp_path / "absent.json") == 2
    assert status(file, "--key", file) == 2


def test_something_else_is_invalid(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b"\x00\xff")
    assert status(path) == 1

"""The single-file verifier: alone with cryptography, and of one mind with manage.py verify."""

import ast
import json
import random
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import rfc8785

from review.signature import envelope, file_bytes, generate_key, key_id, public_pem, verify_file
from review.standalone import verify_certificate as standalone
from review.statement import build
from tests.review.certificates import facts

SCRIPT = Path(standalone.__file__)
KEY = generate_key()
TRUSTED = {key_id(KEY.public_key()): KEY.public_key()}
RAW = KEY.public_key().public_bytes_raw()
SMALL = {
    "number": "A-1",
    "é\U0001f600": [1e21, 0.05, None, True],
    "\ufb33": '\u0001\n"\\',
    "result": {"decision": "PASS"},
}


@pytest.fixture(scope="module")
def whole() -> bytes:
    """A full certificate."""
    return file_bytes(envelope(build(facts()), KEY))


@pytest.fixture
def pem(tmp_path: Path) -> Path:
    """The key of the issuer."""
    path = tmp_path / "issuer.pem"
    path.write_bytes(public_pem(KEY.public_key()))
    return path


def run(data: bytes, folder: Path, *more: Any) -> subprocess.CompletedProcess[str]:
    """As a client's auditor runs it: one file, no path to ours."""
    path = folder / "certificate.json"
    path.write_bytes(data)
    command = [sys.executable, "-I", str(SCRIPT), str(path), *map(str, more)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False, cwd=folder)


def test_a_genuine_file_is_valid_and_told_in_both_languages(whole: bytes, pem: Path, tmp_path: Path) -> None:
    found = run(whole, tmp_path, "--key", pem)
    assert (found.returncode, found.stderr) == (0, "")
    for words in ("VALID 有效", "A-2026-0042", "Decision 结论: PASS", "Northgate Assurance · 北门鉴证", *TRUSTED):
        assert words in found.stdout
    assert "came with the file" not in found.stdout
    assert "came with the file" in run(whole, tmp_path).stdout


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda data: data.replace(b'"PASS"', b'"FAIL"', 1), "STATEMENT"),
        (lambda data: data.replace(b'"version":1', b'"version":1.0', 1), "FORM"),
        (lambda data: data[:-9], "FORM"),
        (lambda data: b"\xef\xbb\xbf" + data, "the first difference is at byte 0"),  # as a text editor saves it
        (lambda data: file_bytes(envelope(SMALL, generate_key())), "KEY"),
    ],
)
def test_what_is_wrong_is_said(whole: bytes, pem: Path, tmp_path: Path, spoil: Any, said: str) -> None:
    found = run(spoil(whole), tmp_path, "--key", pem)
    assert found.returncode == 1 and found.stdout.startswith("INVALID")
    assert said in found.stdout and "Traceback" not in found.stderr


def test_what_cannot_be_read_is_neither(whole: bytes, tmp_path: Path) -> None:
    assert run(whole, tmp_path, "--key", tmp_path / "certificate.json").returncode == 2
    assert run(whole, tmp_path, "--key", tmp_path / "absent.pem").returncode == 2


def test_no_changed_byte_is_valid_and_both_verifiers_say_the_same(whole: bytes) -> None:
    """Every byte of a small file to two other values, some of a whole certificate, and random insertions and cuts."""
    small, random_ = file_bytes(envelope(SMALL, KEY)), random.Random(6)
    tried = [
        data[:place] + bytes([data[place] ^ flip]) + data[place + 1 :]
        for data, step in ((small, 1), (whole, 101))
        for place in range(0, len(data), step)
        for flip in (1, 32)
    ]
    for _ in range(200):
        place = random_.randrange(len(small))
        tried.append(small[:place] + random_.choice([b" ", b"0", b"\\u0041", b"\xff", b","]) + small[place:])
        tried.append(small[:place] + small[place + random_.randrange(1, 9) :])
    for data in tried:
        problems, found = standalone.check(data, RAW)
        ours = verify_file(data, TRUSTED)
        assert problems, data
        assert (tuple(problems), found["offset"] if "not_canonical" in problems else None) == (
            ours.problems,
            ours.offset,
        )
    assert standalone.check(small, RAW)[0] == [] and verify_file(small, TRUSTED).valid


def test_its_canonical_form_is_that_of_rfc_8785() -> None:
    random_ = random.Random(8785)
    numbers = [
        0.0,
        -0.0,
        1e21,
        1e20,
        123456789012345680000.0,
        1e-6,
        1e-7,
        5e-324,
        1.7976931348623157e308,
        4.5,
        -1.5e-9,
    ]
    numbers += [struct.unpack(">d", random_.randbytes(8))[0] for _ in range(3000)]
    finite = [value for value in numbers if value == value and abs(value) != float("inf")]
    assert standalone.canonical(finite) == rfc8785.dumps(finite)
    mixed = {
        "\u20ac": 1,
        "\r": 2,
        "\ufb33": 3,
        "1": 4,
        "\U0001f600": 5,
        "\x80": "\x7f\x1f\b\t\f/\u2028",
        "ö": [[], {}, -7],
    }
    assert standalone.canonical(mixed) == rfc8785.dumps(mixed)
    assert json.loads(standalone.canonical(mixed)) == mixed
    for wrong in (2**53, float("nan"), "\ud800"):
        with pytest.raises(standalone.Malformed):
            standalone.canonical(wrong)


def test_control_characters_cannot_paint_a_terminal(tmp_path: Path) -> None:
    data = file_bytes(envelope({"number": "A\x1b[2J\u202eB\n VALID"}, KEY))
    found = run(data, tmp_path)
    assert found.returncode == 0 and "\x1b" not in found.stdout and "\u202e" not in found.stdout
    assert "\\u{1b}" in found.stdout


def test_it_needs_python_3_9_and_cryptography_alone() -> None:
    tree = ast.parse(SCRIPT.read_text(encoding="utf-8"), feature_version=(3, 9))
    modules = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    modules |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert {module.split(".")[0] for module in modules} - sys.stdlib_module_names == {"cryptography"}

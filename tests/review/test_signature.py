"""Signing and checking: one changed byte fails, and the check of docs/verify.md works with openssl."""

import base64
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from review.signature import (
    KeyFileError,
    envelope,
    file_bytes,
    generate_key,
    key_id,
    load_private,
    load_public,
    private_pem,
    public_pem,
    sign,
    verify,
    verify_file,
)
from review.statement import build
from tests.review.certificates import facts

# RFC 8032, section 7.1, test 1
SECRET = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
PUBLIC = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
SIGNATURE_OF_NOTHING = bytes.fromhex(
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe246"
    "55141438e7a100b"
)
KEY = Ed25519PrivateKey.from_private_bytes(SECRET)
VERIFY_PAGE = Path(__file__).parents[2] / "docs" / "verify.md"


@pytest.fixture(scope="module")
def certificate():
    return envelope(build(facts()), KEY)


@pytest.fixture
def changed(certificate):
    """A deep copy to spoil."""
    return json.loads(file_bytes(certificate))


def test_published_key_and_signature():
    assert KEY.public_key().public_bytes_raw() == PUBLIC
    assert sign(b"", KEY) == SIGNATURE_OF_NOTHING


def test_a_certificate_verifies(certificate):
    trusted = {key_id(KEY.public_key()): KEY.public_key()}
    for found in (verify(certificate, trusted), verify_file(file_bytes(certificate), trusted)):
        assert (found.valid, found.problems, found.trusted) == (True, (), True)
        assert found.statement["number"] == "A-2026-0042"
        assert found.key_id == certificate["signature"]["key_id"]
        assert found.sha256 == certificate["sha256"]


def test_a_file_that_was_rewritten_is_refused_and_says_where(certificate):
    data = file_bytes(certificate)
    for rewritten, offset in (
        (json.dumps(certificate, indent=4).encode(), 1),
        (data + b"\n", len(data)),
        (b" " + data, 0),
        (data.replace(b'"confidence":0.95', b'"confidence":0.950', 1), data.index(b'"confidence":0.95') + 17),
    ):
        found = verify_file(rewritten)
        assert (found.valid, found.problems, found.offset) == (False, ("not_canonical",), offset)
        assert found.statement is not None, "the statement itself is as it was signed"
    assert verify_file(b'{"sha256":"\\ud800",' + data[data.index(b'"signature"') :]).problems == ("malformed",)


def test_without_trusted_keys_the_answer_says_so(certificate):
    found = verify(certificate)
    assert found.valid
    assert found.trusted is None


def test_another_key_is_not_trusted(certificate):
    other = generate_key().public_key()
    found = verify(certificate, {key_id(other): other})
    assert (found.valid, found.problems, found.trusted) == (False, ("unknown_key",), False)


def test_a_key_under_a_trusted_id_must_be_that_key(certificate):
    other = generate_key().public_key()
    found = verify(certificate, {certificate["signature"]["key_id"]: other})
    assert found.problems == ("unknown_key",)


def test_every_changed_value_fails(certificate):
    """Each string, number and truth value of the statement, changed alone."""

    def spoiled(value):
        if isinstance(value, bool):
            yield not value
        elif isinstance(value, str):
            yield value + " "
        elif isinstance(value, int | float):
            yield value + 1
        elif value is None:
            yield 0
        elif isinstance(value, list):
            yield [*value, 0]
            for number, item in enumerate(value):
                for other in spoiled(item):
                    yield [*value[:number], other, *value[number + 1 :]]
        else:
            yield {**value, "extra": 0}
            for name, item in value.items():
                yield {key: kept for key, kept in value.items() if key != name}
                for other in spoiled(item):
                    yield {**value, name: other}

    tried = 0
    for statement in spoiled(certificate["statement"]):
        found = verify({**certificate, "statement": statement})
        assert not found.valid
        assert "signature_invalid" in found.problems
        assert found.statement is None
        tried += 1
    assert tried > 300


def test_every_changed_byte_of_the_file_fails(certificate):
    data = file_bytes(certificate)
    for place in range(0, len(data), 7):
        spoiled = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        assert not verify_file(spoiled, {key_id(KEY.public_key()): KEY.public_key()}).valid, place


def test_signing_anew_with_a_wrong_sum_is_named(changed):
    changed["sha256"] = "0" * 64
    found = verify(changed)
    assert found.problems == ("statement_changed",)
    assert found.statement is None


def test_a_spoiled_signature_is_named(changed):
    raw = bytearray(base64.b64decode(changed["signature"]["value"]))
    raw[0] ^= 1
    changed["signature"]["value"] = base64.b64encode(raw).decode()
    assert verify(changed).problems == ("signature_invalid",)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda c: c.pop("statement"),
        lambda c: c.pop("signature"),
        lambda c: c.update(statement=[]),
        lambda c: c.update(sha256=7),
        lambda c: c.update(decision="PASS"),
        lambda c: c.update(signature="none"),
        lambda c: c["signature"].update(algorithm="none"),
        lambda c: c["signature"].update(key_id="0" * 16),
        lambda c: c["signature"].update(public_key="AAAA"),
        lambda c: c["signature"].update(public_key=None),
        lambda c: c["signature"].update(value="not base64"),
        lambda c: c["statement"].update(number=2**80),
    ],
)
def test_another_form_is_malformed(changed, spoil):
    spoil(changed)
    assert verify(changed).problems == ("malformed",)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"null",
        b"\xff\xfe",
        b"{" * 100_000,
        b"[" * 100_000,
        b'{"statement":{},"statement":{},"sha256":"","signature":{}}',
        b'{"statement":{"rate":NaN},"sha256":"","signature":{}}',
        b" " * 5_000_001,
    ],
)
def test_hostile_files_are_malformed(data):
    assert verify_file(data).problems == ("malformed",)


def test_keys_go_through_pem():
    assert load_private(private_pem(KEY)).private_bytes_raw() == SECRET
    locked = private_pem(KEY, b"password")
    assert load_private(locked, b"password").private_bytes_raw() == SECRET
    for password in (None, b"wrong"):
        with pytest.raises(KeyFileError):
            load_private(locked, password)
    assert load_public(public_pem(KEY.public_key())).public_bytes_raw() == PUBLIC
    # sha256 of the raw key, first 16 digits
    assert key_id(KEY.public_key()) == "21fe31dfa154a261"


def test_other_keys_are_refused_without_showing_them():
    other = X25519PrivateKey.generate()
    pem = other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    for load in (load_private, load_public):
        for text in (pem, b"secret words", b""):
            with pytest.raises(KeyFileError) as caught:
                load(text)
            assert "secret" not in str(caught.value)


def commands(language):
    """The shell blocks of docs/verify.md about a certificate in one language, in order."""
    part = VERIFY_PAGE.read_text(encoding="utf-8").split("\n# ")[{"en": 0, "zh": 1}[language]]
    blocks = re.findall(r"```sh\n(.*?)```", part, re.DOTALL)
    return [block for block in blocks if "SHA256SUMS" not in block]  # those are about an evidence package


@pytest.mark.skipif(not (shutil.which("openssl") and shutil.which("jq")), reason="needs openssl and jq")
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_documented_commands_verify(certificate, tmp_path, language):
    (tmp_path / "certificate.json").write_bytes(file_bytes(certificate))
    (tmp_path / "issuer.pem").write_bytes(public_pem(KEY.public_key()))
    script = "set -e\n" + "\n".join(commands(language))
    good = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert good.returncode == 0, good.stderr
    assert "Signature Verified Successfully" in good.stdout
    assert certificate["sha256"] in good.stdout
    assert certificate["signature"]["key_id"] in good.stdout

    data = file_bytes(certificate).replace(b'"decision":"PASS"', b'"decision":"FAIL"')
    (tmp_path / "certificate.json").write_bytes(data)
    bad = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert bad.returncode != 0
    assert "Signature Verified Successfully" not in bad.stdout

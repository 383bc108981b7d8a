"""Time stamps and second signatures: asked for over a real connection and by a real program, and checked."""

import hashlib
import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from review import tasks
from review.certify import issue
from review.countersigning import CountersignError, countersign
from review.models import Certificate
from review.statement import canonical
from review.timestamping import TimestampError, checked, read, request_for, stamp
from review.witnessing import wanted, witness
from tests.review.factory import MIXED, make_audit, settle_all

CONFIG = """
[tsa]
default_tsa = it
[it]
serial = {folder}/serial
signer_cert = {folder}/tsa.pem
signer_key = {folder}/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_alg = sha256
"""


def openssl(*args: Any, cwd: Path) -> bytes:
    """Run openssl; what it writes."""
    return subprocess.run(["openssl", *map(str, args)], cwd=cwd, check=True, capture_output=True).stdout


class Authority:
    """A time stamping authority on this machine, whose replies openssl makes. spoil: what becomes of a reply."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.asked = folder, 0
        self.spoil: Callable[[bytes], bytes] = lambda reply: reply
        subject = ("-subj", "/CN=Test TSA", "-addext", "extendedKeyUsage=critical,timeStamping")
        key = ("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30")
        openssl(*key, *subject, "-keyout", "tsa.key", "-out", "tsa.pem", cwd=folder)
        (folder / "serial").write_text("01\n")
        (folder / "tsa.cnf").write_text(CONFIG.format(folder=folder))
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                assert self.headers["Content-Type"] == "application/timestamp-query"
                reply = outer.spoil(outer.answer(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(200 if reply else 503)
                self.send_header("Content-Type", "application/timestamp-reply")
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, query: bytes) -> bytes:
        """A reply by openssl, over SHA-256."""
        self.asked += 1
        (self.folder / "query.tsq").write_bytes(query)
        made = ("ts", "-reply", "-config", "tsa.cnf", "-queryfile", "query.tsq", "-out", "reply.tsr")
        openssl(*made, cwd=self.folder)
        return (self.folder / "reply.tsr").read_bytes()


@pytest.fixture
def authority(tmp_path: Path) -> Iterator[Authority]:
    """An authority that answers."""
    made = Authority(tmp_path)
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def certificate(project: Any, expert: Any, manager: Any, settings: Any, tmp_path: Path) -> Certificate:
    """An issued certificate."""
    settings.SIGNING_KEY_FILE = tmp_path / "signing-key.pem"
    audit = make_audit(project, MIXED, spot_check=40)
    settle_all(audit, expert)
    return issue(audit, manager)


def test_a_request_is_what_openssl_reads(tmp_path: Path) -> None:
    digest = hashlib.sha256(b"x").hexdigest()
    (tmp_path / "q").write_bytes(request_for(digest, 2**62 + 5))
    text = openssl("ts", "-query", "-in", "q", "-text", cwd=tmp_path).decode()
    assert "sha256" in text and "Certificate required: yes" in text
    assert re.search(r"Nonce: 0x4000000000000005", text)


def test_openssl_confirms_what_was_stored(authority: Authority, tmp_path: Path) -> None:
    payload = b'{"number":"A-2026-0001"}'
    reply = stamp(hashlib.sha256(payload).hexdigest(), authority.url)
    (tmp_path / "payload.json").write_bytes(payload)
    (tmp_path / "stored.tsr").write_bytes(reply)
    given = ("ts", "-verify", "-data", "payload.json", "-in", "stored.tsr", "-CAfile", "tsa.pem")
    assert b"OK" in openssl(*given, cwd=tmp_path)
    text = openssl("ts", "-reply", "-in", "stored.tsr", "-text", cwd=tmp_path).decode()
    stamped_at = read(reply).at
    assert f"{stamped_at:%b} {stamped_at.day:2} {stamped_at:%H:%M:%S} {stamped_at.year} GMT" in text


def test_a_reply_to_something_else_is_refused(authority: Authority) -> None:
    digest, other = hashlib.sha256(b"a").hexdigest(), hashlib.sha256(b"b").hexdigest()
    reply = authority.answer(request_for(digest, 7))
    assert checked(reply, digest, 7).nonce == 7
    with pytest.raises(TimestampError, match="something else"):
        checked(reply, other, 7)
    with pytest.raises(TimestampError, match="another request"):
        checked(reply, digest, 8)
    refused = bytes.fromhex("30053003020102")
    for wrong in (b"", b"<html>", reply[:-1], reply[:200], refused, b"\x30\x80\x00\x00"):
        with pytest.raises(TimestampError):
            read(wrong)


@pytest.mark.django_db
def test_a_certificate_is_stamped_once_and_a_failure_is_tried_again(
    certificate: Certificate, authority: Authority, settings: Any
) -> None:
    assert not wanted() and witness()
    settings.ASSAY_TIMESTAMP_URL = authority.url
    authority.spoil = lambda reply: b""
    assert wanted() and not witness()
    authority.spoil = lambda reply: reply
    assert witness() and not wanted() and authority.asked == 2
    stored = Certificate.objects.get()
    assert stored.timestamp is not None
    assert read(bytes(stored.timestamp)).sha256 == stored.sha256
    assert stored.added["timestamp"].endswith("Z")
    assert not stored.add_timestamp(b"another") and witness() and authority.asked == 2


@pytest.mark.django_db(transaction=True)
def test_the_sweep_sends_for_a_time_stamp_and_rests_after_a_failure(
    certificate: Certificate, authority: Authority, settings: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(tasks, "_rest_until", [0.0])
    monkeypatch.setattr(tasks, "_asked", [])
    settings.ASSAY_TIMESTAMP_URL = authority.url
    authority.spoil = lambda reply: b""
    tasks.sweep()
    tasks._asked[0].result()
    tasks.sweep()
    assert authority.asked == 1, "whoever failed gets a rest"
    authority.spoil = lambda reply: reply
    tasks._rest_until[0] = 0.0
    tasks.sweep()
    tasks._asked[0].result()
    assert authority.asked == 2 and Certificate.objects.get().timestamp


@pytest.mark.django_db
def test_a_second_signature_is_over_the_signed_bytes(certificate: Certificate, settings: Any) -> None:
    program = (
        "import hashlib, json, sys; data = sys.stdin.buffer.read();"
        "print(json.dumps({'signer': 'Notary', 'algorithm': 'none', 'signature': hashlib.sha256(data).hexdigest()}))"
    )
    settings.ASSAY_COUNTERSIGN_COMMAND = [sys.executable, "-c", "raise SystemExit(3)"]
    assert not witness() and wanted()
    settings.ASSAY_COUNTERSIGN_COMMAND = [sys.executable, "-c", program]
    assert witness() and not wanted()
    stored = Certificate.objects.get()
    assert stored.countersignature == {"signer": "Notary", "algorithm": "none", "signature": stored.sha256}
    assert hashlib.sha256(canonical(stored.envelope["statement"])).hexdigest() == stored.sha256


@pytest.mark.parametrize(
    "said",
    ["", "[]", '{"signer": "a"}', json.dumps({"signer": "a", "algorithm": "b", "signature": "\u202e"}), "1e999"],
)
def test_a_program_that_says_something_else_is_refused(said: str) -> None:
    with pytest.raises(CountersignError):
        countersign(b"{}", [sys.executable, "-c", f"print({said!r})"])


def test_a_program_that_hangs_or_is_not_there_is_given_up() -> None:
    with pytest.raises(CountersignError):
        countersign(b"{}", [sys.executable, "-c", "import signal; signal.pause()"], timeout=0.2)
    with pytest.raises(CountersignError):
        countersign(b"{}", ["/nowhere/at-all"])

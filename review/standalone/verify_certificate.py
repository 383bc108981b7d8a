#!/usr/bin/env python3
"""Verifies a certificate file, alone: this one file, Python 3.9 or later, and the package "cryptography".

    python3 verify_certificate.py certificate.json --key issuer.pem

Exit status: 0 valid, 1 not valid, 2 a file cannot be read. Without --key the key inside the file is used, which
proves only that the file agrees with itself. Whether a certificate was revoked or superseded only its issuer can say.

验证证书文件：只需本文件、Python 3.9 或更高版本以及 cryptography 库。
返回值：0 有效，1 无效，2 文件无法读取。
"""

from __future__ import annotations

import argparse
import base64
import binascii
import hashlib
import io
import json
import math
import sys
from collections.abc import Sequence
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key

LARGEST_FILE = 5_000_000  # bytes
EXACT = 2**53 - 1  # the largest integer that every JSON reader keeps
VALID, INVALID, UNREADABLE = 0, 1, 2

PROBLEMS = {
    "malformed": (
        "FORM: the file is not a certificate.",
        "格式：该文件不是证书。",
    ),
    "not_canonical": (
        "FORM: the file is not byte for byte as it was issued; the first difference is at byte {offset} (from 0).",
        "格式：文件与签发时并非逐字节相同，首处差异在第 {offset} 字节（从 0 起）。",
    ),
    "statement_changed": (
        "STATEMENT: it was changed after it was signed; its SHA-256 is {sha256}.",
        "正文：签名之后被改动过，其 SHA-256 为 {sha256}。",
    ),
    "signature_invalid": (
        "SIGNATURE: it does not belong to this statement and key.",
        "签名：与正文和密钥不符。",
    ),
    "unknown_key": (
        "KEY: it was signed with the key {key_id}, not with the one that was given.",
        "密钥：签名所用的密钥是 {key_id}，不是所给的密钥。",
    ),
}
DECISIONS = {
    "PASS": ("the upper limit is at most the threshold", "合格：上限不超过阈值"),
    "FAIL": ("the lower limit is above the threshold", "不合格：下限高于阈值"),
    "INSUFFICIENT": ("the evidence does not decide", "证据不足：现有证据不能作出结论"),
}
UNAUDITED = "supported_not_checked"  # a reason with which the rate is none that experts stand for


class Malformed(ValueError):
    """The file is no certificate."""


def number(value: int | float) -> str:
    """A number as ECMAScript writes it (RFC 8785, 3.2.2.3; ECMA-262, Number::toString)."""
    if isinstance(value, int):
        if abs(value) > EXACT:
            raise Malformed("an integer that JSON cannot hold exactly")
        return str(value)
    if not math.isfinite(value):
        raise Malformed("not a number")
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, part = mantissa.partition(".")
    part = "" if part == "0" else part
    digits = (whole + part).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + part) - len(digits))
    digits = digits.rstrip("0")
    # The value is 0.DIGITS times ten to the power of `point`.
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    power = "e" + ("+" if point > 0 else "-") + str(abs(point - 1))
    return sign + digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + power


ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def string(text: str) -> str:
    """A text in quotes (RFC 8785, 3.2.2.2)."""
    parts = []
    for character in text:
        if character in ESCAPES:
            parts.append(ESCAPES[character])
        elif character < " ":
            parts.append(f"\\u{ord(character):04x}")
        else:
            parts.append(character)
    return '"' + "".join(parts) + '"'


def written(value: Any) -> str:
    """JSON with names sorted by their UTF-16 code units and nothing that could be left out (RFC 8785)."""
    if value is None or value is True or value is False:
        return "null" if value is None else "true" if value else "false"
    if isinstance(value, (int, float)):
        return number(value)
    if isinstance(value, str):
        return string(value)
    if isinstance(value, list):
        return "[" + ",".join(written(part) for part in value) + "]"
    names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(string(name) + ":" + written(value[name]) for name in names) + "}"


def canonical(value: Any) -> bytes:
    """The one byte form of a value. Malformed for half a surrogate pair, which has none."""
    try:
        return written(value).encode("utf-8")
    except (UnicodeEncodeError, RecursionError) as error:
        raise Malformed("no canonical form") from error


def parse(data: bytes) -> Any:
    """The certificate in a file. Malformed for doubled names and for what is no JSON."""

    def single(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise Malformed("a name stands twice")
        return found

    def refuse(constant: str) -> None:
        raise Malformed(constant + " is no JSON number")

    if len(data) > LARGEST_FILE:
        raise Malformed("too large")
    try:
        return json.loads(data, object_pairs_hook=single, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise Malformed("no JSON") from error


def fields(value: Any, *names: str) -> list[Any]:
    """The values under exactly these names, and no others."""
    if not isinstance(value, dict) or set(value) != set(names):
        raise Malformed("fields of another form")
    return [value[name] for name in names]


def raw(text: Any) -> bytes:
    """The bytes behind base64 in its one form."""
    try:
        found = base64.b64decode(text, validate=True)
    except (binascii.Error, TypeError, ValueError) as error:
        raise Malformed("not base64") from error
    if base64.b64encode(found).decode("ascii") != text:
        raise Malformed("not the one base64 form of these bytes")
    return found


def key_id(key: bytes) -> str:
    """First 16 hexadecimal digits of the SHA-256 of the 32 bytes of a public key."""
    return hashlib.sha256(key).hexdigest()[:16]


def first_difference(data: bytes, other: bytes) -> int | None:
    """The first place, from 0, at which the bytes differ; None if they are the same."""
    if data == other:
        return None
    shorter = min(len(data), len(other))
    return next((place for place in range(shorter) if data[place] != other[place]), shorter)


def check(data: bytes, trusted: bytes | None = None) -> tuple[list[str], dict[str, Any]]:
    """(problem codes, what was found). trusted: the 32 bytes of the key that must have signed.

    found has "sha256", "key_id", "offset" as far as they could be told, and "statement", which is to be believed only
    when there is no problem.
    """
    found: dict[str, Any] = {"sha256": "", "key_id": "", "offset": "", "statement": None}
    try:
        certificate = parse(data)
        statement, claimed, signature = fields(certificate, "statement", "sha256", "signature")
        algorithm, identity, key, value = fields(signature, "algorithm", "key_id", "public_key", "value")
        if algorithm != "Ed25519" or not isinstance(statement, dict) or not isinstance(claimed, str):
            raise Malformed("another kind of certificate")
        key, value = raw(key), raw(value)
        if len(key) != 32 or key_id(key) != identity:
            raise Malformed("the key id is not that of the key")
        payload, whole = canonical(statement), canonical(certificate)
    except Malformed:
        return ["malformed"], found
    found.update(sha256=hashlib.sha256(payload).hexdigest(), key_id=identity, statement=statement)
    problems = []
    found["offset"] = first_difference(data, whole)
    if found["offset"] is not None:
        problems.append("not_canonical")
    if found["sha256"] != claimed:
        problems.append("statement_changed")
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(value, payload)
    except (InvalidSignature, ValueError):
        problems.append("signature_invalid")
    if trusted is not None and key != trusted:
        problems.append("unknown_key")
    return problems, found


def at(value: Any, *names: str) -> Any:
    """A value inside the statement; None where it is not there."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def shown(value: Any) -> str:
    """A value on one line. Control characters, which could fool a terminal, are written as their numbers."""
    text = "-" if value is None else value if isinstance(value, str) else written(value)
    return "".join(c if c.isprintable() else "\\u{" + format(ord(c), "x") + "}" for c in text)


def lines(statement: dict[str, Any]) -> list[str]:
    """What a statement says, in English and Chinese."""
    decision = at(statement, "result", "decision")
    english, chinese = DECISIONS.get(decision, ("", "")) if isinstance(decision, str) else ("", "")
    limits = " – ".join(shown(at(statement, "result", "one_sided", name)) for name in ("low", "high"))
    rule, told = statement.get("rule"), at(statement, "result", "reasons")
    reasons = told if isinstance(told, list) else []
    rows = [
        ("Certificate", "证书", statement.get("number"), statement.get("version")),
        ("Issued", "签发", statement.get("issued_at"), statement.get("issuer")),
        ("Project", "项目", statement.get("project"), statement.get("client")),
        ("System", "系统", statement.get("system")),
        ("Dataset", "数据集", at(statement, "dataset", "name"), at(statement, "dataset", "sha256")),
        ("Decision", "结论", decision, english, chinese),
        ("Hallucination rate", "幻觉率", None if UNAUDITED in reasons else at(statement, "result", "rate")),
        ("One-sided limits", "单侧界限", limits, at(statement, "result", "one_sided", "level")),
        ("Threshold", "阈值", at(rule, "threshold"), at(rule, "scope")),
        ("Claims", "命题", at(statement, "outcome", "claims")),
        ("Answers", "回答", at(statement, "samples", "total")),
        ("Reasons", "原因", told or None),
        ("Limits of what it says", "未涵盖的内容", statement.get("limits")),
    ]
    found = [f"{en} {zh}: " + " · ".join(shown(value) for value in values if value != "") for en, zh, *values in rows]
    if statement.get("specimen") is not False:
        found.insert(0, "SPECIMEN, no basis for acceptance 样张，不作验收依据")
    return found


def read_key(path: str) -> bytes:
    """The 32 bytes of an Ed25519 public key in a PEM file. ValueError for another kind."""
    with open(path, "rb") as file:
        key = load_pem_public_key(file.read())
    if not isinstance(key, Ed25519PublicKey):
        raise ValueError("the key is not an Ed25519 key")
    return key.public_bytes(Encoding.Raw, PublicFormat.Raw)


def main(arguments: Sequence[str] | None = None) -> int:
    """Check one file, and print what was found."""
    parser = argparse.ArgumentParser(description="Verify a certificate file offline. 离线验证证书文件。")
    parser.add_argument("file", help="the certificate, a JSON file 证书文件（JSON）")
    parser.add_argument("--key", help="public key (PEM) that must have signed it 必须用于签名的公钥（PEM）")
    options = parser.parse_args(arguments)
    try:
        with open(options.file, "rb") as file:
            data = file.read(LARGEST_FILE + 1)
        trusted = read_key(options.key) if options.key else None
    except (OSError, ValueError) as error:
        print("Cannot read 无法读取:", error, file=sys.stderr)
        return UNREADABLE
    problems, found = check(data, trusted)
    if problems:
        print("INVALID 无效")
        for problem in problems:
            for text in PROBLEMS[problem]:
                print("- " + text.format(**found))
        if data.startswith(b"%PDF-"):
            print("It is a PDF. Take the certificate out of it: pdfdetach -save 1 FILE.pdf")
            print("这是 PDF 文件，请先取出其中的证书：pdfdetach -save 1 FILE.pdf")
        return INVALID
    print("VALID 有效")
    for line in lines(found["statement"]):
        print(line)
    print("SHA-256: " + found["sha256"])
    print("Key 密钥: " + found["key_id"])
    if trusted is None:
        print("The key came with the file: compare its id with one that you trust, or give --key.")
        print("密钥随文件而来：请与您信任的密钥编号核对，或用 --key 给出公钥。")
    print("Whether it was revoked or superseded only the issuer can say. 是否已撤销或被取代，须向签发单位查询。")
    return VALID


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # terminals of other code pages show what they can
            stream.reconfigure(encoding="utf-8", errors="replace")
    sys.exit(main())

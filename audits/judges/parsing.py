"""Reads claims and verdicts out of a reply, which is hostile text: one object of the asked form, or nothing."""

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from audits.judges.base import (
    Extracted,
    ExtractedClaim,
    Judgement,
    Purpose,
    Quote,
    Reply,
    Sentence,
    Task,
)
from audits.judges.cleaning import clean
from audits.judges.evidence import locate_quotes
from audits.judges.placing import Places
from audits.labels import Label, Unscored

MAX_CLAIM = 1000  # characters
MAX_RATIONALE = 2000
MAX_QUOTE = 2000
MAX_QUOTES = 20  # per verdict
MAX_CLAIMS = 1000  # per answer
MAX_NOTES = 20

REASONS = ("question", "opinion", "refusal", "transition", "other")
LABELS = {
    "supported": Label.SUPPORTED,
    "有据": Label.SUPPORTED,
    "有據": Label.SUPPORTED,
    "contradicted": Label.CONTRADICTED,
    "冲突": Label.CONTRADICTED,
    "衝突": Label.CONTRADICTED,
    "unverified": Label.UNVERIFIED,
    "not supported": Label.UNVERIFIED,
    "unsupported": Label.UNVERIFIED,
    "无据": Label.UNVERIFIED,
    "無據": Label.UNVERIFIED,
}
_FENCE = re.compile(r"\A```[A-Za-z]*[ \t]*\n(.*?)\n?[ \t]*```\Z", re.DOTALL)


class ParseError(Exception):
    """The reply is not one JSON object of the asked form; the message says what it is instead."""


def read_json(text: str) -> dict[str, Any]:
    """The one JSON object of a reply: bare, in one Markdown fence, after a </think> block, or with prose around it.

    Prose is allowed only where it holds no braces of its own: of two objects neither is taken, because the answer
    under test may contain a verdict and must not win. Raises ParseError.
    """
    text = clean(text).strip()
    if not text:
        raise ParseError("The reply is empty.")
    strict = _try(text)
    if strict is not None:
        return _an_object(strict)
    if text.startswith("<think>") or "</think>" in text:
        head, _, tail = text.partition("</think>")
        if "</think>" in tail or "<think>" in head[1:]:
            raise ParseError("The reply thinks more than once.")
        text = tail.strip()
    fenced = _FENCE.match(text)
    if fenced and "```" not in fenced[1]:
        text = fenced[1].strip()
    # From the first brace to the last: this is JSON exactly when there is one object and no brace outside it.
    value = _try(text[text.find("{") : text.rfind("}") + 1])
    if value is None:
        raise ParseError("The reply is no single JSON object.")
    return _an_object(value)


def is_readable(text: str, purpose: Purpose) -> bool:
    """Whether a reply has the asked form at all."""
    try:
        _entries(read_json(text), "claims" if purpose is Purpose.EXTRACT else "verdicts")
    except ParseError:
        return False
    return True


def is_answer(text: str, task: Task) -> bool:
    """Whether asking the same once more would be wasted: the asked form, and a label if a single claim was asked.

    What a reply to several claims leaves out is asked claim by claim, not all of it again.
    """
    if task.purpose is Purpose.EXTRACT or len(task.claims) > 1:
        return is_readable(text, task.purpose)
    try:
        entries = _entries(read_json(text), "verdicts")
    except ParseError:
        return False
    return _labelled(entries) >= {claim.number for claim in task.claims}


def is_complete(reply: Reply, task: Task) -> bool:
    """Whether a reply says all that was asked, so that it may be found again instead of being bought anew.

    Refusals, truncated replies and those without a usable label for each claim are not.
    """
    if reply.finish != "stop":
        return False
    try:
        found = read_json(reply.text)
        if task.purpose is Purpose.EXTRACT:
            return bool(_entries(found, "claims") or found.get("no_claims"))
        entries = _entries(found, "verdicts")
    except ParseError:
        return False
    return _labelled(entries) >= {claim.number for claim in task.claims}


def _labelled(entries: Sequence[Any]) -> set[int | None]:
    """The numbers of the claims to which a reply gives one known label and no other."""
    said: dict[int | None, set[Label | None]] = {}
    for entry in entries:
        if isinstance(entry, dict):
            said.setdefault(_number(entry.get("claim")), set()).add(read_label(entry.get("label")))
    return {number for number, labels in said.items() if len(labels) == 1 and None not in labels}


def read_extraction(text: str, sentences: Sequence[Sentence], answer: str) -> Extracted:
    """The claims of an answer with their spans, each the sentence's or tighter where the claim stands in it.

    Claims of unknown sentences, empty and repeated ones are dropped and noted; repeated means the same text at the
    same place. Raises ParseError.
    """
    reply = read_json(text)
    by_number = {sentence.number: sentence for sentence in sentences}
    notes: list[str] = []
    places = Places(answer)
    claims: dict[tuple[str, int, int], ExtractedClaim] = {}
    for entry in _entries(reply, "claims"):
        claim = _claim(entry, by_number, places, notes)
        if claim is None:
            continue
        if (claim.text, claim.start, claim.end) in claims:
            notes.append(f"Claim of sentence {claim.sentence} given twice.")
        claims.setdefault((claim.text, claim.start, claim.end), claim)
    if len(claims) > MAX_CLAIMS:
        raise ParseError(f"The reply holds more than {MAX_CLAIMS} claims.")
    ordered = _in_order(claims.values(), by_number)
    with_claims = {claim.sentence for claim in ordered}
    no_claims = _no_claims(reply, by_number, with_claims, notes)
    rest = tuple(number for number in by_number if number not in with_claims and number not in no_claims)
    return Extracted(tuple(ordered), no_claims, rest, tuple(notes[:MAX_NOTES]))


def read_judgements(
    text: str, claim_numbers: Sequence[int], contexts_shown: Sequence[str], order: Sequence[int]
) -> list[Judgement]:
    """One judgement for each claim asked, in the order asked; the unreadable and missing are unscored, never guessed.

    contexts_shown: as the judge saw them; order[i]: the sample's own index of the i-th one shown. Quotes come back
    with the sample's own indices. Never raises ParseError: a reply of no form at all leaves all claims unparseable.
    """
    try:
        entries = _entries(read_json(text), "verdicts")
    except ParseError as error:
        return unscored(claim_numbers, Unscored.UNPARSEABLE, str(error))
    found: dict[int, list[dict[str, Any]]] = {number: [] for number in claim_numbers}
    strangers = 0
    for entry in entries:
        number = _number(entry.get("claim")) if isinstance(entry, dict) else None
        if number in found:
            found[number].append(entry)
        else:
            strangers += 1
    notes = (f"{strangers} verdicts on claims that were not asked.",) if strangers else ()
    contexts = [""] * len(order)
    for shown, original in zip(contexts_shown, order, strict=True):
        contexts[original] = shown
    return [_judgement(number, found[number], contexts, order, notes) for number in claim_numbers]


def read_reply(
    reply: Reply, claim_numbers: Sequence[int], contexts_shown: Sequence[str], order: Sequence[int]
) -> list[Judgement]:
    """As read_judgements, with refused and truncated replies told apart from unreadable ones."""
    if reply.finish == "refusal":
        return unscored(claim_numbers, Unscored.REFUSED, reply.text[:MAX_RATIONALE])
    if reply.finish == "length" and not is_readable(reply.text, Purpose.VERIFY):
        return unscored(claim_numbers, Unscored.TRUNCATED, "The reply was cut at the token limit.")
    return read_judgements(reply.text, claim_numbers, contexts_shown, order)


def unscored(claim_numbers: Sequence[int], reason: Unscored, detail: str) -> list[Judgement]:
    """The same unscored judgement for every claim asked."""
    return [Judgement(number, None, unscored=reason, detail=detail) for number in claim_numbers]


def read_label(value: Any) -> Label | None:
    """A label by exact match with the list of known spellings, None for anything else."""
    if not isinstance(value, str):
        return None
    name = unicodedata.normalize("NFKC", value).strip().rstrip(".。").strip().lower()
    return LABELS.get(" ".join(name.replace("_", " ").split()))


def _try(text: str) -> Any:
    """A JSON value without repeated keys, NaN or endless nesting; None when there is none."""
    try:
        return DECODER.decode(text)
    except (ValueError, RecursionError):
        return None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key stands twice")
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_unique, parse_constant=_no_constant)
"""Takes raw line breaks in strings, but no repeated keys and no NaN."""


def _an_object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ParseError("The reply is JSON but no object.")
    return value


def _entries(reply: dict[str, Any], key: str) -> list[Any]:
    entries = reply.get(key)
    if not isinstance(entries, list):
        raise ParseError(f"The reply has no list “{key}”.")
    return entries


def _number(value: Any) -> int | None:
    """A number as shown in the prompt: 3, 3.0, "3" or "[3]"."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str):
        digits = re.fullmatch(r"\s*\[?([0-9]{1,6})\]?\s*", value)
        return int(digits[1]) if digits else None
    return value if isinstance(value, int) else None


def _words(value: Any, limit: int) -> str:
    """Text of a field, cleaned and cut; anything but text is nothing."""
    text = clean(value).strip() if isinstance(value, str) else ""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _claim(entry: Any, by_number: dict[int, Sentence], places: Places, notes: list[str]) -> ExtractedClaim | None:
    number = _number(entry.get("sentence")) if isinstance(entry, dict) else None
    text = " ".join(_words(entry.get("text"), MAX_CLAIM).split()) if isinstance(entry, dict) else ""
    if number not in by_number:
        notes.append(f"Claim of an unknown sentence ({number}): {text[:80]}")
        return None
    if not text:
        notes.append(f"Empty claim of sentence {number}.")
        return None
    start, end = places.next(text, by_number[number])
    return ExtractedClaim(number, text, start, end, _is_true(entry.get("vague")), _is_true(entry.get("ambiguous")))


def _in_order(claims: Iterable[ExtractedClaim], by_number: dict[int, Sentence]) -> list[ExtractedClaim]:
    """By sentence, then by place in it; a reworded claim has no place of its own and stays behind the one before."""
    last: dict[int, int] = {}
    placed = []
    for claim in claims:
        sentence = by_number[claim.sentence]
        whole = (claim.start, claim.end) == (sentence.start, sentence.end)
        place = last.get(claim.sentence, claim.start) if whole else claim.start
        last[claim.sentence] = place
        placed.append((claim.sentence, place, claim))
    return [claim for _, _, claim in sorted(placed, key=lambda row: row[:2])]


def _is_true(value: Any) -> bool:
    return value is True or str(value).strip().lower() == "true"


def _no_claims(
    reply: dict[str, Any], by_number: dict[int, Sentence], with_claims: set[int], notes: list[str]
) -> dict[int, str]:
    entries = reply.get("no_claims")
    reasons: dict[int, str] = {}
    for entry in entries if isinstance(entries, list) else []:
        number = _number(entry.get("sentence")) if isinstance(entry, dict) else None
        if number not in by_number:
            notes.append(f"Reason for an unknown sentence ({number}).")
        elif number in with_claims:
            notes.append(f"Sentence {number} has claims and a reason for none; the claims count.")
        else:
            reason = str(entry.get("reason")).strip().lower()
            reasons.setdefault(number, reason if reason in REASONS else "other")
    return reasons


def _judgement(
    number: int, entries: list[dict[str, Any]], contexts: list[str], order: Sequence[int], notes: tuple[str, ...]
) -> Judgement:
    if not entries:
        return Judgement(
            number, None, unscored=Unscored.MISSING, detail="The reply has no verdict on this claim.", notes=notes
        )
    entry = entries[0]
    rationale = _words(entry.get("rationale"), MAX_RATIONALE)
    labels = [read_label(each.get("label")) for each in entries]
    if labels[0] is None or len(set(labels)) > 1:
        said = ", ".join(_words(str(each.get("label")), 60) for each in entries[:5])
        detail = f"Verdicts that differ: {said}" if len(entries) > 1 else f"No known label: {said}"
        return Judgement(number, None, rationale, unscored=Unscored.UNPARSEABLE, detail=detail, notes=notes)
    if len(entries) > 1:
        notes += (f"{len(entries)} verdicts on this claim, all the same; the first one is kept.",)
    quotes, remarks = _quotes(entry.get("quotes"), contexts, order)
    conflict = any(each.get("conflict") is True for each in entries)
    return Judgement(number, labels[0], rationale, quotes, notes=notes + remarks, conflict=conflict)


def _quotes(value: Any, contexts: list[str], order: Sequence[int]) -> tuple[tuple[Quote, ...], tuple[str, ...]]:
    asked: list[tuple[int, str]] = []
    remarks: list[str] = []
    for entry in value[:MAX_QUOTES] if isinstance(value, list) else []:
        shown = _number(entry.get("context")) if isinstance(entry, dict) else None
        text = _words(entry.get("text"), MAX_QUOTE) if isinstance(entry, dict) else ""
        if not text:
            continue
        if shown is None or not 1 <= shown <= len(order):
            remarks.append(f"A quote names context {shown}, which was not shown.")
            continue
        asked.append((order[shown - 1], text))
    return locate_quotes(asked, contexts), tuple(remarks[:MAX_NOTES])

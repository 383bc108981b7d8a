"""From a task to the words and the schema of one request, the same for every vendor."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from string import Template
from typing import Any

from audits.judges import VENDORS, base_url_of
from audits.judges.base import JudgeSpec, Prompt, Purpose, Task
from audits.judges.cleaning import clean
from audits.text.invisible import visible

PROMPTS = Path(__file__).parent / "prompts"
VERSIONS = {Purpose.EXTRACT: "claims_v2", Purpose.VERIFY: "verdict_v2"}
LANGUAGES = ("en", "zh")
NOTHING = {"en": "(none)", "zh": "（无）"}
_LINE_ENDS = r"[\n\v\f\x1c-\x1e\x85\u2028\u2029]"
_FORGERY = re.compile(rf"{_LINE_ENDS}(?=\[\d|##)")
# Our markers, and the tokens by which chat templates part system, user and model. It begins with one class of signs
# and looks back at which it was: only so the search is fast.
_MARKS = re.compile(
    r"[<>＜＞|｜\[](?:(?<=[<＜])[<＜]{2,}[|｜]?|(?<=[>＞])[>＞]{2,}|(?<=<)(?=[|｜])|(?<=[|｜])>"
    r"|(?<=<)</?(?i:SYS)>>|(?<=\[)/?(?i:INST)\]"
    r"|(?<=<)/?(?i:s|bos|eos|pad|unk|(?:start|end)_of_turn|system_prompt)>)"
)
_WIDE = re.compile("[\u2e80-\U0010ffff]+")
_LINE_BREAK = re.compile(rf"\s*{_LINE_ENDS}\s*")


def _strict(properties: Mapping[str, Any]) -> dict[str, Any]:
    """An object schema that every vendor's strict mode takes: all required, nothing besides, no defaults."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _list_of(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": _strict(properties)}


_INTEGER, _STRING, _BOOLEAN = {"type": "integer"}, {"type": "string"}, {"type": "boolean"}
SCHEMAS: Mapping[Purpose, dict[str, Any]] = {
    Purpose.EXTRACT: _strict(
        {
            "claims": _list_of({"sentence": _INTEGER, "text": _STRING, "vague": _BOOLEAN, "ambiguous": _BOOLEAN}),
            "no_claims": _list_of(
                {
                    "sentence": _INTEGER,
                    "reason": {"type": "string", "enum": ["question", "opinion", "refusal", "transition", "other"]},
                }
            ),
        }
    ),
    Purpose.VERIFY: _strict(
        {
            "verdicts": _list_of(
                {
                    "claim": _INTEGER,
                    # Models write the fields in this order: first what was read, then what follows from it.
                    "quotes": _list_of({"context": _INTEGER, "text": _STRING}),
                    "rationale": _STRING,
                    "conflict": _BOOLEAN,
                    "label": {"type": "string", "enum": ["SUPPORTED", "CONTRADICTED", "UNVERIFIED"]},
                }
            )
        }
    ),
}
SCHEMA_NAMES = {Purpose.EXTRACT: "claims", Purpose.VERIFY: "verdicts"}


@dataclass(frozen=True)
class _Template:
    system: str
    prefix: Template
    suffix: Template
    excerpts: str
    nearby: Template  # shown only where a task has what fills it; empty in templates that know no such part
    again: str
    version: str
    hash: str


@cache
def _template(purpose: Purpose, language: str) -> _Template:
    version = f"{VERSIONS[purpose]}.{language}"
    raw = (PROMPTS / f"{version}.txt").read_bytes()
    parts = dict(re.findall(r"^@@(\w+)\n(.*?)(?=^@@|\Z)", raw.decode("utf-8"), re.DOTALL | re.MULTILINE))
    return _Template(
        system=parts["system"].strip(),
        prefix=Template(parts["prefix"]),
        suffix=Template(parts["suffix"].rstrip("\n")),
        excerpts=parts.get("excerpts", ""),
        nearby=Template(parts.get("nearby", "")),
        again=parts.get("again", ""),
        version=version,
        hash=hashlib.sha256(raw).hexdigest(),
    )


def prompt_version(purpose: Purpose, language: str) -> tuple[str, str]:
    """Name and SHA-256 of the template used for a purpose and language: what a certificate prints."""
    template = _template(purpose, _known(language))
    return template.version, template.hash


def build_prompt(task: Task) -> Prompt:
    """The prompt of a task: context first, claims last, untrusted text between markers it cannot forge.

    Identical tasks give identical prompts, so that vendors' caches and the ledger find them again.
    """
    language = _known(task.language)
    template = _template(task.purpose, language)
    fill = (_extraction if task.purpose is Purpose.EXTRACT else _verification)(task, language, template)
    return Prompt(
        system=template.system,
        prefix=template.prefix.substitute(fill),
        suffix=template.suffix.substitute(fill),
        schema=SCHEMAS[task.purpose],
        schema_name=SCHEMA_NAMES[task.purpose],
        version=template.version,
        hash=template.hash,
    )


def request_hash(spec: JudgeSpec, prompt: Prompt, replicate: int = 0) -> str:
    """SHA-256 of all that shapes a reply: vendor, address, model, parameters, words, schema; never the key.

    Two judges never share an entry, and a repeat (replicate 1, 2, ...) is bought anew.
    """
    vendor = VENDORS.get(spec.vendor)
    parts = {
        "vendor": spec.vendor,
        "base_url": base_url_of(spec),
        "model": spec.model,
        "params": {**(vendor.body if vendor else {}), **spec.params},
        "max_tokens": spec.max_tokens,
        "frame": _frame(prompt.hash, prompt.system, prompt.schema_name),
        "user": hashlib.sha256(prompt.user.encode()).hexdigest(),
        "replicate": replicate,
    }
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def _frame(template: str, system: str, schema_name: str) -> str:
    """SHA-256 of what all requests of one template share."""
    (schema,) = (SCHEMAS[purpose] for purpose, name in SCHEMA_NAMES.items() if name == schema_name)
    text = json.dumps([template, system, schema_name, schema], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _extraction(task: Task, language: str, template: _Template) -> dict[str, str]:
    question = _block(task.question) or NOTHING[language]
    sentences = "\n".join(f"[{sentence.number}] {_line(sentence.text)}" for sentence in task.sentences)
    neighbours = "\n".join(f"({sentence.number}) {_line(sentence.text)}" for sentence in task.neighbours)
    around = {"neighbours": neighbours, "nearby_boundary": _boundary([neighbours])}
    return {
        "question": question,
        "nearby": template.nearby.substitute(around) if neighbours else "",
        "sentences": sentences or NOTHING[language],
        "again": template.again if task.again else "",
        "boundary": _boundary([question]),  # the prefix is the same for all parts of a long answer
        "sentences_boundary": _boundary([sentences]),
    }


def _verification(task: Task, language: str, template: _Template) -> dict[str, str]:
    question = _block(task.question) or NOTHING[language]
    contexts = "\n".join(f"[{number}] {_block(text)}" for number, text in enumerate(task.contexts, 1))
    # Nothing but the claim: a sentence beside it would be judged in its place, or bring other claims along.
    claims = "\n".join(f"[{claim.number}] {_line(claim.text)}" for claim in task.claims)
    return {
        "question": question,
        "excerpts": template.excerpts if task.excerpts else "",
        "contexts": contexts or NOTHING[language],
        "claims": claims or NOTHING[language],
        "boundary": _boundary([question, contexts]),  # the prefix must not change with the claims
        "claims_boundary": _boundary([claims]),
    }


def _boundary(texts: Iterable[str]) -> str:
    """A marker that the text cannot contain on purpose: whoever wrote it would have to know its own hash."""
    return hashlib.sha256("\x00".join(texts).encode()).hexdigest()[:16]


@lru_cache(maxsize=32)  # the calls about one sample's claims show the same contexts
def _block(text: str) -> str:
    """Untrusted text of several lines, as it stands; a line that would pass for a numbered item is indented."""
    return _FORGERY.sub(r"\g<0>  ", "\n" + _defuse(text).strip())[1:]


def _line(text: str) -> str:
    """Untrusted text on one line."""
    return _LINE_BREAK.sub(" ", _defuse(text).strip())


def _defuse(text: str) -> str:
    """Take out what nobody can see and break up what looks like our markers or a chat template's.

    Everything else stays as it is, to be quoted; quotes are compared without any of this (text.normalise).
    """
    return _MARKS.sub(_apart, visible(clean(text)))


def _apart(match: re.Match[str]) -> str:
    """Blanks within a row of brackets, or inside the two ends of a token."""
    mark = match[0]
    if len(mark) == 1:
        return f"{mark} "
    return f"{mark[0]} {mark[1:-1]} {mark[-1]}" if mark[1:-1].strip("<>＜＞|｜") else " ".join(mark)


def _known(language: str) -> str:
    return language if language in LANGUAGES else "en"


def low_tokens(text: str) -> int:
    """A low estimate of a text's tokens: four characters a token, one for each character beyond Latin."""
    wide = 0 if text.isascii() else len(text) - len(_WIDE.sub("", text))
    return wide + (len(text) - wide) // 4

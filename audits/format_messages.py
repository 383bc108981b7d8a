"""What a reader of files has to say, in the language of the page: found by code, split into what, safe and to do."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from audits.formats.base import FormatError
from audits.formats.messages import FILE_ERRORS, ROW_PROBLEMS, WARNINGS

SAFE = gettext_noop("Nothing was imported.")  # the sentence that every message about a file holds
FIELDS = {
    "id": gettext_noop("the identifier"),
    "question": gettext_noop("the question"),
    "answer": gettext_noop("the answer"),
    "contexts": gettext_noop("the contexts"),
}
KINDS = (  # what formats/sniff.py calls a file that is no dataset
    gettext_noop("a PDF document"),
    gettext_noop("a binary file"),
    gettext_noop("a ZIP archive"),
    gettext_noop("a Parquet file"),
    gettext_noop("a compressed archive"),
    gettext_noop("an image"),
    gettext_noop("an XML file"),
    gettext_noop("a database"),
    gettext_noop("a text document (RTF)"),
    gettext_noop("a Word document"),
    gettext_noop("an OpenDocument file"),
)


@dataclass(frozen=True)
class Explained:
    """One message for the error box."""

    what: str
    safe: str = ""
    todo: str = ""


def _filled(template: str, params: Mapping[str, Any], fallback: str) -> str:
    words = {name: _word(name, value) for name, value in params.items()}
    try:
        return _(template) % words if "%(" in template else _(template)
    except (KeyError, TypeError, ValueError):
        return fallback


def _word(name: str, value: Any) -> Any:
    """What fills a gap, translated where it is a word of ours and not of the file."""
    if name == "column" and value in FIELDS:
        return _(FIELDS[value])
    if name == "kind":
        return _(value)
    if name == "reason":
        return next((said for code in ROW_PROBLEMS if (said := row_reason(code, value)) != value), value)
    return value


def explain(error: FormatError) -> Explained:
    """A reader's error, translated."""
    return _split(_filled(error.template, error.params, str(error)))


def explain_failure(failure: Mapping[str, Any]) -> Explained:
    """The error stored with a failed dataset, translated."""
    message = str(failure.get("message", ""))
    template = str(failure.get("template") or FILE_ERRORS.get(str(failure.get("code", "")), message))
    return _split(_filled(template, failure.get("params") or {}, message))


def _split(text: str) -> Explained:
    safe = _(SAFE)
    what, found, todo = text.partition(safe)
    return Explained(what.strip(), safe if found else "", todo.strip())


def row_reason(code: str, reason: str) -> str:
    """Why a row was not imported, translated. Only the filled English sentence is stored: its gaps are read back."""
    template = ROW_PROBLEMS.get(code, "")
    pattern = re.sub(r"%\\\((\w+)\\\)s", r"(?P<\1>.*?)", re.escape(template))
    gaps = re.fullmatch(pattern, reason, re.DOTALL) if template else None
    return _filled(template, gaps.groupdict(), reason) if gaps else reason


def warning(stored: Any) -> str:
    """A warning about the file, {"code", "params"} as stored with the dataset or a plain sentence, translated."""
    if isinstance(stored, str):  # of a dataset that came in before warnings had gaps to fill
        return _(stored) if stored in WARNINGS.values() else stored
    template = WARNINGS.get(stored["code"], stored["code"])
    return _filled(template, stored["params"], template)

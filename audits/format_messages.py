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
    "reference": gettext_noop("the reference answer"),
    "generator": gettext_noop("the generator model"),
    "timestamp": gettext_noop("the time"),
    "tags": gettext_noop("the tags"),
    "label": gettext_noop("the human label of the answer"),
    "claims": gettext_noop("the claims"),
    "claim_label": gettext_noop("the human labels of the claims"),
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
    gettext_noop("an Arrow file (Feather)"),
    gettext_noop("an Avro file"),
    gettext_noop("a Python object (pickle)"),
)


TODO = {  # code of a row's problem -> what the person does about it
    "too_few_fields": gettext_noop("Add the missing cells, or put texts that hold the separator in quotation marks."),
    "too_many_fields": gettext_noop("Put the text that holds the separator in quotation marks."),
    "bad_quotes": gettext_noop(
        "Write each quotation mark inside a quoted text twice, or save the file from a spreadsheet."
    ),
    "unclosed_quote": gettext_noop("Close the quotation mark, or write it twice where it belongs to the text."),
    "cut_off": gettext_noop("Export the file again and let it run to its end, or complete the row."),
    "unreadable_rest": gettext_noop("Look for a quotation mark that is never closed, and close it."),
    "cell_too_long": gettext_noop("Shorten the text, or move it out of this column."),
    "undecodable": gettext_noop("Save the file as UTF-8, or read it in another encoding."),
    "bad_character": gettext_noop("Export the file again; a program cut a character in half."),
    "bad_json": gettext_noop("Repair the line, or export it again."),
    "several_objects": gettext_noop("Write one object per line."),
    "not_an_object": gettext_noop("Write the row as an object with named fields."),
    "line_too_long": gettext_noop("Shorten the row, or check that line breaks separate the rows."),
    "too_deep": gettext_noop("Export the row as a flat object."),
    "not_text": gettext_noop("Write a text here, or choose a path that leads to a text."),
    "bad_contexts": gettext_noop("Write the contexts as a list of texts, or choose the path to their texts."),
    "bad_list": gettext_noop("Export the list again; it was probably cut off by a spreadsheet."),
    "merged_cells": gettext_noop("Unmerge the cells and fill in every row."),
    "row_too_long": gettext_noop("Shorten the texts of the row, or leave columns out."),
    "too_many_contexts": gettext_noop("Keep the contexts that the answer was given, or check how the cell is split."),
    "too_many_claims": gettext_noop("Keep fewer claims, or check that the right column is chosen."),
    "too_many_tags": gettext_noop("Keep fewer tags, or check that the right column is chosen."),
    "bad_claims": gettext_noop("Write the claims as a list of texts, or of objects with a text and a label."),
    "claims_and_labels": gettext_noop("Give each claim its label; an empty one means that there is none."),
    "repeated_header": gettext_noop("Nothing; the rows below it are read."),
    "nothing_to_audit": gettext_noop("Nothing, if the row is a heading, a sum or a remark; else fill it in."),
    "no_item": gettext_noop("Nothing, if the row is a step or a comment; else read the file as a plain table."),
    "no_key": gettext_noop("Fill in the key, or export the rows again."),
    "too_many_parts": gettext_noop("Check that the key tells the answers apart; it stands in too many rows."),
}
MEND = gettext_noop(
    "Mend the row in the file, then upload the file again."
)  # for a problem that has no advice of its own
METHODS = {  # how a cell of several contexts may be split: formats.splitting
    "numbered": gettext_noop("numbered lists"),
    "bullets": gettext_noop("lists with bullets"),
    "blank_lines": gettext_noop("paragraphs with blank lines between them"),
    "lines": gettext_noop("lines"),
}


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
    if name == "how" and value in METHODS:
        return _(METHODS[value])
    if name in ("lines", "rows") and isinstance(value, str):  # line numbers; names may hold a comma of their own
        return value.replace(", ", _(", "))
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


def row_todo(code: str) -> str:
    """What to do about a row that was not imported, translated."""
    return _(TODO.get(code, MEND))


def warning(stored: Any) -> str:
    """A warning about the file, {"code", "params"} as stored with the dataset or a plain sentence, translated."""
    if isinstance(stored, str):  # of a dataset that came in before warnings had gaps to fill
        return _(stored) if stored in WARNINGS.values() else stored
    template = WARNINGS.get(stored["code"], stored["code"])
    return _filled(template, stored["params"], template)

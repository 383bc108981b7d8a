"""What the readers of files say, in the language of the page."""

import ast
import re
from pathlib import Path

import pytest
from django.utils import translation

from audits.format_messages import FIELDS, KINDS, METHODS, TODO, explain, row_reason, row_todo, warning
from audits.formats import sniff, splitting
from audits.formats.messages import ROW_PROBLEMS, WARNINGS, file_error, row_problem
from audits.formats.oddities import FLAGS
from audits.formats.roles import ROLES
from audits.formats.wording import LABELS, MISSING
from audits.templatetags.dataset_words import FLAG_WORDS, LABEL_WORDS, ROLE_WORDS


def test_every_kind_of_file_that_is_refused_is_in_the_catalogue() -> None:
    tree = ast.parse(Path(sniff.__file__).read_text(encoding="utf-8"))
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    kinds = {text for text in texts if text.startswith(("a ", "an ")) and len(text) < 40}
    assert len(kinds) > 5
    assert kinds <= set(KINDS)


@pytest.mark.parametrize("code", ROW_PROBLEMS)
def test_every_row_problem_is_read_back_for_translation(code: str) -> None:
    gaps = {name: f"{number}: %s %(x)s" for number, name in enumerate(re.findall(r"%\((\w+)\)", ROW_PROBLEMS[code]))}
    gaps.pop("line", None)
    with translation.override("zh-hans"):
        assert row_reason(code, row_problem(3, code, **gaps).reason)
    assert row_reason(code, "not that sentence") == "not that sentence"


def test_a_reason_that_is_no_code_of_ours_stays_as_it_is() -> None:
    assert row_reason("unknown", "as stored") == "as stored"


def test_there_is_something_to_do_about_every_row_problem() -> None:
    assert set(ROW_PROBLEMS) - set(TODO) == set()
    assert row_todo("unknown") == "Mend the row in the file, then upload the file again."


def test_every_warning_is_said_with_its_gaps_filled() -> None:
    for code, template in WARNINGS.items():
        params = dict.fromkeys(re.findall(r"%\((\w+)\)", template), "GAP")
        assert "%(" not in warning({"code": code, "params": params})
        assert ("GAP" in warning({"code": code, "params": params})) == bool(params)
    assert warning("a sentence of an older version") == "a sentence of an older version"


def test_a_readers_error_names_the_column_in_words() -> None:
    explained = explain(file_error("missing_column", column="contexts", columns="a, b"))
    assert explained.what == "No column of the file is chosen for the contexts."
    assert explained.todo == "Choose one of the columns found: a, b."


def test_every_code_of_the_readers_has_its_words() -> None:
    assert set(FIELDS) == set(ROLE_WORDS) == set(ROLES)
    assert set(FLAG_WORDS) == set(FLAGS)
    assert set(LABEL_WORDS) == {*LABELS, MISSING}
    assert set(METHODS) == set(splitting.METHODS)

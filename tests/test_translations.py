"""The Chinese catalogue is whole: every string has a translation, and the compiled file says the same."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import polib
import pytest
from django.contrib import auth

from audits.django_words import SENTENCES

ROOT = Path(__file__).resolve().parent.parent
CATALOGUE = ROOT / "locale" / "zh_Hans" / "LC_MESSAGES"


def test_every_string_is_translated() -> None:
    catalogue = polib.pofile(str(CATALOGUE / "django.po"))
    assert len(catalogue) > 100
    assert [entry.msgid for entry in catalogue.untranslated_entries()] == []
    assert [entry.msgid for entry in catalogue.fuzzy_entries()] == []


def test_sentences_of_django_that_we_say_otherwise_are_its_own() -> None:
    folder = Path(str(auth.__file__)).parent / "locale" / "zh_Hans" / "LC_MESSAGES"
    assert set(SENTENCES) <= {entry.msgid for entry in polib.pofile(str(folder / "django.po"))}


def test_translations_keep_the_gaps_of_the_original() -> None:
    gap = re.compile(r"%\((\w+)\)[sd]|%%|%[sd]|\{(\w*)\}")
    wrong = []
    for entry in polib.pofile(str(CATALOGUE / "django.po")):
        originals = [entry.msgid, entry.msgid_plural] if entry.msgid_plural else [entry.msgid]
        allowed = [sorted(match.group() for match in gap.finditer(text)) for text in originals]
        for text in entry.msgstr_plural.values() if entry.msgid_plural else [entry.msgstr]:
            if sorted(match.group() for match in gap.finditer(text)) not in allowed:
                wrong.append(entry.msgid)
    assert wrong == []


def test_the_compiled_catalogue_is_that_of_the_text() -> None:
    compiled = {(e.msgctxt, e.msgid): e.msgstr or e.msgstr_plural for e in polib.mofile(str(CATALOGUE / "django.mo"))}
    text = {
        (e.msgctxt, e.msgid): e.msgstr or e.msgstr_plural
        for e in polib.pofile(str(CATALOGUE / "django.po"))
        if not e.obsolete
    }
    assert compiled == text


@pytest.mark.skipif(shutil.which("xgettext") is None, reason="collecting strings needs gettext (apt install gettext)")
def test_no_string_of_the_code_is_missing_from_the_catalogue(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    for folder in ("config", "audits", "review", "templates", "locale"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__", "*.mo"))
    for file in ("manage.py",):
        shutil.copy(ROOT / file, copy / file)
    command = [sys.executable, "manage.py", "makemessages", "-l", "zh_Hans", "--no-location", "--no-obsolete"]
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings"}  # the tests' own are not in the copy
    subprocess.run(command, cwd=copy, env=environment, check=True, capture_output=True, timeout=120)
    collected = polib.pofile(str(copy / "locale/zh_Hans/LC_MESSAGES/django.po"))
    missing = [entry.msgid for entry in collected if not entry.translated() or entry.fuzzy]
    assert missing == []

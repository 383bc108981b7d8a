"""What each word of the human labels means: certain words are filled in, the others are asked."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from audits.formats import wording
from audits.formats.given import LABEL_ROLES
from audits.templatetags.dataset_words import LABEL_WORDS

MOST = 60  # words that are asked about, the most frequent; a column of more is none of labels
LEFT_OUT = "-"  # the choice "no label"; "" is no choice yet


@dataclass(frozen=True)
class WordRow:
    """One word, how often it stands there, the choice for it ("" for none yet), and why it is asked."""

    word: str
    count: int
    chosen: str
    reason: str
    options: list[tuple[str, str]]


class LabelWords:
    """The table of words, and what has been chosen in it."""

    def __init__(
        self,
        counted: Mapping[str, int],
        *,
        mapping: Mapping[str, Any],
        before: Mapping[str, Any],
        posted: QueryDict | None = None,
    ) -> None:
        """counted: word -> how often. mapping: as it is chosen now. before: the one that the form began with.

        posted: what the form sent. A word may mean something else in another column, so a choice holds only while the
        columns are those for which it was made.
        """
        frequent = sorted(counted.items(), key=lambda pair: -pair[1])
        self.columns = _columns(mapping)
        self._known = dict(before.get("words") or {}) if _columns(before) == self.columns else {}
        known = wording.Meanings(self._known)
        if posted is not None and posted.get("words_of") == self.columns:
            chosen = _posted(posted.getlist("word"), posted.getlist("meaning"))
        else:
            chosen = {}
        column = str(mapping.get("label") or mapping.get("claim_label") or mapping.get("claims") or "")
        self.left_over = len(frequent[MOST:])
        self.rows = [
            WordRow(word, count, _choice(word, known, chosen), _reason(word), _options(word, column))
            for word, count in frequent[:MOST]
        ]

    @property
    def meanings(self) -> dict[str, str]:
        """Word -> label, "" for no label; only of words that have a choice, here or as the form began."""
        chosen = {row.word: "" if row.chosen == LEFT_OUT else row.chosen for row in self.rows if row.chosen}
        return self._known | chosen

    @property
    def unanswered(self) -> int:
        """How many words a person must still say something about."""
        return sum(not row.chosen for row in self.rows)


def _columns(mapping: Mapping[str, Any]) -> str:
    """Names the columns of labels, to tell whether they are the same."""
    return json.dumps([mapping.get(role) or "" for role in LABEL_ROLES], ensure_ascii=False)


def _posted(words: Sequence[str], choices: Sequence[str]) -> dict[str, str]:
    """Word -> choice, of the two lists that the page sends; what is no choice counts as none."""
    known = {*wording.LABELS, LEFT_OUT}
    return {word: choice if choice in known else "" for word, choice in zip(words, choices, strict=False)}


def _choice(word: str, known: wording.Meanings, posted: Mapping[str, str]) -> str:
    if word in posted:
        return posted[word]
    label = known.label(word)
    label = wording.meaning(word) if label is None else label
    return LEFT_OUT if label == wording.MISSING else label or ""


def _reason(word: str) -> str:
    said = wording.reason(word)
    return _(said) if said else ""


def _options(word: str, column: str) -> list[tuple[str, str]]:
    offered = [(label, str(LABEL_WORDS[label])) for label in wording.offers(word, column)]
    return [("", _("Choose")), *offered, (LEFT_OUT, str(LABEL_WORDS[wording.MISSING]))]

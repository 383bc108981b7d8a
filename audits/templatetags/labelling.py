"""Labels as the reader sees them: a key for icon and colour, and a word. Exports keep the code value."""

from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

KEYS = ("supported", "contradicted", "unverified", "disputed", "unscored")

WORDS: dict[str, Promise] = {
    "supported": _("Supported"),
    "contradicted": _("Contradicted"),
    "unverified": _("Unverified"),
    "disputed": _("Disputed"),
    "unscored": _("Unscored"),
}

UNSCORED_REASONS: dict[str, Promise] = {
    "no_context": _("no context"),
    "refused": _("the judge refused"),
    "truncated": _("reply cut off"),
    "unparseable": _("unreadable reply"),
    "missing": _("no verdict in the reply"),
    "too_long": _("too long for the model"),
    "failed": _("the call failed"),
}

STAMPS: dict[str, Promise] = {
    "pass": _("PASS"),
    "fail": _("FAIL"),
    "insufficient": _("INSUFFICIENT EVIDENCE"),
}


def label_key(label: Any) -> str:
    """A Label, a Decision, its code value, or nothing (unscored) -> one of KEYS; anything else is "plain"."""
    if label is None or label == "":
        return "unscored"
    key = str(label).strip().lower()
    return key if key in KEYS else "plain"


def label_word(label: Any) -> str:
    """The word for a label in the reader's language; anything unknown is given back as it is."""
    key = label_key(label)
    return str(WORDS[key]) if key in WORDS else str(label)


def unscored_reason(code: Any) -> str:
    """Why a verdict has no label, in words; an unknown code is given back as it is."""
    return str(UNSCORED_REASONS.get(str(code), code)) if code else ""

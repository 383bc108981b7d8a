"""Flags of a claim in words: {% load flagging %}. Codes and places are those of audits.text.injection."""

from django import template
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

register = template.Library()

WHAT: dict[str, Promise] = {
    "instruction": gettext_lazy("text that gives orders to the judge"),
    "verdict": gettext_lazy("text that asks for a label or imitates a verdict"),
    "template": gettext_lazy("control marks of a chat model"),
    "delimiter": gettext_lazy("imitated marks of a request"),
    "hidden": gettext_lazy("hidden text"),
    "encoded": gettext_lazy("encoded orders"),
    "disguised": gettext_lazy("orders in disguised letters"),
}
WHERE: dict[str, Promise] = {
    "question": gettext_lazy("in the question"),
    "answer": gettext_lazy("in the claim's own sentence"),
    "rest of the answer": gettext_lazy("elsewhere in the answer"),
}


@register.filter
def flag_word(code: str) -> str:
    """What was found; an unknown code as it is."""
    return str(WHAT.get(code, code))


@register.filter
def flag_place(where: str) -> str:
    """Where it was found: "context 3" and the other places in the reader's language; an unknown one as it is."""
    name, _blank, number = where.partition(" ")
    if name == "context" and number.isdecimal():
        return _("in context %(number)s") % {"number": number}
    return str(WHERE.get(where, where))

"""Words for codes of the ledger and of limits: {% load ledger %}."""

import re
from typing import Any

from django import template
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy

register = template.Library()

PURPOSES: dict[str, Promise] = {
    "extract": lazy("cutting claims"),
    "verify": lazy("judging"),
    "probe": lazy("judging again"),
}
OUTCOMES: dict[str, Promise] = {
    "ok": lazy("answered"),
    "rate_limit": lazy("too many requests"),
    "overloaded": lazy("vendor overloaded"),
    "server": lazy("vendor failed"),
    "network": lazy("connection lost"),
    "timeout": lazy("took too long"),
    "bad_body": lazy("unusable reply"),
    "auth": lazy("key refused"),
    "quota": lazy("no credit left"),
    "not_found": lazy("model or address unknown"),
    "config": lazy("cannot be called as set up"),
    "too_long": lazy("too long for the model"),
    "refused": lazy("refused by the vendor"),
    "budget": lazy("no room in the budget"),
}
LIMITS: dict[str, Promise] = {
    "rate_limit": lazy("the vendor answered that there are too many requests"),
    "overloaded": lazy("the vendor is overloaded"),
    "server": lazy("the vendor is failing"),
    "network": lazy("connections are lost"),
    "timeout": lazy("calls take too long"),
    "latency": lazy("answers take longer than usual"),
    "rpm": lazy("the requests of this minute are used up"),
    "tpm": lazy("the tokens of this minute are used up"),
}
OWN_LIMITS = frozenset({"rpm", "tpm"})  # set by a person here, not asked for by the vendor
_REFUSED = re.compile(r"(?P<old>.+): refused by the model, (?:left out|sent as (?P<new>.+))")


@register.filter
def purpose_word(code: Any) -> str:
    """What a call is made for; an unknown code is given back as it is."""
    return str(PURPOSES.get(str(code), code))


@register.filter
def outcome_word(code: Any) -> str:
    """What came of a call; an unknown code is given back as it is."""
    return str(OUTCOMES.get(str(code), code))


@register.filter
def limit_word(code: Any) -> str:
    """Why fewer calls are made at a time than wanted; "" for no reason, an unknown code as it is."""
    return str(LIMITS.get(str(code), code)) if code else ""


@register.filter
def is_own_limit(code: Any) -> bool:
    """Whether it is a limit of ours that calls wait for, and not the vendor."""
    return str(code) in OWN_LIMITS


@register.filter
def parameter_note(note: Any) -> str:
    """A note on a parameter that a model refused, in the reader's language; any other note as it is."""
    found = _REFUSED.fullmatch(str(note))
    if found is None:
        return str(note)
    if found["new"]:
        return _("The model refused %(old)s; %(new)s is sent instead.") % {"old": found["old"], "new": found["new"]}
    return _("The model refused %(old)s; it is left out.") % {"old": found["old"]}


@register.filter
def times(ratio: float | None) -> str:
    """0.934 -> "0.93 ×"; None -> "–"."""
    return "–" if ratio is None else f"{ratio:.2f} ×"


@register.filter
def milliseconds(span: float | None) -> str:
    """840 -> "840 ms", 2340 -> "2.3 s"; None -> "–"."""
    if span is None:
        return "–"
    return _("{n} ms").format(n=f"{span:.0f}") if span < 1000 else _("{n} s").format(n=f"{span / 1000:.1f}")

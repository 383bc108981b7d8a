"""Words for codes of the ledger and of limits: {% load ledger %}."""

import re
from typing import Any

from django import template
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

register = template.Library()

PURPOSES: dict[str, Promise] = {
    "extract": _("cutting claims"),
    "verify": _("judging claims"),
    "probe": _("judging claims again, or planted ones"),
    "control": _("asking whether the judge is well"),
}
OUTCOMES: dict[str, Promise] = {
    "ok": _("answered"),
    "rate_limit": _("too many requests"),
    "overloaded": _("vendor overloaded"),
    "server": _("vendor failed"),
    "network": _("connection lost"),
    "timeout": _("took too long"),
    "bad_body": _("unusable reply"),
    "auth": _("key refused"),
    "quota": _("no credit left"),
    "not_found": _("model or address unknown"),
    "config": _("cannot be called as set up"),
    "too_long": _("too long for the model"),
    "refused": _("refused by the vendor"),
    "budget": _("no room in the budget"),
}
LIMITS: dict[str, Promise] = {
    "rate_limit": _("the vendor answered that there are too many requests"),
    "overloaded": _("the vendor is overloaded"),
    "server": _("the vendor is failing"),
    "network": _("connections are lost"),
    "timeout": _("calls take too long"),
    "latency": _("answers take longer than usual"),
    "rpm": _("the requests of this minute are used up"),
    "tpm": _("the tokens of this minute are used up"),
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
        return gettext("The model refused %(old)s; %(new)s is sent instead.") % {
            "old": found["old"],
            "new": found["new"],
        }
    return gettext("The model refused %(old)s; it is left out.") % {"old": found["old"]}


@register.filter
def times(ratio: float | None) -> str:
    """0.934 -> "0.93 ×"; None -> "–"."""
    return "–" if ratio is None else f"{ratio:.2f} ×"


@register.filter
def milliseconds(span: float | None) -> str:
    """840 -> "840 ms", 2340 -> "2.3 s"; None -> "–"."""
    if span is None:
        return "–"
    return (
        gettext("{n} ms").format(n=f"{span:.0f}") if span < 1000 else gettext("{n} s").format(n=f"{span / 1000:.1f}")
    )

"""Characters that nobody sees and a model reads: zero-width, tags, bidi controls, fillers, variation selectors."""

import re

_LETTERS = "A-Za-z\u00c0-\u024f\u0370-\u052f\u3400-\u4dbf\u4e00-\u9fff"
_JOINING = (
    "\u0600-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17ff\u2600-\u27bf\ufb50-\ufdff\ufe0f\ufe70-\ufefc"
    "\U0001f000-\U0001faff"
)
# Never needed to read a text in any script.
_ALWAYS = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
INVISIBLE = re.compile(
    f"[{_ALWAYS}]"
    # Joiners belong to Arabic and Indian scripts and to emoji, and hide something anywhere else.
    f"|(?<![{_JOINING}])[\u200c\u200d]|[\u200c\u200d](?![{_JOINING}])"
    # These two choose the look of a sign; on letters and in rows they carry a message.
    f"|(?<=[{_LETTERS}\ufe00-\ufe0f])[\ufe0e\ufe0f]"
)
"""One character to be left out of what is read."""

WEIGHTLESS = re.compile(f"[{_ALWAYS}\u200c\u200d\ufe0e\ufe0f]")
"""One character without weight when texts are compared."""


def visible(text: str) -> str:
    """The text without characters that cannot be seen; joiners of scripts and emoji that need them stay."""
    if text.isascii() or not WEIGHTLESS.search(text):  # the simple class is searched much faster
        return text
    return INVISIBLE.sub("", text)

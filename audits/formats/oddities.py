"""What is odd about a row or its texts, short of making it useless: flags that travel with the sample."""

import re
from itertools import pairwise

from audits.text.invisible import INVISIBLE, WEIGHTLESS

gettext_noop = str  # the name by which collectors of strings know what is to be translated

FLAGS = {
    "no_question": gettext_noop("This row holds no question."),
    "no_answer": gettext_noop("This row holds no answer."),
    "no_context": gettext_noop(
        "This row holds no context, so no claim of it can be supported: its claims are unscored, never passed."
    ),
    "duplicate_id": gettext_noop("Another row has the same identifier."),
    "duplicate_row": gettext_noop("Another row has the same question, contexts and answer."),
    "nan": gettext_noop("A cell of this row says NaN, null or the like and was read as empty."),
    "spreadsheet_error": gettext_noop(
        "A cell of this row holds an error of the spreadsheet, such as #NAME?, and was read as empty."
    ),
    "cut_text": gettext_noop(
        "A text of this row has exactly 32,767 characters, the most that a spreadsheet's cell holds: "
        "it was probably cut off there."
    ),
    "nul_removed": gettext_noop("NUL characters, which cannot be stored, were removed from this row."),
    "hidden_text": gettext_noop(
        "This row holds characters that nobody sees and a model reads: invisible ones, "
        "or ones that turn the direction of writing."
    ),
    "table_split": gettext_noop(
        "The contexts of this row were split by |, and the pieces look like cells of a table: check them."
    ),
    "odd_timestamp": gettext_noop(
        "The time of this row cannot be told for certain. It was kept as text in the metadata."
    ),
    "unknown_label": gettext_noop("A human label of this row is a word that was given no meaning."),
}
"""Flag -> what it says of a row. The order is that of Record.flags."""

CELL_LIMIT = 32_767  # characters of an Excel cell
NOTHING = frozenset({"", "nan", "<na>", "null", "\\n", "#n/a", "nat"})
SPREADSHEET_ERRORS = frozenset(
    {"#name?", "#ref!", "#value!", "#div/0!", "#null!", "#num!", "#spill!", "#calc!", "#field!", "#blocked!"}
)
LONGEST_NOTHING = max(map(len, NOTHING | SPREADSHEET_ERRORS))
_SURROGATES = range(0xD800, 0xE000)


def _anything_odd() -> re.Pattern[str]:
    """One character that is NUL, CR, half a character, without weight, or beyond the basic plane.

    The class names what is *not* odd: then the search takes one look into a table per character, 2.6 ns, where the
    class of WEIGHTLESS, with its ranges beyond the basic plane, takes 6.6 ns.
    """
    plane = "".join(map(chr, range(0x10000)))
    odd = {found.start() for found in WEIGHTLESS.finditer(plane)} | {0, ord("\r")} | set(_SURROGATES)
    edges = [-1, *sorted(odd), len(plane)]
    gaps = ((low + 1, high - 1) for low, high in pairwise(edges) if high - low > 1)
    return re.compile("[^" + "".join(f"\\u{low:04x}-\\u{high:04x}" for low, high in gaps) + "]")


_ODD = _anything_odd()
SURROGATE = re.compile("[\ud800-\udfff]")


def is_plain(text: str) -> bool:
    """Whether nothing in the text can be odd. Costs next to nothing for ASCII, one search for other texts."""
    if text.isascii():
        return "\r" not in text and "\x00" not in text
    return _ODD.search(text) is None


def cleaned(text: str, odd: set[str]) -> str:
    """The text with \\n for its line ends, without NUL and a byte order mark; "" when nothing of it is visible.

    odd: receives what was met, of FLAGS.
    """
    if "\x00" in text:
        odd.add("nul_removed")
        text = text.replace("\x00", "")
    text = text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff")
    if WEIGHTLESS.search(text) and INVISIBLE.search(text):
        odd.add("hidden_text")
        return text if INVISIBLE.sub("", text).strip() else ""
    return text

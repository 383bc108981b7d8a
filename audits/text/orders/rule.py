"""What a rule is, and how it is searched for."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from audits.text.disguise import Seen

REACH = 90  # characters before a head that a rule may look at
MOST_HEADS = 1000  # looked at in one text, so that no text costs much
MOST_FOUND = 20  # of one rule in one text; what counts is whether there is one


@dataclass(frozen=True)
class Rule:
    """A head counts when `before` is found at the end of what stands before it, and `after` where it ends.

    code: what it finds. needs: alternatives, each a set of words in lower case, of which one must occur at all. case:
    compare as it is written.
    """

    code: str
    needs: tuple[frozenset[str], ...]
    head: re.Pattern[str]
    before: re.Pattern[str] | None = None
    never_before: re.Pattern[str] | None = None
    after: re.Pattern[str] | None = None
    case: bool = False

    def find(self, seen: Seen) -> Iterator[tuple[int, int]]:
        """Spans in the text as seen, in order, whether or not what is needed occurs."""
        text = seen.text if self.case else seen.low
        found = 0
        for match in islice(self.head.finditer(text), MOST_HEADS):
            start, end = match.span()
            reach = max(0, start - REACH)
            if self.before and not self.before.search(text, reach, start):
                continue
            if self.never_before and self.never_before.search(text, reach, start):
                continue
            following = self.after.match(text, end) if self.after else match
            if following:
                yield start, following.end()
                found += 1
                if found == MOST_FOUND:
                    return


def rule(
    code: str, needs: str, head: str, *, before: str = "", never_before: str = "", after: str = "", case: bool = False
) -> Rule:
    """A rule from regular expressions; needs: "word,these+two together". `before` ends where the head begins.

    ASCII: a Chinese character beside a Latin word is no part of that word.
    """

    def compiled(pattern: str, end: str = "") -> re.Pattern[str] | None:
        return re.compile(f"(?:{_bounded(pattern)}){end}", re.ASCII) if pattern else None

    return Rule(
        code,
        tuple(frozenset(each.split("+")) for each in needs.split(",")),
        re.compile(_bounded(head), re.ASCII),
        compiled(before, r"\Z"),
        compiled(never_before, r"\Z"),
        compiled(after),
        case,
    )


def _bounded(pattern: str) -> str:
    """The pattern with a limit to everything repeated: it is run on the texts of those whom it is to catch."""
    for long, short in (
        (r"\s+", r"\s{1,4}"),
        (r"\s*", r"\s{0,4}"),
        (r"\w+", r"\w{1,24}"),
        (r"[\w']+", r"[\w']{1,24}"),
    ):
        pattern = pattern.replace(long, short)
    return pattern


# Where an order begins: at the start of a sentence, a line, a quotation, or after "please", "now" and the like.
START = (
    r"(?:^|[\n.!?:;,\"'“”‘’()\[\]{}<>*#|/\\—–。！？：；，、…-]\s{0,3}"
    r"|\b(?:please|now|then|and|must|should|just|kindly)\s)"
)
LINE = r"(?:^|\n)[\s*#>_\[(<【（-]{0,8}"

"""From a model's name to its family. Judges of one family share their errors, and favour what their family wrote."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from audits.judges.makers import FAMILIES

Rules = Sequence[tuple[str, str]]
"""(pattern, family) of an installation, asked in this order before the table. A pattern is a regular expression for
the beginning of a name, with or without what stands before its last slash; upper and lower case are the same."""

UNKNOWN = "unknown:"  # begins the family of a name that tells nothing
LONGEST_NAME = 200  # characters that are looked at
MOST_REPEATS = 3  # in a pattern; with more it could take for ever on a name that nearly fits
MOST_GROUPS = 3

_NOT_WITHIN = r"(?:(?<![a-z0-9])|(?=[^\x00-\x7f]))"  # Chinese words need no gap before them
_NAME_BEGINS = r"(?:^|/)(?:[a-z0-9_-]+\.)*"
_MODELS = tuple(
    (
        row.name,
        re.compile(
            "|".join(
                ([f"{_NOT_WITHIN}(?:{row.words})"] if row.words else [])
                + ([f"{_NAME_BEGINS}(?P<start>{row.starts})"] if row.starts else [])
            )
        ),
    )
    for row in FAMILIES
)
_MAKERS = tuple(
    (row.name, re.compile(f"{_NOT_WITHIN}(?:{row.makers})(?![a-z0-9])")) for row in FAMILIES if row.makers
)


def family_of(vendor: str, model: str, rules: Rules = ()) -> str:
    """The family of a model by its own name; where that tells nothing the vendor's, or for no vendor "unknown:NAME".

    A model that was made from two (a distilled or fine-tuned one) goes by the one its name begins with.
    """
    return families_of(vendor, model, rules)[0]


def families_of(vendor: str, model: str, rules: Rules = ()) -> tuple[str, ...]:
    """All families whose models are in a name, the leading one first: a distilled model has its teacher's errors.

    vendor "": the name is free text, as people write down which model generated an answer.
    """
    if vendor == "offline":
        return (f"offline-{model}",)
    found = _recognised(vendor, model, tuple(rules))
    return found or (vendor or UNKNOWN + _proper(_plain(model)),)


def is_known(vendor: str, model: str, rules: Rules = ()) -> bool:
    """Whether the family was read from the name; else it is that of whoever serves the model under another name."""
    return vendor == "offline" or bool(_recognised(vendor, model, tuple(rules)))


def are_kin(first: tuple[str, str], second: tuple[str, str], rules: Rules = ()) -> bool:
    """Whether two models, each (vendor, model), have a family or a name in common."""
    shared = set(families_of(*first, rules)) & set(families_of(*second, rules))
    names = [_proper(_plain(model)) for vendor, model in (first, second)]
    return bool(shared) or (names[0] == names[1] != "" and "offline" not in (first[0], second[0]))


def problem_with(pattern: str) -> str:
    """Why a pattern cannot be a rule: "" | "no_pattern" | "matches_all" | "too_complex"."""
    try:
        compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return "no_pattern"
    bare = re.sub(r"\\.|\[(?:\\.|[^\]\\])+\]|\(\?[:=!<]+", lambda match: "(" * (match[0][0] == "("), pattern)
    if re.search(r"\)[*+{]", bare) or re.search(r"\\[1-9]|\(\?P=", pattern):
        return "too_complex"
    if len(re.findall(r"[*+?{]", bare)) > MOST_REPEATS or bare.count("(") > MOST_GROUPS:
        return "too_complex"
    return "matches_all" if compiled.match("") or not pattern.strip() else ""


@lru_cache(maxsize=1024)
def _recognised(vendor: str, model: str, rules: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    name = _plain(model)
    for pattern, family in rules:
        if any(_fits(pattern, each) for each in (name, _proper(name))):
            return (family.strip().lower(),)
    if vendor == "deepseek":  # it serves its own models under Claude's names
        return ("deepseek",)
    # What stands before the last slash is a gateway or an owner, except in free text ("GPT-4o / Claude").
    for text in (name,) if not vendor else (_proper(name), name):
        if found := _places(_MODELS, text):
            return found
    return _places(_MAKERS, name)


def _places(table: tuple[tuple[str, re.Pattern[str]], ...], text: str) -> tuple[str, ...]:
    """The families found in a text, in the order of their places there."""
    places = [(match.start(), family) for family, pattern in table if (match := pattern.search(text))]
    return tuple(family for _, family in sorted(places, key=lambda place: place[0]))


def _fits(pattern: str, name: str) -> bool:
    """A rule that cannot be used, as one written past the form, fits nothing: it must not stop an audit."""
    if problem_with(pattern):
        return False
    return re.match(pattern, name, re.IGNORECASE) is not None


def _plain(model: str) -> str:
    return unicodedata.normalize("NFKC", model[:LONGEST_NAME]).strip().lower()


def _proper(name: str) -> str:
    """The model's own name: after the last slash; of a fine-tune (ft:BASE:ORG:…) the model it was made from."""
    own = name.rstrip("/").rsplit("/", 1)[-1].strip()
    return own.split(":")[1] if own.startswith("ft:") else own

"""Units of meaning for lexical comparison: stems of English words, pairs of Chinese characters, numbers."""

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from audits.text.language import HAN
from audits.text.normalise import normalise
from audits.text.wordlists import FUNCTION_WORDS

_UNIT = re.compile(rf"[{HAN}]+|\d+(?:[.,]\d+)*|[^\W\d_{HAN}]+(?:['’][^\W\d_{HAN}]+)?")
_FUNCTION_HAN = frozenset("的了是在和与及或也都就而之其这那有为对于被把将等个中上")
_BRIDGED = frozenset("的了未没")  # particles and signs: read as polarity, not as content
_IRREGULAR = {
    "went": "go", "gone": "go", "made": "make", "began": "begin", "begun": "begin", "became": "becom", "won": "win",
    "wrote": "write", "written": "write", "led": "lead", "held": "hold", "took": "take", "taken": "take",
    "gave": "give", "given": "give", "found": "find", "said": "say", "known": "know", "knew": "know", "grew": "grow",
    "grown": "grow", "rose": "rise", "risen": "rise", "fell": "fall", "fallen": "fall", "born": "birth",
    "died": "die", "dead": "die", "death": "die",
    "built": "build", "bought": "buy", "sold": "sell", "paid": "pay", "lost": "lose",
    "children": "child", "men": "man", "women": "woman", "people": "person", "better": "good", "best": "good",
    "worse": "bad", "worst": "bad", "chose": "choos", "chosen": "choos", "drew": "draw", "sang": "sing",
    "started": "begin", "start": "begin", "starts": "begin", "starting": "begin", "beginning": "begin",
}  # fmt: skip
_ENDINGS = (
    ("ational", "ate"), ("ization", "ize"), ("isation", "ize"), ("fulness", "ful"), ("iveness", "ive"),
    ("ically", "ic"), ("ements", ""), ("ement", ""), ("ations", "ate"), ("ation", "ate"), ("ities", "ity"),
    ("ments", ""), ("ment", ""), ("ingly", ""), ("edly", ""), ("ness", ""), ("ings", ""), ("ions", ""), ("ing", ""),
    ("ied", "y"), ("ies", "y"), ("ion", ""), ("ers", "er"), ("ed", ""), ("es", ""), ("ly", ""), ("s", ""),
)  # fmt: skip


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A crude stem of a lower-case English word: for matching only, never for showing."""
    word = word.removesuffix("'s").removesuffix("’s")
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    for ending, instead in _ENDINGS:
        if ending == "s" and word.endswith(("ss", "us")):
            break
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)] + instead
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 4 else word


@dataclass(frozen=True)
class Unit:
    """A content unit with its place in the text it was read from (code points)."""

    key: str
    start: int
    end: int


def tokens(text: str) -> list[str]:
    """Content units in order: stems without function words, numbers, and overlapping pairs of Han characters."""
    return [unit.key for unit in units(normalise(text).text)]


def units(text: str) -> Iterator[Unit]:
    """The content units of a text that went through `normalise` already, with their places."""
    for match in _UNIT.finditer(text):
        word, start = match[0], match.start()
        if word[0].isdigit():
            yield Unit(word.replace(",", ""), start, match.end())
        elif not _is_han(word[0]):
            if word not in FUNCTION_WORDS and (len(word) > 1 or not word.isascii()):
                yield Unit(stem(word), start, match.end())
        elif len(word) == 1:
            if word not in _FUNCTION_HAN:
                yield Unit(word, start, start + 1)
        else:
            yield from _pairs(word, start)


def _pairs(run: str, start: int) -> Iterator[Unit]:
    """Overlapping pairs of a run of Han characters; 批准了方案 and 未批准方案 share theirs with 批准方案."""
    places = [at for at, char in enumerate(run) if char not in _BRIDGED]
    for one, other in pairwise(places):
        if run[one] not in _FUNCTION_HAN or run[other] not in _FUNCTION_HAN:
            yield Unit(run[one] + run[other], start + one, start + other + 1)


def covered_words(text: str, keys: Container[str]) -> list[str]:
    """The pieces of a normalised text whose content units are in `keys`, overlapping units joined, in order."""
    spans: list[list[int]] = []
    for unit in units(text):
        if unit.key not in keys:
            continue
        if spans and unit.start < spans[-1][1]:
            spans[-1][1] = unit.end
        else:
            spans.append([unit.start, unit.end])
    return list(dict.fromkeys(text[start:end] for start, end in spans))


def _is_han(char: str) -> bool:
    return "\u3400" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff" or char >= "\U00020000"

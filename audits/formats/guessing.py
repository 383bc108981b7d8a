"""Which encoding bytes are most likely in, and how clear that is."""

import math
import re
from dataclasses import dataclass

from audits.formats import frequent
from audits.formats.decoding import broken_bytes, decoder
from audits.formats.likelihood import ASCII, LANGUAGES, of_text

EVERY = tuple(LANGUAGES)
CANDIDATES = {
    "gb18030": ("simplified", "traditional"),
    "big5": ("traditional",),
    "shift_jis": ("japanese",),
    "euc_kr": ("korean",),
    "windows-1252": ("western",),
}
"""Encodings in which a character is one byte or more, and the languages that are written in them."""
_WIDE = {"utf-16-le": EVERY, "utf-16-be": EVERY}
MOST_SURE = 0.99  # of a guess
_DAMPING = 0.25  # characters of a text depend on each other, and the models are rough
_POOR = -10.0  # mean per character that is not ASCII; text in its own encoding has -8 to -6
_FOR_FEW = 2.5  # how much poorer a few characters may be
_USUAL_WESTERN = frozenset(frequent.WESTERN + frequent.WESTERN_MARKS)
_USUAL_CHINESE = frozenset(frequent.SIMPLIFIED + frequent.MARKS)
_TINY = 100  # bytes
_FEW = 4  # different characters
_PADDING = b"\x00" * 16  # what a disk that was full leaves at the end of a file
_CLEARLY = 5.0  # how much likelier UTF-16 must be than the next reading
_OF_WINDOWS = re.compile(rb"[\x80-\x9f]")
_OF_LATIN_9 = re.compile("¤|[a-z][½¼]|[½¼][a-z]|\\b¾[a-z]")
_LATIN_9_SURE = 0.6
_RUN = re.compile("[^\x00-\x7f]{3,}")
_IN_RUN = 4.0
_BESIDE_PLAIN = re.compile("[a-z][À-ÿœšž’]|[À-ÿœšž’][a-z]")
_BESIDE = 2.0
_AMONG_PLAIN = re.compile("(?<=[A-Za-z])[^\x00-\x7f](?=[A-Za-z])")
_AMONG = 3.0


@dataclass(frozen=True)
class Guess:
    """An encoding (one of encoding.ENCODINGS) and how sure it is, 0 to 1."""

    name: str
    confidence: float


def text_in(content: bytes, encoding: str) -> str:
    """The bytes as text, with half characters for those that are none."""
    return decoder(encoding, strict=False).decode(content, final=True)


def likelihood(text: str, languages: tuple[str, ...]) -> float:
    """The logarithm of the likelihood of the text in the language that suits it best."""
    return max(of_text(text, language) + _fits_in(text, language) for language in languages)


def _fits_in(text: str, language: str) -> float:
    """What the neighbours of characters say: western letters with marks stand among plain ones, others do not."""
    if language != "western":
        return -_AMONG * len(_AMONG_PLAIN.findall(text))
    return _BESIDE * len(_BESIDE_PLAIN.findall(text)) - _IN_RUN * sum(len(run) - 2 for run in _RUN.findall(text))


def narrow(evidence: bytes) -> Guess | None:
    """The likeliest encoding of bytes that are no UTF-8; None when they make sense in none."""
    candidates = CANDIDATES | (_WIDE if len(evidence) < _TINY and len(evidence) % 2 == 0 else {})
    texts = {name: text_in(evidence, name) for name in candidates}
    found = {name: likelihood(texts[name], languages) for name, languages in candidates.items()}
    best, second = sorted(found, key=lambda name: found[name], reverse=True)[:2]
    plain = sum(char <= "\x7f" for char in texts[best])
    foreign = max(1, len(texts[best]) - plain)
    fit = (found[best] - plain * ASCII) / foreign - _POOR + _FOR_FEW * min(1.0, 10 / foreign)
    if fit < 0:
        return None
    if best == "windows-1252" and _is_latin_9(evidence, texts[best]):
        return Guess("iso-8859-15", _LATIN_9_SURE)
    return Guess(best, round(confidence(found[best] - found[second]) * min(1.0, max(0.2, fit / 2)), 2))


def _is_latin_9(evidence: bytes, text: str) -> bool:
    """Whether western text is ISO-8859-15: a currency sign or a fraction inside a word is its € or œ."""
    return not _OF_WINDOWS.search(evidence) and _OF_LATIN_9.search(text) is not None


def confidence(margin: float) -> float:
    """From the difference of two logarithms of likelihoods, 0.5 to MOST_SURE."""
    return round(MOST_SURE / (1 + math.exp(-_DAMPING * min(margin, 200.0))), 2)


def damaged_utf8(evidence: bytes) -> Guess | None:
    """UTF-8 with some bytes broken: sequences of several bytes are hardly ever right by chance."""
    text = text_in(evidence, "utf-8")
    broken = broken_bytes(text)
    long = sum(char >= "\u0800" for char in text) - broken
    short = sum("\x7f" < char < "\u0800" for char in text)
    if 2 * long + short <= broken:
        return None
    return Guess("utf-8", round(0.9 * (1 - broken / (broken + long + short)), 2))


def utf8_or_chinese(evidence: bytes) -> Guess:
    """Bytes that are UTF-8 are UTF-8, but for a few characters of several scripts that are usual Chinese in GBK."""
    foreign = {char for char in text_in(evidence, "utf-8") if char > "\x7f"}
    if not foreign or len(foreign) > _FEW or max(foreign) >= "\u0800" or foreign <= _USUAL_WESTERN:
        return Guess("utf-8", 1.0)
    chinese = {char for char in text_in(evidence, "gb18030") if char > "\x7f"}
    scripts = {max(ord(char), 0x200) >> 7 for char in foreign}  # all Latin letters are one
    usual = chinese <= (_USUAL_CHINESE if len(scripts) == 1 else LANGUAGES["simplified"]().keys())
    return Guess("gb18030", 0.6) if usual else Guess("utf-8", 1.0)


def wide(head: bytes) -> Guess | None:
    """UTF-16 or UTF-32 without a mark, None for anything else."""
    sample = head[:4096]
    if sample.endswith(_PADDING):
        sample = sample.rstrip(b"\x00")
    if 0 not in sample and _is_utf8(sample):
        return None
    quads = sample[: len(sample) // 4 * 4]
    for name in ("utf-32-le", "utf-32-be") if quads.count(0) * 2 >= len(quads) >= 8 else ():
        if not broken_bytes(text_in(quads, name)):
            return Guess(name, MOST_SURE)
    pairs = sample[: len(sample) // 2 * 2]
    found = {name: likelihood(text_in(pairs, name), EVERY) for name in _WIDE}
    others = [likelihood(text_in(pairs, name), languages) for name, languages in CANDIDATES.items()]
    best = max(found, key=lambda name: found[name])
    margin = found[best] - max(*others, likelihood(text_in(pairs, "utf-8"), EVERY), min(found.values()))
    return Guess(best, confidence(margin)) if margin > _CLEARLY else None


def _is_utf8(sample: bytes) -> bool:
    return not broken_bytes(text_in(sample, "utf-8"))

"""What every part of the printed certificate needs: its words, codes, and the form of a number."""

from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR
from typing import Any

from review.document.codes import CODES
from review.document.text import bare, decimal, percent, plain
from review.document.words import WORDS

Table = dict[str, Any]
ROUNDED = 1.5e-6  # a statement rounds one and the same number down and up: they may differ in the sixth decimal


class Phrases:
    """One certificate in one language."""

    def __init__(self, certificate: Mapping[str, Any], language: str, added: Mapping[str, Any] | None = None) -> None:
        self.language = language
        self.words, self.codes = WORDS[language], CODES[language]
        self.certificate = certificate
        self.added: Mapping[str, Any] = added or {}  # what came after the signature
        self.statement: Mapping[str, Any] = certificate["statement"]
        self.result: Mapping[str, Any] = self.statement["result"]

    @property
    def unaudited(self) -> bool:
        """Whether the rate is none that experts stand for: no claims, or none checked of those called supported."""
        return self.result["rate"] is None or "supported_not_checked" in self.result["reasons"]

    def say(self, key: str, **values: object) -> str:
        """The words of `key` with its values filled in."""
        return self.words[key].format(**values)

    def code(self, code: str) -> str:
        """What a reason or override code means; an unknown one as it is."""
        return self.codes.get(code, plain(code))

    def date(self, moment: str) -> str:
        """2026-11-30 12:00:00 UTC."""
        return plain(moment.replace("T", " ").replace("Z", " UTC"))

    def number(self) -> str:
        """Number and version of the certificate."""
        return plain(f"{self.statement['number']} / {self.statement['version']}", 60)

    def wrap(self, text: str) -> str:
        """In brackets, as the language writes them."""
        return f"（{text}）" if self.language == "zh" else f" ({text})"

    def join(self, *sentences: str) -> str:
        """Sentences one after the other."""
        return (" " if self.language == "en" else "").join(sentences)

    def estimate(self, estimate: Mapping[str, Any], as_percent: bool = True) -> str:
        """2.80 % (1.95 to 3.61), 0.73 (0.61 to 0.85), or why it is undefined."""
        if estimate["value"] is None:
            return f"{self.say('undefined')}{self.wrap(self.code(estimate['reason']))}"
        write = percent if as_percent else decimal
        if estimate["low"] is None:
            return write(estimate["value"]) + self.wrap(self.code(estimate["reason"]))
        if estimate["high"] - estimate["low"] < ROUNDED:
            return write(estimate["value"])  # all were reviewed: nothing is left to estimate
        return self.between(write(estimate["value"]), estimate, write)

    def corrected(self, estimate: Mapping[str, Any]) -> str:
        """A rate that experts corrected; of an audit in which they checked too little, its limits alone."""
        if not self.unaudited or estimate["low"] is None:
            return self.estimate(estimate)
        return self.between("–", estimate, percent)

    def between(self, value: str, estimate: Mapping[str, Any], write: Callable[..., str]) -> str:
        """A value with its limits, each rounded outwards."""
        return self.say(
            "n_of",
            value=value,
            low=bare(write(estimate["low"], ROUND_FLOOR)),
            high=bare(write(estimate["high"], ROUND_CEILING)),
        )


def table(
    title: str, heads: Sequence[str], columns: Sequence[str | float], rows: list[list[str]], note: str = ""
) -> Table:
    """A table as the layout takes it. columns: "r" for a number, else the share of the room for text."""
    sides = ["right" if column == "r" else "left" for column in columns]
    shares = [0.0 if column == "r" else float(column) for column in columns]
    return {"title": title, "heads": list(heads), "sides": sides, "shares": shares, "rows": rows, "note": note}

"""Human labels in a row: of the answer as a whole, and of its claims."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from audits.formats.base import GivenLabel, Row, SourceRow
from audits.formats.cells import CellError, is_missing, parts_of, text_of
from audits.formats.paths import lookup
from audits.formats.wording import MAX_WORD, MISSING, Meanings, folded, propose

CLAIM_KEYS = (
    "claim", "claim_text", "atomic_claim", "atomic_fact", "statement", "fact", "proposition", "assertion", "text",
    "content", "sentence", "atom", "原子命题", "命题", "事实点", "事实", "断言", "陈述", "内容", "句子", "文本",
)  # fmt: skip
LABEL_KEYS = (
    "human_label", "human_verdict", "gold_label", "label", "verdict", "label_type", "judgment", "judgement",
    "annotation", "decision", "classification", "is_supported", "supported", "is_hallucination", "hallucination",
    "人工标注", "人工标签", "标注结果", "标注", "标签", "判定", "判定结果", "结论", "结果",
)  # fmt: skip
MAX_CLAIMS = 1_000  # of one answer
MAX_WORDS = 500  # different words that are counted: more are no labels
LABEL_ROLES = ("label", "claims", "claim_label")


class LabelReader:
    """The human labels of a row under one mapping, compiled once."""

    def __init__(self, mapping: Mapping[str, Any]) -> None:
        self.columns = tuple(column for role in LABEL_ROLES if (column := _column(mapping, role)))
        self._label, self._claims, self._claim_label = (_column(mapping, role) for role in LABEL_ROLES)
        self._meanings = Meanings(mapping.get("words"))

    def labels(self, values: Row, odd: set[str]) -> tuple[GivenLabel, ...]:
        """What was said of the answer, then of each claim, in the file's order.

        A missing label of the answer gives nothing, one of a claim gives the claim with the word "". odd: receives
        "unknown_label" when a word was given no meaning. Raises CellError; its `column` says where.
        """
        found = []
        for claim, word in self._pairs(values):
            label = self._meanings.label(word) if word else MISSING
            if label is None:
                odd.add("unknown_label")
            found.append(GivenLabel(claim, word, label or MISSING))
        return tuple(found)

    def words(self, values: Row) -> list[str]:
        """The words of the labels in a row; none where the row cannot be used."""
        try:
            return [word for _claim, word in self._pairs(values) if word]
        except CellError:
            return []

    def _pairs(self, values: Row) -> list[tuple[str, str]]:
        pairs: list[tuple[str, str]] = []
        try:
            column = self._label
            if column:
                pairs += answer_labels(cell(values, column))
            column = self._claims
            if column:
                claims = claims_in(cell(values, column))
                column = self._claim_label
                pairs += labelled(claims, cell(values, column) if column else None)
        except CellError as error:
            error.params.setdefault("column", column)
            raise
        if len(pairs) > MAX_CLAIMS:
            raise CellError("too_many_claims", limit=MAX_CLAIMS, column=self._claims or self._label)
        return pairs


def _column(mapping: Mapping[str, Any], role: str) -> str:
    column = mapping.get(role)
    return column if isinstance(column, str) else ""


def cell(values: Row, column: str) -> Any:
    """What a column or path holds; an object that was spread into dotted columns, as an object."""
    value = values[column] if column in values else lookup(values, column)
    if value is None:
        start = f"{column}."
        return {name[len(start) :]: inner for name, inner in values.items() if name.startswith(start)} or None
    return value


def answer_labels(value: Any) -> list[tuple[str, str]]:
    """[("", word)] of a cell with a label; of a list, the label of each human, or of each span that it names."""
    parts = parts_of(value) if _may_be_list(value) else None
    if parts is None:
        word = _word(value)
        return [("", word)] if word else []
    if any(isinstance(part, dict) for part in parts):
        return [_pair(part, needs_claim=False) for part in parts]
    return [("", word) for part in parts if (word := _word(part))]


def claims_in(value: Any) -> list[tuple[str, str]]:
    """(claim, word) of each claim in a cell; word "" where its label is not in the cell, claim "" for a blank one.

    A list of objects that hold both, an object claim -> label, a list of texts, or one text.
    Raises CellError("bad_claims" | "bad_list").
    """
    parts = parts_of(value) if _may_be_list(value) else None
    if parts is None:
        claim = text_of(value).strip()
        return [(claim, "")] if claim else []
    if isinstance(value, dict) and not any(key in value for key in CLAIM_KEYS):
        return [(str(claim).strip(), _word(label)) for claim, label in value.items()]
    return [_pair(part) if isinstance(part, dict) else (text_of(part).strip(), "") for part in parts]


def labelled(claims: list[tuple[str, str]], labels: Any) -> list[tuple[str, str]]:
    """The claims with the labels of another cell, as many as there are claims; blank claims are left out.

    Raises CellError("claims_and_labels") when they are not as many.
    """
    given = parts_of(labels) if _may_be_list(labels) else [] if is_missing(labels) else [labels]
    given = [labels] if given is None else given
    if given and len(given) != len(claims):
        raise CellError("claims_and_labels", claims=len(claims), labels=len(given))
    words = [_word(label) for label in given] or [""] * len(claims)
    return [(claim, word or own) for (claim, own), word in zip(claims, words, strict=True) if claim]


def _pair(part: Any, *, needs_claim: bool = True) -> tuple[str, str]:
    if not isinstance(part, dict):
        raise CellError("bad_claims")
    claim = next((text_of(part[key]).strip() for key in CLAIM_KEYS if isinstance(part.get(key), str)), "")
    if needs_claim and not claim:
        raise CellError("bad_claims")
    return claim, next((_word(part[key]) for key in LABEL_KEYS if not is_missing(part.get(key))), "")


def _word(value: Any) -> str:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, list | dict):
        raise CellError("bad_claims")
    return "" if is_missing(value) else text_of(value).strip()[:MAX_WORD]


def _may_be_list(value: Any) -> bool:
    return isinstance(value, list | dict) or (isinstance(value, str) and value.lstrip()[:1] in {"[", "{"})


def words_in(rows: Iterable[SourceRow], mapping: Mapping[str, Any]) -> Counter[str]:
    """How often each word stands as a human label in these rows, of answers and claims, as it is mostly spelt.

    Not more than MAX_WORDS different ones are counted.
    """
    reader = LabelReader(mapping)
    counted: Counter[str] = Counter()
    spelt: dict[str, Counter[str]] = {}
    for row in rows:
        for word in reader.words(row.values):
            plain = folded(word)
            if plain in spelt or len(spelt) < MAX_WORDS:
                counted[plain] += 1
                spelt.setdefault(plain, Counter())[word] += 1
    return Counter({spelt[plain].most_common(1)[0][0]: count for plain, count in counted.items()})


def guess_words(rows: Iterable[SourceRow], mapping: Mapping[str, Any]) -> dict[str, str]:
    """mapping["words"] as far as it is certain: the words of labels in these rows that can mean one thing only."""
    found = propose(words_in(rows, mapping))
    return {word: label for word, label in found.items() if label is not None}

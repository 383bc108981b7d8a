"""Which columns and paths hold question, contexts and answer, where a tool logs whatever the application gave it."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from audits.formats.base import Row
from audits.formats.cells import TEXT_KEYS
from audits.formats.nested import decoded
from audits.formats.paths import keys_of, lookup
from audits.formats.shapes.documents import LISTS
from audits.formats.shapes.names import plain
from audits.formats.shapes.payloads import ANSWERS, QUESTIONS

_LOOKED_AT = 30  # rows
_TEXTS = tuple(plain(name) for name in TEXT_KEYS)
_ASKS = ("[role=user]", "[type=human]", "[obj=Human]", "[role=human]", "[from=human]")
_ANSWERS = ("[role=assistant]", "[type=ai]", "[obj=AI]", "[role=ai]", "[from=gpt]")
_OF_A_CHAT = 50  # rank of what a conversation says: after what is called a question, before texts of other names
_WHOLE = 60  # rank of the whole payload, when it is a text
_SOME_TEXT = 70  # rank of a text that is called just that
_FIRST = 5  # what is added to a rank when only the first element of a list is taken
_OF_ANSWERS = 100  # what is added to the rank of contexts that lie inside an answer
_REPLY = re.compile(r"\b(?:choices|candidates)\[0?\]\.(?:message\.content|text|content\.parts\[0?\]\.text)$")
_OF_A_REPLY = 45  # rank of what an API of models gave back, wherever it was kept
_OF_INPUTS = frozenset({"input", "inputs", "question", "query", "prompt", "request"})  # hold no answer
_OF_OUTPUTS = frozenset({"output", "outputs", "answer", "response", "completion", "result"})  # hold no question
_WRAPS = frozenset({"kwargs", "data"})  # as LangChain writes objects
_FILTER = re.compile(r"\[\w+=")

Rank = Callable[[tuple[str, ...], str], float | None]


def chosen(
    names: Sequence[str], rows: Sequence[Row], *, inputs: Sequence[str] = (), outputs: Sequence[str] = ()
) -> dict[str, Any]:
    """question, contexts, answer -> the best of these columns and paths, as far as one is found.

    inputs, outputs: plain names with which the names for question and answer begin; none: any name will do.
    """
    rows = rows[:_LOOKED_AT]
    found = {
        "question": _best_text(names, rows, _text_rank(QUESTIONS, inputs, _ASKS)),
        "contexts": _best(names, rows, _contexts_rank(inputs, outputs), _are_texts),
        "answer": _best_text(names, rows, _text_rank(ANSWERS, outputs, _ANSWERS)),
    }
    return {role: name for role, name in found.items() if name}


def _best(names: Iterable[str], rows: Sequence[Row], rank: Rank, fits: Callable[[Any], bool]) -> str:
    """The best name by rank among those that at least half of the rows have; else the one that most rows have."""
    found: list[tuple[bool, float, float, int, str]] = []
    for name in names:
        place = _place(name, rank)
        if place is not None:
            share = _share(name, rows, fits)
            if share:
                found.append((share < 0.5, place, -share, len(name), name))
    return min(found)[-1] if found else ""


def _place(name: str, rank: Rank) -> float | None:
    return rank(tuple(plain(key) for key in keys_of(name) or (name,)), name)


def _share(name: str, rows: Sequence[Row], fits: Callable[[Any], bool]) -> float:
    return sum(fits(lookup(row, name)) for row in rows) / len(rows)


def _best_text(names: Sequence[str], rows: Sequence[Row], rank: Rank) -> str:
    return _best(_with_first(names, rows, rank), rows, rank, _is_text)


def _with_first(names: Sequence[str], rows: Sequence[Row], rank: Rank) -> Iterator[str]:
    """The names, and for lists of one element the same through that: choices[0].message.content."""
    for name in names:
        yield name
        first = name.replace("[]", "[0]") if "[]" in name else f"{name}[0]"
        if _place(first, rank) is not None:
            lists = [value for row in rows if isinstance(value := decoded(lookup(row, name)), list)]
            if lists and all(len(value) <= 1 for value in lists):
                yield first


def _text_rank(known: Sequence[str], begins: Sequence[str], chat: Sequence[str]) -> Rank:
    def rank(keys: tuple[str, ...], name: str) -> float | None:
        keys = _apart(keys, begins, known)
        if (begins and keys[0] not in begins) or any(key in LISTS for key in keys[1:]):
            return None
        if _FILTER.search(name):
            says = keys[-1] in {*_TEXTS, "value"} and any(mark in name for mark in chat)
            return _OF_A_CHAT if says else None
        if not begins and any(key in (_OF_INPUTS if known is ANSWERS else _OF_OUTPUTS) for key in keys[:-1]):
            return None
        if known is ANSWERS and _REPLY.search(name):
            return _OF_A_REPLY + (0 if "[0]" in name else _FIRST)
        if len(keys) == 1 and begins:
            return _WHOLE
        later = _FIRST if "[0]" in name else 0
        if keys[-1] not in _TEXTS and not (keys[-1] == "value" and len(keys) > 1 and keys[-2] in known):
            return known.index(keys[-1]) + later if keys[-1] in known else None
        if len(keys) > 2 and keys[-2] in _WRAPS:
            keys = (*keys[:-2], keys[-1])
        if len(keys) > 1 and keys[-2] in known and not later:  # {"question": {"text": "…"}}
            return known.index(keys[-2]) + 0.5
        return known.index(keys[-1]) + later + _SOME_TEXT if begins and keys[-1] in known else None

    return rank


def _contexts_rank(inputs: Sequence[str], outputs: Sequence[str]) -> Rank:
    def rank(keys: tuple[str, ...], name: str) -> float | None:
        keys = _apart(keys, (*inputs, *outputs), LISTS)
        places = [LISTS.index(key) for key in keys if key in LISTS]
        if not places:
            return None
        text = _TEXTS.index(keys[-1]) if keys[-1] in _TEXTS and "[" in name else 0 if keys[-1] in LISTS else None
        if text is None:
            return None
        place = 2 if keys[0] in inputs else 0 if keys[0] in outputs else 1
        later = _OF_ANSWERS if any(key in {"answer", "answers", "replies"} for key in keys) else 0
        return min(places) + place / 10 + text / 1000 + later

    return rank


def _apart(keys: tuple[str, ...], begins: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """inputs_question, as some exports name their columns, as inputs.question."""
    if len(keys) == 1:
        for begin in begins:
            if keys[0].startswith(begin) and keys[0][len(begin) :] in known:
                return begin, keys[0][len(begin) :]
    return keys


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _are_texts(value: Any) -> bool:
    return _is_text(value) or (isinstance(value, list) and any(_is_text(part) for part in value))

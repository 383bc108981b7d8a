"""How long a dataset's texts are in tokens, by a rule of thumb; each dataset is counted once and kept in memory."""

import json
import random
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache as remember
from math import ceil
from typing import NamedTuple

from django.core.cache import cache
from django.db.models import Max, Min

from audits.judges.base import Purpose, Task
from audits.judges.prompting import build_prompt
from audits.models import Dataset

COUNTED = 5000  # samples; of a larger dataset so many are drawn at random and stand for all
KEPT = 6 * 3600  # seconds; a dataset that is ready never changes
CHUNK = 500
MARK = 2  # tokens of the number and line break that a prompt puts around a sentence, claim or context
_SENTENCE_END = re.compile(r"[。｡！？；!?]+|[.．…]+(?=\s|$)|[^\S\n]*\n\s*")


class Size(NamedTuple):
    """One sample: its language, and its texts in tokens as we count them."""

    language: str
    question: int
    answer: int
    sentences: int  # number of them
    contexts: int
    passages: int  # number of contexts
    given: int = 0  # claims that people labelled: asked about as they stand, so that nothing is cut
    given_tokens: int = 0  # of those claims together


@dataclass(frozen=True)
class Load:
    """The samples of a dataset with an answer, as far as they were counted."""

    total: int  # samples of the dataset
    counted: int  # of them, the empty ones among them
    sizes: tuple[Size, ...]

    @property
    def scale(self) -> float:
        """What each counted sample stands for."""
        return self.total / self.counted if self.counted else 0.0


def count_tokens(text: str) -> int:
    """About how many tokens a text has: 0.8 per Han character, one per four others (the vendors' rule of thumb).

    Characters beyond Latin are told by their bytes: three in UTF-8, where a Latin letter has one. That is fast.
    """
    wide = 0.0 if text.isascii() else (len(text.encode("utf-8", "replace")) - len(text)) / 2
    return ceil(wide * 0.8 + (len(text) - wide) / 4)


def count_sentences(text: str) -> int:
    """About how many sentences a text has, fast; 0 only for a text without letters and digits."""
    return sum(1 for piece in _SENTENCE_END.split(text) if any(map(str.isalnum, piece)))


@remember
def static_tokens(purpose: Purpose, language: str) -> int:
    """Tokens that every request of a kind repeats: instructions, headings, marks and schema, from the real prompt."""
    prompt = build_prompt(Task(purpose=purpose, language=language, question=""))
    return sum(map(count_tokens, (prompt.system, prompt.user, json.dumps(prompt.schema))))


def context_tokens(contexts: list[str]) -> int:
    """Tokens of a sample's contexts as a prompt lists them."""
    return sum(count_tokens(text) + MARK for text in contexts)


def size_of(language: str, question: str, answer: str, contexts: list[str], given: Collection[str] = ()) -> Size:
    """Count the texts of one sample; given: the claims of it that people labelled."""
    return Size(
        language,
        count_tokens(question),
        count_tokens(answer),
        count_sentences(answer),
        context_tokens(contexts),
        len(contexts),
        len(given),
        sum(map(count_tokens, given)),
    )


def load_of(dataset: Dataset) -> Load:
    """The dataset's samples in tokens. Reads at most COUNTED of them, in chunks, and each dataset once."""
    state = dataset.samples.aggregate(first=Min("pk"), last=Max("pk"))
    total = dataset.samples.count()
    key = f"load:{dataset.pk}:{dataset.created.timestamp()}:{state['first']}:{state['last']}:{total}"
    found: Load | None = cache.get(key)
    if found is None:
        found = _count(dataset, total)
        cache.set(key, found, KEPT)
    return found


def _count(dataset: Dataset, total: int) -> Load:
    sizes: list[Size] = []
    counted = 0
    for question, answer, contexts, language in _texts(dataset, total):
        counted += 1
        if answer.strip():
            sizes.append(size_of(language, question, answer, contexts))
    return Load(total, counted, tuple(sizes))


def _texts(dataset: Dataset, total: int) -> Iterator[tuple[str, str, list[str], str]]:
    """The texts of all samples, or of COUNTED drawn with the dataset's number as the seed: the same on each look."""
    columns = ("question", "answer", "contexts", "language")
    samples = dataset.samples.order_by("pk")
    if total <= COUNTED:
        yield from samples.values_list(*columns).iterator(chunk_size=CHUNK)
        return
    keys = list(samples.values_list("pk", flat=True))
    drawn = sorted(random.Random(dataset.pk).sample(keys, COUNTED))
    for at in range(0, len(drawn), CHUNK):
        yield from samples.filter(pk__in=drawn[at : at + CHUNK]).values_list(*columns)

"""What an audit will cost, before it starts: counted from the dataset's own text."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil

from django.conf import settings

from audits.models import Dataset, Judge
from audits.text.sentences import split_sentences

LOOKED_AT = 400  # samples read for the estimate; larger datasets are scaled up from these
RUBRIC_TOKENS = 800  # instructions and schema of one request
VERDICT_TOKENS = 160  # one verdict with rationale and quotes
CLAIMS_PER_SENTENCE = 1.2  # how many claims an extractor cuts from a sentence, on average


@dataclass(frozen=True)
class MemberEstimate:
    """One member's share. cost in US dollars, None when a price is unknown."""

    name: str
    role: str  # "extractor" | "judge"
    calls: int
    tokens_in: int
    tokens_out: int
    cost: Decimal | None


@dataclass(frozen=True)
class Estimate:
    """The whole audit, about. cost is None as soon as one price is unknown; unknown is never 0."""

    calls: int
    tokens_in: int
    tokens_out: int
    cost: Decimal | None
    claims: int
    unknown_prices: tuple[str, ...]
    per_member: tuple[MemberEstimate, ...]


def count_tokens(text: str) -> int:
    """About how many tokens a text has: 0.8 per Han character, one per four others (the vendors' rule of thumb)."""
    han = sum(1 for character in text if "\u3400" <= character <= "\u9fff")
    return ceil(han * 0.8 + (len(text) - han) / 4)


@dataclass(frozen=True)
class _Load:
    answers: int
    answer_tokens: int
    claims: int
    verdict_tokens: int  # input tokens of all verdict calls of one judge


def _load(dataset: Dataset) -> _Load:
    total = dataset.samples.count()
    looked = list(dataset.samples.values_list("question", "answer", "contexts")[:LOOKED_AT])
    answers = answer_tokens = verdict_tokens = 0
    claims = 0.0
    for question, answer, contexts in looked:
        if not answer.strip():
            continue
        answers += 1
        answer_tokens += count_tokens(question) + count_tokens(answer)
        expected = len(split_sentences(answer)) * CLAIMS_PER_SENTENCE
        claims += expected
        if contexts:
            verdict_tokens += ceil(expected * (count_tokens(question) + sum(map(count_tokens, contexts))))
    scale = total / len(looked) if looked else 0.0
    return _Load(
        ceil(answers * scale), ceil(answer_tokens * scale), ceil(claims * scale), ceil(verdict_tokens * scale)
    )


def estimate(*, dataset: Dataset, extractor: Judge, judges: Sequence[Judge]) -> Estimate:
    """Calls, tokens and US dollars of an audit of this dataset by this panel.

    Several claims in one call (ASSAY_CLAIMS_PER_CALL) share the rubric and the contexts.
    """
    load = _load(dataset)
    members = [
        _member(
            extractor,
            "extractor",
            load.answers,
            load.answers * RUBRIC_TOKENS + load.answer_tokens,
            ceil(load.answer_tokens * 1.5),
        )
    ]
    for judge in judges:
        calls = ceil(load.claims / settings.ASSAY_CLAIMS_PER_CALL)
        tokens_in = calls * RUBRIC_TOKENS + ceil(load.verdict_tokens / settings.ASSAY_CLAIMS_PER_CALL)
        members.append(_member(judge, "judge", calls, tokens_in, load.claims * VERDICT_TOKENS))
    costs = [member.cost for member in members]
    return Estimate(
        calls=sum(member.calls for member in members),
        tokens_in=sum(member.tokens_in for member in members),
        tokens_out=sum(member.tokens_out for member in members),
        cost=None if None in costs else sum((cost for cost in costs if cost is not None), Decimal(0)),
        claims=load.claims,
        unknown_prices=tuple(dict.fromkeys(member.name for member in members if member.cost is None)),
        per_member=tuple(members),
    )


def _member(judge: Judge, role: str, calls: int, tokens_in: int, tokens_out: int) -> MemberEstimate:
    return MemberEstimate(str(judge), role, calls, tokens_in, tokens_out, judge.cost(tokens_in, tokens_out))

"""What this installation's ledger tells about a model: how it counts tokens, how much it writes, how finely it cuts.

Read from its newest answered calls with today's prompts, of all audits; only sums of numbers leave this module.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from audits.judges.base import Purpose
from audits.judges.prompting import LANGUAGES, prompt_version
from audits.models import Call, Extraction, PanelMember, Sample, Verdict
from audits.pipeline.counting import MARK, context_tokens, count_sentences, count_tokens, static_tokens

ENOUGH = 30  # calls; fewer tell nothing
MOST = 400  # calls that are looked at, the newest
SEATS = 20  # audits that are looked at, the newest
ROLES = {Purpose.EXTRACT: PanelMember.Role.EXTRACTOR, Purpose.VERIFY: PanelMember.Role.JUDGE}


@dataclass(frozen=True)
class Experience:
    """Of one model for one purpose.

    per_claim: tokens of reply for each claim. claims_per_sentence: of an extractor; None where no sentence was seen.
    cache_read, cache_write: shares of all input tokens, 0 to 1; 0 where the vendor does not report them.
    """

    calls: int  # that this rests on
    input_ratio: float  # the vendor's input tokens over ours
    per_claim: float | None
    claims_per_sentence: float | None = None
    cache_read: float = 0.0
    cache_write: float = 0.0


@dataclass
class _Sums:
    calls: int = 0
    counted: int = 0  # by us
    tokens_in: int = 0
    tokens_out: int = 0
    cache_read: int = 0
    cache_write: int = 0
    claims: int = 0
    sentences: int = 0

    def add(self, call: Call, counted: int, claims: int, sentences: int = 0) -> None:
        self.calls += 1
        self.counted += counted
        self.tokens_in += call.tokens_in or 0
        self.tokens_out += call.tokens_out or 0
        self.cache_read += call.cache_read or 0
        self.cache_write += call.cache_write or 0
        self.claims += claims
        self.sentences += sentences

    def told(self) -> Experience | None:
        if self.calls < ENOUGH or not self.counted or not self.tokens_in:
            return None
        return Experience(
            calls=self.calls,
            input_ratio=self.tokens_in / self.counted,
            per_claim=self.tokens_out / self.claims if self.claims else None,
            claims_per_sentence=self.claims / self.sentences if self.sentences else None,
            cache_read=self.cache_read / self.tokens_in,
            cache_write=self.cache_write / self.tokens_in,
        )


def experience_with(vendor: str, model: str, base_url: str, purpose: Purpose) -> Experience | None:
    """What is known of this model at this address; None when fewer than ENOUGH of its calls can be compared."""
    calls = _calls(vendor, model, base_url, purpose)
    sums = _of_extractions(calls) if purpose is Purpose.EXTRACT else _of_verdicts(calls)
    return sums.told()


def _seats(vendor: str, model: str, base_url: str, purpose: Purpose) -> list[int]:
    seats = PanelMember.objects.filter(vendor=vendor, model=model, base_url=base_url, role=ROLES[purpose])
    return list(seats.order_by("-pk").values_list("pk", flat=True)[:SEATS])


def _calls(vendor: str, model: str, base_url: str, purpose: Purpose) -> dict[int, Call]:
    """The newest complete answers whose tokens were reported, audit by audit, so that an index serves each look."""
    prompts = [prompt_version(purpose, language)[1] for language in LANGUAGES]
    found: dict[int, Call] = {}
    for seat in _seats(vendor, model, base_url, purpose):
        calls: QuerySet[Call] = Call.objects.filter(
            member=seat, outcome="ok", finish="stop", purpose=purpose, prompt_hash__in=prompts,
            tokens_in__isnull=False, tokens_out__isnull=False,
        ).only("tokens_in", "tokens_out", "cache_read", "cache_write").order_by("-pk")  # fmt: skip
        found |= {call.pk: call for call in calls[: MOST - len(found)]}
        if len(found) >= MOST:
            break
    return found


def _of_extractions(calls: dict[int, Call]) -> _Sums:
    """Answers that were cut in one call."""
    sums = _Sums()
    cut = Count("claims", filter=Q(claims__recut_of__isnull=True))  # by the extractor, not by an expert
    cuts = Extraction.objects.filter(call__in=list(calls), parts=1, asked_again=False).annotate(n=cut)
    rows = cuts.order_by().values_list("call_id", "sample__language", "sample__question", "sample__answer", "n")
    for call_id, language, question, answer, claims in rows:
        sentences = count_sentences(answer)
        counted = extraction_tokens(language, count_tokens(question), count_tokens(answer), sentences)
        sums.add(calls[call_id], counted, claims, sentences)
    return sums


def _of_verdicts(calls: dict[int, Call]) -> _Sums:
    """Verdicts that rest on one call which showed every context whole."""
    sums = _Sums()
    said = Verdict.objects.filter(call__in=list(calls), windows=1, shown__isnull=True).order_by()
    claims: dict[int, list[str]] = defaultdict(list)
    sample_of: dict[int, int] = {}
    for call_id, sample_id, text in said.values_list("call_id", "claim__sample_id", "claim__text"):
        claims[call_id].append(text)
        sample_of[call_id] = sample_id
    base = _shown(set(sample_of.values()))
    for call_id, texts in claims.items():
        counted = base[sample_of[call_id]] + sum(count_tokens(text) + MARK for text in texts)
        sums.add(calls[call_id], counted, len(texts))
    return sums


def _shown(sample_ids: Collection[int]) -> dict[int, int]:
    """Tokens, as we count them, of a request about a sample without its claims. Texts are read one at a time."""
    rows = Sample.objects.filter(pk__in=list(sample_ids)).order_by("pk")
    columns = rows.values_list("pk", "language", "question", "contexts")
    return {
        pk: static_tokens(Purpose.VERIFY, language) + count_tokens(question) + context_tokens(contexts)
        for pk, language, question, contexts in columns.iterator(chunk_size=100)
    }


def extraction_tokens(language: str, question: int, answer: int, sentences: int) -> int:
    """Tokens, as we count them, of a request that cuts an answer of so many tokens and sentences."""
    return static_tokens(Purpose.EXTRACT, language) + question + answer + MARK * sentences

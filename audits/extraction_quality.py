"""How well the answers of an audit were cut into claims: what an extractor leaves out, no judge ever sees."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from django.db.models import Count, F, Func, IntegerField, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from audits.models import Audit, Claim, Extraction

REASONS = ("question", "opinion", "refusal", "transition", "other")
STEPS = ((0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 10), (11, 20), (21, None))  # claims of one answer


class JsonLength(Func):
    """Number of entries of a JSON list, counted by the database."""

    function = "JSON_ARRAY_LENGTH"
    arity = 1
    output_field = IntegerField()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """Lists are stored as jsonb there."""
        return self.as_sql(compiler, connection, function="JSONB_ARRAY_LENGTH", **context)


@dataclass(frozen=True)
class Share:
    """Sentences of one kind. kind: "claims", a reason, or "" for neither. fraction: of all sentences."""

    kind: str
    sentences: int
    fraction: float


@dataclass(frozen=True)
class Step:
    """Answers with `low` to `high` claims (None: any more). fraction: of the answers that were cut."""

    low: int
    high: int | None
    answers: int
    fraction: float


@dataclass(frozen=True)
class ExtractionQuality:
    """Counts over one audit, finished or not.

    samples = done + failed + waiting. done = with claims + refusals + without_claims. sentences, unaccounted: of the
    answers that are done. coverage: share of sentences with claims or a reason; None without sentences.
    several_calls, asked_again: answers. mean, median: claims per answer that is done; None without any.
    """

    samples: int
    done: int
    failed: int
    waiting: int
    refusals: int
    without_claims: int
    several_calls: int
    asked_again: int
    flagged: int
    sentences: int
    unaccounted: int
    coverage: float | None
    shares: tuple[Share, ...]
    claims: int
    vague: int
    ambiguous: int
    mean: float | None
    median: float | None
    steps: tuple[Step, ...]

    @property
    def vague_share(self) -> float | None:
        """Vague claims of all claims; None without claims."""
        return self.vague / self.claims if self.claims else None


def extraction_quality(audit: Audit) -> ExtractionQuality:
    """Read it in six queries. Per answer only a number and its reasons are loaded, never a text."""
    rows = Extraction.objects.filter(audit=audit)
    claims = Claim.objects.filter(audit=audit).order_by()
    counts = _counts(rows, claims)
    totals = claims.aggregate(
        claims=Count("pk"), vague=Count("pk", filter=Q(vague=True)), ambiguous=Count("pk", filter=Q(ambiguous=True))
    )
    with_claims = claims.values("extraction", "sentence").distinct().count()
    cut = list(claims.values("extraction").annotate(n=Count("pk")).values_list("n", flat=True))
    return quality_of(counts, totals, with_claims, cut, counted_reasons(_reasons(rows)))


def quality_of(
    counts: Mapping[str, int],
    totals: Mapping[str, int],
    with_claims: int,
    cut: Sequence[int],
    reasons: Mapping[str, int],
) -> ExtractionQuality:
    """The same from counts alone. counts: the fields of that name, samples to unaccounted, but without_claims.

    totals: claims, vague, ambiguous. with_claims: sentences. cut: claims of every answer that has any. reasons:
    reason -> sentences.
    """
    per_answer = [*cut, *[0] * max(0, counts["done"] - len(cut))]
    return ExtractionQuality(
        **counts,
        **totals,
        without_claims=len(per_answer) - len(cut) - counts["refusals"],
        coverage=1 - counts["unaccounted"] / counts["sentences"] if counts["sentences"] else None,
        shares=_shares(counts["sentences"], with_claims, reasons, counts["unaccounted"]),
        mean=fmean(per_answer) if per_answer else None,
        median=float(median(per_answer)) if per_answer else None,
        steps=_steps(per_answer),
    )


def _counts(rows: QuerySet[Extraction], claims: QuerySet[Claim]) -> dict[str, int]:
    status = Extraction.Status
    done = Q(status=status.DONE)
    no_claims = done & ~Q(pk__in=claims.values("extraction"))
    return rows.aggregate(
        samples=Count("pk"),
        done=Count("pk", filter=done),
        failed=Count("pk", filter=Q(status=status.FAILED)),
        waiting=Count("pk", filter=Q(status=status.PENDING)),
        refusals=Count("pk", filter=no_claims & Q(is_refusal=True)),
        several_calls=Count("pk", filter=done & Q(parts__gt=1)),
        asked_again=Count("pk", filter=done & Q(asked_again=True)),
        flagged=Count("pk", filter=done & ~Q(unaccounted=[])),
        sentences=Coalesce(Sum(JsonLength(F("sentences")), filter=done), 0),
        unaccounted=Coalesce(Sum(JsonLength(F("unaccounted")), filter=done), 0),
    )


def _reasons(rows: QuerySet[Extraction]) -> Iterable[Mapping[str, str]]:
    done = rows.filter(status=Extraction.Status.DONE).exclude(no_claims={}).order_by()
    return done.values_list("no_claims", flat=True).iterator()


def counted_reasons(answers: Iterable[Mapping[str, str]]) -> Counter[str]:
    """Reason -> sentences. answers: of each, sentence number -> reason; what is no reason counts as "other"."""
    found: Counter[str] = Counter()
    for reasons in answers:
        found.update(reason if reason in REASONS else "other" for reason in reasons.values())
    return found


def _shares(sentences: int, with_claims: int, reasons: Mapping[str, int], unaccounted: int) -> tuple[Share, ...]:
    kinds = [("claims", with_claims), *((reason, reasons.get(reason, 0)) for reason in REASONS), ("", unaccounted)]
    return tuple(Share(kind, n, n / sentences) for kind, n in kinds) if sentences else ()


def _steps(per_answer: Iterable[int]) -> tuple[Step, ...]:
    """How many answers have how many claims, up to the last step that occurs."""
    by_number = Counter(per_answer)
    total = by_number.total()
    steps = []
    for low, high in STEPS:
        answers = sum(n for claims, n in by_number.items() if low <= claims and (high is None or claims <= high))
        steps.append(Step(low, high, answers, answers / total if total else 0.0))
    while steps and not steps[-1].answers:
        steps.pop()
    return tuple(steps)


def answers_to_see(audit: Audit) -> QuerySet[Extraction]:
    """Answers that could not be cut, then those with sentences passed over; of the sample without its long texts."""
    status = Extraction.Status
    poor = Q(status=status.FAILED) | (Q(status=status.DONE) & ~Q(unaccounted=[]))
    fields = ("status", "failure", "notes", "unaccounted", "sample__external_id", "sample__question")
    rows: QuerySet[Extraction] = (
        Extraction.objects.filter(poor, audit=audit)
        .select_related("sample")
        .annotate(passed_over=JsonLength(F("unaccounted")), total=JsonLength(F("sentences")))
        .only(*fields)
        .order_by("-status", "sample__position")  # "failed" before "done"
    )
    return rows

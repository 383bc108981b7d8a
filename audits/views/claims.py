"""The claims of an audit, and one sample with everything that was said about it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from audits.access import sample_for, verdicts_for
from audits.blindness import shows_verdicts
from audits.evidence_view import CutEvidence, EvidenceContext, Spans, cut_evidence, draw
from audits.forms.claims import ClaimFilter
from audits.from_file import FileOrder, as_text
from audits.labels import Decision
from audits.models import Audit, Claim, Extraction, PanelMember, Sample, Verdict
from audits.parts import render_parts
from audits.text.pieces import Piece, cut

PAGE = 50
VERDICTS = Prefetch("verdicts", Verdict.objects.select_related("member").order_by("member__position"))
# Where claims overlap in the answer, the mark shows the one that matters most.
WEIGHT: dict[str, int] = {
    Decision.CONTRADICTED: 4,
    Decision.UNVERIFIED: 3,
    Decision.DISPUTED: 2,
    Decision.SUPPORTED: 1,
}


@require_safe
@shows_verdicts
def audit_claims(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """All claims of an audit, filtered and in pages."""
    audit = verdicts_for(request, slug, pk)
    panel = list(audit.panel)
    chosen = ClaimFilter(request.GET, panel=panel, dataset=audit.dataset)
    claims = Claim.objects.filter(audit=audit).select_related("sample").prefetch_related(VERDICTS)
    # Lists never load the long texts of a sample.
    fields = ("position", "text", "vague", "ambiguous", "decision", "sample__external_id", "sample__position")
    claims = claims.only(*fields)
    page = Paginator(chosen.apply(claims), PAGE).get_page(request.GET.get("page"))
    query = request.GET.copy()
    query.pop("page", None)
    context = {
        "project": audit.project,
        "tab": "claims",
        "audit": audit,
        "panel": panel,
        "filter": chosen,
        "page": page,
        "rows": [(claim, list(zip(panel, _by_judge(claim, panel), strict=True))) for claim in page],
        "query": query.urlencode(),
        "chips": [(condition, _without(query, condition.fields)) for condition in chosen.conditions],
    }
    return render_parts(request, "audits/claims.html", context, parts=("claims-list",))


def _without(query: QueryDict, fields: Iterable[str]) -> str:
    """The same address without these fields."""
    rest = query.copy()
    for field in fields:
        rest.pop(field, None)
    return rest.urlencode()


def _by_judge(claim: Claim, panel: list[PanelMember]) -> list[Verdict | None]:
    """The verdicts in the order of the panel; None where a judge has not spoken yet."""
    said = {verdict.member_id: verdict for verdict in claim.verdicts.all()}
    return [said.get(member.pk) for member in panel]


@dataclass(frozen=True)
class Quoted:
    """A quote of one verdict. context: its number from 1. anchor: where it is marked; "" when it was not found."""

    claim: int
    letter: str
    text: str
    context: int
    anchor: str


@dataclass(frozen=True)
class Spoken:
    """One judge on one claim; verdict None: not yet. key: names it in the address, as "3A" for judge A on claim 3.

    cut: how much of the contexts it rests on; None where it saw them whole, or has not spoken.
    """

    key: str
    number: int  # of the claim
    member: PanelMember
    verdict: Verdict | None
    quotes: list[Quoted]
    cut: CutEvidence | None


@dataclass(frozen=True)
class Shown:
    """One claim with its number and what each judge said."""

    number: int
    claim: Claim
    spoken: list[Spoken]


@require_safe
@shows_verdicts
def audit_sample(request: HttpRequest, slug: str, pk: int, sample_pk: int) -> HttpResponse:
    """One sample: answer with its claims marked, contexts with the evidence marked, every verdict in full.

    What no judge's last call showed is grey; with ?seen=3A what judge A was not shown for claim 3.
    """
    audit = verdicts_for(request, slug, pk)
    sample = sample_for(audit, sample_pk)
    extraction = get_object_or_404(Extraction, audit=audit, sample=sample)
    panel = list(audit.panel)
    claims = Claim.objects.filter(extraction=extraction).order_by("position").prefetch_related(VERDICTS)
    shown = [_shown(claim, panel, sample.contexts) for claim in claims]
    spoken = [said for row in shown for said in row.spoken]
    chosen = next((said for said in spoken if said.cut and said.key == request.GET.get("seen")), None)
    answer = cut(sample.answer, [(row.claim.start, row.claim.end, row) for row in shown])
    contexts = _contexts(sample.contexts, spoken, chosen)
    context = {
        "project": audit.project,
        "tab": "sample",
        "audit": audit,
        "sample": sample,
        "extraction": extraction,
        "claims": shown,
        "answer": [(piece, _heaviest(piece)) for piece in answer],
        "contexts": contexts,
        "chosen": chosen,
        "hidden": any(drawn.hidden for drawn in contexts),
        "without_claims": _without_claims(extraction, sample.answer),
        "other_columns": _other_columns(audit, sample),
    } | _neighbours(audit, sample.position)
    return render(request, "audits/sample.html", context)


def _shown(claim: Claim, panel: list[PanelMember], contexts: list[str]) -> Shown:
    number = claim.position + 1
    pairs = zip(panel, _by_judge(claim, panel), strict=True)
    spoken = [
        Spoken(
            key=f"{number}{member.letter}",
            number=number,
            member=member,
            verdict=verdict,
            quotes=_quotes(number, member, verdict),
            cut=cut_evidence(contexts, verdict.shown, verdict.windows) if verdict else None,
        )
        for member, verdict in pairs
    ]
    return Shown(number, claim, spoken)


def _quotes(number: int, member: PanelMember, verdict: Verdict | None) -> list[Quoted]:
    return [
        Quoted(
            claim=number,
            letter=member.letter,
            text=quote["text"],
            context=quote["context"] + 1,
            anchor="" if quote.get("start") is None else f"quote-{number}-{member.letter}-{place}",
        )
        for place, quote in enumerate(verdict.quotes if verdict else [], start=1)
    ]


def _heaviest(piece: Piece[Shown]) -> str:
    """The decision whose colour the piece carries; "" for a claim that is not decided, None outside claims."""
    decisions = [row.claim.decision for row in piece.over]
    return max(decisions, key=lambda decision: WEIGHT.get(decision, 0), default="")


def _contexts(texts: list[str], spoken: list[Spoken], chosen: Spoken | None) -> list[EvidenceContext[str, Quoted]]:
    """The contexts with all quotes, and what was shown: to the chosen verdict's judge, or else for any label."""
    quotes: list[tuple[int, int, int, Quoted]] = []
    seen: dict[str, Spans | None] = {}
    for said in spoken:
        if said.verdict is None:
            continue
        if said is chosen or (chosen is None and said.verdict.label):
            seen[said.key] = said.verdict.shown
        for quote, quoted in zip(said.verdict.quotes, said.quotes, strict=True):
            if quoted.anchor:
                quotes.append((quote["context"], quote["start"], quote["end"], quoted))
    return draw(texts, seen, quotes, reveal=chosen is not None)


def _without_claims(extraction: Extraction, answer: str) -> list[tuple[int, str, str]]:
    """(number, sentence, code of the reason) of every sentence without claims; "" when no reason was given."""
    reasons: dict[str, str] = dict(extraction.no_claims) | {str(number): "" for number in extraction.unaccounted}
    rows: list[tuple[int, str, str]] = []
    for number in sorted(map(int, reasons)):
        start, end = extraction.sentences[number - 1] if 0 < number <= len(extraction.sentences) else (0, 0)
        rows.append((number, answer[start:end], reasons[str(number)]))
    return rows


def _other_columns(audit: Audit, sample: Sample) -> list[tuple[str, str]]:
    """The columns of the file that are not mapped, in the order of the file."""
    return [(name, as_text(value)) for name, value in FileOrder(audit.dataset).sorted(sample.metadata).items()]


def _neighbours(audit: Audit, position: int) -> dict[str, Any]:
    """The samples before and after this one."""
    samples = audit.dataset.samples.order_by("position").values_list("pk", flat=True)
    return {
        "previous_pk": samples.filter(position__lt=position).order_by("-position").first(),
        "next_pk": samples.filter(position__gt=position).first(),
    }

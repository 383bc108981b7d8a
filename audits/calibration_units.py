"""The units of a calibration: what people, each judge and the panel say of every claim or answer with a label."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from audits.human_labels import Given, Truth
from audits.labels import HALLUCINATED, Decision, Label
from audits.models import Audit, Claim, Extraction, Sample, Verdict
from audits.pipeline.labelled import labelled_keys, labels_of
from audits.stats.calibration import Unit

CHUNK = 500
CLAIMS, ANSWERS = "claims", "answers"
Key = tuple[int, str]  # sample, text of the claim ("" for the answer): the same in every calibration of a dataset


@dataclass(frozen=True)
class Placed:
    """A unit with what it is of. parts: (kind, name) of the language and the tags of its answer."""

    key: Key
    unit: Unit
    parts: tuple[tuple[str, str], ...]


@dataclass
class Units:
    """units: of claims, and of whole answers; the two are never counted together.

    unusable: claims or answers with labels of which nothing can be made. failed: answers whose claims could not be
    cut, or are not cut yet. without_claims: answers with a label in which no claim was found, so that no judge was
    asked; without_claims_hallucinated: of these, by people.
    """

    units: dict[str, list[Placed]] = field(default_factory=lambda: {CLAIMS: [], ANSWERS: []})
    unusable: int = 0
    failed: int = 0
    without_claims: int = 0
    without_claims_hallucinated: int = 0


@dataclass(frozen=True)
class _Said:
    """One claim: its text, the label of each judge (None: unscored), its decision ("" until all have spoken)."""

    text: str
    labels: tuple[Label | None, ...]
    decision: str


def units_of(audit: Audit) -> Units:
    """Read the units of a calibration, finished or not. A handful of queries for every CHUNK answers."""
    found = Units()
    members = [member.pk for member in audit.panel]
    keys = labelled_keys(audit.dataset)
    for at in range(0, len(keys), CHUNK):
        chunk = keys[at : at + CHUNK]
        given = labels_of(chunk)
        said = _said(audit, chunk, members)
        cut = dict(Extraction.objects.filter(audit=audit, sample__in=chunk).values_list("sample", "status"))
        for sample in Sample.objects.filter(pk__in=chunk).order_by("position").only("language", "tags"):
            _take(found, sample, given[sample.pk], said.get(sample.pk, []), cut.get(sample.pk, ""))
    return found


def _said(audit: Audit, samples: Sequence[int], members: Sequence[int]) -> dict[int, list[_Said]]:
    """Sample -> its claims with what was said of them."""
    verdicts: dict[int, dict[int, str]] = defaultdict(dict)
    rows = Verdict.objects.filter(claim__audit=audit, claim__sample__in=samples).order_by()
    for claim, member, label in rows.values_list("claim", "member", "label"):
        verdicts[claim][member] = label
    found: dict[int, list[_Said]] = defaultdict(list)
    claims = Claim.objects.filter(audit=audit, sample__in=samples).order_by("sample", "position")
    for pk, sample, text, decision in claims.values_list("pk", "sample", "text", "decision"):
        labels = (verdicts[pk].get(member, "") for member in members)
        found[sample].append(_Said(text, tuple(Label(label) if label else None for label in labels), decision))
    return found


def _take(found: Units, sample: Sample, given: Given, said: Sequence[_Said], status: str) -> None:
    found.unusable += given.unusable
    parts = (("language", sample.language), *(("tag", str(tag)) for tag in dict.fromkeys(sample.tags)))
    if given.claims:
        by_text = {one.text: one for one in said}
        for text, truth in given.claims.items():
            if text in by_text:
                unit = _claim(sample.pk, truth, by_text[text])
                found.units[CLAIMS].append(Placed((sample.pk, text), unit, parts))
            else:
                found.failed += 1
    elif given.answer is not None:
        if status != Extraction.Status.DONE:
            found.failed += 1
        elif not said:
            found.without_claims += 1
            found.without_claims_hallucinated += given.answer.hallucinated
        else:
            found.units[ANSWERS].append(Placed((sample.pk, ""), _answer(sample.pk, given.answer, said), parts))


def _claim(sample: int, truth: Truth, said: _Said) -> Unit:
    return Unit(
        answer=sample,
        human=truth.hallucinated,
        said=tuple(None if label is None else label in HALLUCINATED for label in said.labels),
        panel=_decided(said.decision),
        human_label=truth.label,
        labels=said.labels,
        decided=bool(said.decision),
    )


def _answer(sample: int, truth: Truth, said: Sequence[_Said]) -> Unit:
    columns = zip(*(one.labels for one in said), strict=True)
    return Unit(
        answer=sample,
        human=truth.hallucinated,
        said=tuple(_any(None if label is None else label in HALLUCINATED for label in labels) for labels in columns),
        panel=_any(_decided(one.decision) for one in said),
        decided=all(one.decision for one in said),
    )


def _decided(decision: str) -> bool | None:
    """Whether the panel calls it hallucinated; None while it is disputed or open."""
    return None if decision in ("", Decision.DISPUTED) else decision in {str(label) for label in HALLUCINATED}


def _any(claims: Iterable[bool | None]) -> bool | None:
    """An answer is hallucinated when one claim is; where none is and one is unknown, so is the answer."""
    said = list(claims)
    return True if True in said else None if None in said else False

"""What a calibration found: judges held against the labels that people gave a dataset before it came here."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from typing import Any

from audits.calibration_units import ANSWERS, CLAIMS, Placed, Units, units_of
from audits.human_labels import COMPARABLE
from audits.models import Audit, Dataset, GivenLabel, PanelMember, Project
from audits.stats.calibration import FEWEST_UNITS, AgainstPeople, Calibration, calibrate
from audits.stats.estimate import Estimate

_PLACES = Decimal("0.000001")


@dataclass(frozen=True)
class Part:
    """The units of one language or tag. kind: "language" or "tag"."""

    kind: str
    name: str
    found: Calibration


@dataclass(frozen=True)
class Kind:
    """What was found over units of one kind. unit: "claims" or "answers".

    too_few: (kind, name, units) of the languages and tags with fewer than FEWEST_UNITS.
    """

    unit: str
    found: Calibration
    parts: tuple[Part, ...]
    too_few: tuple[tuple[str, str, int], ...]


@dataclass(frozen=True)
class Findings:
    """kinds: of claims, then of answers, as far as there are any. apart: what is in no figure."""

    panel: tuple[PanelMember, ...]
    kinds: tuple[Kind, ...]
    apart: Units


def can_calibrate(dataset: Dataset) -> bool:
    """Whether people labelled anything in it that a judge can be held against."""
    return GivenLabel.objects.filter(sample__dataset=dataset, label__in=COMPARABLE).exists()


def findings(audit: Audit, *, by_part: bool = True) -> Findings:
    """Everything about one calibration, finished or not. by_part: by language and tag, too."""
    read, confidence = units_of(audit), float(audit.confidence)
    kinds = [
        Kind(
            unit, calibrate([one.unit for one in placed], confidence), *_parts(placed if by_part else (), confidence)
        )
        for unit in (CLAIMS, ANSWERS)
        if (placed := read.units[unit])
    ]
    return Findings(tuple(audit.panel), tuple(kinds), read)


def _parts(placed: Sequence[Placed], confidence: float) -> tuple[tuple[Part, ...], tuple[tuple[str, str, int], ...]]:
    """Languages, then tags, the largest first; a single language says nothing that the whole does not."""
    sizes = Counter(part for one in placed for part in one.parts)
    held = defaultdict(list)
    for one in placed:
        for part in one.parts:
            held[part].append(one.unit)
    names = sorted(sizes, key=lambda part: (part[0], -sizes[part], part[1]))
    if sum(kind == "language" for kind, _ in names) == 1:
        names = [name for name in names if name[0] != "language"]
    enough = [name for name in names if sizes[name] >= FEWEST_UNITS]
    too_few = tuple((*name, sizes[name]) for name in names if sizes[name] < FEWEST_UNITS)
    return tuple(Part(*name, calibrate(held[name], confidence)) for name in enough), too_few


def finished(project: Project) -> list[Audit]:
    """The calibrations of a project that are judged to the end, the newest first."""
    rows = project.audits.filter(calibration=True, status=Audit.Status.REVIEWING)
    return list(rows.select_related("dataset").prefetch_related("members__judge"))


def calibration_fact(audit: Audit) -> dict[str, Any] | None:
    """The calibration on whose figures the panel of this audit was chosen, as a certificate names it; None without.

    Plain data, ready for JSON: rates are fractions with six decimals, a lower limit rounded down and an upper one up;
    an undefined one is null beside a reason code. sets: one entry per kind of unit ("claims", "answers").
    """
    source = audit.calibrated_by
    if source is None:
        return None
    found = findings(source, by_part=False)
    return {
        "audit": source.pk,
        "name": source.name,
        "judged_at": source.judged_at and source.judged_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "dataset": {"name": source.dataset.name, "sha256": source.dataset.sha256},
        "sets": [_set(kind, found.panel) for kind in found.kinds],
    }


def _set(kind: Kind, panel: Sequence[PanelMember]) -> dict[str, Any]:
    together = kind.found.together
    shared = ("shared_errors", "missed_by_all", "disputed", "people", "naive")
    return {
        "unit": kind.unit,
        "units": kind.found.units,
        "answers": kind.found.answers,
        "judges": [
            {"vendor": member.vendor, "model": member.model, **_rates(one)}
            for member, one in zip(panel, kind.found.judges, strict=True)
        ],
        "panel": _rates(kind.found.panel) | {name: _plain(getattr(together, name)) for name in shared},
    }


def _rates(one: AgainstPeople) -> dict[str, Any]:
    names = ("coverage", "precision", "recall", "specificity", "kappa", "ac1")
    return {name: _plain(getattr(one, name)) for name in names}


def _plain(estimate: Estimate) -> dict[str, Any]:
    return {
        "value": _rounded(estimate.value, ROUND_HALF_EVEN),
        "low": _rounded(estimate.low, ROUND_FLOOR),
        "high": _rounded(estimate.high, ROUND_CEILING),
        "n": estimate.n,
        "confidence": estimate.confidence,
        "reason": estimate.reason,
    }


def _rounded(value: float | None, rounding: str) -> float | None:
    return None if value is None else float(Decimal(repr(float(value))).quantize(_PLACES, rounding)) + 0.0

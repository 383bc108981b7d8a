"""Rows that events name one by one: labels, marks, skips, cuts, guidelines, certificates and so on."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db import models

from audits.models import Event
from audits.models.digests import FORMS
from review.log_check.finding import Finding

CHUNK = 2000
NAMES = {
    "project": "project",
    "dataset": "dataset",
    "audit": "settings of audit",
    "member": "panel member",
    "call": "call",
    "claim": "claim",
    "plan": "spot check",
    "item": "item",
    "skip": "skip",
    "label": "label",
    "mark": "evidence mark",
    "shown": "note that verdicts were shown",
    "recut": "proposed cut",
    "comment": "remark",
    "guidelines": "guidelines",
    "rules": "review rules",
    "certificate": "row of certificate",
}
# Where a form belongs to an audit: of an audit that the log covers, each row must be known.
OF_AUDIT = {
    "audit.1": "pk",
    "member.1": "audit",
    "plan.1": "audit",
    "skip.1": "item__plan__audit",
    "label.1": "item__plan__audit",
    "mark.1": "adjudication__item__plan__audit",
    "shown.1": "adjudication__item__plan__audit",
    "recut.1": "item__plan__audit",
    "comment.1": "item__plan__audit",
    "certificate.1": "audit",
    "claim.1": "recut_of__audit",  # parts; the claims themselves are in the digest of what was judged
}
DRAWN = ("plan.1", "item.1", "skip.1")  # made anew with a new draw


@dataclass
class _Known:
    """What the newest event says of each row. hashes: form -> key -> SHA-256; places: (audit, item) of each."""

    hashes: dict[str, dict[int, str]] = field(default_factory=dict)
    places: dict[tuple[str, int], tuple[int | None, int | None]] = field(default_factory=dict)

    def forget(self, forms: tuple[str, ...], *, audit: int | None, item: int | None = None) -> None:
        """Rows that an act of the product has taken away."""
        for form in forms:
            kept = self.hashes.get(form, {})
            for key in list(kept):
                where = self.places[form, key]
                if where[0] == audit and (item is None or item == (key if form == "item.1" else where[1])):
                    del kept[key]


def check(covered: set[int]) -> Iterator[Finding]:
    """Rows that are not as their newest event says, are gone, or that no event knows. covered: audits (finding)."""
    known = _read()
    for form, hashes in sorted(known.hashes.items()):
        name = NAMES[form.partition(".")[0]]
        there = dict(FORMS[form].of(hashes))
        for key, hashed in hashes.items():
            if key not in there:
                yield Finding(f"{name} {key}", "The log knows it, but it is not stored any more.")
            elif there[key] != hashed:
                yield Finding(f"{name} {key}", "It is not what the log says of it.")
    for form, path in OF_AUDIT.items():
        model, hashes = FORMS[form].model, known.hashes.get(form, {})
        rows: models.QuerySet[Any] = models.QuerySet(model).order_by("pk")
        for key, audit in rows.values_list("pk", path).iterator(CHUNK):
            if audit in covered and key not in hashes:
                yield Finding(f"{NAMES[form.partition('.')[0]]} {key}", "The log knows nothing of it.")
    yield from _without_audit(known)


def _read() -> _Known:
    known = _Known()
    rows = Event.objects.filter(models.Q(data__has_key="witness") | models.Q(kind__in=_TAKES)).order_by("pk")
    for kind, audit, data in rows.values_list("kind", "audit", "data").iterator(CHUNK):
        if kind == "review_opened":
            known.forget(DRAWN, audit=audit)
        elif kind == "gold_removed":
            known.forget(("item.1", "skip.1"), audit=audit, item=data["item"])
        elif kind == "delete_dataset":
            known.hashes.get("dataset.1", {}).pop(data.get("dataset"), None)
        for place, hashed in data.get("witness", {}).items():
            form, _, key = place.partition(":")
            known.hashes.setdefault(form, {})[int(key)] = hashed
            known.places[form, int(key)] = (audit, data.get("item"))
    return known


_TAKES = ("review_opened", "gold_removed", "delete_dataset")


def _without_audit(known: _Known) -> Iterator[Finding]:
    """Guidelines and review rules, which belong to a project, and parts of claims: each came with an event."""
    told = set(Event.objects.filter(kind="guidelines_published").values_list("project", "data__version"))
    guidelines: models.QuerySet[Any] = models.QuerySet(FORMS["guidelines.1"].model).order_by("pk")
    for key, project, version in guidelines.values_list("pk", "project", "version"):
        if (project, version) not in told:
            yield Finding(f"guidelines {key}", "The log knows nothing of them.")
    ruled = set(Event.objects.filter(kind="review_rules_changed").values_list("project", flat=True))
    rules: models.QuerySet[Any] = models.QuerySet(FORMS["rules.1"].model).exclude(project__in=ruled)
    for key in rules.values_list("pk", flat=True):
        yield Finding(f"review rules {key}", "The log knows nothing of them.")

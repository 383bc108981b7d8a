"""Labels as the events of giving them and taking them back tell of them, revision by revision."""

from collections import Counter
from collections.abc import Iterator

from audits.models import Audit, Event
from review.log_check.finding import Finding
from review.models import Adjudication

CHUNK = 2000
GIVEN = ("adjudicated", "adjudication_revised", "changed_after_reveal")  # events of a label; each is one row
WITHDRAWN = "adjudication_undone"


def check(audit: Audit) -> Iterator[Finding]:
    """Labels that the log does not know, knows otherwise, or knows alone."""
    said, withdrawn = _said(audit)
    rows = Adjudication.objects.filter(item__plan__audit=audit).order_by("pk")
    taken_back: Counter[tuple[int, int]] = Counter()
    for item, reviewer, revision, label in rows.values_list("item", "reviewer", "revision", "label").iterator(CHUNK):
        if not label:
            taken_back[item, reviewer] += 1
        elif (recorded := said.pop((item, reviewer, revision), None)) != label:
            told = f"the log says {recorded}" if recorded else "the log knows nothing of it"
            yield Finding(_name(item, reviewer, revision), f"It is {label}, but {told}.")
    for (item, reviewer, revision), label in said.items():
        yield Finding(_name(item, reviewer, revision), f"The log says {label}, but there is no such label.")
    for item, reviewer in sorted({*taken_back, *withdrawn}):
        if taken_back[item, reviewer] != withdrawn[item, reviewer]:
            yield Finding(_name(item, reviewer, None), "Labels taken back do not agree with the log.")


def _said(audit: Audit) -> tuple[dict[tuple[int, int, int], str], Counter[tuple[int, int]]]:
    """(item, person, revision) -> label as the log tells; (item, person) -> labels taken back."""
    said: dict[tuple[int, int, int], str] = {}
    withdrawn: Counter[tuple[int, int]] = Counter()
    rows = Event.objects.filter(audit=audit, kind__in=(*GIVEN, WITHDRAWN), actor__isnull=False).order_by("pk")
    for kind, actor, data in rows.values_list("kind", "actor", "data").iterator(CHUNK):
        if kind == WITHDRAWN:
            withdrawn[data["item"], actor] += 1
        elif data.get("outcome") != "already_saved":
            said[data["item"], actor, data["revision"]] = data["label"]
    return said, withdrawn


def _name(item: int, reviewer: int, revision: int | None) -> str:
    number = "" if revision is None else f", revision {revision}"
    return f"label of person {reviewer} on item {item}{number}"

"""What a check says, and which audits the log answers for in full."""

from dataclasses import dataclass

from audits.models import Event


@dataclass(frozen=True)
class Finding:
    """What does not agree. about: which row, for people ("certificate A-2026-0001"). problem: one sentence."""

    about: str
    problem: str


def covered_audits() -> set[int]:
    """Audits whose start is witnessed: of these every row must be known to the log. Older ones began without."""
    started = Event.objects.filter(kind="start", audit__isnull=False, data__has_key="witness")
    return set(started.values_list("audit", flat=True))

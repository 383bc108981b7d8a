"""Counts and codes of a statement from plain rows, whoever read them: a database, or an evidence package. Pure."""

from collections import Counter
from collections.abc import Collection, Iterable

from review.statement import SamplesFact

NAMES = {"no_context": "empty_context"}  # flags of samples by the codes that a certificate words


def samples_fact(answers: Iterable[tuple[int, str, bool]], with_claims: Collection[int]) -> SamplesFact:
    """answers: (sample, status of its extraction, refusal), one per answer of the audit. with_claims: samples."""
    total = failed = refusals = 0
    for sample, status, refusal in answers:
        total += 1
        failed += status == "failed"
        refusals += status == "done" and refusal and sample not in with_claims
    return SamplesFact(
        total=total,
        with_claims=len(with_claims),
        without_claims=total - failed - len(with_claims),
        refusals=refusals,
        failed=failed,
    )


def flag_counts(samples: Iterable[Iterable[str]], refused: int) -> dict[str, int]:
    """Code -> rows. samples: the flags of every sample; refused: rows that were not imported."""
    found = Counter(NAMES.get(flag, flag) for flags in samples for flag in flags)
    return dict(found) | ({"not_imported": refused} if refused else {})


def blocking_codes(*, failed: int, stale: bool, rule_changed: bool) -> tuple[str, ...]:
    """What makes a decision INSUFFICIENT, whatever the limits are. failed: answers that could not be cut."""
    codes = {"samples_failed": failed, "judges_changed": stale, "rule_changed": rule_changed}
    return tuple(code for code, holds in codes.items() if holds)


def is_rule_changed(changed: bool, looks: int, registered: int) -> bool:
    """Whether the rule that is applied is not the one that stood when the first label was given.

    changed: it got other values after that label. looks: taken.
    """
    return changed or looks > registered

"""What two audits were made with, where it differs: then their rates may differ because of that."""

from dataclasses import dataclass

from audits.models import Audit, Extraction, PanelMember, Verdict

JUDGING = frozenset({"judges", "extractor", "prompts", "claims_per_call"})
"""Settings that can change what a claim is called, or which claims there are, without any change of the answers."""


@dataclass(frozen=True)
class Difference:
    """One setting that differs. before, after: its values, as they are named everywhere; fractions as text."""

    code: str
    before: tuple[str, ...]
    after: tuple[str, ...]


def differences(before: Audit, after: Audit) -> tuple[Difference, ...]:
    """Settings of two audits that are not the same, in a fixed order."""
    old, new = _settings(before), _settings(after)
    return tuple(Difference(code, old[code], new[code]) for code in old if old[code] != new[code])


def _settings(audit: Audit) -> dict[str, tuple[str, ...]]:
    dataset, members = audit.dataset, list(audit.members.all())
    return {
        "judges": tuple(f"{each.letter} {each.name}" for each in members if each.role == PanelMember.Role.JUDGE),
        "extractor": tuple(each.name for each in members if each.role == PanelMember.Role.EXTRACTOR),
        "prompts": _prompts(audit),
        "claims_per_call": (str(audit.claims_per_call),),
        "threshold": (str(audit.threshold.normalize()),),
        "confidence": (str(audit.confidence.normalize()),),
        "scope": (audit.scope,),
        "dataset": (dataset.name, f"SHA-256 {dataset.sha256[:12]}"),
    }


def _prompts(audit: Audit) -> tuple[str, ...]:
    """Of the calls behind claims and verdicts: an answer that was found again stems from a call of another audit."""
    extractions = Extraction.objects.filter(audit=audit, call__isnull=False).order_by()
    verdicts = Verdict.objects.filter(claim__audit=audit, call__isnull=False).order_by()
    columns = ("call__prompt_version", "call__prompt_hash")
    used = {*extractions.values_list(*columns).distinct(), *verdicts.values_list(*columns).distinct()}
    return tuple(f"{version} ({digest[:8]})" for version, digest in sorted(used) if version)

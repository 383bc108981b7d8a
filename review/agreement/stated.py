"""The agreement that a certificate states: judges with each other, each judge with the experts, experts."""

from audits.models import PanelMember
from review.agreement import Material, experts_with_each_other, judge_with_experts, judges_with_each_other
from review.statement import AgreementFact


def stated(read: Material) -> list[AgreementFact]:
    """In the order of a certificate; two experts only where some claim has two independent labels."""
    facts = [
        AgreementFact(_name(one.first), _name(one.second), one.agreement) for one in judges_with_each_other(read)
    ]
    facts += [AgreementFact(_name(one), "experts", judge_with_experts(one, read)) for one in read.panel]
    experts = experts_with_each_other(read)
    return facts if experts is None else [*facts, AgreementFact("experts", "experts", experts)]


def _name(member: PanelMember) -> str:
    return f"judge:{member.position + 1}"

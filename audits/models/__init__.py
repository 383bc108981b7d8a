"""Everything an audit stores. Written only by audits.pipeline and by these models' own methods."""

from audits.models.audit import Audit, PanelMember
from audits.models.dataset import Dataset, RowError, Sample
from audits.models.event import Event
from audits.models.judge import Judge
from audits.models.judging import Call, Claim, Extraction, Judging, Verdict
from audits.models.project import Membership, Project, Role

__all__ = [
    "Audit",
    "Call",
    "Claim",
    "Dataset",
    "Event",
    "Extraction",
    "Judge",
    "Judging",
    "Membership",
    "PanelMember",
    "Project",
    "Role",
    "RowError",
    "Sample",
    "Verdict",
]

"""Everything an audit stores. Written only by audits.pipeline and by these models' own methods."""

from audits.models import witnessed as _witnessed  # noqa: F401  # after the models: what the log keeps of them
from audits.models.allowance import Allowance
from audits.models.audit import Audit, PanelMember
from audits.models.batch import Batch, BatchItem
from audits.models.dataset import Dataset, GivenLabel, RowError, Sample
from audits.models.event import Event
from audits.models.family import FamilyRule
from audits.models.judge import Judge
from audits.models.judging import Call, Claim, Extraction, Judging, Probe, Verdict
from audits.models.project import Membership, Project, Role

__all__ = [
    "Allowance",
    "Audit",
    "Batch",
    "BatchItem",
    "Call",
    "Claim",
    "Dataset",
    "Event",
    "Extraction",
    "FamilyRule",
    "GivenLabel",
    "Judge",
    "Judging",
    "Membership",
    "PanelMember",
    "Probe",
    "Project",
    "Role",
    "RowError",
    "Sample",
    "Verdict",
]

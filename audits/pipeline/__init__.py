"""The one road: nothing else writes datasets, samples, claims, verdicts and decisions."""

from audits.pipeline.estimating import Estimate, MemberEstimate, estimate
from audits.pipeline.importing import (
    InUse,
    confirm_mapping,
    delete_dataset,
    import_dataset,
    preview,
    receive_upload,
    understand_again,
)
from audits.pipeline.owing import anything_free, anything_owed, spec_of, take
from audits.pipeline.recording import conclude, readable, record_failure, record_reply, record_wordless
from audits.pipeline.spending import find_paid, record_attempt, stop_member
from audits.pipeline.starting import PanelError, cancel, check_panel, pause, resume, retry_failed, start_audit

__all__ = [
    "Estimate",
    "InUse",
    "MemberEstimate",
    "PanelError",
    "anything_free",
    "anything_owed",
    "cancel",
    "check_panel",
    "conclude",
    "confirm_mapping",
    "delete_dataset",
    "estimate",
    "find_paid",
    "import_dataset",
    "pause",
    "preview",
    "readable",
    "receive_upload",
    "record_attempt",
    "record_failure",
    "record_reply",
    "record_wordless",
    "resume",
    "retry_failed",
    "spec_of",
    "start_audit",
    "stop_member",
    "take",
    "understand_again",
]

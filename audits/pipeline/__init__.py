"""The one road: nothing else writes datasets, samples, claims, verdicts and decisions."""

from audits.pipeline.arriving import remove_forgotten
from audits.pipeline.budgeting import (
    BudgetError,
    absorb_dead,
    raise_budget,
    reserve,
    stop_for_budget,
)
from audits.pipeline.budgeting import release as release_allowance
from audits.pipeline.budgeting import renew as renew_allowance
from audits.pipeline.estimating import Estimate, MemberEstimate, estimate
from audits.pipeline.importing import import_dataset, imports_owed
from audits.pipeline.mending import mend
from audits.pipeline.owing import anything_free, anything_owed, judge_key, limits_of, spec_of, take
from audits.pipeline.panel import PanelError, check_panel
from audits.pipeline.receiving import members_of, open_file, preview, receive_upload, understand_again
from audits.pipeline.recording import Bill, Failed, Result, conclude, settle, store
from audits.pipeline.remembering import remembered_mapping
from audits.pipeline.returning import return_judges
from audits.pipeline.sealing import seal
from audits.pipeline.spending import call_of, find_paid, note_limits, note_refused_parameters, stop_member
from audits.pipeline.starting import cancel, pause, resume, retry_failed, start_audit
from audits.pipeline.steering import (
    InUse,
    confirm_mapping,
    delete_dataset,
    discard_import,
    resume_import,
    stop_import,
)

__all__ = [
    "Bill",
    "BudgetError",
    "Estimate",
    "Failed",
    "InUse",
    "MemberEstimate",
    "PanelError",
    "Result",
    "absorb_dead",
    "anything_free",
    "anything_owed",
    "call_of",
    "cancel",
    "check_panel",
    "conclude",
    "confirm_mapping",
    "delete_dataset",
    "discard_import",
    "estimate",
    "find_paid",
    "import_dataset",
    "imports_owed",
    "judge_key",
    "limits_of",
    "members_of",
    "mend",
    "note_limits",
    "note_refused_parameters",
    "open_file",
    "pause",
    "preview",
    "raise_budget",
    "receive_upload",
    "release_allowance",
    "remembered_mapping",
    "remove_forgotten",
    "renew_allowance",
    "reserve",
    "resume",
    "resume_import",
    "retry_failed",
    "return_judges",
    "seal",
    "settle",
    "spec_of",
    "start_audit",
    "stop_for_budget",
    "stop_import",
    "stop_member",
    "store",
    "take",
    "understand_again",
]

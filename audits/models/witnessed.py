"""Which columns of this application the log answers for. What is left out, and why, stands in
tests/review/test_log_covers.py."""

from audits.models.audit import Audit, PanelMember
from audits.models.dataset import Dataset, GivenLabel, RowError, Sample
from audits.models.digests import register
from audits.models.judging import Call, Claim, Extraction, Judging, Probe, Verdict
from audits.models.project import Project

register("project.1", Project, ("name", "slug", "client", "system", "created"))
register(
    "dataset.1", Dataset,
    ("project", "name", "generator", "filename", "stored_as", "unpacked_as", "member", "sha256", "size", "format",
     "encoding", "delimiter", "sheet", "shape", "header", "escapes", "header_line", "columns", "mapping", "warnings",
     "notices", "status", "rows_total", "rows_done", "version", "period_from", "period_to", "drawn", "created_by",
     "created"),
)  # fmt: skip
register(
    "sample.1", Sample,
    ("dataset", "position", "line", "external_id", "question", "answer", "contexts", "metadata", "flags", "reference",
     "generator", "timestamp", "tags", "language"),
)  # fmt: skip
register("given_label.1", GivenLabel, ("sample", "position", "claim", "word", "label"))
register("row_error.1", RowError, ("dataset", "line", "column", "code", "reason", "value", "values"))
register(
    "audit.1", Audit,
    ("project", "dataset", "name", "threshold", "confidence", "expected_rate", "looks", "plan", "rule_changed_at",
     "calibration", "calibrated_by", "planted", "scope", "spot_check_size", "double_percent", "seed", "order_seed",
     "claims_per_call", "override_reason", "expected_calls", "expected_cost", "expected", "budget", "reuse", "batch",
     "probe_percent", "created_by", "created", "judged_at", "labelled_at"),
)  # fmt: skip
register(
    "member.1", PanelMember,
    ("audit", "judge", "role", "position", "vendor", "model", "family", "base_url", "concurrency", "price_in",
     "price_out", "price_cache_read", "price_cache_write", "rpm", "tpm", "context_tokens"),
)  # fmt: skip
register("member_notes.1", PanelMember, ("audit", "notes"), single=False)
register(
    "extraction.1", Extraction,
    ("audit", "sample", "status", "sentences", "no_claims", "unaccounted", "is_refusal", "failure", "parts",
     "asked_again", "notes", "call"),
)  # fmt: skip
register("judging.1", Judging, ("audit", "extraction", "member", "status", "context_order"))
register(
    "claim.1", Claim,
    ("audit", "extraction", "sample", "position", "sentence", "text", "start", "end", "vague", "ambiguous", "flags",
     "decision", "recut_of"),
)  # fmt: skip
register(
    "verdict.1", Verdict,
    ("claim", "member", "label", "unscored", "detail", "rationale", "quotes", "grounded", "notes", "conflict",
     "shown", "windows", "call", "created"),
)  # fmt: skip
register(
    "probe.1", Probe,
    ("audit", "claim", "member", "kind", "status", "text", "context_order", "label", "unscored", "call"),
)  # fmt: skip
register(
    "call.1", Call,
    ("audit", "member", "purpose", "request_hash", "prompt_version", "prompt_hash", "model_answered", "tokens_in",
     "tokens_out", "cache_read", "cache_write", "cost", "at_most", "model_asked", "attempt", "replicate", "batch",
     "latency_ms", "vendor_request_id", "outcome", "status", "message", "finish", "reply", "reusable", "created"),
)  # fmt: skip

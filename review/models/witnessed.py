"""Which columns of this application the log answers for: see audits/models/witnessed.py."""

from audits.models.digests import register
from review.models.certificate import Certificate
from review.models.comment import Comment
from review.models.guidelines import Guidelines
from review.models.item import ReviewItem, ReviewPlan, Skip
from review.models.recut import Recut
from review.models.settings import ReviewRules
from review.models.word import Adjudication, EvidenceMark, Revelation

register(
    "plan.1", ReviewPlan,
    ("audit", "asked", "strata", "strata_hash", "nonce", "seed_hex", "looks", "doubles", "drawn_at", "by"),
)  # fmt: skip
register(
    "item.1", ReviewItem,
    ("plan", "claim", "kind", "stratum", "order", "needed", "parent", "replaced_at", "gold_label", "gold_reason",
     "given_up_at", "given_up_reason"),
)  # fmt: skip
register("skip.1", Skip, ("item", "reviewer", "reason", "note", "created"))
register(
    "label.1", Adjudication,
    ("item", "slot", "slot__number", "slot__arbitrates", "reviewer", "label", "reason", "revision", "blind",
     "taken_at", "active_ms", "keys", "guidelines", "idempotency_key", "created"),
)  # fmt: skip
register("mark.1", EvidenceMark, ("adjudication", "context", "start", "end", "text"))
register("shown.1", Revelation, ("adjudication", "created"))
register(
    "recut.1", Recut,
    ("item", "proposer", "texts", "note", "state", "decided_by", "decided_at", "reply", "created"),
)  # fmt: skip
register("comment.1", Comment, ("item", "author", "text", "created"))
register("guidelines.1", Guidelines, ("project", "version", "text", "examples", "created_by", "created"))
register("rules.1", ReviewRules, ("project", "reveal", "gold_bar"))
register(
    "certificate.1", Certificate,
    ("audit", "version", "number", "envelope", "sha256", "decision", "specimen", "issued_by", "issued_at",
     "exception_reason", "revoked_at", "revoked_by", "revoke_reason"),
)  # fmt: skip

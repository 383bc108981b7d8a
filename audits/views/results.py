"""The page of one audit: its progress while it is judged, and what the judges found."""

import datetime
from decimal import Decimal
from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.functional import SimpleLazyObject
from django.views.decorators.http import require_safe

from audits.access import verdicts_for
from audits.batch_states import batches_of
from audits.blindness import shows_verdicts
from audits.forms.ledger import BudgetForm
from audits.labels import Decision
from audits.mending import MEND
from audits.models import Audit, Role
from audits.parts import render_parts
from audits.planning import Outlook
from audits.progress import Progress, progress
from audits.results import Result, result
from audits.stats.estimate import Estimate
from audits.templatetags.charts import IntervalChart, interval_chart

PATIENCE = datetime.timedelta(seconds=20)


@require_safe
@shows_verdicts
def audit(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Status, progress and result. HTMX asks for the progress and the result apart; polling ends with the judging."""
    audit = verdicts_for(request, slug, pk)
    running = audit.status == Audit.Status.JUDGING
    htmx: Any = getattr(request, "htmx", None)
    part = htmx.target if htmx else None
    state = cast(Progress, SimpleLazyObject(lambda: progress(audit)))
    context = {
        "project": audit.project,
        "tab": "result",
        "audit": audit,
        "panel": list(audit.panel),
        "running": running,
        # Only the parts that are shown pay for their numbers.
        "progress": state,
        "nobody_works": SimpleLazyObject(lambda: running and _nobody_works(audit, state)),
        "result": SimpleLazyObject(lambda: _shown(result(audit), audit)),
        "batches": SimpleLazyObject(lambda: batches_of(audit)),
        "mend": MEND,
        "rule": {"threshold": _plain(audit.threshold), "confidence": _plain(audit.confidence)},
        "plan": Outlook.from_stored(audit.plan),
        "settled": bool(part) and not running,
        "budget_form": BudgetForm(initial={"budget": None if audit.budget is None else f"{audit.budget:.2f}"}),
        "also_expert": Role.EXPERT in getattr(audit.project, "roles", ()),
    }
    response = render_parts(request, "audits/audit.html", context, parts=("audit-progress", "audit-result"))
    if running and "was" in request.GET:  # it went on by itself: buttons, status and polling are others now
        response["HX-Refresh"] = "true"
    if part == "audit-progress" and not running:
        response["HX-Trigger"] = "audit-settled"  # the result part fetches itself a last time
    return response


def _nobody_works(audit: Audit, state: Progress) -> bool:
    """Whether an audit that should run has come nowhere after a while; answers found again and batches count, too."""
    moved = state.extracted or any(member.calls for member in state.members) or audit.batches.exists()
    return not moved and timezone.now() - audit.created > PATIENCE


def _plain(fraction: Decimal) -> str:
    """0.0250 -> "2.5": a number that a person chose, in percent and without decimals that nobody chose."""
    return f"{(fraction * 100).normalize():f}"


def _shown(found: Result, audit: Audit) -> dict[str, Any]:
    """The result with what only the page needs."""
    counts = [
        (Decision.SUPPORTED, found.supported),
        (Decision.CONTRADICTED, found.contradicted),
        (Decision.UNVERIFIED, found.unverified),
        (Decision.DISPUTED, found.disputed),
    ]
    return {"found": found, "counts": counts, "chart": _chart(found, audit)}


def _chart(found: Result, audit: Audit) -> IntervalChart | None:
    """The rate with its interval, the span of its bounds and the accepted rate, on one axis; None without a rate."""
    if found.rate.value is None or found.bounds is None:
        return None
    bounds = Estimate(None, found.bounds.low, found.bounds.high, found.total, found.rate.confidence)
    return interval_chart([("rate", found.rate), ("bounds", bounds)], limit=float(audit.threshold))

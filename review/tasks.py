"""The sweep of the human half: audits whose judging has ended get their review opened, mentions their mail."""

import logging

from celery import shared_task

from review.mentions import tell
from review.spotcheck import open_review, owed

log = logging.getLogger(__name__)


@shared_task(name="review.sweep")
def sweep() -> None:
    """Open what is not open yet. Any number of workers may do this at once; an audit is opened exactly once."""
    for audit in owed():
        try:
            plan = open_review(audit)
        except Exception:  # one audit that cannot be opened must not keep the others waiting
            log.exception("The review of audit %s could not be opened.", audit.pk)
            continue
        if plan:
            log.info("Review of audit %s opened: %s", audit.pk, plan.strata)
    tell()

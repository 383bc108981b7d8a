"""The sweep of the human half: audits whose judging has ended get their review opened, mentions their mail, and
certificates the time stamp and the second signature that are set up."""

import logging
import time
from concurrent.futures import Future, ThreadPoolExecutor

from celery import shared_task
from django.db import close_old_connections

from review.mentions import tell
from review.spotcheck import open_review, owed
from review.witnessing import wanted, witness

log = logging.getLogger(__name__)
REST = 60  # seconds before an outsider that failed is asked again
_outside = ThreadPoolExecutor(1, thread_name_prefix="witness")  # outsiders are slow, and the sweep waits for nobody
_asked: list[Future[None]] = []  # the last round that was sent out
_rest_until = [0.0]  # on the monotonic clock


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
    if time.monotonic() >= _rest_until[0] and all(round_.done() for round_ in _asked) and wanted():
        _asked[:] = [_outside.submit(_witness)]


def _witness() -> None:
    """In a thread whose end nobody waits for."""
    fine = False
    try:
        fine = witness()
    except Exception:
        log.exception("Time stamps and second signatures could not be asked for; it is tried again.")
    finally:
        if not fine:
            _rest_until[0] = time.monotonic() + REST
        close_old_connections()

"""Ringing for a worker. A message says only where to look; if it is lost or doubled, nothing changes."""

import logging

from celery import current_app
from django.db import transaction

log = logging.getLogger(__name__)


def ring(task: str, *ids: int) -> None:
    """Send a task by name once the transaction has committed. A broker that is down is no error: a sweep rings."""

    def send() -> None:
        try:
            current_app.send_task(task, args=ids, ignore_result=True)
        except Exception as error:  # every transport has its own errors, and none of them may fail a request
            log.warning("The broker did not take %s%s (%s). The next sweep rings again.", task, ids, error)

    transaction.on_commit(send)

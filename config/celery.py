"""The Celery application: late acknowledgement, no results, and in each worker a sweep that re-rings what is owed."""

import os
import threading
from typing import Any

from celery import Celery
from celery.signals import worker_ready, worker_shutting_down

import config.spool  # noqa: F401  # registers the broker of machines without Redis

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("assay")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(
    task_acks_late=True,
    task_ignore_result=True,
    task_serializer="json",
    accept_content=["json"],
    worker_pool="threads",  # the waiting is asyncio's; threads keep one event loop and one set of vendor clients
    worker_concurrency=4,
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    broker_connection_retry_on_startup=True,
    broker_connection_timeout=2,
    task_publish_retry=False,  # a web request never waits for a broker that is down; the sweep rings later
    timezone="UTC",
)
app.autodiscover_tasks()

SWEEPS = ("audits.sweep", "audits.help", "audits.batch", "review.sweep")
_stopping = threading.Event()


def _sweep_forever(interval: float) -> None:
    """Call each sweep in this process, for ever: no beat process is needed, any number of workers may do it."""
    import logging

    from django.db import close_old_connections

    while not _stopping.wait(interval):
        for name in SWEEPS:
            try:
                app.tasks[name]()
            except Exception:  # a database that is away for a moment must not end the sweep
                logging.getLogger("config.sweep").exception("The sweep %s failed; it is tried again.", name)
            finally:
                close_old_connections()


@worker_ready.connect
def _start_sweeping(**_: Any) -> None:
    from django.conf import settings

    threading.Thread(target=_sweep_forever, args=(settings.ASSAY_SWEEP_SECONDS,), daemon=True, name="sweep").start()


@worker_shutting_down.connect
def _stop_sweeping(**_: Any) -> None:
    _stopping.set()

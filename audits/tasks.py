"""The timetable: which stage follows which. Tasks take ids, look first, leave if it is done, give nothing back."""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from celery import shared_task
from celery.signals import worker_shutting_down
from django.conf import settings
from django.db import close_old_connections

from audits import pipeline
from audits.batches import tend, wants_tending
from audits.doorbell import ring
from audits.models import Audit
from audits.pipeline.batching import audits_with_batches
from audits.turns import works_here
from audits.working import shutting_down, work_on

log = logging.getLogger(__name__)
HANDS = 4  # audits on which a worker helps others at a time
CARRIERS = 2  # audits whose batches a worker moves on at a time
IMPORTERS = 2  # datasets that a worker imports at a time; audits need its threads, too
_hands = ThreadPoolExecutor(HANDS, thread_name_prefix="help")  # ended in order with the process
_carriers = ThreadPoolExecutor(CARRIERS, thread_name_prefix="batches")
_carried: set[int] = set()  # audits whose batches a carrier has in hand or will have
_importers = ThreadPoolExecutor(IMPORTERS, thread_name_prefix="import")
_imported: set[int] = set()  # datasets that an importer has in hand


@worker_shutting_down.connect
def _let_go(**_: Any) -> None:
    shutting_down.set()


@shared_task(name="audits.import_dataset")
def take_up_import(dataset_id: int) -> None:
    """Let a thread of its own import a dataset, and come back at once.

    Where all such threads have one in hand, it is left to the next sweep of whoever has room.
    """
    if dataset_id in _imported or len(_imported) >= IMPORTERS or shutting_down.is_set():
        return
    _imported.add(dataset_id)
    _importers.submit(_unattended, import_dataset, dataset_id, _imported)


def _unattended(do: Callable[[int], None], pk: int, in_hand: set[int] | None = None) -> None:
    """Work in a thread whose end nobody waits for; in_hand: ids, from which this one goes in the end."""
    try:
        do(pk)
    except Exception:
        log.exception("%s of %s failed; it is tried again.", do.__name__, pk)
    finally:
        if in_hand is not None:
            in_hand.discard(pk)
        close_old_connections()


def import_dataset(dataset_id: int) -> None:
    """Go on with an import until it is done, is stopped, or the process is asked to end."""
    pipeline.import_dataset(dataset_id, stopping=shutting_down.is_set)


@shared_task(name="audits.work")
def work(audit_id: int) -> None:
    """Go on with an audit; ring again when the time for one task is over and something can still be taken."""
    audit = Audit.objects.judging().filter(pk=audit_id).first()
    if audit is None:
        return
    again = partial(ring, "audits.work", audit.pk)
    if not work_on(audit, seconds=settings.ASSAY_CHUNK_SECONDS, pass_on=again):
        return  # to ring again would only wake this process once more, at once and for nothing
    pipeline.conclude(audit)
    audit.refresh_from_db(fields=["status"])
    if audit.status == Audit.Status.JUDGING and pipeline.anything_free(audit):
        again()


@shared_task(name="audits.sweep")
def sweep() -> None:
    """Ring for all that is owed and on which nobody works: after a crash, a lost message, a broker's restart.

    Judges whose vendor asked for a pause, and those that could not be reached, are tried again when it is time.
    """
    pipeline.return_judges()
    pipeline.remove_forgotten()
    pipeline.seal()
    for dataset_id in pipeline.imports_owed().free().values_list("pk", flat=True):
        ring("audits.import_dataset", dataset_id)
    for audit in Audit.objects.judging().quiet():
        if not pipeline.conclude(audit) and pipeline.anything_free(audit) and audit.may_ring():
            ring("audits.work", audit.pk)


@shared_task(name="audits.help")
def lend_a_hand() -> None:
    """Work on audits that others work on, where something is free: one message wakes one worker only.

    Each worker calls it for itself now and then. It starts threads and comes back at once.
    """
    for audit in Audit.objects.judging():
        if not shutting_down.is_set() and not works_here(audit.pk) and pipeline.anything_free(audit):
            _hands.submit(_unattended, work, audit.pk)


@shared_task(name="audits.batch")
def look_after_batches() -> None:
    """Move the batches of all audits on, also of those that are over: what the vendor has answered is paid for.

    Each worker calls it for itself now and then. It starts threads and comes back at once.
    """
    for audit in audits_with_batches():
        if audit.pk not in _carried and not shutting_down.is_set() and wants_tending(audit):
            _carried.add(audit.pk)
            _carriers.submit(_unattended, carry, audit.pk, _carried)


def carry(audit_id: int) -> None:
    """Move one audit's batches on, and ring where something is to be asked directly now."""
    audit = audits_with_batches().filter(pk=audit_id).first()
    if audit is None or not wants_tending(audit) or not tend(audit):
        return
    if not pipeline.conclude(audit) and audit.status == Audit.Status.JUDGING and pipeline.anything_free(audit):
        ring("audits.work", audit.pk)

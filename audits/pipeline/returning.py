"""Judges that stopped for a while: when they may be tried again, and that it happens without a person."""

import datetime

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from audits.doorbell import ring
from audits.judges.base import RETRY_LATER, JudgeError
from audits.models import Audit, Call, Event, PanelMember
from audits.pipeline.owing import anything_possible

JUDGES = "judges"  # the value of Audit.stopped_by while all that is owed waits for stopped members
LONGEST = datetime.timedelta(days=1)  # a vendor that asks for more is asked again all the same
FIRST, LAST = datetime.timedelta(minutes=1), datetime.timedelta(hours=1)  # pauses of our own: doubled from … to …
RETURNS = 12  # in a row without an answer, about 6 hours; then a person has to look


def return_of(audit: Audit, member: PanelMember, error: JudgeError) -> datetime.datetime | None:
    """When a judge that this error stopped is tried again by itself: as its vendor asks, else after a growing pause.

    None where waiting does not help.
    """
    if error.fault not in RETRY_LATER:
        return None
    if error.retry_after:
        return timezone.now() + min(datetime.timedelta(seconds=error.retry_after), LONGEST)
    stops = _stops_in_a_row(audit, member)
    return timezone.now() + min(FIRST * 2**stops, LAST) if stops < RETURNS else None


def _stops_in_a_row(audit: Audit, member: PanelMember) -> int:
    """How often the judge was stopped since its last answer."""
    stops = Event.objects.filter(audit=audit, kind="judge_stopped", data__judge=member.name)
    answered = Call.objects.filter(audit=audit, member=member, outcome="ok").order_by("pk").last()
    return (stops.filter(created__gt=answered.created) if answered else stops).count()


def pause_for_judges(audit: Audit) -> bool:
    """Pause an audit of which all that is owed waits for stopped members. True for the one that paused it."""
    with transaction.atomic():
        locked(audit)  # a judge that returns this very moment is seen, or sees the pause
        if not audit.members.exclude(stopped_fault="").exists() or anything_possible(audit):
            return False
        if not audit.advance(Audit.Status.JUDGING, Audit.Status.PAUSED):
            return False
        Audit.objects.filter(pk=audit.pk).update(stopped_by=JUDGES)
        audit.stopped_by = JUDGES
    return True


def return_judges() -> int:
    """Try judges again whose time has come, and go on with audits that are paused for their sake alone.

    The number of judges that returned. Audits of the command line have keys that no worker has: theirs stay.
    """
    waiting = _due(PanelMember.objects.filter(audit__headless=False))
    return sum(_return(audit) for audit in Audit.objects.filter(pk__in=waiting.values("audit")))


def _due(members: "QuerySet[PanelMember]") -> "QuerySet[PanelMember]":
    return members.filter(resumes_at__lte=timezone.now()).exclude(stopped_fault="")


def _return(audit: Audit) -> int:
    with transaction.atomic():
        now = locked(audit)
        if now.status != Audit.Status.JUDGING and (now.status, now.stopped_by) != (Audit.Status.PAUSED, JUDGES):
            return 0  # a person or the budget has paused it: resuming tries all judges again
        names = [member.name for member in _due(now.members.all())]
        if not _due(now.members.all()).update(stopped_fault="", stopped_message="", resumes_at=None):
            return 0
        now.advance(Audit.Status.PAUSED, Audit.Status.JUDGING)
        Event.record("judge_returned", project=audit.project, audit=audit, judges=names)
        ring("audits.work", audit.pk)
    return len(names)


def locked(audit: Audit) -> Audit:
    """The audit as it is now, its row ours until the transaction ends."""
    return Audit.objects.select_for_update(no_key=True).get(pk=audit.pk)

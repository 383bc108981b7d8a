"""What outsiders add to a certificate after it is issued: a time stamp and a second signature, where they are set up.

The work is a query: certificates of the last days without them. Nothing of it holds up issuing.
"""

import datetime
import logging
from collections.abc import Callable

from django.conf import settings
from django.utils import timezone

from review.countersigning import CountersignError, countersign
from review.models import Certificate
from review.models.certificate import CertificateQuerySet
from review.statement import canonical
from review.timestamping import TimestampError, stamp

log = logging.getLogger(__name__)
DAYS = 14  # how long a missing one is asked for


def unstamped() -> CertificateQuerySet:
    """Certificates that still want a time stamp; none where no authority is set up."""
    return _recent().filter(timestamp__isnull=True) if settings.ASSAY_TIMESTAMP_URL else _recent().none()


def uncountersigned() -> CertificateQuerySet:
    """Certificates that still want a second signature; none where no program is set up."""
    return _recent().filter(countersignature={}) if settings.ASSAY_COUNTERSIGN_COMMAND else _recent().none()


def wanted() -> bool:
    """Whether anything is missing."""
    return unstamped().exists() or uncountersigned().exists()


def witness() -> bool:
    """Ask for all that is missing; False when something failed and is to be tried again later.

    Any number of processes may do so at once: what comes second is not stored.
    """
    found = [_each(unstamped(), _stamp), _each(uncountersigned(), _countersign)]
    return all(found)


def _recent() -> CertificateQuerySet:
    since = timezone.now() - datetime.timedelta(days=DAYS)
    rows: CertificateQuerySet = Certificate.objects.filter(issued_at__gte=since).order_by("pk")
    return rows


def _each(waiting: CertificateQuerySet, act: Callable[[Certificate], object]) -> bool:
    """Do it for all, until one fails: whoever is asked gets a rest then."""
    for certificate in waiting:
        try:
            act(certificate)
        except (TimestampError, CountersignError) as error:
            log.warning("Certificate %s: %s. It is tried again.", certificate.number, error)
            return False
    return True


def _stamp(certificate: Certificate) -> None:
    certificate.add_timestamp(stamp(certificate.sha256, settings.ASSAY_TIMESTAMP_URL))


def _countersign(certificate: Certificate) -> None:
    payload = canonical(certificate.envelope["statement"])
    certificate.add_countersignature(countersign(payload, settings.ASSAY_COUNTERSIGN_COMMAND))

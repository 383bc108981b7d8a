"""People named in comments: who is meant, what they may see of it, and the e-mail that tells them.

Work to do is a query: a mention that is owed (MentionQuerySet) and whose comment its person may read by now. Nothing
of the comment or of a label is in the mail, only that there is something to read, and where.
"""

import logging
import smtplib
import unicodedata
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.cache import cache
from django.core.mail import EmailMessage
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from audits.models import Membership, Project, Role
from review.models import Adjudication, Mention, Slot

log = logging.getLogger(__name__)
REST = 300  # seconds without a try after the mail server failed
AT_ONCE = 20  # mails in one sweep, so that other sweeps come round
_RESTING = "review.mentions.resting"
LONGEST = 160  # characters looked at after an @; a username has 150 at most
_INNER = ".+-@"  # may stand inside a username, and may as well end the sentence after one


def named_in(text: str, project: Project) -> list[Any]:
    """The members of the project that the text names as @username, each once, in order.

    The longest username that fits counts. It ends where a sign follows, or a character of another script: in
    "@王芳请看" and "@anna你看" no blank parts the name from what is said.
    """
    users = get_user_model().objects.filter(memberships__project=project, is_active=True).distinct()
    exact = {user.get_username(): user for user in users.order_by("pk")}  # Django stores them in NFKC
    loose = {name.casefold(): user for name, user in exact.items()}
    plain = unicodedata.normalize("NFKC", text)  # ＠ＡＮＮＡ is @ANNA
    found: dict[Any, None] = {}
    for at in (place for place, sign in enumerate(plain) if sign == "@"):
        rest = plain[at + 1 : at + 1 + LONGEST]
        if at and _is_latin(plain[at - 1]):
            continue  # an e-mail address
        user = _longest(exact, rest) or _longest(loose, rest.casefold())
        if user is not None:
            found[user] = None
    return list(found)


def _longest(people: Mapping[str, Any], rest: str) -> Any:
    """The person whose name the text begins with, the longest name if there are several; None without one."""
    names = [name for name in people if _names(rest, name)]
    return people[max(names, key=len)] if names else None


def _names(rest: str, name: str) -> bool:
    if not rest.startswith(name):
        return False
    after = rest[len(name) : len(name) + 2]
    if after[:1] in tuple(_INNER):
        after = after[1:]
    return not (after and _is_latin(after[0]) and _is_latin(name[-1]))


def _is_latin(sign: str) -> bool:
    """A letter or digit of a script that parts words with blanks."""
    return (sign.isalnum() or sign == "_") and unicodedata.east_asian_width(sign) not in ("W", "F")


def to_read(mentions: QuerySet[Mention]) -> QuerySet[Mention]:
    """Those whose comment the mentioned person may read now: the rule of review.comments.visible as a query."""
    item, project = OuterRef("comment__item"), OuterRef("comment__item__plan__audit__project")
    roles = Membership.objects.filter(user=OuterRef("user"), project=project)
    labelled = Adjudication.objects.standing().filter(item=item, reviewer=OuterRef("user"))
    waiting = Slot.objects.open().filter(item=item)
    blind = Exists(roles.filter(role=Role.EXPERT))
    return mentions.filter(Exists(roles)).filter(Q(~blind) | Q(Exists(labelled)) & Q(~Exists(waiting)))


def of_person(user: Any) -> QuerySet[Mention]:
    """The mentions of this person that can be read now, the newest first."""
    rows = to_read(Mention.objects.filter(user=user)).order_by("-pk")
    return rows.select_related("comment__author", "comment__item__claim", "comment__item__plan__audit__project")


def tell() -> int:
    """Send the mails that are owed; how many went out. Any number of workers may do this at once.

    A mention is claimed before its mail is sent, so that two workers do not both send it. A worker that is killed
    meanwhile leaves the claim: after LOST_AFTER another one sends, so a mail may come twice, and none is lost to a
    kill; after MOST_TRIES the page alone tells. When the server fails the claim is given back, uncounted, and nothing
    is tried for REST seconds. Without mail, or without an address, the page alone tells.
    """
    if cache.get(_RESTING):
        return 0
    owed = to_read(Mention.objects.owed()).order_by("pk")
    rows = owed.select_related("user", "comment__author", "comment__item__plan__audit__project")
    sent = 0
    for mention in list(rows[:AT_ONCE]):
        if not Mention.objects.owed().filter(pk=mention.pk).update(tried_at=Now(), tries=F("tries") + 1):
            continue  # another worker was first
        try:
            sent += _send(mention)
        except Exception:  # whatever a mail server does must not end the sweep
            log.exception("The mail to %s could not be sent; it is tried again in %s seconds.", mention.user, REST)
            Mention.objects.filter(pk=mention.pk).update(tried_at=None, tries=F("tries") - 1)
            cache.set(_RESTING, True, REST)
            return sent
        Mention.objects.filter(pk=mention.pk).update(notified_at=Now())
    return sent


def _send(mention: Mention) -> bool:
    """Whether a mail went out; False when the page alone has to tell. Raises what the mail server provokes."""
    if not settings.ASSAY_MAIL or not mention.user.email or not mention.user.is_active:
        return False
    try:
        _mail(mention).send()
    except smtplib.SMTPRecipientsRefused as refusal:
        if not _for_good(refusal):
            raise
        log.warning("The mail server takes no mail for %s; the page tells instead.", mention.user)
        return False
    return True


def _for_good(refusal: smtplib.SMTPRecipientsRefused) -> bool:
    return all(code >= 500 for code, _text in refusal.recipients.values())


def _mail(mention: Mention) -> EmailMessage:
    """Both languages in one mail: which one a person reads is not stored."""
    project = mention.comment.item.plan.audit.project
    place = reverse("review_item", args=(project.slug, mention.comment.item_id))
    names = {"author": mention.comment.author.get_username(), "project": project.name}
    subjects, bodies = [], []
    for code, _name in settings.LANGUAGES:
        with translation.override(code):
            subjects.append(_("%(author)s mentioned you") % names)
            bodies.append(_("%(author)s mentioned you in a comment on a claim of the project “%(project)s”.") % names)
    subject = " ".join(f"[{project.name}] {' · '.join(dict.fromkeys(subjects))}".split())
    link = f"{settings.ASSAY_PUBLIC_URL}{place}#comment-{mention.comment_id}"
    return EmailMessage(subject, "\n".join([*dict.fromkeys(bodies), "", link, ""]), to=[mention.user.email])

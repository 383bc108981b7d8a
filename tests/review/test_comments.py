"""Comments: who writes and reads them when, whom they mention, and the mail that tells them, once."""

import smtplib
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.cache import cache
from django.core.mail.backends.locmem import EmailBackend
from django.db.models import F
from django.urls import reverse

from audits.models import Audit, Event, Membership, Project, Role
from review import mentions
from review.comments import TEXT_LIMIT, Refused, add, settled, visible
from review.mentions import named_in, tell, to_read
from review.models import Adjudication, Comment, Mention, ReviewItem, Slot
from review.models.comment import LOST_AFTER, MOST_TRIES
from review.spotcheck import open_review
from tests.review.factory import C, S, make_audit

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_rest() -> Any:
    """Nothing is remembered of a mail server that failed in another test."""
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def item(project: Project) -> ReviewItem:
    """A claim that needs the labels of two experts."""
    open_review(make_audit(project, [(S, C)]))
    item = ReviewItem.objects.get()
    Slot.objects.create(item=item, number=2)
    return item


@pytest.fixture
def second(person: Any, project: Project) -> Any:
    """Another expert."""
    return person("emil", project, Role.EXPERT)


def label(item: ReviewItem, user: Any, word: str = S) -> Adjudication:
    """A label of this person, in the first slot that waits."""
    slot = item.slots.filter(state=Slot.State.WAITING).order_by("number").first()
    Slot.objects.filter(pk=slot.pk).update(state=Slot.State.DONE, reviewer=user)
    row: Adjudication = Adjudication.objects.create(
        item=item, slot=slot, reviewer=user, label=word, idempotency_key=uuid.uuid4()
    )
    return row


def texts(item: ReviewItem, user: Any) -> list[str]:
    return [comment.text for comment in visible(item, user)]


# --- Who writes, who reads ------------------------------------------------------------------------------------


def test_an_expert_reads_colleagues_only_once_all_labels_are_in(
    item: ReviewItem, expert: Any, second: Any, manager: Any, analyst: Any
) -> None:
    label(item, expert)
    add(item, expert, "Of Eve.")
    add(item, manager, "Of Max.")
    assert texts(item, expert) == ["Of Eve."], "not even what a manager says"
    assert texts(item, second) == []
    assert texts(item, manager) == texts(item, analyst) == ["Of Eve.", "Of Max."]
    assert not settled(item)
    label(item, second)
    assert texts(item, expert) == texts(item, second) == ["Of Eve.", "Of Max."]


def test_a_label_taken_back_hides_them_again(item: ReviewItem, expert: Any, second: Any, manager: Any) -> None:
    label(item, expert)
    row = label(item, second)
    add(item, manager, "Of Max.")
    Slot.objects.filter(pk=row.slot_id).update(state=Slot.State.WAITING)
    Adjudication.objects.create(
        item=item, slot=row.slot, reviewer=second, label="", revision=2, idempotency_key=uuid.uuid4()
    )
    assert texts(item, expert) == texts(item, second) == []


def test_an_expert_without_a_label_on_it_never_reads_them(
    item: ReviewItem, expert: Any, second: Any, person: Any
) -> None:
    label(item, expert)
    label(item, second)
    add(item, expert, "Of Eve.")
    third = person("ed", item.plan.audit.project, Role.EXPERT)
    assert texts(item, third) == []


def test_one_who_is_manager_and_expert_is_an_expert_here(item: ReviewItem, expert: Any, manager: Any) -> None:
    Membership.objects.create(project=item.plan.audit.project, user=manager, role=Role.EXPERT)
    label(item, expert)
    add(item, expert, "Of Eve.")
    assert texts(item, manager) == []


def test_nobody_else_reads_or_writes(item: ReviewItem, expert: Any, stranger: Any) -> None:
    label(item, expert)
    add(item, expert, "Of Eve.")
    assert texts(item, stranger) == []
    with pytest.raises(Refused, match="not_member"):
        add(item, stranger, "Of Sam.")


def test_an_expert_writes_only_on_claims_with_an_own_label(item: ReviewItem, expert: Any, second: Any) -> None:
    label(item, expert)
    with pytest.raises(Refused, match="not_labelled"):
        add(item, second, "Too soon.")


def test_comments_begin_with_the_first_label(item: ReviewItem, manager: Any, expert: Any) -> None:
    """Before it the draw may be made anew, which a comment on its items would forbid."""
    with pytest.raises(Refused, match="too_early"):
        add(item, manager, "Look at this.")
    label(item, expert)
    assert add(item, manager, "Look at this.").pk


@pytest.mark.parametrize(("text", "code"), [("", "empty"), (" \n ", "empty"), ("x" * (TEXT_LIMIT + 1), "too_long")])
def test_empty_and_endless_comments_are_refused(item: ReviewItem, expert: Any, text: str, code: str) -> None:
    label(item, expert)
    with pytest.raises(Refused, match=code):
        add(item, expert, text)


def test_the_same_comment_sent_twice_is_one(item: ReviewItem, expert: Any, manager: Any) -> None:
    label(item, expert)
    assert add(item, expert, "Twice.\r\nTwo lines.") == add(item, expert, "Twice.\nTwo lines. ")
    add(item, manager, "Yes?")
    add(item, expert, "Twice.\nTwo lines.")
    assert Comment.objects.count() == 3, "later it is a new one"
    assert Event.objects.filter(kind="comment_added").count() == 3
    assert "Twice" not in str(Event.objects.filter(kind="comment_added").values_list("data", flat=True))


# --- Mentions -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("@anna what do you think?", ["anna"]),
        ("(@anna), @anna: @anna.", ["anna"]),
        ("ask @Anna's opinion", ["anna"]),
        ("@annabel is another person", []),
        ("@anna-b too", []),
        ("write to mail@anna or x.y@anna", []),
        ("@anna.b. And @anna", ["anna.b", "anna"]),
        ("请@王芳看一下，@李雷。", ["王芳", "李雷"]),
        ("@王芳华和@王芳", ["王芳华", "王芳"]),
        ("＠王芳，请看", ["王芳"]),
        ("@anna你看", ["anna"]),
        ("@max, @nobody, @", ["max"]),
        ("@gone and @sam", []),
    ],
)
def test_who_is_meant(
    project: Project, person: Any, manager: Any, stranger: Any, text: str, names: list[str]
) -> None:
    for name in ("anna", "anna.b", "王芳", "王芳华", "李雷"):
        person(name, project, Role.EXPERT)
    gone = person("gone", project, Role.EXPERT)
    gone.is_active = False
    gone.save()
    assert [user.username for user in named_in(text, project)] == names


def test_of_two_names_that_differ_in_case_the_exact_one_is_meant(project: Project, person: Any) -> None:
    for name in ("anna", "Anna"):
        person(name, project, Role.ANALYST)
    assert [user.username for user in named_in("@Anna @anna", project)] == ["Anna", "anna"]


def test_a_mention_can_be_read_when_its_comment_can(
    item: ReviewItem, expert: Any, second: Any, manager: Any, person: Any
) -> None:
    label(item, expert)
    person("ed", item.plan.audit.project, Role.EXPERT)
    add(item, expert, "@emil @max @eve @ed please")
    assert [mention.user for mention in to_read(Mention.objects.all())] == [manager]
    label(item, second)
    now = to_read(Mention.objects.order_by("pk"))
    assert [mention.user for mention in now] == [second, manager], "not oneself, nor one without a label"
    assert all(mention.comment in visible(item, mention.user) for mention in now)


# --- Mail -----------------------------------------------------------------------------------------------------


@pytest.fixture
def mailed(settings: Any) -> None:
    """A mail server is set."""
    settings.ASSAY_MAIL, settings.ASSAY_PUBLIC_URL = True, "https://assay.example"


def test_the_mail_comes_with_the_right_to_read_and_tells_nothing(
    item: ReviewItem, expert: Any, second: Any, mailed: None
) -> None:
    label(item, expert, C)
    comment = add(item, expert, "It is CONTRADICTED, @emil, see the date.")
    assert tell() == 0 and not mail.outbox
    label(item, second)
    assert tell() == 1
    (message,) = mail.outbox
    assert message.to == ["emil@example.com"]
    whole = f"{message.subject}\n{message.body}"
    address = reverse("review_item", args=(item.plan.audit.project.slug, item.pk))
    assert f"https://assay.example{address}#comment-{comment.pk}" in message.body
    assert "eve" in whole and "Loan desk" in whole
    for secret in (C, "Contradicted", "date", item.claim.text):
        assert secret not in whole
    assert tell() == 0 and len(mail.outbox) == 1, "once"


def test_without_mail_nothing_waits_for_ever(item: ReviewItem, expert: Any, manager: Any, settings: Any) -> None:
    label(item, expert)
    add(item, expert, "@max")
    assert tell() == 0 and not mail.outbox
    settings.ASSAY_MAIL, settings.ASSAY_PUBLIC_URL = True, "https://assay.example"
    assert tell() == 0, "a server that is set later does not send what the page has told"


def test_somebody_without_an_address_is_told_by_the_page(
    item: ReviewItem, expert: Any, manager: Any, mailed: None
) -> None:
    manager.email = ""
    manager.save()
    label(item, expert)
    add(item, expert, "@max")
    assert tell() == 0 and not Mention.objects.filter(notified_at__isnull=True).exists()


class Server(EmailBackend):
    """A mail server that fails as told."""

    failure: BaseException | None = None

    def send_messages(self, messages: Any) -> int:
        if self.failure:
            raise self.failure
        return super().send_messages(messages)


@pytest.fixture
def server(mailed: None, settings: Any, monkeypatch: Any) -> type[Server]:
    """The mail server."""
    settings.EMAIL_BACKEND = f"{__name__}.Server"
    monkeypatch.setattr(Server, "failure", None)
    return Server


class Killed(BaseException):
    """The worker process ends here: no code of its own runs any more."""


def test_a_mail_is_not_lost_with_the_worker_that_was_about_to_send_it(
    item: ReviewItem, expert: Any, manager: Any, server: type[Server], monkeypatch: Any
) -> None:
    label(item, expert)
    add(item, expert, "@max")
    monkeypatch.setattr(Server, "failure", Killed())
    with pytest.raises(Killed):
        tell()
    server.failure = None
    assert tell() == 0, "for all that others know, it is being sent"
    later()
    assert tell() == 1 and [message.to for message in mail.outbox] == [["max@example.com"]]
    later()
    assert tell() == 0 and len(mail.outbox) == 1


def test_a_mail_that_ends_workers_is_given_up(
    item: ReviewItem, expert: Any, manager: Any, server: type[Server], monkeypatch: Any
) -> None:
    label(item, expert)
    add(item, expert, "@max")
    monkeypatch.setattr(Server, "failure", Killed())
    for _ in range(MOST_TRIES):
        with pytest.raises(Killed):
            tell()
        later()
    assert tell() == 0
    assert mentions.of_person(manager).count() == 1, "the page tells"


def later() -> None:
    """Let so much time pass that a worker which was sending must be dead."""
    Mention.objects.filter(tried_at__isnull=False).update(tried_at=F("tried_at") - LOST_AFTER - timedelta(seconds=1))


@pytest.mark.parametrize(
    "failure",
    [
        ConnectionRefusedError("down"),
        smtplib.SMTPServerDisconnected("bye"),
        smtplib.SMTPRecipientsRefused({"x": (450, b"later")}),
    ],
)
def test_a_server_that_fails_loses_and_doubles_nothing(
    item: ReviewItem, expert: Any, manager: Any, analyst: Any, server: type[Server], failure: Exception, caplog: Any
) -> None:
    label(item, expert)
    add(item, expert, "@max @ana")
    server.failure = failure
    caplog.set_level("INFO", logger="review")
    for _ in range(3):
        assert tell() == 0
    assert caplog.text.count("could not be sent") == 1, "it is left alone for a while, and the log too"
    server.failure = None
    cache.clear()  # the while is over
    assert tell() == 2
    assert sorted(message.to[0] for message in mail.outbox) == ["ana@example.com", "max@example.com"]


def test_an_address_that_is_refused_for_good_holds_nobody_up(
    item: ReviewItem, expert: Any, manager: Any, server: type[Server]
) -> None:
    label(item, expert)
    add(item, expert, "@max")
    server.failure = smtplib.SMTPRecipientsRefused({"max@example.com": (550, b"no such mailbox")})
    assert tell() == 0 and not Mention.objects.filter(notified_at__isnull=True).exists()
    assert cache.get(mentions._RESTING) is None


def test_of_two_workers_one_sends(
    item: ReviewItem, expert: Any, manager: Any, server: type[Server], monkeypatch: Any
) -> None:
    label(item, expert)
    add(item, expert, "@max")
    real = mentions._mail

    def meanwhile(mention: Mention) -> Any:
        """The other worker looks while this one writes the mail."""
        monkeypatch.setattr(mentions, "_mail", real)
        assert tell() == 0
        return real(mention)

    monkeypatch.setattr(mentions, "_mail", meanwhile)
    assert tell() == 1
    assert len(mail.outbox) == 1


def test_the_name_of_a_project_cannot_break_the_mail(
    item: ReviewItem, expert: Any, manager: Any, mailed: None
) -> None:
    Project.objects.update(name="Loan\nBcc: all@example.com")
    label(item, expert)
    add(ReviewItem.objects.get(), expert, "@max")
    assert tell() == 1
    assert mail.outbox[0].recipients() == ["max@example.com"] and "\n" not in mail.outbox[0].subject


def test_an_audit_that_is_cancelled_keeps_nothing_hidden(item: ReviewItem, expert: Any, manager: Any) -> None:
    label(item, expert)
    add(item, manager, "Of Max.")
    Audit.objects.update(status=Audit.Status.CANCELLED)
    assert texts(ReviewItem.objects.get(), expert) == ["Of Max."]

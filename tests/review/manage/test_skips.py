"""Claims that were skipped, and proposals to cut them anew."""

from typing import Any

import pytest
from django.test import Client

from audits.models import Audit, Project, Role
from review.models import Recut, ReviewItem, Skip, Slot
from review.progress.skips import reasons, skipped
from review.progress.work import work
from review.recut import propose
from tests.review.manage.acting import PAGES, get, post, skip

pytestmark = pytest.mark.django_db


def test_skips_are_counted_by_reason_and_listed_with_their_notes(
    audit: Audit, project: Project, expert: Any, person: Any, browser: Client
) -> None:
    other = person("olga", project, Role.EXPERT)
    first, second = ReviewItem.objects.order_by("pk")[:2]
    skip(first, expert, "context_missing", "page 3 <script>is</script> cut off")
    skip(first, other, "context_missing")
    skip(second, expert, "unclear")
    Slot.objects.filter(item=second).update(state="done", reviewer=other)
    counted = {row.value: (row.skips, row.claims, row.still_open) for row in reasons(project)}
    assert counted == {
        "context_missing": (2, 1, 1),
        "two_claims": (0, 0, 0),
        "unclear": (1, 1, 0),
        "not_my_field": (0, 0, 0),
    }
    page = get(browser, "review_manage_skips")
    assert first.claim.text in page and second.claim.text in page and "&lt;script&gt;is" in page
    page = get(browser, "review_manage_skips", only_open="on")
    assert first.claim.text in page and second.claim.text not in page
    page = get(browser, "review_manage_skips", reason="unclear")
    assert first.claim.text not in page and second.claim.text in page


def test_a_thousand_skips_come_in_pages_and_few_queries(
    audit: Audit, project: Project, expert: Any, browser: Client, django_assert_max_num_queries: Any
) -> None:
    Skip.objects.bulk_create(
        Skip(item=item, reviewer=expert, reason="unclear", note="n")
        for item in ReviewItem.objects.all()
        for _ in "x" * 170
    )
    assert sum(row.skips for row in reasons(project)) == 1020
    _page, rows = skipped(project, reason="", only_open=False, number="1")
    assert (len(rows), rows[0].times, len(rows[0].skips)) == (6, 170, 20)
    for name in PAGES:
        with django_assert_max_num_queries(26):
            get(browser, name)


def test_no_list_reads_the_texts_of_samples(
    audit: Audit, expert: Any, browser: Client, django_assert_max_num_queries: Any
) -> None:
    item = ReviewItem.objects.order_by("pk")[0]
    skip(item, expert, "unclear")
    propose(item, user=expert, texts=["One.", "Two."])
    for name in PAGES:
        with django_assert_max_num_queries(26) as seen:
            get(browser, name)
        assert not [query for query in seen.captured_queries if '"contexts"' in query["sql"]], name


def test_a_proposal_is_accepted_once(
    audit: Audit, project: Project, expert: Any, analyst: Any, signed_in: Any
) -> None:
    browser = signed_in(analyst)
    item = ReviewItem.objects.order_by("pk")[0]
    skip(item, expert, "two_claims")
    cut = propose(item, user=expert, texts=["Branch one opened.", "It was in 1950."], note="two facts")
    page = get(browser, "review_manage_skips")
    assert "Accepting makes 2 new claims" in page and "two facts" in page and "It was in 1950." in page
    assert "No decision arrived" in post(browser, "review_recut_decide", cut.pk)
    assert "Accepted." in post(browser, "review_recut_decide", cut.pk, decision="accept")
    assert "decided before" in post(browser, "review_recut_decide", cut.pk, decision="accept")
    item.refresh_from_db()
    assert item.replaced_at is not None and item.parts.count() == 2
    assert work(project)[0].open.total == 7  # the parts stand for it
    page = get(browser, "review_manage_skips")
    assert "Decided proposals" in page and ">cut anew<" in page and "settled<" not in page


def test_a_proposal_is_declined_with_a_reply(audit: Audit, expert: Any, browser: Client) -> None:
    cut = propose(ReviewItem.objects.all()[0], user=expert, texts=["One."])
    assert "Declined." in post(browser, "review_recut_decide", cut.pk, decision="decline", reply="It is one fact.")
    cut.refresh_from_db()
    assert (cut.state, cut.reply) == (Recut.State.DECLINED, "It is one fact.")
    assert "It is one fact." in get(browser, "review_manage_skips")

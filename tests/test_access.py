"""Every address there is, with every kind of visitor and method, found by walking the resolver.

An address that this file does not know fails the first test until its methods and its roles are written down here.
"""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from audits.models import Audit, Batch, Claim, Dataset, Judge, Membership, Project, Role
from review.certify import issue
from review.gold import add
from review.models import Adjudication, Slot
from review.queue import take
from review.recut import propose
from review.scope import Scope
from review.spotcheck import open_review
from tests.audits import road
from tests.pages import Visitor
from tests.review.certificates import timestamp_reply
from tests.review.factory import S, U, make_audit, settle_all

pytestmark = pytest.mark.django_db

READ, WRITE, FORM = ("GET",), ("POST",), ("GET", "POST")
ANYBODY, SIGNED_IN = "anybody", "signed in"
MEMBER = frozenset(Role.values)
A, E, M = frozenset({Role.ANALYST}), frozenset({Role.EXPERT}), frozenset({Role.MANAGER})


@dataclass(frozen=True)
class Rule:
    """methods: what the address answers to; others get 405. to: who gets in. arguments: names of `places`."""

    methods: tuple[str, ...]
    to: Any
    arguments: tuple[str, ...] = ()


RULES = {
    "home": Rule(READ, SIGNED_IN),
    "projects": Rule(READ, SIGNED_IN),
    "project_new": Rule(FORM, "administrators"),
    "project": Rule(READ, MEMBER, ("slug",)),
    "project_costs": Rule(READ, A | M, ("slug",)),
    "members": Rule(READ, MEMBER, ("slug",)),
    "member_add": Rule(WRITE, M, ("slug",)),
    "member_remove": Rule(WRITE, M, ("slug", "member")),
    "dataset_new": Rule(FORM, A, ("slug",)),
    "dataset_paste": Rule(WRITE, A, ("slug",)),
    "dataset_sample": Rule(WRITE, A, ("slug",)),
    "dataset_mapping": Rule(FORM, A, ("slug", "dataset")),
    "dataset_reading": Rule(WRITE, A, ("slug", "dataset")),
    "dataset": Rule(READ, MEMBER, ("slug", "dataset")),
    "dataset_errors_csv": Rule(READ, A | M, ("slug", "dataset")),
    "dataset_original": Rule(READ, A | M, ("slug", "dataset")),
    "dataset_stop": Rule(WRITE, A, ("slug", "dataset")),
    "dataset_resume": Rule(WRITE, A, ("slug", "dataset")),
    "dataset_discard": Rule(WRITE, A, ("slug", "dataset")),
    "dataset_origin": Rule(FORM, A, ("slug", "dataset")),
    "dataset_mend": Rule(FORM, A, ("slug", "dataset")),
    "dataset_compare": Rule(READ, MEMBER, ("slug", "dataset")),
    "dataset_delete": Rule(WRITE, A, ("slug", "dataset")),
    "judges": Rule(READ, MEMBER, ("slug",)),
    "judge_new": Rule(FORM, A | M, ("slug",)),
    "judge_edit": Rule(FORM, A | M, ("slug", "judge")),
    "judge_switch": Rule(WRITE, A | M, ("slug", "judge")),
    "audit_new": Rule(FORM, A, ("slug",)),
    "audit": Rule(READ, A | M, ("slug", "audit")),
    "audit_rule": Rule(FORM, M, ("slug", "audit")),
    "audit_pause": Rule(WRITE, A | M, ("slug", "audit")),
    "audit_resume": Rule(WRITE, A | M, ("slug", "audit")),
    "audit_cancel": Rule(WRITE, A | M, ("slug", "audit")),
    "audit_retry": Rule(WRITE, A | M, ("slug", "audit")),
    "audit_batch_cancel": Rule(WRITE, A | M, ("slug", "audit", "batch")),
    "audit_budget": Rule(WRITE, A | M, ("slug", "audit")),
    "audit_costs": Rule(READ, A | M, ("slug", "audit")),
    "audit_ledger": Rule(READ, A | M, ("slug", "audit")),
    "audit_claims": Rule(READ, A | M, ("slug", "audit")),
    "audit_extraction": Rule(READ, A | M, ("slug", "audit")),
    "bias": Rule(READ, A | M, ("slug", "audit")),
    "calibration": Rule(READ, A | M, ("slug", "audit")),
    "calibrations": Rule(READ, A | M, ("slug",)),
    "audit_stability": Rule(READ, A | M, ("slug", "audit")),
    "audit_sample": Rule(READ, A | M, ("slug", "audit", "sample")),
    "audit_export": Rule(READ, A | M, ("slug", "audit", "kind", "format")),
    "review_desk": Rule(READ, SIGNED_IN),
    "review": Rule(READ, SIGNED_IN),
    "review_take": Rule(WRITE, "experts"),
    "review_next": Rule(WRITE, "experts"),
    "review_filter": Rule(READ, SIGNED_IN),
    "review_settings": Rule(FORM, "experts"),
    "project_review": Rule(READ, MEMBER, ("slug",)),
    "review_label": Rule(WRITE, E, ("slot",)),
    "review_skip": Rule(WRITE, E, ("slot",)),
    "review_renew": Rule(WRITE, E, ("slot",)),
    "review_release": Rule(WRITE, E, ("slot",)),
    "review_context": Rule(READ, E, ("slot", "first")),
    "review_saved": Rule(READ, "its expert", ("adjudication",)),
    "review_undo": Rule(WRITE, "its expert", ("adjudication",)),
    "review_reveal": Rule(WRITE, "its expert", ("adjudication",)),
    "review_keep": Rule(WRITE, "its expert", ("adjudication",)),
    "review_change": Rule(FORM, "its expert", ("adjudication",)),
    "guidelines": Rule(READ, MEMBER, ("slug",)),
    "guidelines_edit": Rule(FORM, M, ("slug",)),
    "review_item": Rule(READ, A | M, ("slug", "item")),  # and experts who have labelled it
    "review_item_context": Rule(READ, A | M, ("slug", "item", "first")),  # likewise
    "review_comment": Rule(WRITE, A | M, ("slug", "item")),  # likewise
    "review_mine": Rule(READ, SIGNED_IN),
    "review_manage": Rule(READ, A | M, ("slug",)),
    "review_manage_people": Rule(READ, A | M, ("slug",)),
    "review_manage_skips": Rule(READ, A | M, ("slug",)),
    "review_manage_gold": Rule(READ, A | M, ("slug",)),
    "review_manage_rules": Rule(READ, A | M, ("slug",)),
    "review_assign": Rule(FORM, M, ("slug", "expert")),
    "review_recut_decide": Rule(WRITE, A | M, ("slug", "cut")),
    "review_gold_add": Rule(WRITE, M, ("slug", "audit")),
    "review_gold_remove": Rule(WRITE, M, ("slug", "known")),
    "review_rules_set": Rule(WRITE, M, ("slug",)),
    "review_free": Rule(WRITE, M, ("slug", "slot")),
    "review_waive": Rule(WRITE, M, ("slug", "audit")),
    "review_labels_export": Rule(READ, A | M, ("slug", "audit", "format")),
    "agreement": Rule(READ, A | M, ("slug", "audit")),
    "review_reports": Rule(READ, M, ("slug",)),
    "audit_compare": Rule(READ, A | M, ("slug", "audit")),
    "audit_compare_csv": Rule(READ, A | M, ("slug", "audit")),
    "review_looks": Rule(READ, A | M, ("slug", "audit")),
    "review_look_extend": Rule(WRITE, M, ("slug", "audit")),
    "review_give_up": Rule(WRITE, M, ("slug", "item")),
    "review_take_up": Rule(WRITE, M, ("slug", "item")),
    "review_estimate": Rule(READ, A | M, ("slug", "audit")),
    "certificate": Rule(READ, A | M, ("slug", "audit")),
    "certificate_issue": Rule(WRITE, M, ("slug", "audit")),
    "certificates": Rule(READ, MEMBER, ("slug",)),
    "certificate_revoke": Rule(WRITE, M, ("slug", "certificate")),
    "evidence_package": Rule(READ, A | M, ("slug", "certificate")),
    "verify": Rule(READ, ANYBODY),
    "verify_file": Rule(WRITE, ANYBODY),
    "verify_key": Rule(READ, ANYBODY),
    "verifier": Rule(READ, ANYBODY),
    "verify_number": Rule(READ, ANYBODY, ("number",)),
    "certificate_json": Rule(READ, ANYBODY, ("number",)),
    "certificate_timestamp": Rule(READ, ANYBODY, ("number",)),
    "certificate_pdf": Rule(READ, ANYBODY, ("number", "language")),
}
PAIRS = [(S, S), (S, U), (U, U), (U, S)]
OF_A_PROJECT = [name for name, rule in RULES.items() if isinstance(rule.to, frozenset)]


def names(patterns: list[URLPattern | URLResolver]) -> Iterator[str]:
    """Names of all addresses of our own; Django's parts (admin, account, i18n) test themselves."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            if getattr(pattern.urlconf_name, "__name__", "").startswith(("audits", "review")):
                yield from names(pattern.url_patterns)
        elif pattern.name and pattern.lookup_str.startswith(("audits", "review")):
            yield pattern.name


@pytest.fixture
def places(project: Project, expert: Any, manager: Any, settings: Any, tmp_path: Any) -> dict[str, Any]:
    """One of everything in the project, with its certificate issued, and a second audit with an open slot."""
    settings.SIGNING_KEY_FILE = tmp_path / "signing-key.pem"
    audit = make_audit(project, PAIRS, spot_check=4)
    settle_all(audit, expert)
    certificate = issue(audit, manager)
    certificate.add_timestamp(timestamp_reply(certificate.sha256))
    open_review(make_audit(project, PAIRS, spot_check=1))
    slot = take(expert, Scope((project,)))
    assert isinstance(slot, Slot)
    own = Judge.objects.create(project=project, vendor="openai", model="own")
    plan = slot.item.plan
    unseen = Claim.objects.filter(audit=plan.audit, review_item__isnull=True)[0]
    cut = propose(slot.item, user=expert, texts=["Another claim."])
    return {
        "slug": project.slug,
        "member": project.memberships.get(user=expert).pk,
        "dataset": audit.dataset_id,
        "judge": own.pk,
        "audit": audit.pk,
        "batch": Batch.objects.create(audit=audit, member=audit.panel[0], tag=uuid.uuid4()).pk,
        "sample": audit.dataset.samples.all()[0].pk,
        "kind": "claims",
        "format": "csv",
        "slot": slot.code,
        "expert": expert.pk,
        "cut": cut.pk,
        "known": add(plan.audit, unseen, label=S, reason="sure", by=manager).pk,
        "first": 1,
        "adjudication": Adjudication.objects.filter(reviewer=expert)[0].pk,
        "item": Adjudication.objects.filter(reviewer=expert)[0].item_id,
        "certificate": certificate.pk,
        "number": certificate.number,
        "language": "en",
    }


def url_of(name: str, places: dict[str, Any]) -> str:
    return reverse(name, args=[places[argument] for argument in RULES[name].arguments])


def ask(client: Client, method: str, url: str) -> int:
    """The status of an empty request, not followed."""
    return client.generic(method, url).status_code


def test_every_address_has_its_rule() -> None:
    assert set(names(get_resolver().url_patterns)) == set(RULES)


def test_every_address_refuses_other_methods(places: dict[str, Any], person: Any, project: Project) -> None:
    everything = Client()
    everything.force_login(person("all", project, *Role.values))
    for name, rule in RULES.items():
        url = url_of(name, places)
        for method in {"GET", "POST", "PUT", "DELETE", "PATCH"} - set(rule.methods):
            assert ask(everything, method, url) == 405, f"{method} {name}"


OF_THEIR_EXPERT = [name for name, rule in RULES.items() if rule.to == "its expert"]


def test_a_stranger_finds_nothing(places: dict[str, Any], stranger: Any, signed_in: Any) -> None:
    before = state()
    browser = signed_in(stranger)
    for name in [*OF_A_PROJECT, *OF_THEIR_EXPERT]:
        for method in RULES[name].methods:
            assert ask(browser, method, url_of(name, places)) == 404, f"{method} {name}"
    for name in ("review_take", "review_next", "review_settings"):  # an expert elsewhere asks for a claim from here
        assert browser.post(reverse(name), {"project": places["slug"]}).status_code == 404, name
    assert state() == before


def test_a_role_opens_its_own_doors_only(
    places: dict[str, Any], person: Any, project: Project, signed_in: Any
) -> None:
    for role in Role.values:
        browser = signed_in(person(f"only-{role}", project, role))
        for name in OF_A_PROJECT:
            if role not in RULES[name].to:
                for method in RULES[name].methods:
                    assert ask(browser, method, url_of(name, places)) == 403, f"{role}: {method} {name}"
            elif "GET" in RULES[name].methods:
                assert ask(browser, "GET", url_of(name, places)) in (200, 302), f"{role}: {name}"
        for name in OF_THEIR_EXPERT:  # somebody else's label
            assert ask(browser, RULES[name].methods[0], url_of(name, places)) == 404, f"{role}: {name}"
        for name in ("review_take", "review_next", "review_settings"):
            if role != Role.EXPERT:
                assert ask(browser, "POST", reverse(name)) == 403, f"{role}: {name}"
        assert ask(browser, "GET", reverse("project_new")) == 403


def test_without_an_account_only_verification_is_open(places: dict[str, Any]) -> None:
    before = state()
    for name, rule in RULES.items():
        for method in rule.methods:
            response = Client().generic(method, url_of(name, places))
            if rule.to == ANYBODY:
                assert response.status_code in (200, 422), name
            else:
                assert response.status_code == 302, f"{method} {name}"
                assert response["Location"].startswith("/account/login/"), name
    assert state() == before


def test_a_language_is_chosen_without_an_account() -> None:
    visitor = Visitor()
    page = visitor.send(visitor.open("/verify/").form("/i18n/setlang/"), button="zh-hans")
    assert page.path == "/verify/"
    assert '<html lang="zh-Hans">' in page.source


def test_ids_of_another_project_are_not_found(places: dict[str, Any], person: Any, signed_in: Any) -> None:
    """The right role in one project opens nothing of another one through an id in the address."""
    other = Project.objects.create(name="Other", slug="other")
    everything = signed_in(person("both", other, *Role.values))
    moved = places | {"slug": other.slug}
    for name in OF_A_PROJECT:
        rule = RULES[name]
        if len(rule.arguments) > 1 and rule.arguments[0] == "slug":
            for method in rule.methods:
                assert ask(everything, method, url_of(name, moved)) == 404, f"{method} {name}"


def test_a_sample_of_another_audit_is_not_found(places: dict[str, Any], analyst: Any, signed_in: Any) -> None:
    other = road.make_dataset(Project.objects.get(slug=places["slug"]))
    url = url_of("audit_sample", places | {"sample": other.samples.all()[0].pk})
    assert ask(signed_in(analyst), "GET", url) == 404


def state() -> tuple[int, ...]:
    """What nobody who was refused may have changed."""
    counted = (Project, Membership, Dataset, Judge, Audit, Adjudication)
    held = Slot.objects.exclude(token=None).count()
    return (*(model.objects.count() for model in counted), held)

"""One audit with all that can happen in one, each act by the product's own function: for the tests of the log."""

import datetime
import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import Group, Permission

from audits.models import Audit, Claim, Project, Role
from audits.pipeline.describing import describe_dataset
from audits.pipeline.ruling import change_rule
from audits.planning import Rule
from review import comments, giving_up, gold, guidelines, recut
from review.adjudication import adjudicate, keep, reveal, revise, undo
from review.assigning import assign
from review.certify import issue, revoke
from review.looks import extend
from review.models import Certificate, Recut, ReviewItem, ReviewPlan, Slot
from review.queue import skip, take
from review.rules import set_rules
from review.scope import Scope
from review.settling import waive_second
from review.spotcheck import open_review
from tests.audits import road
from tests.vendor_server.server import VendorServer

S, C, U = "SUPPORTED", "CONTRADICTED", "UNVERIFIED"
ANSWERS = 14
Person = Callable[..., Any]


def rows() -> list[dict[str, Any]]:
    """Answers of two claims, whose labels people gave before, and one row that cannot be imported."""
    found: list[dict[str, Any]] = []
    for number in range(ANSWERS):
        texts = [f"Rule {number}.{part} allows {number}{part} days." for part in range(2)]
        claims = [{"text": text, "label": "supported"} for text in texts]
        row = {"id": f"r{number}", "question": f"Rule {number}?", "contexts": texts, "answer": " ".join(texts)}
        found.append(row | {"claims": claims})
    return [*found, {"id": "r99", "question": "", "contexts": [], "answer": "", "claims": []}]


def run(server: VendorServer, person: Person) -> Audit:
    """Judged, reviewed, certified twice: the first certificate is revoked."""
    project = Project.objects.start(name="Loan desk", client="Example Bank", system="LoanBot", user=None)
    people = {name: person(name, project, role) for name, role in _ROLES.items()}
    people["root"] = _administrator(people["max"])
    audit = judged(server, project, people)
    _prepare(audit, people)
    _label(audit, people)
    for slot in Slot.objects.open().filter(item__needed=2):
        waive_second(slot.item, people["max"])
    _label_all(audit, people)
    assert extend(ReviewPlan.objects.get(audit=audit), people["max"], 4) == 4
    _label_all(audit, people)
    revoke(issue(audit, people["max"]), people["max"], "A wrong file was uploaded.")
    issue(audit, people["max"])
    assert Certificate.objects.count() == 2
    return audit


_ROLES = {"eve": Role.EXPERT, "emil": Role.EXPERT, "max": Role.MANAGER, "ana": Role.ANALYST}


def _administrator(user: Any) -> Any:
    """Rights given as on the pages of the administration: of the person, and through a group."""
    user.is_staff = True
    user.save()
    permission = Permission.objects.get(codename="view_event")
    user.user_permissions.add(permission)
    group = Group.objects.create(name="Readers")
    group.permissions.add(permission)
    user.groups.add(group)
    return user


def judged(server: VendorServer, project: Project, people: Mapping[str, Any]) -> Audit:
    """Uploaded and judged: the judges differ about five claims, and agree in one mistake."""
    differ = [{"claim": f"Rule {n}.0", "label": U, "model": "claude-b"} for n in range(5)]
    server.script.labels = [*differ, {"claim": "Rule 5.0", "label": C, "quote": "Rule 5.0 allows 50 days."}]
    dataset = road.make_dataset(project, rows(), name="Answers", generator="loanbot-7b")
    first, last = datetime.date(2026, 10, 1), datetime.date(2026, 10, 31)
    describe_dataset(dataset, people["ana"], period_from=first, period_to=last, drawn="At random.")
    audit = road.start(
        dataset, spot_check_size=6, probe_percent=20, planted=4, double_percent=30, looks=2,
        threshold=Decimal("0.2"), budget=Decimal("5"),
    )  # fmt: skip
    road.work_off(audit)
    assert audit.status == Audit.Status.REVIEWING and audit.claims.filter(decision="disputed").count() == 5
    return audit


def _prepare(audit: Audit, people: Mapping[str, Any]) -> None:
    project, manager = audit.project, people["max"]
    change_rule(audit, manager, replace(Rule.of(audit), threshold=Decimal("0.25")), "Asked.", knows_labelled=False)
    open_review(audit)
    set_rules(project=project, reveal=True, gold_bar=70, by=manager)
    guidelines.publish(project, by=manager, text="Read it all.", examples=(), based_on=0)
    assign(project=project, expert=people["emil"], tags=[], by=manager)
    first, second = gold.candidates(audit)[:2]
    gold.add(audit, first, label=S, reason="Read it.", by=manager)
    gold.remove(gold.add(audit, second, label=S, reason="A slip.", by=manager), manager)


def _label(audit: Audit, people: Mapping[str, Any]) -> None:
    """Skipped, labelled, taken back, changed, shown, cut anew, given up."""
    eve, manager, scope = people["eve"], people["max"], Scope((audit.project,))
    slot = take(eve, scope)
    assert slot is not None
    skip(slot, slot.token, user=eve, reason="unclear", note="Which rule?")
    slot = take(eve, scope)
    assert slot is not None
    first = _say(slot, eve, C).adjudication
    undo(eve, first)
    first = _say(Slot.objects.get(pk=slot.pk), eve, C, marks=((0, 0, 4), (1, 2, 6))).adjudication
    reveal(eve, first)
    keep(eve, first)
    revise(eve, first, label=S, reason="On second thoughts.", idempotency_key=uuid.uuid4())
    comments.add(first.item, eve, "A remark.")
    open_items = ReviewItem.objects.filter(
        plan__audit=audit, kind=ReviewItem.Kind.DISPUTE, adjudications=None, slots__state="waiting"
    )
    cut, left = list(open_items.distinct().order_by("pk")[:2])
    texts = ["Rule allows days.", "It is a rule."]
    declined = recut.propose(cut, user=eve, texts=["It allows days."])
    recut.decline(declined, manager, "Not better.")
    recut.accept(recut.propose(cut, user=eve, texts=texts, note="Two claims in one."), manager)
    assert Recut.objects.count() == 2 and Claim.every.filter(recut_of__isnull=False).count() == 2
    giving_up.give_up(left, manager, "Nobody knows.")
    giving_up.take_up(left, manager)
    giving_up.give_up(left, manager, "Nobody can know.")


def _say(slot: Slot, user: Any, label: str, **more: Any) -> Any:
    reason = "The rule says so." if label == C else ""
    more |= {"active_ms": 10, "keys": 2, "idempotency_key": uuid.uuid4()}
    return adjudicate(slot, slot.token, user=user, label=label, reason=reason, **more)


def _label_all(audit: Audit, people: Mapping[str, Any]) -> None:
    """The experts work one after the other; the second one disagrees now and then, so that arbiters are called."""
    for name in ("eve", "emil"):
        while slot := take(people[name], Scope((audit.project,))):
            _say(slot, people[name], S)

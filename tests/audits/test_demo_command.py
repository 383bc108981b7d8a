"""manage.py demo: the sample project as a first start leaves it, and a second one that changes nothing."""

from collections import Counter
from io import StringIO

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command

from audits.models import Audit, Dataset, GivenLabel, Project, Role

pytestmark = pytest.mark.django_db
LABELS = {"SUPPORTED", "CONTRADICTED", "UNVERIFIED"}


def run() -> str:
    out = StringIO()
    call_command("demo", stdout=out)
    return out.getvalue()


def test_the_sample_project_is_made_once() -> None:
    said = run()
    project = Project.objects.get(slug="sample")
    datasets = {each.name: each for each in project.datasets.all()}
    assert set(datasets) == {"finance.en", "law.zh", "insurance-zh", "loan-desk"}
    assert {each.status for each in datasets.values()} == {Dataset.Status.READY}
    assert not any(each.row_errors.exists() for each in datasets.values())

    audits = project.audits.order_by("pk")
    assert [audit.dataset.name for audit in audits] == ["insurance-zh", "loan-desk"]
    assert {audit.status for audit in audits} == {Audit.Status.JUDGING}

    labels = GivenLabel.objects.values_list("sample__dataset__name", "label")
    counted = Counter(name for name, _label in labels)
    assert set(counted) == {"finance.en", "law.zh"} and min(counted.values()) > 100
    assert {label for _name, label in labels} == LABELS

    roles = project.memberships.values_list("user__username", "role")
    assert set(roles) == {("analyst", Role.ANALYST), ("expert", Role.EXPERT), ("manager", Role.MANAGER)}
    assert all(name in said for name in ("analyst", "expert", "manager", "admin"))

    assert run() == said  # the logins again, and nothing else
    assert project.datasets.count() == 4 and project.audits.count() == 2
    assert get_user_model().objects.count() == 4

"""What every test may use."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from hypothesis import HealthCheck, settings

from audits.models import Membership, Project, Role

pytest_plugins = ["tests.starting", "tests.vendor_server.fixtures", "tests.reading"]

# No test fails because a machine is slow.
settings.register_profile("assay", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("assay")


@pytest.fixture
def person(db: None) -> Callable[..., Any]:
    """A function that makes a person: person("name", project, Role.ANALYST, …)."""

    def make(name: str, project: Project | None = None, *roles: str) -> Any:
        user = get_user_model().objects.create_user(name, f"{name}@example.com", "a-long-password-1")
        for role in roles:
            Membership.objects.create(project=project, user=user, role=role)
        return user

    return make


@pytest.fixture
def project(db: None) -> Project:
    """A project."""
    return Project.objects.create(name="Loan desk", slug="loan-desk", client="Example Bank", system="LoanBot")


@pytest.fixture
def analyst(person: Any, project: Project) -> Any:
    """An analyst of the project."""
    return person("ana", project, Role.ANALYST)


@pytest.fixture
def expert(person: Any, project: Project) -> Any:
    """An expert of the project."""
    return person("eve", project, Role.EXPERT)


@pytest.fixture
def manager(person: Any, project: Project) -> Any:
    """A manager of the project."""
    return person("max", project, Role.MANAGER)


@pytest.fixture
def stranger(person: Any) -> Any:
    """A person of another project, who must see nothing."""
    other = Project.objects.create(name="Elsewhere", slug="elsewhere")
    return person("sam", other, *Role.values)


@pytest.fixture
def signed_in() -> Callable[[Any], Client]:
    """A function that gives a browser in which this person is signed in."""

    def browser(user: Any) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return browser

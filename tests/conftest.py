"""What every test may use. Files, broker and keys of a test run live in a folder of their own."""

import os
import tempfile
from collections.abc import Callable
from typing import Any

os.environ["ASSAY_DATA_DIR"] = tempfile.mkdtemp(prefix="assay-tests-")
os.mkdir(os.path.join(os.environ["ASSAY_DATA_DIR"], "staticfiles"))
for name in list(os.environ):  # a developer's own keys and addresses must not reach a test
    if name.startswith(("OPENAI_", "ANTHROPIC_", "DEEPSEEK_", "DASHSCOPE_")):
        del os.environ[name]

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from audits.models import Membership, Project, Role

pytest_plugins = ["tests.vendor_server.fixtures"]


@pytest.fixture(autouse=True)
def _plain_static(settings: Any) -> None:
    """Pages in tests need no collected static files."""
    settings.STORAGES = {
        "default": settings.STORAGES["default"],
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.ASSAY_RETRY_BASE_MS = 1


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

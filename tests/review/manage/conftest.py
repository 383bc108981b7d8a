"""A review that is run."""

from typing import Any

import pytest
from django.test import Client

from audits.models import Audit, Project, Role
from review.spotcheck import open_review
from tests.review.factory import S, U, make_audit


@pytest.fixture
def audit(project: Project) -> Audit:
    """Six disputed claims, two agreed ones outside the spot check, opened."""
    audit = make_audit(project, [(S, U)] * 6 + [(S, S)] * 2, spot_check=0)
    open_review(audit)
    return audit


@pytest.fixture
def browser(manager: Any, signed_in: Any) -> Client:
    found: Client = signed_in(manager)
    return found


@pytest.fixture
def both(person: Any, project: Project) -> Any:
    """A manager who labels too."""
    return person("both", project, Role.MANAGER, Role.EXPERT)

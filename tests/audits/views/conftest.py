"""A dataset on its way, as the pages bring it there."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from audits import pipeline
from audits.models import Dataset, Project
from tests.audits.views.dataset_road import at, chosen, upload


@pytest.fixture
def media(settings: Any, tmp_path: Path) -> Path:
    """An empty folder for uploaded files."""
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.MEDIA_ROOT.mkdir()
    return tmp_path / "media"


@pytest.fixture
def uploaded(media: Path, signed_in: Callable[[Any], Any], analyst: Any, project: Project) -> Dataset:
    """A file that waits for its columns."""
    upload(signed_in(analyst), project)
    return Dataset.objects.get()


@pytest.fixture
def imported(signed_in: Callable[[Any], Any], analyst: Any, uploaded: Dataset) -> Dataset:
    """The same, imported."""
    signed_in(analyst).post(at("dataset_mapping", uploaded), chosen())
    pipeline.import_dataset(uploaded.pk)
    uploaded.refresh_from_db()
    return uploaded

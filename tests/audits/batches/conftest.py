"""What tests of batches share."""

from typing import Any

import pytest


@pytest.fixture
def no_waiting(settings: Any) -> None:
    """Every look at a batch is due at once, and so is every further try."""
    settings.ASSAY_BATCH_POLL_SECONDS = 0

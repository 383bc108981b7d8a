"""What every page's template knows of the site."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, Any]:
    """The product's name and version."""
    return {"brand": settings.ASSAY_NAME, "version": settings.ASSAY_VERSION}

"""The frame of every page: content policy, navigation, error pages, progress."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template import Context, Template
from django.template.loader import render_to_string
from django.test import RequestFactory, override_settings
from django.utils import translation


@pytest.fixture(autouse=True)
def plain_static_files():
    """Tags ask for addresses of static files; no manifest is built for the tests."""
    storage = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    with override_settings(STORAGES=storage), translation.override("en"):
        yield


ALL_TEMPLATES = sorted(Path(settings.BASE_DIR, "templates").rglob("*.html"))


@pytest.mark.parametrize("path", ALL_TEMPLATES, ids=lambda p: str(p.relative_to(settings.BASE_DIR)))
def test_templates_obey_the_content_policy_and_print_no_comment(path):
    source = path.read_text(encoding="utf-8")
    assert not re.search(r"<style\b|\sstyle=|\son[a-z]+=|javascript:|hx-on", source)
    assert not re.search(r"<script(?![^>]*\bsrc=)", source)
    assert not re.search(r"{#(?:(?!#}).)*$", source, re.M), "a {# #} comment ends with its line"


def test_no_link_to_a_page_that_does_not_exist():
    request = RequestFactory().get("/")
    html = Template("{% load assay %}{% nav_link 'no-such-page' 'x' %}").render(Context({"request": request}))
    assert html.strip() == ""


def test_the_link_to_this_page_is_marked():
    request = RequestFactory().get("/account/login/")
    html = Template("{% load assay %}{% nav_link 'login' 'In' count=0 %}").render(Context({"request": request}))
    assert 'aria-current="page"' in html and ">0<" in html


def test_the_server_error_page_needs_no_request():
    html = render_to_string("500.html")
    assert "The server failed" in html and settings.ASSAY_NAME in html


def test_the_server_error_page_survives_a_missing_manifest():
    storage = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
    }
    with override_settings(STORAGES=storage, DEBUG=False):
        assert "css/tokens" in render_to_string("500.html")


@pytest.mark.parametrize("name", ["400.html", "403.html", "403_csrf.html", "404.html"])
def test_error_pages_render_for_a_stranger(name):
    html = render_to_string(name, request=RequestFactory().get("/nowhere"))
    assert '<main id="main"' in html
    assert "hx-headers" in html


def test_progress_asks_again_only_while_it_runs():
    parts = {"id": "progress", "url": "/here", "done": 3, "total": 9, "text": "Judging"}
    running = render_to_string("components/progress.html", {**parts, "running": True})
    assert 'hx-trigger="every 2s"' in running and 'id="progress"' in running and "3 of 9" in running
    assert "hx-trigger" not in render_to_string("components/progress.html", {**parts, "running": False})

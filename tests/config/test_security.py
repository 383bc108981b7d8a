"""What every request and every page passes: size limits, no reversed text, no NUL, the content policy."""

from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from audits.models import Project
from config.security import STRANGERS_BODY

pytestmark = pytest.mark.django_db
LARGE = b"x" * (STRANGERS_BODY + 1)


@pytest.mark.parametrize("name", ["verify_file", "login", "set_language"])
def test_a_stranger_cannot_send_a_large_body(name: str) -> None:
    sent = {"file": SimpleUploadedFile("certificate.json", LARGE)}
    refused = Client(enforce_csrf_checks=True).post(reverse(name), sent)
    assert refused.status_code == 413 and "Too large" in refused.content.decode()


def test_a_stranger_sends_a_small_one(project: Project) -> None:
    sent = {"file": SimpleUploadedFile("certificate.json", b"{}")}
    assert Client().post(reverse("verify_file"), sent).status_code == 200


def test_an_account_may_send_a_dataset_of_that_size(project: Project, analyst: Any, signed_in: Any) -> None:
    sent = {"file": SimpleUploadedFile("data.csv", b"question,answer,contexts\n" + LARGE)}
    assert signed_in(analyst).post(reverse("dataset_new", args=(project.slug,)), sent).status_code != 413


def test_the_limit_of_an_upload_is_that_of_all_its_files(
    project: Project, analyst: Any, signed_in: Any, settings: Any
) -> None:
    settings.ASSAY_MAX_UPLOAD_MB = 1
    part = b"question,answer,contexts\nq,It costs 5 euros.,It costs 5 euros.\n" + b"\n" * 700_000
    sent = {"other": SimpleUploadedFile("a.csv", part), "file": SimpleUploadedFile("b.csv", part)}
    page = signed_in(analyst).post(reverse("dataset_new", args=(project.slug,)), sent)
    assert page.status_code == 422 and "larger than 1 MB" in page.content.decode()
    assert not project.datasets.exists()


def test_no_page_turns_its_letters_around(signed_in: Any) -> None:
    admin = get_user_model().objects.create_superuser("root")
    Project.objects.start(user=admin, name="fee \u202e01 is\u202d", slug="turned")
    page = signed_in(admin).get(reverse("projects")).content.decode()
    assert "fee \ufffd01 is\ufffd" in page
    assert "\u202e" not in page and "\u202d" not in page


def test_a_nul_is_refused_wherever_somebody_typed_it(project: Project, analyst: Any, signed_in: Any) -> None:
    page, url = signed_in(analyst), reverse("projects")
    assert page.get(url, {"q": "fee"}).status_code == 200
    refused = page.get(url, {"q": "fee\x00"})
    assert refused.status_code == 400 and "Nothing was changed" in refused.content.decode()
    typed = "application/x-www-form-urlencoded"
    assert page.post(reverse("set_language"), "language=zh-hans%00", content_type=typed).status_code == 400
    assert page.post(reverse("set_language"), "language=zh-hans", content_type=typed).status_code == 302


def test_every_page_carries_the_policy() -> None:
    for url in (reverse("login"), reverse("verify"), "/no-such-page/", "/admin/login/"):
        policy = Client().get(url).headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy


def test_behind_a_proxy_its_address_is_trusted_only_when_it_is_set(settings: Any) -> None:
    origin = {"Origin": "https://assay.example", "Host": "testserver"}
    client = Client(enforce_csrf_checks=True)
    client.get(reverse("login"))
    sent = {"csrfmiddlewaretoken": client.cookies["csrftoken"].value, "username": "nobody", "password": "x"}
    refused = client.post(reverse("login"), sent, headers=origin)
    assert refused.status_code == 403 and "CSRF_TRUSTED_ORIGINS" in refused.content.decode()
    settings.CSRF_TRUSTED_ORIGINS = ["https://assay.example"]
    trusted = Client(enforce_csrf_checks=True)
    trusted.cookies = client.cookies
    assert trusted.post(reverse("login"), sent, headers=origin).status_code == 200

"""The address of the mail server: understood, or the start stops with a sentence that keeps the password."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.settings import _mail_server


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("smtp+tls://me%40x.org:p%40ss@mail.example:587", ("me@x.org", "p@ss", "mail.example", 587, True, False)),
        ("smtp+ssl://u:p@mail.example:465", ("u", "p", "mail.example", 465, False, True)),
        ("smtp://localhost:1025", (None, None, "localhost", 1025, False, False)),
    ],
)
def test_a_server_is_understood(monkeypatch: pytest.MonkeyPatch, url: str, found: tuple[object, ...]) -> None:
    monkeypatch.setenv("ASSAY_EMAIL_URL", url)
    got = _mail_server("ASSAY_EMAIL_URL")
    names = ("EMAIL_HOST_USER", "EMAIL_HOST_PASSWORD", "EMAIL_HOST", "EMAIL_PORT")
    assert (*(got[name] for name in names), got.get("EMAIL_USE_TLS", False), got.get("EMAIL_USE_SSL", False)) == found


@pytest.mark.parametrize(
    "url",
    ["mail.example:secret", "smtps://u:secret@h:465", "smtp://:secret@", "smtp://u:secret@h:no", "smtp://[secret"],
)
def test_a_wrong_one_stops_the_start_without_its_password(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("ASSAY_EMAIL_URL", url)
    with pytest.raises(ImproperlyConfigured, match="smtp\\+tls") as error:
        _mail_server("ASSAY_EMAIL_URL")
    assert "secret" not in str(error.value)


def test_without_one_there_is_no_mail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSAY_EMAIL_URL", raising=False)
    assert _mail_server("ASSAY_EMAIL_URL") == {}

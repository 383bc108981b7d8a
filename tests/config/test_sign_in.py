"""Signing in: whoever guesses passwords has to wait, nobody else has."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import caches
from django.test import Client
from django.urls import reverse

from config.sign_in import TRIES

pytestmark = pytest.mark.django_db
RIGHT = "a-long-password-1"
PAGES = ("login", "admin:login")


@pytest.fixture(autouse=True)
def _nothing_counted() -> Iterator[None]:
    caches["sign-in"].clear()
    yield
    caches["sign-in"].clear()


def sign_in(username: str, password: str, page: str = "login", address: str = "192.0.2.1") -> Any:
    """Send the sign-in form."""
    return Client(REMOTE_ADDR=address).post(reverse(page), {"username": username, "password": password})


@pytest.mark.parametrize("page", PAGES)
def test_after_many_wrong_passwords_the_right_one_has_to_wait(person: Any, page: str) -> None:
    person("ann")
    for _ in range(TRIES):
        assert "Wait ten minutes" not in sign_in("ann", "wrong", page).content.decode()
    refused = sign_in("ann", RIGHT, page)
    assert refused.status_code == 200 and "Wait ten minutes" in refused.content.decode()


def test_guessing_on_one_page_counts_on_the_other(person: Any) -> None:
    person("ann")
    for number in range(TRIES):
        sign_in("ann", "wrong", PAGES[number % 2])
    assert "Wait ten minutes" in sign_in("ANN", RIGHT).content.decode()


def test_others_and_other_places_are_not_held_up(person: Any) -> None:
    person("ann")
    person("bob")
    for _ in range(TRIES):
        sign_in("ann", "wrong")
    assert sign_in("bob", RIGHT).status_code == 302
    assert sign_in("ann", RIGHT, address="192.0.2.2").status_code == 302


def test_a_right_password_starts_the_count_anew(person: Any) -> None:
    person("ann")
    for _ in range(3):
        for _ in range(TRIES - 1):
            sign_in("ann", "wrong")
        assert sign_in("ann", RIGHT).status_code == 302


def test_unknown_names_are_counted_alike(db: None) -> None:
    for _ in range(TRIES):
        sign_in("nobody", "wrong")
    assert "Wait ten minutes" in sign_in("nobody", RIGHT).content.decode()

"""Personal data in snapshots: what is taken out, and what looks like it and stays."""

from __future__ import annotations

import pytest

from oryn.agent.sanitization import passes_luhn, redact, redact_body


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ann@example.org", "[email]"),
        ("write to ann.b+c@mail.example.co.uk now", "write to [email] now"),
        ("?to=ann%40example.org", "?to=[email]"),
        ("+49 30 901820", "[phone]"),
        ("+1 (555) 010-9999", "[phone]"),
        ("(555) 010-9999", "[phone]"),
        ("555-010-9999", "[phone]"),
        ("1-555-010-9999", "[phone]"),
        ("4111 1111 1111 1111", "[card]"),
        ("4111111111111111", "[card]"),
        ("5555-5555-5555-4444", "[card]"),
        ("3782 822463 10005", "[card]"),
        ("Bearer abcdefghijklmnop", "[token]"),
        ("sk-abcdefghijklmnopqrst", "[token]"),
        ("ghp_0123456789abcdefghijABCDEFGHIJ012345", "[token]"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl", "[token]"),
        ("key 0123456789abcdef0123456789abcdef!", "key [token]!"),
    ],
)
def test_personal_data_is_redacted(text: str, shown: str) -> None:
    assert redact(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "4111 1111 1111 1112",
        "2026-11-22 12:40",
        "€ 1,299.00",
        "Order 20261122-4711",
        "10115 Berlin",
        "192.168.100.200",
        "1234567890",
        "3.14159265358979323846",
        "@ann",
        "a@b",
        "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
        "https://en.wikipedia.org/wiki/List_of_tallest_buildings_in_the_world",
        "0000 0000 0000 0000",
    ],
)
def test_text_without_personal_data_is_unchanged(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ('{"user":"ann","password":"a \\" b"}', '{"user":"ann","password":"[withheld]"}'),
        ("user=ann&passwd=a%20b&x=1", "user=ann&passwd=[withheld]&x=1"),
        ('{"csrf_token": 12345, "q": "tea"}', '{"csrf_token": [withheld], "q": "tea"}'),
        ('{"mail":"ann@example.org"}', '{"mail":"[email]"}'),
    ],
)
def test_bodies_of_requests(body: str, shown: str) -> None:
    assert redact_body(body) == shown


def test_the_check_digit() -> None:
    assert passes_luhn([int(each) for each in "79927398713"])
    assert not passes_luhn([int(each) for each in "79927398710"])


def test_long_texts_take_no_long_time() -> None:
    """No pattern tries the same characters again and again: this would not end."""
    for piece in ("1", "a", "a1", "1 ", "a.", "@", "+1", "password=", '"', "a-", "eyJ", "("):
        assert redact_body(piece * 20_000) is not None

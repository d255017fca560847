"""The reasons of loads that failed, from the texts that WebKit has for them."""

from __future__ import annotations

import pytest

from oryn.browsers.webkit.load_errors import network_error, unsent_error


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("Error resolving “nosuch.invalid”: Name or service not known", "NAME_NOT_RESOLVED"),
        ("Could not connect to 127.0.0.1: Connection refused", "CONNECTION_REFUSED"),
        ("Connection terminated unexpectedly", "EMPTY_RESPONSE"),
        ("Error receiving data: Connection reset by peer", "CONNECTION_RESET"),
        ("Load cannot follow more than 20 redirections", "TOO_MANY_REDIRECTS"),
        ("Error opening file /nosuch: No such file or directory", "FILE_NOT_FOUND"),
        ("Error opening file /root/x: Permission denied", "ACCESS_DENIED"),
        ("Unacceptable TLS certificate", "CERT_AUTHORITY_INVALID"),
        ("Socket I/O timed out", "TIMED_OUT"),
        ("Blocked by Web Inspector", "BLOCKED_BY_CLIENT"),
        ("Load request cancelled", "ABORTED"),
        ("Frame load interrupted", "ABORTED"),
        ("words that nobody knows", "FAILED"),
    ],
)
def test_a_text_names_a_network_error(text: str, error: str) -> None:
    assert network_error(text, "https://a.example/") == f"net::ERR_{error}"


def test_a_url_that_can_not_be_shown() -> None:
    assert network_error("The URL can’t be shown", "nosuch:x") == "net::ERR_UNKNOWN_URL_SCHEME"
    assert network_error("The URL can’t be shown", "http://[") == "net::ERR_INVALID_URL"


@pytest.mark.parametrize(
    ("url", "error"),
    [("http://a.example:25/", "UNSAFE_PORT"), ("https://a.example/", "FAILED"), ("nosuch:x", "UNKNOWN_URL_SCHEME")],
)
def test_a_load_that_was_not_sent(url: str, error: str) -> None:
    assert unsent_error(url) == f"net::ERR_{error}"

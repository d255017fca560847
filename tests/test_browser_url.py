"""The address of a browser that runs already."""

from __future__ import annotations

import pytest

from oryn.core import urls


@pytest.mark.parametrize(
    ("text", "full", "shown"),
    [
        ("ws://h:1/devtools/browser/x", "ws://h:1/devtools/browser/x", "ws://h:1/devtools/browser/x"),
        ("Chrome", "chrome", "Chrome"),
        ("localhost", "http://localhost", "localhost"),
        ("localhost:9222", "http://localhost:9222", "localhost:9222"),
        ("wss://h?token=s3cret", "wss://h?token=s3cret", "wss://h?••••"),
        ("wss://ada:s3@cret@h:1/p?a@b", "wss://ada:s3@cret@h:1/p?a@b", "wss://••••@h:1/p?••••"),
        ("s3cret@h:1", "http://s3cret@h:1", "http://••••@h:1"),
        ("ws://[::1]:9/x?s3cret=a://b", "ws://[::1]:9/x?s3cret=a://b", "ws://[::1]:9/x?••••"),
    ],
)
def test_addresses(text: str, full: str, shown: str) -> None:
    assert urls.parse_browser_url(text) == full
    assert urls.redact_browser_url(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ftp://s3cret@h",
        "ws://",
        "ws://ada:se/s3cret@h",
        "ws://h:99999?s3cret",
        "ws://h:0",
        "ws://h#s3cret?",
        "a b?s3cret",
    ],
)
def test_invalid_browser_url_is_rejected_without_showing_keys(text: str) -> None:
    with pytest.raises(ValueError):
        urls.parse_browser_url(text)
    assert "s3cret" not in str(urls.redact_browser_url(text))


@pytest.mark.parametrize("value", [None, 9222, True, ["ws://h"]])
def test_non_text_browser_url_is_rejected(value: object) -> None:
    with pytest.raises(ValueError):
        urls.parse_browser_url(value)


def test_an_endpoint_is_reached_the_way_that_its_port_was() -> None:
    told = "ws://0.0.0.0:3000/devtools/browser/x"
    assert urls.resolve_devtools_endpoint("http://h:9222", told) == "ws://h:9222/devtools/browser/x"
    assert urls.resolve_devtools_endpoint("https://ada:b@h?token=c", told) == "wss://ada:b@h/devtools/browser/x?token=c"
    assert urls.resolve_devtools_endpoint("https://h?token=c", told + "?own=d") == "wss://h/devtools/browser/x?own=d"


@pytest.mark.parametrize(
    ("address", "local"),
    [("ws://localhost:1/x", True), ("http://127.0.0.2:1", True), ("ws://[::1]:1", True), ("ws://10.0.0.1:1", False)],
)
def test_this_computers_own(address: str, local: bool) -> None:
    assert urls.is_loopback_url(address) is local

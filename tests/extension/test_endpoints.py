"""What the extension connects to, and what it does not."""

from __future__ import annotations

import pytest

from oryn.errors import EndpointNotAllowed
from oryn.extension.server_connection.endpoints import read_endpoint, read_origin, require_allowed


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("ws://localhost:8080", "ws://localhost:8080"),
        ("  WS://LocalHost:80/ ", "ws://localhost"),
        ("ws://127.0.0.1:9000/extension?x=1", "ws://127.0.0.1:9000/extension?x=1"),
        ("ws://127.255.3.4", "ws://127.255.3.4"),
        ("ws://[::1]:8080/", "ws://[::1]:8080"),
        ("wss://localhost:443", "wss://localhost"),
    ],
)
def test_this_computer_is_always_allowed(text: str, url: str) -> None:
    endpoint = read_endpoint(text)
    assert endpoint.url == url
    assert read_endpoint(url) == endpoint
    assert endpoint.is_local
    assert endpoint.warning is None
    require_allowed(endpoint, ())


@pytest.mark.parametrize(
    "url",
    [
        "wss://agent.example.com",
        "wss://192.168.1.7:8080/x",
        "wss://localhost.evil.com",
        "wss://127.0.0.1.nip.io",
        "wss://127.1",
        "wss://127.0.0.256",
        "wss://0127.0.0.1",
        "wss://[::ffff:7f00:1]",
        "wss://0.0.0.0",
    ],
)
def test_all_else_is_encrypted_allowed_and_warned_of(url: str) -> None:
    endpoint = read_endpoint(url)
    assert not endpoint.is_local
    assert endpoint.warning is not None
    assert endpoint.warning.startswith(f"{endpoint.host} is not this computer")
    with pytest.raises(EndpointNotAllowed, match="is not on the list of allowed servers"):
        require_allowed(endpoint, ("wss://other.example.com",))
    require_allowed(endpoint, (read_origin(url),))
    plain = read_endpoint(url.replace("wss:", "ws:"))
    with pytest.raises(EndpointNotAllowed, match="is not encrypted"):
        require_allowed(plain, (plain.origin,))
    with pytest.raises(EndpointNotAllowed, match="is not encrypted"):
        read_origin(plain.url)


def test_an_origin_is_allowed_with_all_its_paths_and_no_other_port() -> None:
    allowed = (read_origin("wss://agent.example.com:443/some/where"),)
    assert allowed == ("wss://agent.example.com",)
    require_allowed(read_endpoint("wss://agent.example.com/else/where"), allowed)
    with pytest.raises(EndpointNotAllowed):
        require_allowed(read_endpoint("wss://agent.example.com:8443"), allowed)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "localhost:8080",
        "http://localhost:8080",
        "ws:/localhost",
        "ws://",
        "ws://localhost:0",
        "ws://localhost:70000",
        "ws://localhost:80a",
        "ws://user@localhost",
        "ws://evil.example@localhost",
        "ws://localhost\\@evil.example",
        "ws://localhost#fragment",
        "ws://localhost /x",
        "ws://localhost/\u202e",
        "ws://löcalhost",
        "ws://[::1",
        "ws://localhost/" + "x" * 500,
    ],
)
def test_invalid_endpoint_is_rejected(text: str) -> None:
    with pytest.raises(EndpointNotAllowed):
        read_endpoint(text)


def test_localhost_is_one_address_for_a_socket() -> None:
    """Else whoever listens on [::1] beside the server would be asked first."""
    assert read_endpoint("ws://localhost:8080/oryn").socket_url == "ws://127.0.0.1:8080/oryn"
    for other in ("ws://[::1]:8080", "wss://localhost:8080", "wss://agent.example.com/oryn"):  # certificates have names
        assert read_endpoint(other).socket_url == other

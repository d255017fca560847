"""A daemon that others reach: its names, its proxies and its probes (docs/spec/daemon-protocol.md#authentication)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.daemon.access.hosts import DaemonNames
from oryn.daemon.access.proxies import SOCKET, TrustedProxies
from oryn.errors import RequestError
from tests.daemon.daemon_process import RunningDaemon
from tests.daemon.test_host_header import HANDSHAKE, raw, token

NAMES = "oryn.example.org, *.pods.example.org, oryn:7720, 10.1.2.3, [2001:DB8::0:1]"
REACHED = [
    "oryn.example.org", "ORYN.Example.org", "oryn.example.org:8443", "a.pods.example.org", "a.b.pods.example.org:80",
    "oryn:7720", "10.1.2.3", "10.1.2.3:7720", "[2001:db8::1]", "[2001:db8:0::1]:7720", "localhost", "127.0.0.1",
]  # fmt: skip
FOREIGN = [
    "example.org", "evil.example.org", "oryn.example.org.evil.com", "evil.com", "pods.example.org.evil.com", "oryn",
    "xpods.example.org", "oryn:7721", "oryn.example.org.", "10.1.2.30", "010.1.2.3", "[2001:db8::2]", "2001:db8::1",
    "[::ffff:10.1.2.3]", "oryn.example.org@evil.com", "oryn.example.org/", "oryn.example.org:x", "",
    "*.pods.example.org", "localhost:1", "oryn.example.org,evil.com", "oryn.example.org\tevil.com",
]  # fmt: skip


@pytest.fixture(scope="module")
def reachable(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    running = RunningDaemon(
        tmp_path_factory.mktemp("reachable"), {"ORYN_ALLOWED_HOSTS": NAMES, "ORYN_TRUSTED_PROXIES": "127.0.0.1/32"}
    )
    yield running
    assert run(running.stop()) == 0, running.log()


# --- names ---


@pytest.mark.parametrize("host", REACHED)
def test_names_that_are_allowed(reachable: RunningDaemon, host: str) -> None:
    assert raw(reachable, "GET", "/status", [host], token(reachable))[0] == 200
    assert raw(reachable, "GET", "/status", [host])[0] == 401, "a name is no token"
    assert raw(reachable, "GET", "/status", [host], f"Origin: http://{host.lower()}")[0] == 401
    for origin in (f"https://{host.lower()}", "http://evil.com", "null"):
        assert raw(reachable, "GET", "/status", [host], f"Origin: {origin}")[0] == 403


@pytest.mark.parametrize("host", FOREIGN)
def test_rebinding_is_impossible_for_other_names(reachable: RunningDaemon, host: str) -> None:
    for path in ("/", "/status", "/mcp"):
        status, body = raw(reachable, "GET", path, [host], token(reachable))
        assert status == 403 or (status == 400 and b"this is not HTTP" in body), (host, path, body)
    assert raw(reachable, "GET", "/extension", [host], *HANDSHAKE)[0] in (400, 403)


@pytest.mark.parametrize("rules", ["*.org", "*", "http://oryn.example.org", "a b", "oryn:0", "127.1"])
async def test_a_name_that_is_none_stops_the_start(rules: str) -> None:
    from oryn.settings.definitions import SETTINGS

    with pytest.raises(ValueError):
        SETTINGS["allowed_hosts"].kind.read(rules)


def test_the_usual_port_of_a_scheme() -> None:
    names = DaemonNames(["oryn.example.org:443"])
    assert names.accepts("oryn.example.org", "https", 7720) and names.accepts("oryn.example.org:443", "https", 7720)
    assert not names.accepts("oryn.example.org", "http", 7720)


async def test_without_the_setting_only_loopback_counts(daemon: RunningDaemon) -> None:
    assert raw(daemon, "GET", "/status", ["oryn.example.org"], token(daemon))[0] == 403


# --- probes ---


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_probes_answer_any_host_and_say_nothing(daemon: RunningDaemon, path: str) -> None:
    for hosts in (["10.244.0.7:7720"], ["evil.com"], [""], ["localhost"]):
        assert raw(daemon, "GET", path, hosts) == (200, b"ok")
    assert raw(daemon, "GET", path, ["10.244.0.7:7720"], version="1.0") == (200, b"ok")
    assert raw(daemon, "GET", path, ["evil.com"], "Origin: http://evil.com")[0] == 403
    assert raw(daemon, "POST", path, ["localhost"])[0] == 405


@pytest.mark.slow
@pytest.mark.browser
async def test_an_ending_daemon_is_alive_but_not_ready(tmp_path: Path) -> None:
    daemon = RunningDaemon(tmp_path / "home")
    await daemon.ok("goto about:blank")
    running = asyncio.create_task(daemon.ask("wait 60s"))  # it keeps the daemon for as long as commands get to end
    while not (await daemon.status())["running"]:
        pass
    assert raw(daemon, "GET", "/readyz", ["pod"]) == (200, b"ok")
    await daemon.ending()
    assert raw(daemon, "GET", "/readyz", ["pod"]) == (503, b"not ready")
    assert raw(daemon, "GET", "/healthz", ["pod"]) == (200, b"ok")
    assert (await running)["error_kind"] == "daemon_failed"
    assert await daemon.ended() == 0


# --- proxies ---

PROXIES = TrustedProxies(["10.0.0.0/8", "fd00::/8"])


def origin(client: str | None, *headers: tuple[str, str], scheme: str = "http") -> tuple[str, str, str]:
    fields = [(b"host", b"oryn.internal"), *((name.lower().encode(), value.encode()) for name, value in headers)]
    found = PROXIES.origin_of({"client": client and (client, 1), "scheme": scheme, "headers": fields})
    return found.address, found.scheme, found.host


FOR, PROTO, HOST, FORWARDED = "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "Forwarded"
CASES: list[tuple[str | None, list[tuple[str, str]], tuple[str, str, str]]] = [
    # Nobody but a proxy is believed.
    ("203.0.113.9", [(FOR, "1.1.1.1"), (PROTO, "https"), (HOST, "evil.com")], ("203.0.113.9", "http", "oryn.internal")),
    ("203.0.113.9", [(FORWARDED, "for=1.1.1.1;proto=https")], ("203.0.113.9", "http", "oryn.internal")),
    (None, [(FOR, "1.1.1.1")], (SOCKET, "http", "oryn.internal")),
    # One proxy, and what it has put before.
    ("10.0.0.1", [(FOR, "198.51.100.7"), (PROTO, "https"), (HOST, "Oryn.Example.org")],
     ("198.51.100.7", "https", "oryn.example.org")),
    ("10.0.0.1", [(FORWARDED, 'for=198.51.100.7;proto=https;host="oryn.example.org:8443"')],
     ("198.51.100.7", "https", "oryn.example.org:8443")),
    ("10.0.0.1", [(FORWARDED, 'For="[2001:db8::7]:4711"')], ("2001:db8::7", "http", "oryn.internal")),
    ("fd00::1", [(FOR, "2001:DB8::7")], ("2001:db8::7", "http", "oryn.internal")),
    ("::ffff:10.0.0.1", [(FOR, "198.51.100.7:555")], ("198.51.100.7", "http", "oryn.internal")),
    # A client puts addresses of its own in front: the right one is that which the proxy has appended.
    ("10.0.0.1", [(FOR, "127.0.0.1, 198.51.100.7")], ("198.51.100.7", "http", "oryn.internal")),
    ("10.0.0.1", [(FOR, "127.0.0.1"), (FOR, "198.51.100.7")], ("198.51.100.7", "http", "oryn.internal")),
    ("10.0.0.1", [(FORWARDED, 'for=127.0.0.1;host="a,b", for=198.51.100.7')],
     ("198.51.100.7", "http", "oryn.internal")),
    # Several proxies.
    ("10.0.0.1", [(FOR, "127.0.0.1, 198.51.100.7, 10.9.9.9"), (PROTO, "https")],
     ("198.51.100.7", "https", "oryn.internal")),
    ("10.0.0.1", [(FORWARDED, "for=6.6.6.6;proto=http, for=198.51.100.7;proto=https, for=10.9.9.9;proto=http")],
     ("198.51.100.7", "https", "oryn.internal")),
    # A proxy that hides its client.
    ("10.0.0.1", [(FORWARDED, "for=1.1.1.1, for=unknown")], ("10.0.0.1", "http", "oryn.internal")),
    ("10.0.0.1", [(FORWARDED, "for=1.1.1.1, for=_hidden;proto=https")], ("10.0.0.1", "https", "oryn.internal")),
    ("10.0.0.1", [(PROTO, "https")], ("10.0.0.1", "https", "oryn.internal")),
    ("10.0.0.1", [(FOR, "")], ("10.0.0.1", "http", "oryn.internal")),
]  # fmt: skip


@pytest.mark.parametrize(("client", "headers", "expected"), CASES)
def test_who_is_in_front_of_a_proxy(
    client: str | None, headers: list[tuple[str, str]], expected: tuple[str, str, str]
) -> None:
    assert origin(client, *headers) == expected


@pytest.mark.parametrize(
    "headers",
    [
        [(FOR, "evil.com")],
        [(FOR, "1.2.3")],
        [(FOR, "[::1")],
        [(FOR, "198.51.100.7"), (PROTO, "gopher")],
        [(FOR, ", ".join(["1.1.1.1"] * 40))],
        # The proxy has set only one of them: the other is the client's own.
        [(FORWARDED, "for=127.0.0.1"), (FOR, "198.51.100.7")],
    ],
)
def test_what_a_proxy_can_not_mean(headers: list[tuple[str, str]]) -> None:
    with pytest.raises(RequestError):
        origin("10.0.0.1", *headers)


def test_a_daemon_behind_a_proxy(reachable: RunningDaemon) -> None:
    """The name in front counts, and `https` there: the `Origin` of the live page is that of the proxy."""
    proxied = ("X-Forwarded-For: 198.51.100.7", "X-Forwarded-Proto: https", "X-Forwarded-Host: oryn.example.org")
    assert raw(reachable, "GET", "/status", ["backend:80"], token(reachable), *proxied)[0] == 200
    page = "Origin: https://oryn.example.org"
    assert raw(reachable, "GET", "/status", ["backend:80"], page, *proxied)[0] == 401
    assert raw(reachable, "GET", "/status", ["backend:80"], "Origin: http://oryn.example.org", *proxied)[0] == 403
    foreign = ("X-Forwarded-For: 198.51.100.7", "X-Forwarded-Host: evil.com")
    assert raw(reachable, "GET", "/status", ["localhost"], token(reachable), *foreign)[0] == 403
    assert raw(reachable, "GET", "/status", ["localhost"], token(reachable), "X-Forwarded-For: x")[0] == 400


def test_headers_of_others_are_ignored(daemon: RunningDaemon) -> None:
    """Without `trusted_proxies`, nobody is believed, nor refused for what a tool adds."""
    spoofed = ("X-Forwarded-For: x", "X-Forwarded-Host: evil.com", "Forwarded: for=1.1.1.1;proto=https")
    assert raw(daemon, "GET", "/status", ["localhost"], token(daemon), *spoofed)[0] == 200
    assert raw(daemon, "GET", "/status", ["localhost"], "Origin: https://localhost", *spoofed)[0] == 403

"""What a `Host` can say, byte by byte over a socket: no library of a client's tidies it up, and no spelling of it opens
an address (https://www.rfc-editor.org/rfc/rfc9110#section-7.2)."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.daemon.daemon_process import RunningDaemon

OPEN = ("/healthz", "/", "/extension", "/live/page.js", "/link")
"""Paths that a `Host` may try to look like: open ones, and ones that are treated in another way."""
CLOSED = [
    ("POST", "/command"), ("GET", "/status"), ("GET", "/history"), ("GET", "/openapi.json"), ("GET", "/mcp"),
    ("POST", "/mcp"),
    ("POST", "/pair"), ("POST", "/link"), ("POST", "/live/key"), ("GET", "/sessions/default/sight"), ("POST", "/stop"),
]  # fmt: skip
COMMAND = json.dumps({"line": "session new stolen"}).encode()

HANDSHAKE = (
    "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
)  # fmt: skip


def raw(
    daemon: RunningDaemon,
    method: str,
    path: str,
    hosts: Sequence[str],
    *headers: str,
    body: bytes = b"",
    version: str = "1.1",
    by_socket: bool = False,
) -> tuple[int, bytes]:
    """Status and body of a request with exactly these headers, each `Host` a line of its own."""
    lines = [f"{method} {path} HTTP/{version}", *(f"Host: {host}" for host in hosts), *headers]
    if not any(line.startswith("Connection:") for line in headers):
        lines.append("Connection: close")
    if body:
        lines.append(f"Content-Length: {len(body)}")
    kind, address = (
        (socket.AF_UNIX, daemon.about["socket"]) if by_socket else (socket.AF_INET, ("127.0.0.1", daemon.port))
    )
    with socket.socket(kind, socket.SOCK_STREAM) as asking:
        asking.settimeout(30)
        asking.connect(address)
        asking.sendall("\r\n".join((*lines, "", "")).encode("latin-1") + body)
        received = bytearray()
        while piece := asking.recv(1 << 16):
            received += piece
            if received.startswith(b"HTTP/1.1 101"):
                break
    head, _, rest = bytes(received).partition(b"\r\n\r\n")
    return int(head.split(b" ", 2)[1]), rest


def token(daemon: RunningDaemon) -> str:
    return f"Authorization: Bearer {daemon.token}"


@pytest.mark.parametrize("like", OPEN)
@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]", "localhost:PORT"])
def test_a_host_that_makes_every_path_look_open(daemon: RunningDaemon, name: str, like: str) -> None:
    """A URL of `Host` and path would have the path of the `Host`: no command without the token."""
    name = name.replace("PORT", str(daemon.port))
    before = len(daemon.rows())
    for end in (":{}?", "{}?", ":{}#", "{}#", ":{}", "{}", ":@localhost{}?", ":80{}?", "{};", ":{}?:80"):
        host = name + end.format(like)
        for method, path in CLOSED:
            status, body = raw(daemon, method, path, [host], body=COMMAND if method == "POST" else b"")
            assert status in (400, 403), (host, method, path, body)
    assert len(daemon.rows()) == before


REFUSED = [
    "localhost:evil.com", "localhost:evil.com:PORT", "localhost:PORT:evil.com", "127.0.0.1:x", "[::1]:evil",
    "localhost:", "127.0.0.1:", "[::1]:", "localhost:0", "localhost:99999", "localhost:1", "localhost:0xPORT",
    "localhost:+PORT", "localhost: PORT", "localhost :PORT", "localhost:PORT ,evil.com", "localhost,evil.com",
    "evil.com@localhost", "user@localhost:PORT", "user:pass@localhost:PORT", "localhost@evil.com", "@localhost",
    "localhost.", "localhost.:PORT", "127.0.0.1.", "LOCALHOST.", "localhost.localdomain", "a.localhost", "127.1",
    "127.0.0.2", "127.0.0.01", "2130706433", "0x7f.1", "0", "0.0.0.0", "::1", "[::]", "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]", "[::1%lo]", "[::1", "::1]", "http://localhost", "//localhost", "/", "?", "#", "*", "",
    "evil.com", "localhost\\evil.com", "localhost%00", "localhost%2e", "loc\xe0lhost", "localhost:\xb2",
]  # fmt: skip


@pytest.mark.parametrize("host", REFUSED)
def test_foreign_host_header_is_rejected(daemon: RunningDaemon, host: str) -> None:
    """With the token and for what is open to all: DNS rebinding reads nothing but what probes do."""
    host = host.replace("PORT", str(daemon.port))
    for method, path in (("GET", "/"), ("GET", "/status"), ("POST", "/command")):
        status, body = raw(daemon, method, path, [host], token(daemon), body=COMMAND if method == "POST" else b"")
        assert status == 403 or (status == 400 and b"this is no HTTP" in body), (host, path, body)


def test_no_host_and_several_hosts(daemon: RunningDaemon) -> None:
    good = f"localhost:{daemon.port}"
    for version in ("1.1", "1.0"):
        for hosts in ([], [good, good], [good, "evil.com"], ["evil.com", good], ["", good]):
            status, _ = raw(daemon, "GET", "/", hosts, version=version)
            assert status in (400, 403), (version, hosts)


def test_the_names_that_are_ours(daemon: RunningDaemon) -> None:
    """In any case of letters (RFC 9110 §4.2.3), with this daemon's port or without one."""
    for name in ("localhost", "127.0.0.1", "[::1]", "LocalHost", "LOCALHOST"):
        for host in (name, f"{name}:{daemon.port}"):
            assert raw(daemon, "GET", "/healthz", [host]) == (200, b"ok")
            assert raw(daemon, "GET", "/status", [host], token(daemon))[0] == 200
            assert raw(daemon, "GET", "/status", [host], f"Origin: http://{host.lower()}")[0] == 401
            assert raw(daemon, "GET", "/status", [host])[0] == 401


def test_by_the_socket(daemon: RunningDaemon) -> None:
    """It has no port of its own; names are checked there too."""
    for host in ("localhost", f"localhost:{daemon.port}", "127.0.0.1:80"):
        assert raw(daemon, "GET", "/status", [host], token(daemon), by_socket=True)[0] == 200
        assert raw(daemon, "GET", "/status", [host], by_socket=True)[0] == 401
    for host in ("localhost:/healthz?", "localhost:evil.com", "evil.com", "localhost:"):
        assert raw(daemon, "GET", "/status", [host], by_socket=True)[0] == 403, host
        assert raw(daemon, "POST", "/command", [host], token(daemon), body=COMMAND, by_socket=True)[0] == 403, host


TARGETS = ["/healthz", "//healthz", "/%68ealthz", "/healthz/../status", "/healthz%2f..%2fstatus", "/./status",
           "/healthz;/status", "/healthz?/status", "/healthz#/status"]  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
def test_path_spellings_do_not_bypass_the_token(daemon: RunningDaemon, target: str) -> None:
    """One reading of it for who may ask and for what is done: nothing but `ok` comes without the token."""
    status, body = raw(daemon, "GET", target, ["localhost"])
    assert (status, body) == (200, b"ok") or status in (400, 401), body
    for absolute in (f"http://localhost{target}", f"http://evil.com{target}"):
        status, body = raw(daemon, "GET", absolute, ["localhost"])
        assert status in (400, 401), (absolute, body)


@pytest.mark.slow
def test_websockets_alike(daemon: RunningDaemon) -> None:
    extension = "Origin: chrome-extension://abcdefghijklmnopabcdefghijklmnop"
    page = f"Origin: http://localhost:{daemon.port}"
    assert raw(daemon, "GET", "/extension", [f"localhost:{daemon.port}"], *HANDSHAKE, extension)[0] == 101
    assert raw(daemon, "GET", "/extension", [f"localhost:{daemon.port}"], *HANDSHAKE, page)[0] == 403
    assert raw(daemon, "GET", "/extension", [f"localhost:{daemon.port}"], *HANDSHAKE)[0] == 101  # a program
    for host in (*REFUSED, "localhost:/extension?", "localhost:/healthz?", "localhost/extension?"):
        host = host.replace("PORT", str(daemon.port))
        for path in ("/extension", "/events", "/command", "/mcp", "/nothing"):
            for origin in (extension, page):
                status, body = raw(daemon, "GET", path, [host], *HANDSHAKE, origin)
                assert status in (400, 403), (host, path, body)
    for path in (
        "/command",
        "/mcp",
        "/events",
        "/healthz",
        "/nothing",
    ):  # the extension's origin is accepted at its own endpoint only
        assert raw(daemon, "GET", path, ["localhost"], *HANDSHAKE, extension)[0] == 403


# --- a page that knows the token ---

MARKS: list[dict[str, str]] = [
    {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"},
    {"Sec-Fetch-Site": "same-origin"},
    {"Sec-Fetch-Site": "none"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
    {"sec-fetch-dest": "empty"},
    {"SEC-FETCH-USER": "?1", "Sec-Fetch-Mode": "navigate"},
    {"Origin": "http://localhost"},
    {"Origin": "null"},
    {"Referer": "http://localhost/healthz"},
    {"referer": ""},
    {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Safari/605.1.15"},
    {"user-agent": "mozilla/5.0"},
]


@pytest.mark.parametrize("marks", MARKS, ids=str)
def test_token_with_browser_headers_is_rejected(daemon: RunningDaemon, marks: dict[str, str]) -> None:
    lines = [f"{name}: {value}" for name, value in marks.items()]
    host = "localhost"
    before = len(daemon.rows())
    for method, path in CLOSED:
        for scheme in ("Bearer", "bearer", "Bearer wrong"):
            said = f"Authorization: {scheme} {daemon.token}"
            status, body = raw(daemon, method, path, [host], said, *lines, body=COMMAND)
            assert (status, json.loads(body)["error_kind"]) == (403, "forbidden_origin"), (path, body)
    assert len(daemon.rows()) == before


def test_a_program_that_runs_in_node_says_its_token(daemon: RunningDaemon) -> None:
    """Node's `fetch` marks its requests with a mode, and with nothing else."""
    said = (token(daemon), "Sec-Fetch-Mode: cors", "Accept-Language: *")
    assert raw(daemon, "GET", "/status", ["localhost"], *said)[0] == 200


SCRIPT = """(async () => {
  const got = [], token = %s, KEY = %s;
  for (const [method, path, data] of [
    ["GET", "/status"], ["GET", "/history"], ["POST", "/link"], ["GET", "/openapi.json"], ["GET", "/events"],
    ["POST", "/command", {line: "session new stolen"}], ["POST", "/command", {action: "confirm", args: {id: "%s"}}],
    ["POST", "/mcp", {jsonrpc: "2.0", id: 1, method: "tools/list"}], ["POST", "/stop"]]) {
    const body = data && JSON.stringify(data);
    for (const more of [{}, {"Sec-Fetch-Site": "x", "Sec-Oryn-Person": KEY, Origin: "", "User-Agent": "curl/8"}])
      for (const options of [{}, {mode: "same-origin", credentials: "include"}, {keepalive: true}, {cache: "reload"},
                             {referrerPolicy: "no-referrer"}, {referrer: ""}]) {
        const asking = {method, body, headers: {Authorization: "Bearer " + token, ...more}, ...options};
        const answer = await fetch(path, asking).catch(error => ({status: String(error)}));
        if (typeof answer.status === "number" && answer.status !== 403) got.push([method, path, answer.status]);
      }
    const asked = new XMLHttpRequest();
    asked.open(method, path, false);
    asked.setRequestHeader("Authorization", "Bearer " + token);
    try { asked.send(body); } catch { continue; }
    if (asked.status !== 403) got.push([method, path, asked.status]);
  }
  return JSON.stringify(got);
})()"""


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["headless", pytest.param("embedded", marks=pytest.mark.webkit)])
async def test_a_page_of_our_own_browser_that_knows_the_token_gets_nothing(
    daemon_of: Callable[..., RunningDaemon], tmp_path: Path, backend: str
) -> None:
    """An agent that has read the token somewhere may run scripts at the daemon's own address, where nothing is foreign:
    it still says no person's *yes*."""
    daemon = daemon_of(ORYN_CONFIRM="state save")
    await daemon.ok(f"goto {daemon.url}/healthz", backend=backend)
    asked = await daemon.ask({"action": "state save", "args": {"path": str(tmp_path / "never.json")}})
    assert asked["error_kind"] == "confirmation_required", asked
    identifier = asked["text"].partition(" waits for a person's approval: ")[2].partition("\n")[0]
    script = SCRIPT % (json.dumps(daemon.token), json.dumps(daemon.person_key), identifier)
    for path in ("/healthz", "/", "/nothing", "/openapi.json", "/mcp", "/" + 40_000 * "x"):
        await daemon.ask(f"goto {daemon.url}{path}")
        answer = await daemon.ok({"action": "eval", "args": {"script": script}})
        assert answer["data"]["result"] == "[]", (path, answer["text"])
    assert [each["name"] for each in (await daemon.status())["sessions"]] == ["default"]
    assert not (tmp_path / "never.json").exists()
    await daemon.ok({"action": "deny", "args": {"id": identifier}})  # it waits still


def test_the_token_alone_approves_nothing(daemon: RunningDaemon) -> None:
    """Agents may have the token. The person's key is in no file that commands open, and comes in no other way."""
    confirm = json.dumps({"action": "confirm", "args": {"id": "c_00000000"}}).encode()
    raw(daemon, "POST", "/command", ["localhost"], token(daemon), body=b'{"line": "goto about:blank"}')
    for keys in ([], ["Sec-Oryn-Person:"], ["Sec-Oryn-Person: x"], [f"Sec-Oryn-Person: {daemon.token}"]):
        for by_socket in (False, True):
            _, body = raw(
                daemon, "POST", "/command", ["localhost"], token(daemon), *keys, body=confirm, by_socket=by_socket
            )
            assert json.loads(body)["error_kind"] == "unauthorized", (keys, body)
    key = f"Sec-Oryn-Person: {daemon.person_key}"
    _, body = raw(daemon, "POST", "/command", ["localhost"], token(daemon), key, body=confirm)
    assert json.loads(body)["error_kind"] == "confirmation_not_found"
    assert raw(daemon, "POST", "/command", ["localhost"], key, body=confirm)[0] == 401, "it is no token"


async def test_no_line_sends_the_key(daemon: RunningDaemon) -> None:
    key = json.dumps({"Sec-Oryn-Person": daemon.person_key})
    for line in (f"headers set {key}", f"headers set localhost {key}", f"goto {daemon.url}/healthz --headers {key}"):
        assert (await daemon.ask(line))["error_kind"] == "invalid_value", line
    for path in (daemon.home / "data" / "daemon").glob("*key*"):
        assert (await daemon.ask(f"goto {path.as_uri()}"))["error_kind"] == "path_not_allowed"

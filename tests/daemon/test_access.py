"""Who may ask a daemon: programs of its own user, and nobody else (docs/spec/daemon-protocol.md#authentication)."""

from __future__ import annotations

import asyncio
import json
import os
import pwd
import shutil
import socket
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.daemon.daemon_process import RunningDaemon
from tests.headless.conftest import Pages

ADDRESSES = [
    ("POST", "/command"), ("GET", "/status"), ("GET", "/events"), ("GET", "/openapi.json"), ("POST", "/stop"),
    ("POST", "/drain"), ("GET", "/extension"), ("GET", "/nothing"),
]  # fmt: skip


async def response_of(daemon: RunningDaemon, method: str, path: str, **headers: str) -> tuple[int, Any]:
    """The status and the kind of error of a request with these headers alone."""
    async with httpx.AsyncClient(base_url=daemon.url, trust_env=False, verify=False) as client:
        response = await client.request(method, path, headers=headers)
        return response.status_code, response.json()["error_kind"] if response.status_code != 200 else None


@pytest.mark.parametrize(("method", "path"), ADDRESSES)
async def test_request_without_the_token_is_unauthorized(daemon: RunningDaemon, method: str, path: str) -> None:
    token = daemon.token
    for headers in (
        {},
        {"Authorization": ""},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Bearer {token[:-1]}"},
        {"Authorization": f"Bearer {token}x"},
        {"Authorization": f"Basic {token}"},
        {"Authorization": token},
        {"Cookie": f"token={token}"},
        {"X-Forwarded-For": "127.0.0.1", "X-Api-Key": token},
    ):
        assert await response_of(daemon, method, path, **headers) == (401, "unauthorized"), headers
    assert await response_of(daemon, method, f"{path}?token={token}&access_token={token}") == (401, "unauthorized")


async def test_a_token_that_is_no_text(daemon: RunningDaemon) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", daemon.port)
    writer.write(
        b"GET /status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer \xff\xfe\xe9\r\n\r\n"
    )
    async with asyncio.timeout(30):
        assert (await reader.read()).startswith(b"HTTP/1.1 401 ")
    writer.close()


async def test_healthz_needs_no_token_and_reveals_nothing(daemon: RunningDaemon) -> None:
    async with httpx.AsyncClient(base_url=daemon.url, trust_env=False, verify=False) as client:
        response = await client.get("/healthz")
    assert (response.status_code, response.text) == (200, "ok")
    assert "server" not in response.headers


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:7720", "127.0.0.1.evil.example", "localhost.evil.example:80", "", "0.0.0.0", "[::]"],
)
async def test_another_name_for_this_computer(daemon: RunningDaemon, host: str) -> None:
    """As after DNS rebinding: the page's own name leads to 127.0.0.1."""
    headers = {"Host": host, "Authorization": f"Bearer {daemon.token}"}
    for path in ("/status", "/"):
        assert await response_of(daemon, "GET", path, **headers) == (403, "forbidden_origin")


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "http://127.0.0.1", "http://127.0.0.1:1", "file://", "chrome-extension://abc", ""],
)
async def test_the_origin_of_a_page(daemon: RunningDaemon, origin: str) -> None:
    headers = {"Origin": origin, "Authorization": f"Bearer {daemon.token}"}
    for method, path in (("GET", "/status"), ("GET", "/healthz"), ("POST", "/command"), ("OPTIONS", "/command")):
        assert await response_of(daemon, method, path, **headers) == (403, "forbidden_origin")
    if origin != "chrome-extension://abc":
        with pytest.raises(InvalidStatus):
            async with connect(f"ws://127.0.0.1:{daemon.port}/extension", additional_headers=headers, proxy=None):
                pass


async def test_its_own_names_and_no_page_at_them(daemon: RunningDaemon) -> None:
    token = {"Authorization": f"Bearer {daemon.token}"}
    for host in (f"127.0.0.1:{daemon.port}", f"localhost:{daemon.port}", "localhost", f"[::1]:{daemon.port}"):
        assert await response_of(daemon, "GET", "/status", Host=host, **token) == (200, None)
        page = {"Host": host, "Origin": f"http://{host}", **token}
        assert await response_of(daemon, "GET", "/status", **page) == (403, "forbidden_origin")


HOSTILE = """<!doctype html><title>trying</title><iframe name=target></iframe>
<form id=form action="DAEMON/command" method=post enctype=text/plain target=target>
<input name='{"line": "help", "x": "' value='"}'></form><script>
const got = [], kept = text => text && got.push(text);
const wait = (target, good) => new Promise(done => {
  target[good] = () => done(good); target.onerror = () => done(""); });
(async () => {
  for (const path of ["/healthz", "/status", "/", "/openapi.json", "/events"])
    for (const options of [{}, {credentials: "include"}, {headers: {Authorization: "Bearer guess"}}])
      await fetch("DAEMON" + path, options).then(async r => kept(path + await r.text()), () => 0);
  const simple = {method: "POST", headers: {"Content-Type": "text/plain"}, body: '{"line": "goto about:blank"}'};
  await fetch("DAEMON/command", simple).then(async r => kept(await r.text()), () => 0);
  const silent = await fetch("DAEMON/command", {...simple, mode: "no-cors"}).catch(() => 0);
  kept(silent && silent.type !== "opaque" ? "no-cors" : "");
  const image = new Image(); image.src = "DAEMON/status"; kept(await wait(image, "onload"));
  const script = document.createElement("script"); script.src = "DAEMON/status"; const loaded = wait(script, "onload");
  document.head.append(script); kept(await loaded);
  kept(await wait(new EventSource("DAEMON/events"), "onopen"));
  kept(await wait(new WebSocket("DAEMON/extension".replace("http", "ws")), "onopen"));
  const frame = document.querySelector("iframe"); const submitted = wait(frame, "onload");
  document.getElementById("form").submit(); await submitted;
  let inside = ""; try { inside = frame.contentDocument && frame.contentDocument.body.textContent } catch { }
  kept(inside);
  document.title = "got " + JSON.stringify(got);
})();
</script>"""


@pytest.mark.slow
async def test_a_page_in_a_real_browser_gets_nothing(daemon: RunningDaemon, pages: Pages) -> None:
    pages["/"] = HOSTILE.replace("DAEMON", daemon.url)
    rows = len(daemon.rows())
    await daemon.ok(f"goto {pages.url()}", session="hostile")
    await daemon.ok("wait until \"document.title != 'trying'\" --timeout 60s", session="hostile")
    assert (await daemon.ok("title", session="hostile"))["data"]["result"] == "got []"
    assert [row["action"] for row in daemon.rows()[rows:]] == ["goto", "wait until", "title"]
    await daemon.ok({"action": "close"}, session="hostile")


# --- another user of the computer ---


@pytest.fixture
def exposed_daemon(run: Any) -> Iterator[RunningDaemon]:
    """A daemon that began with no umask, and whose home others can look into, with secrets in its environment."""
    folder = Path(tempfile.mkdtemp(prefix="oryn-test-"))
    folder.chmod(0o755)
    secrets = {
        "ORYN_STATE_KEY": "c3RhdGUta2V5LXN0YXRlLWtleS1zdGF0ZS1rZXktc3Q=",
        "ORYN_VAULT_KEY": "the-key-of-the-vault",
    }
    running = RunningDaemon(folder / "home", secrets, umask=0)
    yield running
    run(running.stop())
    run(running.no_process())
    shutil.rmtree(folder)


@pytest.mark.slow
async def test_files_are_the_users_own(exposed_daemon: RunningDaemon, pages: Pages) -> None:
    pages["/"] = "<title>Shop</title><a download=fern.txt href=data:text/plain,fern>Get</a><main><p>Ferns grow."
    await exposed_daemon.ok(f"goto {pages.url()}", settings={"profile": "work"})
    await exposed_daemon.ok(f"goto {pages.url()}", session="other")
    await exposed_daemon.ok("screenshot", session="other")
    await exposed_daemon.ok("click Get", session="other")
    await exposed_daemon.ok("state save a.json", session="looks", settings={"read_only": "true"})
    await exposed_daemon.ask({"argv": ["--allow-private", "extract", pages.url()]}, session="other")
    assert {oct(_umask(pid) & 0o077) for pid in exposed_daemon.processes()} == {"0o77"}
    await exposed_daemon.wait_until_saved("default", "other")
    folders = [path for path in exposed_daemon.home.iterdir() if path.is_dir()]
    assert {path.name for path in folders} >= {"run", "data", "sessions"}
    found = [path for folder in folders for path in (folder, *_below(folder))]
    names = {path.name for path in found}
    assert names >= {
        "token",
        "actions.jsonl",
        "sessions.json",
        "daemon.json",
        "daemon.sock",
        "daemon.lock",
        "default.pid",
        "person-key",
        "fern.txt",
        "files",
    }
    assert {path: oct(mode) for path in found if (mode := _mode(path)) & 0o077} == {}


def _below(folder: Path) -> Iterator[Path]:
    """What is in a folder, however deep; what a browser has in a folder of its own is beyond it."""
    for path in folder.iterdir():
        yield path
        if path.is_dir() and not path.name.startswith("browser-") and path.parent.name != "profiles":
            yield from _below(path)


def _umask(pid: int) -> int:
    """https://man7.org/linux/man-pages/man5/proc_pid_status.5.html"""
    return int(Path(f"/proc/{pid}/status").read_text().partition("Umask:")[2].split()[0], 8)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@contextmanager
def as_nobody() -> Iterator[None]:
    """With the rights of another user, who has none, while the block runs."""
    nobody = pwd.getpwnam("nobody")
    groups = os.getgroups()
    os.setgroups([])
    os.setegid(nobody.pw_gid)
    os.seteuid(nobody.pw_uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(groups)


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_another_user_gets_nothing(exposed_daemon: RunningDaemon, run: Any, pages: Pages) -> None:
    pages["/"] = "<title>Shop</title>"
    run(exposed_daemon.ok(f"goto {pages.url()}"))
    place, process = exposed_daemon.about["socket"], exposed_daemon.process.pid
    with as_nobody():
        assert exposed_daemon.home.exists()
        for name in ("run", "data", "sessions", "data/daemon", "data/daemon/token", "run/daemon.json"):
            with pytest.raises(PermissionError):
                list((exposed_daemon.home / name).iterdir())
            with pytest.raises(PermissionError):
                (exposed_daemon.home / name).read_bytes()
        with pytest.raises(PermissionError), socket.socket(socket.AF_UNIX) as asking:
            asking.connect(place)
        for each in (process, *exposed_daemon.processes()):
            with pytest.raises((PermissionError, ProcessLookupError)):
                Path(f"/proc/{each}/environ").read_bytes()
        refused = httpx.get(f"{exposed_daemon.url}/status", trust_env=False)
        assert refused.status_code == 401


@pytest.mark.slow
def test_secrets_are_in_no_command_line_and_the_browser_does_not_get_them(
    exposed_daemon: RunningDaemon, run: Any, pages: Pages
) -> None:
    pages["/"] = "<title>Shop</title>"
    run(exposed_daemon.ok(f"goto {pages.url()}"))
    processes = exposed_daemon.processes()
    assert processes
    environments = [Path(f"/proc/{each}/environ").read_bytes() for each in processes]
    lines = [Path(f"/proc/{each}/cmdline").read_bytes() for each in (*processes, exposed_daemon.process.pid)]
    for secret in (exposed_daemon.token, *exposed_daemon.environment.values()):
        assert not any(secret.encode() in each for each in (*environments, *lines))


@pytest.mark.slow
def test_the_token_is_long_and_another_for_each_home(daemon: RunningDaemon, exposed_daemon: RunningDaemon) -> None:
    assert len(daemon.token) >= 40
    assert daemon.token != exposed_daemon.token
    assert daemon.token not in json.dumps(daemon.about) + daemon.log()

"""Who gets into the live page, and who does not: by a link that is good once, with a key that only its own origin
knows, and for no page of another site. Against a real daemon."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.requests import HTTPConnection

from oryn.daemon.access.principals import OWNER
from oryn.daemon.live import login_links
from oryn.daemon.live.login_links import BROWSER_LOGIN_SECONDS, CODE_SECONDS, MAX_LINKS, OneTimeLinks, cookie_name
from tests.daemon.daemon_process import RunningDaemon, daemon_environment


class Browser:
    """A browser that has not come by a link yet: it keeps cookies, and says where it comes from."""

    def __init__(self, daemon: RunningDaemon) -> None:
        self.url = daemon.url
        self.client = httpx.AsyncClient(base_url=daemon.url, trust_env=False, timeout=60, verify=False)

    async def __aenter__(self) -> Browser:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.aclose()

    async def get(self, path: str, **headers: str) -> httpx.Response:
        return await self.client.get(path, headers={name.replace("_", "-"): value for name, value in headers.items()})

    async def post(self, path: str, data: Any = None, **headers: str) -> httpx.Response:
        named = {"origin": self.url} | {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.client.post(path, json=data, headers=named)

    async def enter(self, daemon: RunningDaemon) -> str:
        """By a new link; the key."""
        assert (await self.get(await link(daemon))).status_code == 303
        response = await self.post("/live/key")
        assert response.status_code == 200, response.text
        key: str = response.json()["key"]
        return key


async def link(daemon: RunningDaemon) -> str:
    url: str = (await daemon.client.post("/link")).json()["url"]
    return url


async def test_without_a_link_the_page_says_how_to_get_in_and_nothing_else(daemon: RunningDaemon) -> None:
    async with Browser(daemon) as browser:
        page = await browser.get("/")
        assert page.status_code == 401
        assert "oryn open" in page.text
        assert "<script" not in page.text and daemon.token not in page.text
        assert "default-src 'none'" in page.headers["content-security-policy"]
        for path in ("/live/page.js", "/live/oryn.css", "/status", "/history", "/events", "/sessions/default/picture"):
            assert (await browser.get(path)).status_code == 401, path
        assert (await browser.post("/live/key")).status_code == 401
        assert (await browser.post("/link")).status_code == 401


async def test_a_link_lets_one_browser_in_and_leaves_the_address(daemon: RunningDaemon) -> None:
    url = await link(daemon)
    async with Browser(daemon) as browser:
        entered = await browser.get(url)
        assert (entered.status_code, entered.headers["location"]) == (303, "/")
        assert entered.headers["referrer-policy"] == "no-referrer"
        (cookie,) = entered.headers.get_list("set-cookie")
        parts = {part.strip().lower() for part in cookie.split(";")[1:]}
        assert {"httponly", "samesite=strict", "path=/", f"max-age={BROWSER_LOGIN_SECONDS:g}"} <= parts
        assert daemon.token not in cookie and url.partition("=")[2] not in cookie
        page = await browser.get("/")
        assert page.status_code == 200 and "/live/page.js" in page.text
        key = (await browser.post("/live/key")).json()["key"]
        assert (await browser.get("/status", oryn_key=key)).json()["pid"] == daemon.process.pid


async def test_a_used_or_wrong_code_gets_nothing(daemon: RunningDaemon) -> None:
    url = await link(daemon)
    async with Browser(daemon) as first, Browser(daemon) as second:
        assert (await first.get(url)).status_code == 303
        for code in (url, "/?code=", "/?code=wrong", f"/?code={daemon.token}"):
            answer = await second.get(code)
            assert answer.status_code == 401, code
            assert "set-cookie" not in answer.headers and "oryn open" in answer.text


async def test_the_cookie_alone_which_other_ports_get_to_see_reads_nothing(daemon: RunningDaemon) -> None:
    async with Browser(daemon) as browser:
        key = await browser.enter(daemon)
        assert (await browser.post("/live/key")).status_code == 401, "the key is given once"
        for path in ("/status", "/history", "/events", "/sessions/default/sight", "/sessions/default/picture"):
            assert (await browser.get(path)).status_code == 401, path
            assert (await browser.get(path, oryn_key="wrong")).status_code == 401, path
        browser.client.cookies.clear()
        assert (await browser.get("/status", oryn_key=key)).status_code == 401, "nor does the key alone"


async def test_a_way_in_makes_no_other(daemon: RunningDaemon) -> None:
    async with Browser(daemon) as browser:
        key = await browser.enter(daemon)
        assert (await browser.post("/link", oryn_key=key)).status_code == 401


async def test_what_changes_something_must_come_from_the_page(daemon: RunningDaemon) -> None:
    async with Browser(daemon) as browser:
        key = await browser.enter(daemon)
        command = {"line": "sessions"}
        assert (await browser.post("/command", command, oryn_key=key)).json()["ok"]
        foreign = await browser.post("/command", command, oryn_key=key, origin="http://evil.example")
        assert (foreign.status_code, foreign.json()["error_kind"]) == (403, "forbidden_origin")
        near = await browser.post("/command", command, oryn_key=key, origin="http://127.0.0.1:1")
        assert near.status_code == 403
        assert (await browser.post("/command", command, oryn_key=key, origin="null")).status_code == 403
        no_origin = await browser.client.post("/command", json=command, headers={"oryn-key": key})
        assert no_origin.status_code == 401


async def test_another_name_of_the_same_address_gets_nothing(daemon: RunningDaemon) -> None:
    """DNS rebinding: the page's owner points their name at this computer."""
    url = await link(daemon)
    async with Browser(daemon) as browser:
        rebound = await browser.get(url, host=f"evil.example:{daemon.port}")
        assert rebound.status_code == 403 and "set-cookie" not in rebound.headers
        assert (await browser.get("/", host="evil.example")).status_code == 403
        assert (await browser.get(url)).status_code == 303, "which does not use the link up"


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
async def test_another_sites_page_shows_nothing_of_ours(daemon: RunningDaemon, site: str) -> None:
    """`same-site` is another port of this computer."""
    async with Browser(daemon) as browser:
        key = await browser.enter(daemon)
        for path in ("/sessions/default/picture", "/status", "/live/page.js", "/live/icon.svg"):
            embedded = await browser.get(path, oryn_key=key, sec_fetch_site=site, sec_fetch_dest="image")
            assert embedded.status_code == 401, path
        assert (await browser.post("/live/key", sec_fetch_site=site)).status_code == 401


async def test_headers_keep_the_page_to_itself(daemon: RunningDaemon) -> None:
    async with Browser(daemon) as browser:
        key = await browser.enter(daemon)
        page = (await browser.get("/")).headers
        policy = dict(each.strip().split(" ", 1) for each in page["content-security-policy"].split(";"))
        assert policy["default-src"] == policy["frame-ancestors"] == policy["form-action"] == "'none'"
        assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
        assert page["cross-origin-opener-policy"] == "same-origin"
        for path in ("/", "/live/page.css", "/live/oryn.css", "/history", "/live/icon.svg"):
            headers = (await browser.get(path, oryn_key=key)).headers
            assert headers["cross-origin-resource-policy"] == "same-origin", path
            assert headers["x-content-type-options"] == "nosniff", path
            assert headers["referrer-policy"] == "no-referrer", path
        assert (await browser.get("/history", oryn_key=key)).headers["cache-control"] == "no-store"


async def test_files_have_their_types_and_are_sent_once(daemon: RunningDaemon) -> None:
    types = {
        "oryn.css": "text/css",
        "page.css": "text/css",
        "page.js": "text/javascript",
        "icon.svg": "image/svg+xml",
        "index.html": "text/html",
    }
    async with Browser(daemon) as browser:
        await browser.enter(daemon)
        for name, kind in types.items():
            file = await browser.get(f"/live/{name}")
            assert file.headers["content-type"].partition(";")[0] == kind
            again = await browser.get(f"/live/{name}", if_none_match=file.headers["etag"])
            assert (again.status_code, again.content) == (304, b"")
        for name in ("none.js", "..%2Fdaemon.py", "__init__.py"):
            assert (await browser.get(f"/live/{name}")).status_code == 404, name


@pytest.mark.slow
async def test_everything_ends_with_the_daemon(daemon_of: Any) -> None:
    daemon = daemon_of()
    async with Browser(daemon) as browser:
        key = await browser.enter(daemon)
        port = str(daemon.port)
        await daemon.stop()
        daemon.environment["ORYN_PORT"] = port
        daemon.start()
        assert (await browser.get("/status", oryn_key=key)).status_code == 401
        assert (await browser.get("/")).status_code == 401


async def test_oryn_open_prints_a_link(daemon: RunningDaemon) -> None:
    told = await run_oryn(daemon, "open", "--print")
    async with Browser(daemon) as browser:
        assert (await browser.get(told.strip())).status_code == 303


async def test_oryn_open_opens_the_users_browser(daemon: RunningDaemon, tmp_path: Path) -> None:
    opener, seen = tmp_path / "opener", tmp_path / "seen"
    opener.write_text(f'#!/bin/sh\necho "$1" > {seen}\n')
    opener.chmod(0o700)
    assert await run_oryn(daemon, "open", BROWSER=f"{opener} %s") == ""
    assert seen.read_text().startswith(f"{daemon.url}/?code=")


@pytest.mark.slow
async def test_oryn_open_starts_a_daemon_where_none_runs(tmp_path: Path) -> None:
    home = tmp_path / "home"
    url = (await run_at(home, "open", "--print")).strip()
    try:
        async with httpx.AsyncClient(trust_env=False, verify=False) as client:
            assert (await client.get(url)).status_code == 303
    finally:
        await run_at(home, "daemon", "stop")


async def run_oryn(daemon: RunningDaemon, *words: str, **environment: str) -> str:
    return await run_at(daemon.home, *words, **environment)


async def run_at(home: Path, *words: str, **environment: str) -> str:
    """What the command prints."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "oryn", *words),
        env=daemon_environment(home) | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    told, wrong = await process.communicate()
    assert process.returncode == 0, wrong.decode()
    return told.decode()


# --- the links alone ---


def connection(cookie: str = "", path: str = "/", **headers: str) -> HTTPConnection:
    named = {"cookie": f"oryn_7720={cookie}", **headers} if cookie else headers
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in named.items()]
    return HTTPConnection(
        {"type": "http", "method": "GET", "path": path, "headers": pairs, "server": ("127.0.0.1", 7720)}
    )


async def test_links_and_visits_grow_old() -> None:
    now = 1000.0
    links = OneTimeLinks(clock=lambda: now)
    late, good = links.create_code(OWNER), links.create_code(OWNER)
    now += CODE_SECONDS - 1
    cookie = links.redeem(good)
    assert cookie is not None and links.redeem(good) is None
    key = links.issue_key(connection(cookie))
    assert key is not None and await links.authenticate(connection(cookie, "/status", oryn_key=key))
    now += 1
    assert links.redeem(late) is None
    now += BROWSER_LOGIN_SECONDS
    assert not links.is_logged_in(connection(cookie))
    assert not await links.authenticate(connection(cookie, "/status", oryn_key=key))


def test_there_are_only_so_many_links() -> None:
    links = OneTimeLinks()
    codes = [links.create_code(OWNER) for _ in range(MAX_LINKS + 1)]
    assert links.redeem(codes[0]) is None and links.redeem(codes[1]) is not None


def test_a_cookies_name_is_the_daemons_own() -> None:
    assert cookie_name(connection()) == "oryn_7720"


# --- whose program is asking ---


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="the system does not tell whose a connection is")
def test_a_connection_of_another_user_is_a_strangers(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        ours = HTTPConnection(
            {"type": "http", "headers": [], "client": client.getsockname(), "server": server.getsockname()}
        )
        assert not login_links.belongs_to_other_user(ours)
        owner = login_links._socket_owner(client.getsockname(), server.getsockname())
        assert owner == os.getuid()
        monkeypatch.setattr(login_links, "_ROOT", -1)
        monkeypatch.setattr(os, "getuid", lambda: owner + 1)
        assert login_links.belongs_to_other_user(ours)


def test_where_nobody_can_tell_a_connection_is_no_strangers() -> None:
    assert not login_links.belongs_to_other_user(
        HTTPConnection({"type": "http", "headers": [], "client": None, "server": None})
    )
    assert not login_links.belongs_to_other_user(
        HTTPConnection({"type": "http", "headers": [], "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 2)})
    )

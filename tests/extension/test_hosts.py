"""The hosts of sessions in the user's own browser, with the real extension, paired through its popup: the daemon and
`oryn remote`."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from scripts.extension.paired_browser import PairedBrowser
from scripts.ports import free_port
from tests.daemon.daemon_process import RunningDaemon, daemon_environment
from tests.headless.conftest import Pages

pytestmark = pytest.mark.browser

WAIT = 120.0
"""Seconds that a browser may take to come on a busy machine."""

SHOP = """<!doctype html><title>Shop</title><button onclick="this.textContent = 'Sold'">Buy</button>
<input type=password aria-label=Secret>"""
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def shop(pages: Pages) -> str:
    pages.bodies.clear()
    pages["/"] = SHOP
    return pages.url("/")


Browser = Callable[[str], AbstractAsyncContextManager[tuple[PairedBrowser, str]]]


@pytest.fixture
def browser(extension: Path, tmp_path: Path) -> Browser:
    """A browser whose user connects its extension to an endpoint, and the code that it shows."""

    @asynccontextmanager
    async def asking(endpoint: str) -> AsyncIterator[tuple[PairedBrowser, str]]:
        found = PairedBrowser(extension, tmp_path)
        try:
            yield found, await found.asks_for(endpoint)
        finally:
            await found.close()

    return asking


# --- the daemon ---


@pytest.fixture
def daemon(run: Any, tmp_path: Path) -> Iterator[RunningDaemon]:
    running = RunningDaemon(tmp_path / "home")
    yield running
    run(running.stop())


async def wait_for_event(daemon: RunningDaemon, event: str) -> None:
    """Wait for an event, unless it has come to be already."""
    async with asyncio.timeout(WAIT), daemon.client.stream("GET", f"/events?type={event}", timeout=WAIT) as stream:
        if (await daemon.status())["extension"] is not (event == "extension.connected"):
            async for line in stream.aiter_lines():
                if line.startswith("data:"):
                    return


@pytest.mark.slow
async def test_a_session_of_the_daemon_in_the_users_browser(
    daemon: RunningDaemon, browser: Browser, shop: str, tmp_path: Path
) -> None:
    async with browser(f"ws://localhost:{daemon.port}/extension") as (running, code):
        assert (await daemon.client.post("/pair", json={"code": code})).json()["ok"]
        await wait_for_event(daemon, "extension.connected")
        opened = await daemon.ok({"action": "navigate", "args": {"url": shop}}, backend="extension")
        assert opened["data"]["page"] == {"url": shop, "title": "Shop"}
        seen = await daemon.ok("observe")
        assert [each["text"] for each in seen["data"]["elements"]] == ["Buy", "Secret"]
        assert seen["snapshot_generation"] == opened["snapshot_generation"]
        clicked = await daemon.ok({"action": "click", "args": {"target": "1"}})
        assert clicked["text"] == 'ok click 1\n\n# changes\n~ [1] button "Sold" {focused}'
        assert [each["change"] for each in clicked["data"]["changes"]] == ["changed"]
        await daemon.ok('type 2 "sesame"')
        assert "sesame" not in json.dumps(daemon.rows()) + daemon.log()
        picture = await daemon.ok("screenshot --output shot.png", folder=str(tmp_path))
        assert picture["data"]["result"]["path"] == str(tmp_path / "shot.png")
        assert (tmp_path / "shot.png").read_bytes().startswith(PNG)
        number = (await daemon.ok("tabs"))["data"]["result"][0]["number"]
        assert (await daemon.ok(f"@tab{number} title"))["text"] == f'ok @tab{number} title\n\n"Shop"'
        refused = await daemon.ask("cookies list")
        assert (refused["error_kind"], refused["error"]) == ("not_supported", "not supported in this mode")
        (session,) = (await daemon.status())["sessions"]
        assert (session["name"], session["mode"], session["title"]) == ("default", "remote", "Shop")
        assert {row["backend"] for row in daemon.rows()} == {"remote"}
        await running.close()
        await wait_for_event(daemon, "extension.disconnected")


@pytest.mark.slow
async def test_the_daemon_is_started_again_and_the_browser_comes_back(
    daemon: RunningDaemon, browser: Browser, shop: str
) -> None:
    daemon.environment["ORYN_PORT"] = str(daemon.port)
    async with browser(f"ws://localhost:{daemon.port}/extension") as (_, code):
        await daemon.client.post("/pair", json={"code": code})
        await wait_for_event(daemon, "extension.connected")
        await daemon.ok(f"goto {shop}", backend="remote")
        before = (await daemon.ok("observe"))["snapshot_generation"]
        await daemon.kill()
        daemon.start()
        await wait_for_event(daemon, "extension.connected")
        assert (await daemon.ok("title"))["text"].startswith('ok title\n\n"Shop"\n\n# note\n')
        stale = await daemon.ask("click 1")
        assert stale["ok"] or stale["error_kind"] == "element_not_found"
        assert (await daemon.ok("observe"))["snapshot_generation"] > before


# --- oryn remote ---


class RemoteHost:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def answer(self) -> str:
        assert self.process.stdout
        lines: list[str] = []
        async with asyncio.timeout(WAIT):
            while (line := (await self.process.stdout.readline()).decode()) != "---\n":
                assert line, "the host has ended"
                lines.append(line)
        return "".join(lines).removesuffix("\n")

    async def __call__(self, line: str) -> str:
        assert self.process.stdin
        self.process.stdin.write(f"{line}\n".encode())
        return await self.answer()


@asynccontextmanager
async def remote_host(home: Path, *words: str) -> AsyncIterator[RemoteHost]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "oryn", "remote", *words,
        env=daemon_environment(home), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    host = RemoteHost(process)
    try:
        assert (await host.answer()).startswith("ready oryn-r v")
        yield host
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@pytest.mark.slow
async def test_oryn_remote_with_the_real_extension(browser: Browser, shop: str, tmp_path: Path) -> None:
    port, home = free_port(), tmp_path / "home"
    async with browser(f"ws://localhost:{port}") as (_, code):
        async with remote_host(home, "--port", str(port), "--pair", code) as host:
            place = shop.removeprefix("http://").removesuffix("/")
            assert await host(f"goto {shop}") == f'ok goto {shop}\n\n@ {place} "Shop"'
            assert await host("observe") == f'@ {place} "Shop"\n\n[1] button "Buy"\n[2] input/password "Secret"'
            assert await host("click 1") == 'ok click 1\n\n# changes\n~ [1] button "Sold" {focused}'
            traffic, script = tmp_path / "traffic.har", tmp_path / "mark.js"
            script.write_text("globalThis.mark = 'before'")
            assert (await host(f"script add {script}")).startswith(f'ok script add {script}\n\n1 "mark.js"')
            assert await host(f"har start {traffic}") == f"ok har start {traffic}"
            await host("refresh")
            assert await host('eval "mark"') == 'ok eval "mark"\n\n| before'
            assert (await host("har stop")).endswith(f'"{traffic}"')
            assert [each["request"]["url"] for each in json.loads(traffic.read_text())["log"]["entries"]][:1] == [shop]
            await host("output json")
            assert json.loads(await host("title")) == {"ok": True, "command": "title", "result": "Shop"}
            await host("output text")
            assert (await host("click 9")).startswith("error click 9: element not found")
        # The key is kept: the next process needs no code.
        async with remote_host(home, "--port", str(port)) as host:
            assert (await host("title --timeout 100s")).startswith('ok title --timeout 100s\n\n"Shop"')
            assert (await host("exit")) == "ok exit"
            assert await host.process.wait() == 0
    assert os.listdir(home / "sessions") == []

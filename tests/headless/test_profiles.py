"""Profiles with a real browser: what it keeps, what a copy of it keeps, and one session at a time."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.browsers.chromium.cleanup import command_line
from oryn.hosts.session_factory import sessions_of
from oryn.language import parse
from oryn.profiles import installations, metadata, store
from oryn.sessions.sessions import Sessions
from oryn.settings import load
from oryn.system import paths
from oryn.system.paths import Paths
from tests.headless.attached_browser import Running, client_of

pytestmark = pytest.mark.browser

FILL = """document.cookie = 'taste=sweet; max-age=1000'; localStorage.taste = 'sour'; new Promise(done => {
  const open = indexedDB.open('shop');
  open.onupgradeneeded = () => open.result.createObjectStore('tastes').put('salty', 'one');
  open.onsuccess = () => { open.result.close(); done('kept'); };
})"""
READ = """new Promise(done => {
  const open = indexedDB.open('shop');
  open.onsuccess = () => {
    const asked = open.result.transaction('tastes').objectStore('tastes').get('one');
    asked.onsuccess = () => done([document.cookie, localStorage.taste, asked.result].join());
  };
})"""
KEPT = "taste=sweet,sour,salty"


@pytest.fixture
def place(tmp_path: Path) -> Paths:
    return paths.find({"ORYN_HOME": str(tmp_path / "oryn")})


@pytest.fixture
def host(run: Any, place: Paths) -> Iterator[Sessions]:
    sessions = sessions_of(load({}, place, {}))
    yield sessions
    run(sessions.close())


async def say(host: Sessions, name: str, line: str, **settings: object) -> str:
    return (await host.execute_in(name, parse(line), settings)).render()


async def test_a_profile_keeps_what_a_session_leaves(host, place, pages):
    pages["/"] = "<title>Shop</title>"
    await say(host, "work", f"goto {pages.url()}", profile="shop")
    session = host.get("work")
    assert await session.page.evaluate(FILL) == "kept"
    assert "profile: shop" in await say(host, "work", "session")
    await host.close_session("work")
    await say(host, "later", f"goto {pages.url()}", profile="shop")
    assert await host.get("later").page.evaluate(READ) == KEPT
    assert "profile" not in await say(host, "other", "session")


async def test_a_profile_is_one_sessions_at_a_time(host, place, pages):
    await say(host, "work", "url", profile="shop")
    refused = (
        f"error url: the profile shop is in use by process {os.getpid()}\n\n"
        "# hint\nClose the session that uses it, or choose another profile."
    )
    assert await say(host, "other", "url", profile="shop") == refused
    assert host.names == ["work"]
    await host.close_session("work")
    assert (await say(host, "other", "url", profile="shop")).startswith("ok url")


def is_on_disk(folder: Path, what: bytes) -> bool:
    return any(what in log.read_bytes() for log in folder.rglob("*.log"))


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "running"])
async def test_a_copy_has_cookies_and_storage(host, place, pages, tmp_path, closed):
    pages["/"] = "<title>Shop</title>"
    browser = Running(tmp_path / "installed")
    await browser.ready()
    try:
        async with client_of(browser.endpoint) as client:
            tab = (await client("Target.createTarget", {"url": pages.url()}))["targetId"]
            while await client.evaluate(tab, "document.title") != "Shop":
                pass
            assert await client.evaluate(tab, FILL) == "kept"
            if closed:
                await client("Browser.close")
                browser.process.wait(20)
            else:
                await client("Target.closeTarget", {"targetId": tab})
                async with asyncio.timeout(60):
                    while not is_on_disk(browser.profile / "Default" / "Local Storage", b"sour"):  # noqa: ASYNC110
                        await asyncio.sleep(0.1)  # there is no event for a file that grows
        store.copy(place.profiles, "shop", installations.find(None, str(browser.profile)))
    finally:
        browser.end()
    await say(host, "work", f"goto {pages.url()}", profile="shop")
    # A browser that runs writes local storage down within seconds, and cookies within half a minute.
    page = host.get("work").page
    assert await page.evaluate(READ if closed else "localStorage.taste") == (KEPT if closed else "sour")


async def test_a_copy_of_a_profile_of_our_own(host, place, pages):
    pages["/"] = "<title>Shop</title>"
    await say(host, "work", f"goto {pages.url()}", profile="shop")
    await host.get("work").page.evaluate(FILL)
    await host.close_session("work")
    store.copy(place.profiles, "twin", installations.find(None, str(place.profiles / "shop")))
    await say(host, "one", f"goto {pages.url()}", profile="shop")
    await say(host, "two", f"goto {pages.url()}", profile="twin")
    for name in ("one", "two"):
        assert await host.get(name).page.evaluate(READ) == KEPT


async def test_a_profile_that_needs_the_systems_keys_is_started_with_them(place, tmp_path):
    plain, keyed = (store.create(place.profiles, name) for name in ("plain", "keyed"))
    metadata.write_metadata(keyed, {"system_keys": True})
    for profile, own in ((plain, True), (keyed, False)):
        browser = ChromiumBrowser(runtime_dir=tmp_path / "run", profile=profile)
        await browser.start()
        process = browser._shared.process
        assert process is not None
        assert ("--password-store=basic" in command_line(process.pid)) is own
        await browser.close()

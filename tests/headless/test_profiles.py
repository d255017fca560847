"""Profiles with a real browser: what it keeps, what a copy of it keeps, and one session at a time."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.browsers.process.run_folder import command_line
from oryn.hosts.session_factory import sessions_of
from oryn.language import parse
from oryn.profiles import installations, metadata, store
from oryn.sessions.sessions import Sessions
from oryn.settings import load
from oryn.system import paths
from oryn.system.paths import Paths
from tests.headless.attached_browser import RunningChromium, client_of

pytestmark = [pytest.mark.browser, pytest.mark.whole_browser]

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
STORED = "taste=sweet,sour,salty"


@pytest.fixture
def folders(tmp_path: Path) -> Paths:
    return paths.find({"ORYN_HOME": str(tmp_path / "oryn")})


@pytest.fixture
def host(run: Any, folders: Paths) -> Iterator[Sessions]:
    sessions = sessions_of(load({}, folders, {}))
    yield sessions
    run(sessions.close())


async def answer_in(host: Sessions, name: str, line: str, **settings: object) -> str:
    return (await host.execute_in(name, parse(line), settings)).render()


@pytest.mark.slow
async def test_a_profile_keeps_what_a_session_leaves(host, folders, pages):
    pages["/"] = "<title>Shop</title>"
    await answer_in(host, "work", f"goto {pages.url()}", profile="shop")
    session = host.get("work")
    assert await session.page.evaluate(FILL) == "kept"
    assert "profile: shop" in await answer_in(host, "work", "session")
    await host.close_session("work")
    await answer_in(host, "later", f"goto {pages.url()}", profile="shop")
    assert await host.get("later").page.evaluate(READ) == STORED
    assert "profile" not in await answer_in(host, "other", "session")


@pytest.mark.slow
async def test_a_profile_is_one_sessions_at_a_time(host, folders, pages):
    await answer_in(host, "work", "url", profile="shop")
    refused = (
        f"error url: the profile shop is in use by process {os.getpid()}\n\n"
        "# hint\nClose the session that uses it, or choose another profile."
    )
    assert await answer_in(host, "other", "url", profile="shop") == refused
    assert host.names == ["work"]
    await host.close_session("work")
    assert (await answer_in(host, "other", "url", profile="shop")).startswith("ok url")


def is_on_disk(folder: Path, what: bytes) -> bool:
    return any(what in log.read_bytes() for log in folder.rglob("*.log"))


@pytest.mark.slow
@pytest.mark.parametrize("closed", [True, False], ids=["closed", "running"])
async def test_a_copy_has_cookies_and_storage(host, folders, pages, tmp_path, closed):
    pages["/"] = "<title>Shop</title>"
    browser = RunningChromium(tmp_path / "installed")
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
        store.copy(folders.profiles, "shop", installations.find(None, str(browser.profile)))
    finally:
        browser.end()
    await answer_in(host, "work", f"goto {pages.url()}", profile="shop")
    # A browser that runs writes local storage down within seconds, and cookies within half a minute.
    page = host.get("work").page
    assert await page.evaluate(READ if closed else "localStorage.taste") == (STORED if closed else "sour")


@pytest.mark.slow
async def test_a_copy_of_a_profile_of_our_own(host, folders, pages):
    pages["/"] = "<title>Shop</title>"
    await answer_in(host, "work", f"goto {pages.url()}", profile="shop")
    await host.get("work").page.evaluate(FILL)
    await host.close_session("work")
    store.copy(folders.profiles, "twin", installations.find(None, str(folders.profiles / "shop")))
    await answer_in(host, "one", f"goto {pages.url()}", profile="shop")
    await answer_in(host, "two", f"goto {pages.url()}", profile="twin")
    for name in ("one", "two"):
        assert await host.get(name).page.evaluate(READ) == STORED


async def test_a_profile_that_needs_the_systems_keys_is_started_with_them(folders, tmp_path):
    plain, keyed = (store.create(folders.profiles, name) for name in ("plain", "keyed"))
    metadata.write_metadata(keyed, {"system_keys": True})
    for profile, own in ((plain, True), (keyed, False)):
        browser = ChromiumBrowser(runtime_dir=tmp_path / "run", profile=profile)
        await browser.start()
        process = browser._shared.process
        assert process is not None
        assert ("--password-store=basic" in command_line(process.pid)) is own
        await browser.close()

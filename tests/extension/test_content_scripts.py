"""Pages have scripts of the extension only while a server is connected, an agent runs, or the hub has plugins."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from scripts.extension.browser import ExtendedBrowser, Target
from tests.extension.conftest import RecordingServer
from tests.extension.popup_user import User, paired_with
from tests.headless.conftest import Pages

TABS = 50
REGISTERED = "chrome.scripting.getRegisteredContentScripts().then(all => all.map(each => each.id).sort().join())"


@pytest.fixture
def site() -> Iterator[Pages]:
    served = Pages()
    served["/"] = "<title>Page</title><button>Press</button><iframe src=/inner></iframe><iframe srcdoc=x></iframe>"
    served["/inner"] = "<button>Inner</button>"
    yield served
    served.server.shutdown()
    served.server.server_close()


HAS_SCRIPTS = "Boolean(globalThis.__oryn_content || globalThis.__oryn_scanner || globalThis[Symbol.for('oryn.banner')])"


async def worlds(target: Target) -> list[str]:
    """The isolated worlds in a page and its frames in which scripts of the extension run: one for each such frame.

    Chromium keeps the worlds of a frame when it navigates, empty."""
    found: list[dict[str, Any]] = []
    target.session.on("Runtime.executionContextCreated", lambda event: found.append(event["context"]))
    await target.session.call("Runtime.disable")
    await target.session.call("Runtime.enable")  # it reports all contexts again before it answers
    names = []
    for context in found:
        if context.get("auxData", {}).get("type") == "isolated":
            params = {"expression": HAS_SCRIPTS, "contextId": context["id"], "returnByValue": True}
            if (await target.session.call("Runtime.evaluate", params))["result"]["value"]:
                names.append(context["name"])
    return names


async def open_tabs(browser: ExtendedBrowser, url: str, count: int) -> list[Target]:
    return [await browser.open_behind(url) for _ in range(count)]


@pytest.mark.slow
async def test_an_unconnected_extension_has_no_scripts_in_pages(fresh_browser: ExtendedBrowser, site: Pages) -> None:
    worker = await fresh_browser.worker()
    assert await worker.evaluate("chrome.runtime.getManifest().content_scripts ?? []") == []
    assert await worker.evaluate(REGISTERED) == ""
    for tab in await open_tabs(fresh_browser, site.url("/"), TABS):
        assert await worlds(tab) == []
        assert await tab.evaluate("[typeof agent, typeof __oryn_scanner].join()") == "undefined,undefined"
    assert await worker.evaluate("oryn.engine.state") == "off"


async def connect(browser: ExtendedBrowser, server: RecordingServer) -> tuple[User, Any]:
    user = await User.at(browser)
    connection, _ = await paired_with(user, server)
    await user.sees("state.status === 'connected'")
    worker = await browser.worker()
    await worker.until(f"{REGISTERED}.then(ids => ids.includes('oryn.scanner'))")
    return user, connection


@pytest.mark.slow
async def test_tabs_have_the_scanner_while_connected(
    fresh_browser: ExtendedBrowser, site: Pages, recording_server: RecordingServer
) -> None:
    older = await fresh_browser.open(site.url("/"))
    user, connection = await connect(fresh_browser, recording_server)
    assert await worlds(older) == []
    newer = await fresh_browser.open(site.url("/"))
    assert await worlds(newer) == ["Oryn"] * 3
    await newer.evaluate("document.title = 'old', setTimeout(() => location.reload())")
    await newer.until("document.title === 'Page' && document.readyState === 'complete'")
    assert await worlds(newer) == ["Oryn"] * 3
    # A tab that was open before gets it when a command needs it.
    await connection.send(f"1:goto {site.url('/')}")
    assert (await recording_server.next()).startswith("1:ok")
    await connection.send("2:observe")
    answer = await recording_server.next()
    assert '"Press"' in answer and '"Inner"' in answer

    await user.asks(type="disconnect")
    await user.sees("state.status === 'disconnected'")
    worker = await fresh_browser.worker()
    await worker.until(f"{REGISTERED}.then(ids => ids === '')")
    for tab in (await fresh_browser.open(site.url("/")), newer):
        await tab.evaluate("document.title = 'old', setTimeout(() => location.reload())")
        await tab.until("document.title === 'Page' && document.readyState === 'complete'")
        assert await worlds(tab) == []


async def test_a_tab_that_was_open_before_is_driven(
    fresh_browser: ExtendedBrowser, site: Pages, recording_server: RecordingServer
) -> None:
    user = await User.at(fresh_browser)
    connection, _ = await paired_with(user, recording_server)
    older = await fresh_browser.open(site.url("/"))
    await user.sees("state.status === 'connected'")
    await connection.send("1:observe")
    assert '"Press"' in await recording_server.next()
    assert "Oryn" in await worlds(older)


@pytest.mark.slow
async def test_a_server_that_is_gone_leaves_no_scripts(
    fresh_browser: ExtendedBrowser, site: Pages, recording_server: RecordingServer
) -> None:
    _, connection = await connect(fresh_browser, recording_server)
    await connection.close()
    worker = await fresh_browser.worker()
    # It connects again by itself, which the server does not answer.
    await asyncio.wait_for(recording_server.connection(), 60)
    await worker.until(f"{REGISTERED}.then(ids => ids === '')")
    tab = await fresh_browser.open(site.url("/"))
    assert await worlds(tab) == []

"""What Playwright adds to a session: its trace, its servers, contexts of its own, dialogs that stay open."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from oryn.browsers.playwright import PlaywrightBrowser
from oryn.engine import Session
from oryn.engine.handlers.device import find_device
from oryn.errors import BrowserFailed
from tests.playwright.conftest import OPTIONS, Driver, Pages
from tests.playwright.servers import DebuggingPort, LaunchedServer, RunServer, running

pytestmark = pytest.mark.browser
Create = Callable[..., PlaywrightBrowser]

FORM = """<title>Form</title><label>Name <input></label><button onclick="this.textContent = 'Done'">Go</button>
<a href=/next target=_blank>Next</a>"""


async def test_a_trace_of_playwright(session: Driver, tmp_path: Path) -> None:
    session.pages["/"] = FORM
    await session(f"goto {session.pages.url()}")
    await session("trace start")
    await session('click "Go"')
    await session('type "Name" "Ada"')
    assert "2 commands" in await session(f'trace stop "{tmp_path}/trace.zip"')
    with zipfile.ZipFile(tmp_path / "trace.zip") as archive:
        names = archive.namelist()
        events = [json.loads(line) for line in archive.read("trace.trace").splitlines()]
        page = archive.read("index.html").decode()
    assert {"trace.trace", "trace.network", "commands.jsonl", "index.html"} <= set(names)
    assert any(name.endswith(".jpeg") for name in names)
    assert not any(name.endswith(".stacks") for name in names)
    titles = [event["title"] for event in events if event["type"] == "before" and event["method"] == "tracingGroup"]
    assert titles[:2] == ['click "Go"', 'type "Name" "Ada"']
    assert "a trace of Playwright" in page
    viewer = (sys.executable, "-m", "playwright", "trace")
    for command in (("open", "trace.zip"), ("actions",)):
        ended = await asyncio.to_thread(
            subprocess.run, [*viewer, *command], cwd=tmp_path, capture_output=True, text=True, check=True
        )
    assert 'click "Go"' in ended.stdout
    assert 'type "Name" "Ada"' in ended.stdout
    assert "oryn/" not in json.dumps([event.get("stack") for event in events])


async def test_two_traces_of_one_session(session: Driver) -> None:
    await session("goto about:blank")
    await session("trace start")
    assert "a trace is running already" in await session("trace start")
    await session("trace stop")
    assert (await session("trace start")).startswith("ok")


async def test_sessions_are_contexts(session: Driver, shared: PlaywrightBrowser) -> None:
    session.pages["/"] = (200, {"Set-Cookie": "flavour=plum"}, FORM)
    await session(f"goto {session.pages.url()}")
    assert "flavour" in await session("cookies list")
    assert not [each for each in await shared.cookies() if each.name == "flavour"]


async def test_a_tab_that_a_page_opens_is_seen_from_its_start(session: Driver) -> None:
    session.pages["/"], session.pages["/next"] = FORM, "<title>Next</title><h1>Here</h1>"
    await session(f"goto {session.pages.url()}")
    assert "+ tab 2 127.0.0.1" in await session('click "Next"')
    await session("tab 2")
    assert "/next" in await session("requests")


async def test_devices_are_those_of_the_list_and_of_the_installed_playwright(
    session: Driver, shared: PlaywrightBrowser, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = shared.device_models()
    assert {name: listed[name].viewport for name in ("iPhone 14", "Pixel 7")} == {
        name: find_device(name).viewport for name in ("iPhone 14", "Pixel 7")
    }
    assert "Chrome/{chrome}" in listed["Pixel 7"].user_agent
    new = replace(listed["Pixel 7"], name="Pixel 77", viewport=(400, 900))
    monkeypatch.setattr(type(shared), "device_models", lambda _: {**listed, "Pixel 77": new})
    session.pages["/"] = "<meta name=viewport content='width=device-width'>"
    assert "\nPixel 77\n" in await session.ok("devices")
    await session.ok("device pixel 77")
    await session.ok(f"goto {session.pages.url()}")
    assert "400" in await session('eval "innerWidth"')
    assert "Did you mean Pixel 77" in await session("device Pixel 777")


async def test_a_device_stays_what_it_is_when_tabs_open(session: Driver) -> None:
    """Other sessions of the browser, those of Playwright among them, must not take back what is emulated."""
    session.pages["/"] = "<a href=/ target=_blank>On</a>"
    await session.ok("device iPhone 14")
    await session.ok("locale fr")
    await session.ok(f"goto {session.pages.url()}")
    assert "+ tab 2" in await session('click "On"')
    await session.ok(f"tab new {session.pages.url(host='localhost')}")
    for line in ("url", "tab switch 2", "refresh", "tab switch 1", f"goto {session.pages.url(host='localhost')}"):
        await session.ok(line)
        found = await session('eval "[navigator.platform, navigator.language]"')
        assert "iPhone" in found and '"fr"' in found, (line, found)
    await session.ok("tab switch 2")
    await session.ok("useragent Another/1.0")
    await session.ok(f"goto {session.pages.url()}")
    assert "Another/1.0" in await session('eval "navigator.userAgent"')


async def test_a_dialog_waits_for_its_answer(session: Driver) -> None:
    session.pages["/"] = "<button onclick=\"this.textContent = prompt('Who?') + '!'\">Ask</button>"
    await session(f"goto {session.pages.url()}")
    assert "Who?" in await session('click "Ask"')
    await session('dialog accept "Ada"')
    assert 'button "Ada!"' in await session("observe")


async def test_a_server(create: Create, pages: Pages, tmp_path: Path) -> None:
    pages["/"] = FORM
    async with running(LaunchedServer(tmp_path)) as server:
        browser = create(endpoint=server.address)
        guest = Driver(Session(browser, "guest", OPTIONS), pages)
        await guest(f"goto {pages.url()}")
        assert "+ tab" in await guest('click "Next"')
        assert 'button "Done"' in await guest('click "Go"')


async def test_a_session_on_a_server_has_a_trace_of_its_own(create: Create, pages: Pages, tmp_path: Path) -> None:
    pages["/"], pages["/other"] = FORM, "<title>Other</title>"
    async with running(LaunchedServer(tmp_path)) as server:
        guest = Driver(Session(create(endpoint=server.address), "guest", OPTIONS), pages)
        other = Driver(Session(create(endpoint=server.address), "other", OPTIONS), pages)
        await guest.ok(f"goto {pages.url()}")
        await guest.ok("trace start")
        await other.ok(f"goto {pages.url('/other')}")
        await guest.ok('click "Go"')
        await guest.ok(f'trace stop "{tmp_path}/trace.zip"')
    with zipfile.ZipFile(tmp_path / "trace.zip") as archive:
        events, requests = archive.read("trace.trace").decode(), archive.read("trace.network").decode()
    assert r"click \"Go\"" in events and pages.url("/other") not in events + requests


async def test_a_server_without_a_build(create: Create, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RunServer, "environment", lambda _: {"PLAYWRIGHT_BROWSERS_PATH": str(tmp_path / "none")})
    async with running(RunServer(tmp_path / "server")) as server:
        with pytest.raises(BrowserFailed) as caught:
            await create(endpoint=server.address).start()
    assert caught.value.message == f"the Playwright server at {server.address} has no build of this engine"
    assert caught.value.hint == "Run 'playwright install' where it runs."


async def test_downloads_from_another_computer(
    create: Create, pages: Pages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def elsewhere(*_: object) -> bool:
        return False

    monkeypatch.setattr("oryn.browsers.playwright.shared_browser.is_local_browser", elsewhere)
    pages["/"] = "<a href=/report download>Report</a><a href=/big>Big</a>"
    pages["/report"] = (200, {"Content-Disposition": "attachment; filename=report.csv"}, "a,b")
    pages["/big"] = (200, {"Content-Disposition": "attachment; filename=big.csv"}, "x" * 2_000_000)
    options = OPTIONS.replace(download_folder=tmp_path / "downloads", download_limit=1_000_000)
    async with running(LaunchedServer(tmp_path)) as server:
        browser = create(endpoint=server.address)
        guest = Driver(Session(browser, "guest", options), pages)
        await guest.ok(f"goto {pages.url()}")
        for number, name in enumerate(("Report", "Big"), 1):
            await guest.ok(f'click "{name}"')
            changed = browser._download_registry.changed
            assert await changed.until(lambda count=number: len(browser.downloads()) == count, 10)
            await browser.wait_for_downloads([each.id for each in browser.downloads()], timeout=10)
        report, big = browser.downloads()
        assert (report.filename, report.state, report.size) == ("report.csv", "finished", 3)
        assert report.path == str(tmp_path / "downloads" / "report.csv")
        assert (big.state, big.reason) == ("failed", "larger than 1 MB (the setting download_limit)")


async def test_a_debugging_port(create: Create, pages: Pages, tmp_path: Path) -> None:
    async with running(DebuggingPort(tmp_path / "running")) as server:
        browser = create(endpoint=server.address)
        guest = Driver(Session(browser, "guest", OPTIONS), pages)
        pages["/"] = FORM
        await guest(f"goto {pages.url()}")
        assert 'button "Done"' in await guest('click "Go"')
        await browser.close()


async def test_an_address_where_nobody_answers(create: Create) -> None:
    with pytest.raises(BrowserFailed) as caught:
        await create(endpoint="ws://127.0.0.1:9/?key=s3cret").start()
    assert caught.value.message == "no Playwright server and no browser answers at ws://127.0.0.1:9/?••••"


def test_one_flag_switches_a_host(tmp_path: Path, pages: Pages) -> None:
    """The same lines to `oryn headless` and `oryn playwright`, and to sessions of either kind in one host."""
    pages["/"] = FORM
    lines = f'goto {pages.url()}\nclick "Go"\ntype "Name" "Ada"\nobserve\nsession new other --mode headless\nexit\n'
    said = [
        subprocess.run(
            [sys.executable, "-m", "oryn", *words], input=lines, capture_output=True, text=True, check=True,
            timeout=240, env={**os.environ, "ORYN_HOME": str(tmp_path / "-".join(words))},
        ).stdout.split("\n", 1)
        for words in (["headless"], ["playwright"], ["playwright", "--engine", "chromium"])
    ]  # fmt: skip
    assert [first for first, _ in said] == [
        "ready oryn-h v0.1.0 protocol=2", "ready oryn-p v0.1.0 protocol=2", "ready oryn-p v0.1.0 protocol=2"
    ]  # fmt: skip
    assert said[0][1] == said[1][1] == said[2][1]

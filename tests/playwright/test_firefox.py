"""Firefox by Playwright: its session, deaths of it and of the driver, what can't be started."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.playwright import PlaywrightEngineBrowser
from oryn.browsers.playwright.engines.documents import DocumentLog
from oryn.browsers.playwright.engines.page import PlaywrightEnginePage
from oryn.engine import Session
from oryn.errors import BrowserNotFound, OrynError
from oryn.system.processes import wait_for_end
from tests.playwright.conftest import OPTIONS, Driver, Pages
from tests.playwright.test_faults import parent_of
from tests.process_groups import await_end
from tests.soak import repetitions

needs_firefox = pytest.mark.skipif(
    shutil.which("firefox-esr") is None and shutil.which("firefox") is None, reason="needs Firefox"
)
pytestmark = pytest.mark.browser
Create = Callable[..., PlaywrightEngineBrowser]


@pytest.fixture
def create_engine(run: Any, tmp_path: Path) -> Iterator[Create]:
    """Creates browsers that the test may kill."""
    created: list[PlaywrightEngineBrowser] = []

    def create(**options: Any) -> PlaywrightEngineBrowser:
        created.append(PlaywrightEngineBrowser("firefox", runtime_dir=tmp_path / "run", load_timeout=10, **options))
        return created[-1]

    yield create
    for browser in created:
        run(browser.close())
    assert not (tmp_path / "run").exists() or list((tmp_path / "run").iterdir()) == []


@pytest.fixture(scope="module")
def shared_engine(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlaywrightEngineBrowser]:
    """One browser for tests that leave nothing in it but pages."""
    browser = PlaywrightEngineBrowser("firefox", runtime_dir=tmp_path_factory.mktemp("engine"), load_timeout=10)
    run(browser.start())
    yield browser
    run(browser.close())


async def works_again(browser: PlaywrightEngineBrowser, pages: Pages) -> None:
    pages["/"] = "<title>Alive</title>"
    await browser.revive()
    await browser.page.goto(pages.url(), timeout=60)
    assert await browser.page.evaluate("document.title", timeout=60) == "Alive"


@needs_firefox
async def test_a_killed_driver(create_engine: Create, pages: Pages) -> None:
    """A killed browser: below, with the settings that survive it."""
    browser = create_engine()
    await browser.start()
    await browser.page.goto("about:blank")
    group = browser.process_group
    assert group is not None
    os.kill(parent_of(group), signal.SIGKILL)
    assert await browser.wait_until_lost(timeout=60)
    with pytest.raises(OrynError) as caught:
        await browser.page.evaluate("1", timeout=5)
    assert "the browser has ended" in caught.value.message
    await works_again(browser, pages)
    await_end(group)


@needs_firefox
@pytest.mark.soak
@pytest.mark.timeout(1800)
async def test_no_browser_outlives_its_session(create_engine: Create) -> None:
    for round in range(repetitions(1, 50)):
        browser = create_engine()
        await browser.start()
        group = browser.process_group
        assert group is not None
        driver = parent_of(group)
        os.kill((driver, group)[round % 2], signal.SIGKILL)
        await browser.close()
        await_end(group)
        wait_for_end(driver)


@needs_firefox
async def test_a_session(create_engine: Create, pages: Pages, tmp_path: Path) -> None:
    """What the conformance suite has not: cookies, files, dialogs of loops, pages that defend themselves, loads that
    fail, traces."""
    browser = create_engine()
    await browser.start()
    session = Driver(Session(browser, "test", OPTIONS), pages)
    pages["/hostile"] = "<script>JSON.stringify = () => 'x'</script>"
    pages["/"] = "<input type=file aria-label=File onchange='document.title = this.files[0].name'>"
    (tmp_path / "notes.txt").write_text("words")
    await session.ok("trace start")
    await session.show(pages.bodies["/"])
    await session.ok(f'upload "File" "{tmp_path}/notes.txt"')
    assert '"notes.txt"' in await session.ok("observe")
    await session.ok('cookies set flavour "plum"')
    assert "plum" in await session.ok("cookies list")
    await session.ok("cookies delete flavour")
    assert "plum" not in await session.ok("cookies list")
    await session.show("<button onclick=\"for (let i = 0; i < 3; i++) alert('Round ' + i)\">Go</button>")
    assert "Round 2" in await session.ok('click "Go"')
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        closed = probe.getsockname()[1]
    assert "net::ERR_CONNECTION_REFUSED" in await session(f"goto http://127.0.0.1:{closed}/")
    await session("goto " + session.pages.url("/hostile"))
    assert "the page keeps scripts from running" in await session("observe")
    await session.ok(f'trace stop "{tmp_path}/trace.zip"')
    with zipfile.ZipFile(tmp_path / "trace.zip") as archive:
        assert "trace.trace" in archive.namelist()
    await session.session.close()


@needs_firefox
@pytest.mark.soak
async def test_a_load_that_fails_after_a_page_that_cannot_be_read(
    shared_engine: PlaywrightEngineBrowser, pages: Pages
) -> None:
    session = Driver(Session(shared_engine, "test", OPTIONS), pages)
    pages["/hostile"] = "<script>JSON.stringify = () => 'x'</script>"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        closed = probe.getsockname()[1]
    for _ in range(repetitions(2, 20)):
        for port, reason in ((closed, "net::ERR_CONNECTION_REFUSED"), (9, "net::ERR_UNSAFE_PORT")):
            await session(f"goto {pages.url('/hostile')}")
            assert reason in await session(f"goto http://127.0.0.1:{port}/")
            assert reason in await session("observe")


@needs_firefox
async def test_the_status_of_a_page(shared_engine: PlaywrightEngineBrowser, pages: Pages) -> None:
    pages["/moved"] = (302, {"Location": "/there"}, "")
    pages["/there"] = (404, {}, "<title>Missing</title>")
    session = Driver(Session(shared_engine, "test", OPTIONS), pages)
    assert "404" in await session(f"goto {pages.url('/moved')}")
    found = await shared_engine.page.goto(pages.url("/moved"), timeout=60)
    assert (found.status, found.url, found.redirects) == (404, pages.url("/there"), (pages.url("/moved"),))
    pages["/"] = "<a href=/moved>Go</a>"
    await session.ok(f"goto {pages.url()}")
    assert "404" in await session('click "Go"')
    pages["/empty"] = (204, {}, "")
    assert "Missing" in await session.ok(f"goto {pages.url('/empty')}")  # the page stays


@needs_firefox
async def test_a_leave_that_is_reported_after_its_empty_response(
    shared_engine: PlaywrightEngineBrowser, pages: Pages
) -> None:
    """The driver and the document report on their own: a navigation that is over does not begin again."""
    pages["/"] = "<title>Here</title>"
    await shared_engine.page.goto(pages.url(), timeout=60)
    navigations, url = shared_engine.page.navigations, pages.url("/empty")
    of_a_command = navigations.start(url)
    navigations.on_empty_response(url, 204, "No Content")
    navigations.on_leaving("")
    assert navigations.newest is of_a_command and navigations.pending is None
    navigations.on_empty_response(url, 204, "No Content")  # of a link
    of_a_link = navigations.newest
    navigations.on_leaving(url)
    assert navigations.newest is of_a_link is not of_a_command and navigations.pending is None
    navigations.on_leaving(url)
    assert navigations.pending is not None
    navigations.pending.stopped = True


def late(handle: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    """A handler of an event that comes half a second late."""
    return lambda owner, event: asyncio.get_running_loop().call_later(0.5, handle, owner, event) and None


@needs_firefox
async def test_a_document_that_reports_itself_before_the_driver_does(
    create_engine: Create, pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    for owner, name in ((DocumentLog, "_on_navigated"), (PlaywrightEnginePage, "_on_frame_navigated")):
        monkeypatch.setattr(owner, name, late(getattr(owner, name)))
    pages["/"] = "<title>First</title>"
    pages["/second"] = "<title>Second</title>"
    browser = create_engine()
    await browser.start()
    session = Driver(Session(browser, "test", OPTIONS), pages)
    await session.ok(f"goto {pages.url()}")
    assert "Second" in await session.ok(f"goto {pages.url('/second')}")


async def test_a_build_that_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "none"))
    browser = PlaywrightEngineBrowser("webkit", runtime_dir=tmp_path / "run")
    with pytest.raises(BrowserNotFound) as caught:
        await browser.start()
    assert caught.value.message == "Playwright's build of webkit is not installed"
    assert caught.value.hint == "Run 'playwright install webkit'."
    await browser.close()


@needs_firefox
async def test_what_playwright_brings(create_engine: Create, pages: Pages, tmp_path: Path) -> None:
    """The viewport, headers, requests with their bodies and PDF files; settings survive a restart of the browser."""
    received: list[str | None] = []

    def page(request: Any) -> str:
        received.append(request.headers.get("X-Key"))
        return "<title>Here</title><script>fetch('/data', { method: 'POST', body: 'sent' })</script>"

    pages["/"], pages["/data"] = page, (200, {"Content-Type": "application/json"}, '{"a": 1}')
    browser = create_engine()
    await browser.start()
    session = Driver(Session(browser, "test", OPTIONS), pages)
    await session.ok("viewport 390 844")
    await session.ok('headers set {"X-Key": "plum"}')
    await session.ok(f"goto {pages.url()}")
    assert received == ["plum"]
    assert "390" in await session.ok('eval "innerWidth"')
    row = next(line for line in (await session.ok("requests")).splitlines() if "/data" in line)
    details = await session.ok(f"request {row.split()[0].strip('[]')}")
    assert '{"a": 1}' in details
    await session.ok(f'pdf "{tmp_path}/page.pdf"')
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
    assert "tab 2" not in await session.ok("observe")  # Firefox opens a page to print
    assert len(await browser.tabs()) == 1
    await session.ok("viewport 390 844")
    assert "not supported in this mode" in await session('headers set example.org {"X-Key": "a"}')
    group = browser.process_group
    assert group is not None
    os.kill(group, signal.SIGKILL)
    assert await browser.wait_until_lost(timeout=60)
    assert "the browser has ended" in await session("observe")
    await session.ok(f"goto {pages.url()}")  # it starts the browser
    assert received[-1] == "plum"
    assert "390" in await session.ok('eval "innerWidth"')


@needs_firefox
async def test_downloads(shared_engine: PlaywrightEngineBrowser, pages: Pages, tmp_path: Path) -> None:
    pages["/"] = "<a href=/report>Report</a><a href=/big>Big</a>"
    pages["/report"] = (200, {"Content-Disposition": "attachment; filename=report.csv"}, "a,b")
    pages["/big"] = (200, {"Content-Disposition": "attachment; filename=big.csv"}, "x" * 2_000_000)
    options = OPTIONS.replace(download_folder=tmp_path / "downloads", download_limit=1_000_000)
    session = Driver(Session(shared_engine, "test", options), pages)
    await session.ok(f"goto {pages.url()}")
    for name, count in (("Report", 1), ("Big", 2)):
        await session.ok(f'click "{name}"')
        changed = shared_engine._downloads.registry.changed
        assert await changed.until(lambda count=count: len(shared_engine.downloads()) == count, 10)
        await shared_engine.wait_for_downloads([each.id for each in shared_engine.downloads()], timeout=60)
    report, big = shared_engine.downloads()
    assert (report.filename, report.state, report.size) == ("report.csv", "finished", 3)
    assert report.path == str(tmp_path / "downloads" / "report.csv")
    assert (tmp_path / "downloads" / "report.csv").read_text() == "a,b"
    assert (big.state, big.reason) == ("failed", "larger than 1 MB (the setting download_limit)")
    assert "the answer was a download" in await session(f"goto {pages.url('/report')}")
    assert shared_engine.downloads()[-1].filename == "report.csv"


@needs_firefox
async def test_requests_are_recorded(create_engine: Create, pages: Pages, tmp_path: Path) -> None:
    """HAR 1.2 by Playwright, also while it traces, secrets masked; lost with the browser."""
    pages["/"] = "<script>fetch('/data', { method: 'POST', body: 'sent' })</script>"
    pages["/data"] = (200, {"Content-Type": "application/json"}, '{"a": 1}')
    browser = create_engine()
    await browser.start()
    session = Driver(Session(browser, "test", OPTIONS), pages)
    await session.ok("trace start")
    await session.ok("har start")
    assert "a recording is under way" in await session("har start")
    await session.ok(f"goto {pages.url()}")
    assert "a path" in await session("har stop")
    answer = await session.ok(f'har stop "{tmp_path}/requests.har"')
    log = json.loads((tmp_path / "requests.har").read_text("utf-8"))["log"]
    assert log["version"] == "1.2"
    assert log["browser"]["name"] == "Firefox"
    assert f"{len(log['entries'])} requests" in answer
    document, data = (each for each in log["entries"] if "favicon" not in each["request"]["url"])
    assert (document["request"]["url"], document["response"]["status"]) == (pages.url(), 200)
    assert document["response"]["content"]["text"] == pages.bodies["/"]
    assert data["request"]["method"] == "POST"
    assert data["response"]["content"]["text"] == '{"a": 1}'
    assert {each["pageref"] for each in log["entries"]} <= {each["id"] for each in log["pages"]}
    await session.ok(f'trace stop "{tmp_path}/trace.zip"')
    assert "no recording is under way" in await session("har stop")
    await session.ok(f"har start {tmp_path}/lost.har")
    assert browser.process_group is not None
    os.kill(browser.process_group, signal.SIGKILL)
    assert await browser.wait_until_lost(timeout=60)
    await session.ok(f"goto {pages.url()}")
    assert "the browser whose requests were recorded is gone" in await session("har stop")
    await session.ok(f'har start "{tmp_path}/again.har"')


@needs_firefox
async def test_rules_and_offline(shared_engine: PlaywrightEngineBrowser, pages: Pages) -> None:
    pages["/"], pages["/data"] = "<p>here", "from the server"
    text = "eval \"fetch('/data').then(r => r.text(), e => 'failed')\""
    session = Driver(Session(shared_engine, "test", OPTIONS), pages)
    await session.ok(f"goto {pages.url()}")
    assert "from the server" in await session.ok(text)
    await session.ok('intercept "*/data" --respond "[1]"')
    assert "[1]" in await session.ok(text)
    await session.ok('intercept "*/data" --block')
    assert "failed" in await session.ok(text)
    assert "*/data" in await session.ok("requests")
    await session.ok('intercept "*/data" --delay 300ms')
    timing = "const t = performance.now(); await fetch('/data'); return performance.now() - t >= 295"
    timed = f'eval "(async () => {{ {timing} }})()"'
    assert "true" in await session.ok(timed)
    pages["/json"] = (200, {"Content-Type": "application/json"}, '{"items": [1, 2]}')
    await session.ok('intercept "*/json" --edit-json {"a": 1, "/items/0": 5}')
    assert '{"items": [5, 2], "a": 1}' in await session.ok(text.replace("/data", "/json"))
    await session.ok('intercept "*/data" --edit-json {"a": 1}')
    assert "from the server" in await session.ok(text)
    assert "not changed: the answer is no JSON" in await session.ok("requests --last 1")
    await session.ok('intercept "*/data" --type image --block')
    await session.ok("intercept clear")
    await session.ok("intercept --type image --block")
    assert "from the server" in await session.ok(text)
    await session.ok("intercept clear")
    assert "from the server" in await session.ok(text)
    await session.ok("offline on")
    assert "failed" in await session.ok(text)
    assert "net::ERR_INTERNET_DISCONNECTED" in await session(f"goto {pages.url('/data')}")
    await session.ok("offline off")
    await session.ok(f"goto {pages.url()}")
    assert "from the server" in await session.ok(text)


@needs_firefox
def test_a_video(pages: Pages, tmp_path: Path) -> None:
    """Playwright's screencast, in the file of every mode; over two tabs."""
    pages["/"] = "<style>body { animation: a 1s infinite } @keyframes a { to { background: red } }</style><p>Film"
    film = tmp_path / "film.webm"
    lines = (
        f"goto {pages.url()}", f'record start "{film}"', "observe", f"tab new {pages.url()}", "observe",
        "record stop", "exit",
    )  # fmt: skip
    ended = subprocess.run(
        [sys.executable, "-m", "oryn", "playwright", "--engine", "firefox"], input="\n".join(lines) + "\n",
        capture_output=True, text=True, check=True, timeout=240,
        env={**os.environ, "ORYN_HOME": str(tmp_path), "ORYN_TIMEOUT": "60"},
    )  # fmt: skip
    assert "error" not in ended.stdout, ended.stdout
    assert "1280x720" in ended.stdout
    assert film.read_bytes().startswith(b"\x1a\x45\xdf\xa3")

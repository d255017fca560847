"""Pages of the browser itself are opened by no command and no page, and nothing of that ends the shared browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Options, Session
from tests.headless.conftest import Driver, Pages

BROWSERS = (
    "chrome://settings", "chrome://history", "chrome://extensions", "chrome://password-manager", "chrome://kill",
    "chrome://quit", "chrome://restart", "chrome://inducebrowsercrashforrealz", "chrome-untrusted://terminal/",
    "devtools://devtools/bundled/inspector.html", "chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/index.html",
    "CHROME://SETTINGS", "about://settings", "edge://settings", "brave://settings",
)  # fmt: skip


@pytest.fixture
def other(browser: ChromiumBrowser, pages: Pages, run: Any, tmp_path: Path) -> Iterator[Driver]:
    """Another session of the same browser, whose page stays whatever the first one does."""
    session = Session(ChromiumBrowser(runtime_dir=tmp_path / "other", shared_with=browser), options=Options(timeout=60))
    driver = Driver(session, pages)
    pages["/other"] = "<link rel=icon href=data:,><title>other</title>"
    run(driver.ok(f"goto {pages.url('/other')}"))
    yield driver
    run(session.close())


async def test_no_command_opens_them(isolated: Driver, other: Driver) -> None:
    await isolated.show("<title>here</title>")
    for url in BROWSERS:
        for line in (f"goto {url}", f"tab new {url}"):
            answer = await isolated.session.execute(line)
            assert answer.error is not None, line
            assert answer.error.code == "URL_NOT_ALLOWED", (line, answer.render())
            assert "http:" in (answer.error.hint or "")
    assert '"here"' in await isolated.ok("title")
    assert len(await isolated.session.browser.tabs()) == 1
    assert '"other"' in await other.ok("title")


@pytest.mark.slow
async def test_no_page_opens_them(isolated: Driver, other: Driver) -> None:
    for url in (
        "chrome://settings",
        "chrome://kill",
        "chrome://quit",
        "view-source:chrome://settings",
        "about:settings",
    ):
        isolated.pages["/moved"] = (302, {"Location": url}, "")
        html = f"""<link rel=icon href=data:,><title>here</title><a href="{url}">Link</a>
        <a href="{url}" target=_blank>Tab</a><a href=/moved>Moved</a><iframe src="{url}"></iframe>
        <button onclick="open('{url}')">Open</button><button onclick="location = '{url}'">Go</button>
        <button onclick="w = open('about:blank'); w.location = '{url}'">Blank</button>"""
        for press in ("Link", "Tab", "Moved", "Open", "Go", "Blank"):
            await isolated.show(html)
            await isolated(f'click "{press}"')
            shown = [tab.url for tab in await isolated.session.browser.tabs()]
            assert not [each for each in shown if each.startswith(("chrome://", "view-source:"))], (press, shown)
            for tab in range(len(shown), 1, -1):
                await isolated.ok(f"tab close {tab}")
        await isolated(f'eval "location = {url!r}"')
        await isolated(f"goto {isolated.pages.url('/moved')}")
        assert '"other"' in await other.ok("title")

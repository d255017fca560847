"""How many tabs a session may have, whoever opens them (the setting `max_pages`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Options, Session
from tests.headless.conftest import Driver, Pages

OPENING = """<title>Opening</title><button onclick="window.open('/popup', '_blank')">Window</button>
<button onclick="window.open('/popup', '_blank', 'noopener')">Unrelated</button>"""
"""The browser itself lets a page open one for each click."""


@pytest.fixture
def limited(browser: ChromiumBrowser, pages: Pages, run: Any, tmp_path: Path) -> Iterator[Driver]:
    pages.bodies.clear()
    session = Session(
        ChromiumBrowser(runtime_dir=tmp_path, shared_with=browser, max_pages=3), options=Options(timeout=60)
    )
    yield Driver(session, pages)
    run(session.close())


@pytest.mark.slow
@pytest.mark.parametrize("button", ["Window", "Unrelated"])
async def test_windows_that_a_page_opens(limited: Driver, button: str) -> None:
    limited.pages["/popup"] = "<title>Popup</title>"
    await limited.show(OPENING)
    for _ in range(6):
        await limited.ok(f'click "{button}"')
        await limited.ok("tab switch 1")  # where a click has opened a tab, the session has followed it
    assert (await limited.ok("tabs")).count("/popup") == 2
    assert "Opening" in await limited.ok("title")
    await limited.ok("tab close 2")
    await limited.ok(f'click "{button}"')
    assert (await limited.ok("tabs")).count("/popup") == 2


@pytest.mark.slow
async def test_a_tab_too_many(limited: Driver) -> None:
    await limited.show("<title>Shop</title>")
    await limited.ok("tab new about:blank")
    await limited.ok("tab new about:blank")
    assert await limited("tab new about:blank") == (
        "error tab new about:blank: 3 tabs are open already\n\n"
        "# hint\nClose some: 'tabs' lists them, 'tab close <number>' closes one."
    )
    await limited.ok("tab close 3")
    await limited.ok("tab new about:blank")


async def test_a_tab_that_has_crashed_is_replaced_at_the_limit_too(limited: Driver) -> None:
    for _ in range(2):
        await limited.ok("tab new about:blank")
    await limited("goto chrome://crash --timeout 5s")
    await limited.show("<title>Back</title>")
    assert "Back" in await limited.ok("title")

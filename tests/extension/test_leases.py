"""Whose a tab of the user's own browser is: the server's sessions are one holder, and a person comes first."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from scripts.extension.browser import Target
from tests.extension.driver import PairedBrowser, paired_browser, trusted, untrusted

__all__ = ["paired_browser", "trusted", "untrusted"]

BUTTON = "<title>Order</title><button onclick='this.textContent += 1'>Save</button><label>Name <input></label>"


@asynccontextmanager
async def tab_of_its_own(browser: PairedBrowser, html: str = BUTTON) -> AsyncIterator[Target]:
    """A tab in front that shows a page, in which the server has pressed the button."""
    browser.pages["/order"] = html
    tab = await browser.browser.open(browser.pages.url("/order"))
    try:
        await browser.ok("click Save")
        yield tab
    finally:
        await browser.browser.close_tab(tab)


async def press(tab: Target) -> None:
    """The user presses beside everything."""
    where = {"x": 400, "y": 300, "button": "left", "clickCount": 1}
    for kind in ("mousePressed", "mouseReleased"):
        await tab.session.call("Input.dispatchMouseEvent", {"type": kind, **where})


async def until_held_by_the_person(browser: PairedBrowser) -> None:
    async with asyncio.timeout(5):
        while "(of the person since" not in await browser("tabs"):
            await browser.ok("wait 20ms")


@pytest.mark.slow
async def test_person_who_presses_has_the_tab(untrusted: PairedBrowser) -> None:
    async with tab_of_its_own(untrusted) as tab:
        await press(tab)
        await until_held_by_the_person(untrusted)
        for line in ("click Save1", "goto about:blank", "type Name Ann"):
            assert "belongs to the person since" in await untrusted(line), line
        assert "Save1" in await untrusted.ok("observe"), "everybody may look"
        assert await tab.evaluate("document.querySelector('button').textContent") == "Save1"


@pytest.mark.slow
async def test_input_through_the_debugger_is_no_persons(trusted: PairedBrowser) -> None:
    async with tab_of_its_own(trusted):
        for line in ("click Save1", "type Name Ann", "press control+a", "press x", "click Name --double"):
            await trusted.ok(line)
        assert "since" not in await trusted.ok("tabs")


async def test_person_is_noticed_beside_the_debugger(trusted: PairedBrowser) -> None:
    async with tab_of_its_own(trusted) as tab:
        await press(tab)
        await until_held_by_the_person(trusted)
        assert "belongs to the person since" in await trusted("click Save1")


@pytest.mark.slow
async def test_taking_waits_until_the_person_has_left_the_tab(untrusted: PairedBrowser) -> None:
    async with tab_of_its_own(untrusted) as tab:
        line = next(line for line in (await untrusted.ok("tabs")).splitlines() if "(current)" in line)
        number = line.split()[0]
        await press(tab)
        await until_held_by_the_person(untrusted)
        assert "belongs to the person since" in await untrusted(f"tab take {number} --timeout 300ms")
        await untrusted.ok(f"tab take {number}")  # ten seconds after the press
        await untrusted.ok("click Save1")
        await untrusted.ok("tab release")


@pytest.mark.slow
async def test_sessions_of_one_server_are_one_holder(untrusted: PairedBrowser) -> None:
    async with tab_of_its_own(untrusted):
        line = next(line for line in (await untrusted.ok("tabs")).splitlines() if "(current)" in line)
        assert (await untrusted(f"@tab{line.split()[0]} click Save1")).startswith("ok")


@pytest.mark.slow
async def test_page_can_feign_no_person(untrusted: PairedBrowser) -> None:
    script = "<script>dispatchEvent(new PointerEvent('pointerdown')); document.body.click()</script>"
    async with tab_of_its_own(untrusted, BUTTON + script):
        await untrusted.ok("click Save1")

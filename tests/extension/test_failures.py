"""Pages of the user's own browser that can't be reached: restricted ones, crashed ones, those without a scanner."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from oryn.errors import OrynError
from scripts.extension.browser import ExtendedBrowser
from tests.extension.conftest import RecordingServer
from tests.extension.driver import PairedBrowser, paired_browser, untrusted
from tests.extension.popup_user import User, paired_with
from tests.headless.conftest import Pages

__all__ = ["paired_browser", "untrusted"]


async def test_restricted_pages(untrusted: PairedBrowser) -> None:
    await untrusted.show("<title>Here</title>")
    for url in ("chrome://version", "chrome://quit", "https://chromewebstore.google.com/", "about:version"):
        answer = await untrusted(f"goto {url}")
        assert answer.startswith(f"error goto {url}: cannot access page\n"), answer
    extension = f"chrome-extension://{untrusted.browser.id}/popup/popup.html"
    assert ": cannot access page\n" in await untrusted(f"goto {extension}")
    assert ": cannot access page\n" in await untrusted("tab new chrome://settings")
    assert '"Here"' in await untrusted("title")


@pytest.mark.slow
async def test_a_restricted_page_in_front_can_be_left(untrusted: PairedBrowser) -> None:
    await untrusted.show("<title>Here</title>")
    assert untrusted.target is not None
    await untrusted.target.session.call("Page.navigate", {"url": "chrome://version/"}, timeout=30)
    await untrusted.target.until("document.title === 'About Version'")
    for line in ("observe", "text", "title", "screenshot", 'click "x"'):
        assert (await untrusted(line)).partition("\n")[0].endswith(": cannot access page"), line
    assert '"Here"' in await untrusted("back")
    await untrusted.target.session.call("Page.navigate", {"url": "chrome://version/"}, timeout=30)
    await untrusted.target.until("document.title === 'About Version'")
    await untrusted.show("<title>Left</title>")


async def test_an_empty_tab_is_an_empty_page(untrusted: PairedBrowser) -> None:
    assert await untrusted("goto about:blank") == 'ok goto about:blank\n\n@ about:blank ""'
    assert await untrusted("observe") == '@ about:blank ""\n\nno interactive elements'
    assert await untrusted("text") == "ok text\n\n|"
    assert (await untrusted("click Nothing")).startswith('error click "Nothing": element not found')


@pytest.mark.slow
async def test_a_crashed_page_says_so_and_goto_loads_another(untrusted: PairedBrowser) -> None:
    await untrusted.show("<title>Here</title>")
    assert untrusted.target is not None
    with suppress(OrynError):
        await untrusted.target.session.call("Page.crash", timeout=1)
    assert (await untrusted("observe")).startswith("error observe: the page crashed\n")
    assert (await untrusted("title")).startswith("error title: the page crashed\n")
    await untrusted.show("<title>Alive</title>")
    assert '"Alive"' in await untrusted("title")


@pytest.mark.slow
async def test_a_page_that_hangs_is_left_for_another_in_its_place(untrusted: PairedBrowser) -> None:
    await untrusted.show("<title>Here</title><button onclick='for (;;);'>Hang</button>")
    rows = await untrusted.ok("tabs")
    number = next(line.partition(" ")[0] for line in rows.splitlines() if line.endswith("(current)"))
    assert (await untrusted("click Hang --timeout 2s")).startswith("error ")
    answer = await untrusted("observe --timeout 1s")
    assert answer.startswith("error observe --timeout 1s: the page did not answer within 1 s\n")
    await untrusted.show("<title>Elsewhere</title>")
    assert f'{number} {untrusted.pages.url("")[7:]} "Elsewhere" (current)' in await untrusted("tabs")


@pytest.mark.slow
async def test_a_page_that_the_browser_has_put_to_sleep_is_woken(untrusted: PairedBrowser) -> None:
    await untrusted.show("<title>Sleepy</title>")
    rows = await untrusted.ok("tabs")
    number = next(line.partition(" ")[0] for line in rows.splitlines() if line.endswith("(current)"))
    untrusted.pages["/other"] = "<title>Other</title>"
    await untrusted.ok("tab new /other")
    worker = await untrusted.browser.worker()
    sleepy = [tab["id"] for tab in await worker.call("tabs.query", {"title": "Sleepy"})]
    await worker.call("tabs.discard", *sleepy)
    await worker.detach()
    assert (await untrusted(f"@tab{number} title")).endswith('"Sleepy"')
    await untrusted.ok("tab close")


@pytest.mark.slow
async def test_a_page_from_before_the_extension_gets_a_scanner(extension: Path, tmp_path: Path) -> None:
    """The extension is loaded when the page is open already, as when a user installs it."""
    pages, server = Pages(), RecordingServer()
    pages["/"] = "<title>Early</title><button>Push</button>"

    class FailingBrowser(ExtendedBrowser):
        async def install(self) -> None:
            made = await self._root("Target.createTarget", url=pages.url("/"))
            page = await self._attach(made["targetId"])
            await page.until("document.title === 'Early'")
            await super().install()

    browser = FailingBrowser(extension, tmp_path)
    try:
        await server.start()
        await browser.start()
        user = await User.at(browser)
        connection, _ = await paired_with(user, server)
        await user.sees("state.status === 'connected'")
        await browser.close_tab(user.page)
        for id in range(1, 100):  # the page comes to the front a moment after the popup has gone
            await connection.send(f"{id}:observe")
            if (answer := await server.next()).startswith(f'{id}:@ {pages.url("")[7:]} "Early"'):
                break
        assert '[1] button "Push"' in answer
    finally:
        await browser.close()
        await server.close()
        pages.server.shutdown()
        pages.server.server_close()

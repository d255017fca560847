"""Pages of the user's own browser that can't be reached: restricted ones, crashed ones, those without a scanner."""

from __future__ import annotations

from contextlib import suppress

from oryn.errors import OrynError
from tests.extension.driving import Driven, driven, untrusted

__all__ = ["driven", "untrusted"]


async def test_restricted_pages(untrusted: Driven) -> None:
    await untrusted.show("<title>Here</title>")
    for url in ("chrome://version", "chrome://quit", "https://chromewebstore.google.com/", "about:version"):
        answer = await untrusted(f"goto {url}")
        assert answer.startswith(f"error goto {url}: cannot access page\n"), answer
    extension = f"chrome-extension://{untrusted.browser.id}/popup/popup.html"
    assert ": cannot access page\n" in await untrusted(f"goto {extension}")
    assert ": cannot access page\n" in await untrusted("tab new chrome://settings")
    assert '"Here"' in await untrusted("title")


async def test_a_restricted_page_in_front_can_be_left(untrusted: Driven) -> None:
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


async def test_an_empty_tab_is_an_empty_page(untrusted: Driven) -> None:
    assert await untrusted("goto about:blank") == 'ok goto about:blank\n\n@ about:blank ""'
    assert await untrusted("observe") == '@ about:blank ""\n\nno interactive elements'
    assert await untrusted("text") == "ok text\n\n|"
    assert (await untrusted("click Nothing")).startswith('error click "Nothing": element not found')


async def test_a_crashed_page_says_so_and_goto_loads_another(untrusted: Driven) -> None:
    await untrusted.show("<title>Here</title>")
    assert untrusted.target is not None
    with suppress(OrynError):
        await untrusted.target.session.call("Page.crash", timeout=1)
    assert (await untrusted("observe")).startswith("error observe: the page crashed\n")
    assert (await untrusted("title")).startswith("error title: the page crashed\n")
    await untrusted.show("<title>Alive</title>")
    assert '"Alive"' in await untrusted("title")


async def test_a_page_without_a_scanner_gets_one(untrusted: Driven) -> None:
    """As one that was open before the extension was installed: here it comes from the browser's own cache of answers,
    and its content scripts are told to be gone."""
    await untrusted.show("<title>Here</title><button>Push</button>")
    assert '[1] button "Push"' in await untrusted("observe")

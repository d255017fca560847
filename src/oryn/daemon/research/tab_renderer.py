"""Renders a page for research in a browser: in a background tab of the command's session, which is closed afterwards.

If the page must not reach private networks, a separate browser renders it instead. That browser reaches the network
only through a proxy that checks every address. It gets the session's cookies, headers and login.

The session's policy applies there too: where requests may go, and how many tabs may be open."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from oryn.engine.output.answer import json_form
from oryn.engine.output.boundary import unfence_form
from oryn.engine.page.scanner import query_scanner
from oryn.errors import FetchFailed, FileError, NeedsBrowser, OrynError, Timeout
from oryn.language import Command, Html, Line, Url

if TYPE_CHECKING:
    from oryn.browsers.base import Browser, Page
    from oryn.engine import Session
    from oryn.scanner.protocol import GetHtmlResponse

MAX_TABS = 3
"""Maximum number of tabs at once: a page that is built by its scripts occupies a core."""
LOAD_SECONDS = 30.0
"""Timeout in seconds for loading a page."""
QUIET_SECONDS = 5.0
"""Maximum wait in seconds, after loading, for the page's requests to end: some pages never stop sending them."""


class SessionTabRenderer:
    """Tabs for one research command, in its session.

    `proxied` creates a browser that reaches the network only through a proxy; `close` closes that browser."""

    def __init__(self, session: Session, proxied: Callable[[str], Browser]) -> None:
        self._session = session
        self._create_proxied = proxied
        self._free = asyncio.Semaphore(MAX_TABS)
        self._separate_browser: Browser | None = None
        self._opening = asyncio.Lock()

    async def close(self) -> None:
        """Close the separate browser, if one was started."""
        async with self._opening:
            own, self._separate_browser = self._separate_browser, None
            if own is not None:
                await own.close()

    async def render(self, url: str, proxy: str | None = None) -> tuple[str, str]:
        """Load `url` and return the final URL and the page's HTML. With `proxy`, the URL of a proxy, a separate browser
        loads it.

        Raises `NeedsBrowser` if the session is in the user's own browser, `FetchFailed` for a download or an HTTP
        status from 400, and other errors of the browser and the policy (`OrynError`)."""
        if self._session.browser.is_external:
            raise NeedsBrowser(
                "the session is in the user's own browser, whose tabs are theirs",
                "Open the page there, then 'oryn extract --tab'; or name a headless session: --session NAME.",
            )
        if self._session.options.policy is not None:
            self._session.options.policy.check_url(url)
        async with self._free, self._tab(proxy) as page:
            navigation = await page.goto(url, timeout=LOAD_SECONDS)
            if navigation.download is not None:
                raise FetchFailed(f"{url} is a file to a browser, and no page")
            if navigation.status is not None and navigation.status >= 400:
                raise FetchFailed(f"{url} answers the browser with HTTP {navigation.status}", status=navigation.status)
            with suppress(Timeout):
                await page.wait_for("idle", timeout=QUIET_SECONDS)
            data: GetHtmlResponse = await query_scanner(page, {"cmd": "get_html", "selector": None}, None, LOAD_SECONDS)
            return page.url, data["html"]

    @asynccontextmanager
    async def _tab(self, proxy: str | None) -> AsyncIterator[Page]:
        session = self._session
        async with session.turn(session.options.timeout):  # so that no other command starts or ends the browser
            await session.startup.ensure_started()
            await session.browser.revive()
            browser = session.browser if proxy is None else await self._open_separate_browser(proxy)
            number = await browser.blank_tab()
        try:
            yield browser.page_of(number)
        finally:
            with suppress(OrynError):  # the tab or the browser is closed already
                await asyncio.shield(browser.close_tab(number))

    async def _open_separate_browser(self, proxy: str) -> Browser:
        """Start the browser behind `proxy`, with the settings and state of the session's browser."""
        async with self._opening:
            if self._separate_browser is None or self._separate_browser.lost:
                if self._separate_browser is not None:
                    await self._separate_browser.close()
                policy = self._session.options.policy
                own = self._create_proxied(proxy)
                own.configure_downloads(_no_file, 1)
                if policy is not None and policy.domains:
                    own.restrict(policy.domains)
                self._separate_browser = own
                await own.start()
                await own.restrict_files(lambda url: False)
                await own.network.copy_from(self._session.browser.network)
                if cookies := await self._session.browser.cookies():
                    await own.set_cookies(cookies)
            return self._separate_browser


def _no_file(file: Path, name: str) -> Path:
    raise FileError("research saves no downloads")


async def html_of_tab(session: Session) -> tuple[str, str]:
    """The URL and the HTML of the session's current page, read with `url` and `html` commands. Raises `OrynError`."""
    return await _query(session, Url()), await _query(session, Html())


async def _query(session: Session, command: Command) -> str:
    answer = await session.execute(Line.of(command), json=False)
    if answer.error is not None:
        raise answer.error
    return str(unfence_form(json_form(answer)).get("result", ""))

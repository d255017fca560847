"""A page for research in a browser: in a tab of the session that it is for, behind the others, which is closed again.
If it must not reach private networks, it is in a browser of its own instead, with no way out but a proxy that looks at
every address, and with the session's cookies, headers and login.

What the session may do holds there too: where its requests go, how many tabs it has."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from oryn.engine import jsonform
from oryn.engine.boundary import without_fence
from oryn.engine.view import ask
from oryn.errors import FileError, OrynError, Timeout
from oryn.language import Command, Html, Line, Url
from oryn.research.failures import FetchFailed, NeedsBrowser

if TYPE_CHECKING:
    from oryn.browsers.base import Browser, Page
    from oryn.engine import Session

MOST_TABS = 3
"""At once: a page that its scripts make takes a core."""
LOAD_SECONDS = 30.0
"""What loading a page may take."""
QUIET_SECONDS = 5.0
"""How long to wait after that until a page asks for nothing more: some never end."""


class Tabs:
    """Tabs for one command of research, in the session that it is for. `proxied` makes a browser that has no way out
    but a proxy; `close` ends it."""

    def __init__(self, session: Session, proxied: Callable[[str], Browser]) -> None:
        self._session = session
        self._proxied = proxied
        self._free = asyncio.Semaphore(MOST_TABS)
        self._own: Browser | None = None
        self._opening = asyncio.Lock()

    async def close(self) -> None:
        async with self._opening:
            own, self._own = self._own, None
            if own is not None:
                await own.close()

    async def html(self, url: str, proxy: str | None = None) -> tuple[str, str]:
        """The URL where the browser ended, and the HTML of the page there. Raises `OrynError`."""
        if self._session.browser.elsewhere:
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
            data = await ask(page, {"cmd": "get_html", "selector": None}, None, LOAD_SECONDS)
            return page.url, data["html"]

    @asynccontextmanager
    async def _tab(self, proxy: str | None) -> AsyncIterator[Page]:
        session = self._session
        async with session.turn(session.options.timeout):  # no other command starts the browser, or ends it, meanwhile
            await session.started()
            await session.browser.revive()
            browser = session.browser if proxy is None else await self._apart(proxy)
            number = await browser.blank_tab()
        try:
            yield browser.page_of(number)
        finally:
            with suppress(OrynError):  # it is closed already, or the browser is
                await asyncio.shield(browser.close_tab(number))

    async def _apart(self, proxy: str) -> Browser:
        """The browser behind `proxy`, with what the session's has."""
        async with self._opening:
            if self._own is None or self._own.lost:
                if self._own is not None:
                    await self._own.close()
                policy = self._session.options.policy
                own = self._proxied(proxy)
                own.keep_downloads(_no_file, 1)
                if policy is not None and policy.domains:
                    own.restrict(policy.domains)
                self._own = own
                await own.start()
                await own.hold_files(lambda url: False)
                await own.network.take_over(self._session.browser.network)
                if cookies := await self._session.browser.cookies():
                    await own.set_cookies(cookies)
            return self._own


def _no_file(file: Path, name: str) -> Path:
    raise FileError("research keeps no file that a page hands over")


async def html_of_tab(session: Session) -> tuple[str, str]:
    """The URL and the HTML of the page that a session shows, as its own commands tell them. Raises `OrynError`."""
    return await _told(session, Url()), await _told(session, Html())


async def _told(session: Session, command: Command) -> str:
    answer = await session.execute(Line.of(command), json=False)
    if answer.error is not None:
        raise answer.error
    return str(without_fence(jsonform.form(answer)).get("result", ""))

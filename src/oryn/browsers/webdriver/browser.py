"""`WebDriverBrowser`: one session's browser, which takes the commands of WebDriver, and its tabs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from oryn.browsers.base import Browser, Cookie, DialogPolicy, Navigation, Page, Tab
from oryn.browsers.common.events import Deadline, Signal
from oryn.browsers.common.reported_console import ReportedConsole
from oryn.browsers.webdriver import cookies
from oryn.browsers.webdriver.channel import DriverSession
from oryn.browsers.webdriver.client import DriverClient
from oryn.browsers.webdriver.error_mapping import driver_lost
from oryn.browsers.webdriver.page import WebDriverPage
from oryn.browsers.webdriver.scripts import scanner_script
from oryn.browsers.webdriver.storage import WebDriverStorage
from oryn.errors import BrowserFailed, LastTab, NotSupported, OrynError, TabLimit, TabNotFound

VIEWPORT = (1280, 720)
"""CSS pixels."""
OPEN_SECONDS = 5.0
_OPEN_TAB = "window.open('about:blank', '_blank', 'noopener'); return null;"


class WebDriverBrowser(Browser):
    """One session's browser, whose subclass starts the engine (`_connect`).

    runtime_dir: the folder below which the run folder is created.
    load_timeout: seconds that a navigation may take which an action has started.
    max_pages: the most tabs (0: no limit).
    ignore_certificate_errors: accept servers with invalid certificates."""

    def __init__(
        self,
        *,
        runtime_dir: Path,
        load_timeout: float = 30.0,
        max_pages: int = 100,
        ignore_certificate_errors: bool = False,
    ) -> None:
        self._runtime_dir = runtime_dir
        self._load_timeout = load_timeout
        self._max_pages = max_pages
        self._insecure = ignore_certificate_errors
        self._client: DriverClient | None = None
        self._session: DriverSession | None = None
        self._starting = asyncio.Lock()
        self._pages: dict[int, WebDriverPage] = {}
        self._openers: dict[int, WebDriverPage] = {}
        self._current: WebDriverPage | None = None
        self._next = 1
        self._opening = False
        self._is_lost = False
        self._version = ""
        self._on_change: Callable[[], None] = lambda: None
        self.policy: DialogPolicy | None = None
        self.viewport = VIEWPORT
        self.console_log = ReportedConsole()
        self._storage = WebDriverStorage(lambda: self._pages, self._require_current)
        self._changed = Signal()

    # --- startup and shutdown ---

    async def start(self) -> None:
        async with self._starting:
            if self._session is None or self.lost:
                await self._end()
                await self._start()

    async def _start(self) -> None:
        try:
            client, _ = await asyncio.gather(
                self._connect(),
                asyncio.to_thread(scanner_script),  # the first page needs it, and the browser takes longer
            )
            self._client, self._version = client, client.version
            self._session = DriverSession(client)
            self._is_lost = False
            (handle, *_) = await client.get("/window/handles")
            page = self._add(handle)
            self._make_current(page)
            await page.channel.signal.until(page.is_followed, OPEN_SECONDS)
        except BaseException:
            await self._end()
            raise

    async def _connect(self) -> DriverClient:
        """Start the engine, with one window; the client of its commands. Raises `BrowserNotFound`, `BrowserFailed`."""
        raise NotImplementedError

    @property
    def lost(self) -> bool:
        return self._session is not None and self._is_lost

    @property
    def process_group(self) -> int | None:
        """The process group of the engine; None if it runs elsewhere, or not at all."""
        raise NotImplementedError

    async def wait_until_lost(self, *, timeout: float) -> bool:
        """Wait at most `timeout` seconds for the end of the browser. Returns whether it has ended."""
        return await self._changed.until(lambda: self.lost, timeout)

    async def revive(self) -> None:
        if self._session is None or self.lost:  # it has just started, or does now: it answers
            await self.start()
            return
        page = self._current
        if page is not None and page.dialog is not None:
            await page.dialogs.dismiss()
        if page is None or self.lost or page.channel.failure is not None or not await page.responds():
            # A renderer that has died, or loops, can't be replaced alone: the driver waits for it.
            self._is_lost = self._session is not None
            await self.start()

    async def close(self) -> None:
        async with self._starting:
            await self._end()

    async def _end(self) -> None:
        for page in self._pages.values():
            page.unfollow()
            page.channel.fail(driver_lost())
        self._pages.clear()
        self._openers.clear()
        self._next, self._session = 1, None
        client, self._client = self._client, None
        if client is not None:
            await client.close(end_session=True)
        await self._close_driver()
        self._notify()

    async def _close_driver(self) -> None:
        """End what else `_connect` has started. Never raises."""

    async def version(self) -> str:
        return self._version

    @property
    def ignores_certificate_errors(self) -> bool:
        return self._insecure

    # --- tabs ---

    @property
    def page(self) -> Page:
        return self._require_current()

    def _require_current(self) -> WebDriverPage:
        if self._current is None:
            raise BrowserFailed("the browser is not running", "Run 'goto' to start it.")
        return self._current

    def _require_session(self) -> tuple[DriverClient, DriverSession]:
        if self._client is None or self._session is None:
            raise driver_lost()
        return self._client, self._session

    def _add(self, window: str, opener: WebDriverPage | None = None) -> WebDriverPage:
        _, session = self._require_session()
        page = self._pages[self._next] = self._create_page(session, window)
        if opener is not None:
            self._openers[self._next] = opener
        self._next += 1
        return page

    def _create_page(self, session: DriverSession, window: str) -> WebDriverPage:
        return WebDriverPage(session, window, self, self._load_timeout)

    def _make_current(self, page: WebDriverPage) -> None:
        if self._current is not None and self._current is not page:
            self._current.unfollow()
        self._current = page
        page.follow()
        self._notify()

    async def refresh_tabs(self, opener: WebDriverPage | None = None) -> None:
        """See `page.PageOwner`. A tab beyond `max_pages` that a page has opened is closed."""
        if self._opening or self._session is None or self._client is None:
            return
        handles: list[str] = await self._client.get("/window/handles")
        for number, page in list(self._pages.items()):
            if page.window not in handles:
                self._remove(number, page)
        for handle in handles:
            if any(page.window == handle for page in self._pages.values()):
                continue
            page = self._add(handle, opener)
            if self._max_pages and len(self._pages) > self._max_pages:
                await page.channel.delete("/window")
                continue
            page.follow()
            await page.channel.signal.until(page.is_followed, OPEN_SECONDS)
            page.unfollow()
            if self._current is not None:
                self._current.follow()
            if opener is not None:
                opener.opened_tabs.record(opener.channel.moment, page)
        self._notify()

    def _remove(self, number: int, page: WebDriverPage) -> None:
        del self._pages[number]
        opener = self._openers.pop(number, None)
        page.unfollow()
        page.channel.fail(TabNotFound("the tab is closed", "Run 'tabs' to see which are open."))
        if self._current is page:
            others = sorted(self._pages, key=lambda other: (abs(other - number), -other))
            successor = opener if opener in self._pages.values() else (self._pages[others[0]] if others else None)
            self._current = None
            if successor is not None:
                self._make_current(successor)
            else:
                self._is_lost = True
        self._notify()

    def on_viewport(self, size: Any) -> None:
        """See `page.PageOwner`."""
        match size:
            case [int(width), int(height)] if width > 0 and height > 0:
                self.viewport = width, height

    def on_page_changed(self, page: WebDriverPage) -> None:
        """See `page.PageOwner`."""
        if page.channel.failure is None:
            self._storage.on_document(page.url)
        elif not isinstance(page.channel.failure, TabNotFound):
            self._is_lost = True
        self._notify()

    def _notify(self) -> None:
        self._changed.notify()
        self._on_change()

    def rows(self, pages: Collection[WebDriverPage] | None = None) -> list[Tab]:
        """See `page.PageOwner`; without `pages`, the rows of all tabs."""
        return [
            Tab(number, page.address or page.url, page.title, page is self._current)
            for number, page in self._pages.items()
            if pages is None or page in pages
        ]

    async def tabs(self) -> list[Tab]:
        await self.refresh_titles()
        return self.rows()

    async def refresh_titles(self) -> None:
        """See `page.PageOwner`."""
        await self.refresh_tabs()
        for page in list(self._pages.values()):
            try:
                await page.refresh(timeout=2)
            except OrynError:
                continue  # it does not answer: the last title stays

    def open_tabs(self) -> list[Tab]:
        return self.rows()

    def on_tabs_changed(self, callback: Callable[[], None]) -> None:
        self._on_change = callback

    async def wait_for_tabs(self, holds: Callable[[Sequence[Tab]], bool], *, timeout: float) -> bool:
        deadline = Deadline(timeout)
        while not holds(self.rows()):
            if not deadline.left:
                return False
            await self._changed.until(lambda: holds(self.rows()), min(0.1, deadline.left))
            await self.refresh_tabs(self._current)  # no event reports a new tab
        return True

    @contextmanager
    def _own_opening(self) -> Iterator[None]:
        self._opening = True
        try:
            yield
        finally:
            self._opening = False

    async def _open(self) -> WebDriverPage:
        """Open a blank tab in the background. Raises `TabLimit`, `NotSupported`."""
        client, _ = self._require_session()
        if self._max_pages and len(self._pages) >= self._max_pages:
            raise TabLimit(f"the session has {self._max_pages} tabs", "'tab close' one of them first.")
        with self._own_opening():
            before = set(await client.get("/window/handles"))
            # `window/new` returns an old window on WPE; a page's own `open` works on every engine.
            await self._require_current().channel.execute(_OPEN_TAB)
            deadline = Deadline(OPEN_SECONDS)
            while not (new := set(await client.get("/window/handles")) - before):
                if not deadline.left:
                    raise NotSupported(hint="This page may open no tabs: 'goto' another one first.")
                await asyncio.sleep(0.01)  # no event reports it
            return self._add(new.pop())

    async def new_tab(self, url: str, *, timeout: float = 30) -> Navigation:
        deadline = Deadline(timeout)
        page = await self._open()
        self._make_current(page)
        await page.channel.signal.until(page.is_followed, deadline.left)
        return await page.goto(url, timeout=deadline.left)

    async def blank_tab(self) -> int:
        page = await self._open()
        return next(number for number, other in self._pages.items() if other is page)

    def page_of(self, number: int) -> WebDriverPage:
        if number not in self._pages:
            numbers = ", ".join(map(str, self._pages))
            raise TabNotFound("tab not found", f"Open tabs: {numbers}.")
        return self._pages[number]

    def select_tab(self, number: int) -> None:
        self._make_current(self.page_of(number))

    async def switch_tab(self, number: int) -> None:
        self.select_tab(number)

    async def close_tab(self, number: int | None = None) -> None:
        await self.refresh_tabs()
        page = self._require_current() if number is None else self.page_of(number)
        if len(self._pages) == 1:
            raise LastTab("the last tab can't be closed", "Use 'session close' to end the session.")
        page.unfollow()
        await page.channel.delete("/window")
        await self.refresh_tabs()

    # --- features ---

    @property
    def dialog_policy(self) -> DialogPolicy | None:
        return self.policy

    @dialog_policy.setter
    def dialog_policy(self, policy: DialogPolicy | None) -> None:
        self.policy = policy

    @property
    def console(self) -> ReportedConsole:
        return self.console_log

    @property
    def storage(self) -> WebDriverStorage:
        return self._storage

    async def cookies(self, url: str | None = None) -> list[Cookie]:
        return await cookies.page_cookies(self._require_current().channel)

    async def set_cookies(self, cookies_: Sequence[Cookie]) -> None:
        page = self._require_current()
        await cookies.set_cookies(page.channel, cookies_, page.url)

    async def delete_cookies(self, cookies_: Sequence[Cookie]) -> None:
        await cookies.delete_cookies(self._require_current().channel, cookies_)

    async def clear_cookies(self) -> None:
        await cookies.clear_cookies(self._require_current().channel)

"""`Headless`: one session's browser, from its start to the moment when nothing of it is left."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from oryn.browsers.base import Browser, Cookie, DialogPolicy, Navigation, Page, Tab
from oryn.browsers.cdp.cleanup import RunFolder, clean
from oryn.browsers.cdp.connection import Connection
from oryn.browsers.cdp.greeting import greet
from oryn.browsers.cdp.launch import Started, begin
from oryn.browsers.cdp.process import Process, endpoint_of
from oryn.browsers.cdp.tabs import Tabs
from oryn.browsers.cdp.transport import PipeTransport, WebSocketTransport
from oryn.errors import BrowserFailed, BrowserNotFound, OrynError

# The browser takes longer to start than all else, so it is started first: what only pages need is imported meanwhile
# (`_set_up`), and what seldom runs when it does.
if TYPE_CHECKING:
    from oryn.browsers.cdp.features import Features
    from oryn.browsers.cdp.page import CdpPage
    from oryn.browsers.cdp.targets import Targets

START_SECONDS = 30.0
END_SECONDS = 5.0
ANSWER_SECONDS = 2.0
REMOVAL_SECONDS = 0.05
_REMOVALS = 20


class Headless(Browser):
    """Chromium or one of its family.

    `executable` is a path or a command, default: the best that `discovery` finds. `profile` is a folder that lasts;
    without it the profile is a temporary one. `runtime_dir` holds what is temporary. `load_timeout` (seconds) limits
    the navigations that actions start. `endpoint` is the `ws://…/devtools/browser/…` of a browser that runs already: it
    is left running. `started` is a process that `launch.begin` has started with the same settings."""

    mode: ClassVar[str] = "headless"

    def __init__(
        self,
        executable: str | None = None,
        *,
        headful: bool = False,
        profile: Path | None = None,
        viewport: tuple[int, int] = (1280, 720),
        runtime_dir: Path,
        load_timeout: float = 30.0,
        endpoint: str | None = None,
        extra_args: Sequence[str] = (),
        started: Started | None = None,
    ) -> None:
        self._executable = executable
        self._headful = headful
        self._profile = profile
        self._viewport = viewport
        self._runtime_dir = runtime_dir
        self._load_timeout = load_timeout
        self._endpoint = endpoint
        self._extra_args = tuple(extra_args)
        self._started = started
        self._policy: DialogPolicy | None = None
        self._tabs = Tabs()
        self._run_folder: RunFolder | None = None
        self._process: Process | None = None
        self._connection = Connection()
        self._cleaning: asyncio.Future[Any] | None = None
        self._targets: Targets | None = None

    # --- from start to end ---

    async def start(self) -> None:
        if self._targets is not None and self._connection.closed is None:
            return
        if self._process is not None:
            self._process.kill()
            await self._process.wait(END_SECONDS)
            if self._run_folder is not None:
                self._run_folder.forget_browser()
        self._tabs.clear()
        self._connection = connection = Connection(self._lost)
        try:
            if self._endpoint is not None:
                connection.attach(await WebSocketTransport.open(self._endpoint, connection.receive, connection.lost))
                pipe = None
            else:
                pipe = await self._launch(connection)
            downloads = self._run_folder.downloads if self._run_folder else None
            made = greet(connection.root, downloads, new_tab=self._endpoint is None)
            self._targets = self._set_up(connection)
            if pipe is not None:
                await pipe.listen()
            await self._targets.first(made)
            # Only now, so that it takes no time from the start.
            if self._cleaning is None and self._endpoint is None:
                self._cleaning = asyncio.get_running_loop().run_in_executor(None, clean, self._runtime_dir)
        except OrynError as error:
            words = self._process.last_words() if self._process else ""
            await self.close()
            raise _not_started(error, words) from error

    async def _launch(self, connection: Connection) -> PipeTransport | None:
        """Start the process and attach its pipe, which does not listen yet, or its socket."""
        started, self._started = self._started, None
        if started is None:
            started = begin(
                self._executable,
                headful=self._headful,
                profile=self._profile,
                viewport=self._viewport,
                runtime_dir=self._runtime_dir,
                extra_args=self._extra_args,
                folder=self._run_folder,
            )
        self._run_folder = started.folder
        self._process = Process(started)
        if started.pipe is not None:
            pipe = PipeTransport(connection.receive, connection.lost, started.pipe)
            connection.attach(pipe)
            return pipe
        address = await endpoint_of(started.profile, self._process, START_SECONDS)
        connection.attach(await WebSocketTransport.open(address, connection.receive, connection.lost))
        return None

    @cached_property
    def _features(self) -> Features:
        from oryn.browsers.cdp.features import Features

        return Features(self._tabs)

    def _set_up(self, connection: Connection) -> Targets:
        from oryn import scanner
        from oryn.browsers.cdp.downloads import Downloads
        from oryn.browsers.cdp.scanning import Scripts
        from oryn.browsers.cdp.targets import PageSettings, Targets

        viewport = None if self._headful or self._endpoint else self._viewport
        scripts = Scripts(scanner.bundle(), scanner.LISTENERS_SCRIPT)
        settings = PageSettings(scripts, lambda: self._policy, viewport, self._load_timeout, self._features)
        Downloads(connection.root, self._tabs)
        return Targets(connection, self._tabs, settings)

    async def close(self) -> None:
        connection, process, folder = self._connection, self._process, self._run_folder
        self._process = self._run_folder = self._targets = None
        if process is not None:
            if self._profile is not None and not process.ended:
                connection.root.send("Browser.close")  # so that the profile is written to the end
                await process.wait(END_SECONDS)
            process.kill()
            await process.wait(END_SECONDS)
        connection.close()
        if self._cleaning is not None:
            await self._cleaning
            self._cleaning = None
        if folder is not None:
            for _ in range(_REMOVALS):  # the browser's children end a moment after it, and still write until then
                if folder.remove():
                    break
                await asyncio.sleep(REMOVAL_SECONDS)
            folder.release()

    async def version(self) -> str:
        answer = await self._connection.root.call("Browser.getVersion")
        product: str = answer["product"]
        return product

    def _lost(self) -> None:
        if self._targets is not None:
            self._targets.lost()

    # --- the current tab ---

    @property
    def page(self) -> Page:
        return self._current()

    def _current(self) -> CdpPage:
        if self._tabs.current is None:
            raise BrowserFailed("the browser is not running", "Run 'goto <url>' to start it.")
        return self._tabs.current

    def _following(self) -> Targets:
        if self._targets is None:
            raise BrowserFailed("the browser is not running", "Run 'goto <url>' to start it.")
        return self._targets

    async def revive(self) -> None:
        # A last tab that has closed itself is about to be followed by another.
        if self._connection.closed is None:
            await self._tabs.changed.until(lambda: self._tabs.current is not None, ANSWER_SECONDS)
        if self._connection.closed is not None or self._tabs.current is None:
            self._targets = None
            await self.start()
            return
        page = self._tabs.current
        if page.channel.failure is not None or page.dialogs.flood or not await self._responds(page):
            await self._following().replace(page)

    async def _responds(self, page: CdpPage) -> bool:
        """Whether the tab's scripts run. One that loops could be ended, but the page's next timer would start another
        before the tab is anywhere else."""
        page.dialogs.dismiss()
        try:
            await page.channel.session.call("Runtime.evaluate", {"expression": "0"}, timeout=ANSWER_SECONDS)
        except OrynError:
            return False
        return True

    # --- tabs ---

    async def tabs(self) -> list[Tab]:
        await self._tabs.ask_titles(self._connection.root)
        return self._tabs.rows()

    async def new_tab(self, url: str, *, timeout: float = 30) -> Navigation:
        page = await self._following().open()
        self._tabs.current = page
        return await page.goto(url, timeout=timeout)

    async def switch_tab(self, number: int) -> None:
        page = self._tabs.get(number)
        self._tabs.current = page
        page.channel.session.send("Page.bringToFront")

    async def close_tab(self, number: int | None = None) -> None:
        page = self._tabs.closable(number)
        self._following().close(page)
        await page.channel.signal.until(lambda: page.channel.failure is not None, END_SECONDS)

    # --- dialogs ---

    @property
    def dialog_policy(self) -> DialogPolicy | None:
        return self._policy

    @dialog_policy.setter
    def dialog_policy(self, policy: DialogPolicy | None) -> None:
        self._policy = policy

    # --- cookies ---

    async def cookies(self, url: str | None = None) -> list[Cookie]:
        from oryn.browsers.cdp import cookies as jar

        if url is None:
            return await jar.of_session(self._connection.root)
        return await jar.of_url(self._current().channel.session, url)

    async def set_cookies(self, cookies: Sequence[Cookie]) -> None:
        from oryn.browsers.cdp import cookies as jar

        await jar.add(self._connection.root, cookies, self._current().url)

    async def delete_cookies(self, cookies: Sequence[Cookie]) -> None:
        from oryn.browsers.cdp import cookies as jar

        await jar.remove(self._current().channel.session, cookies, self._current().url)

    async def clear_cookies(self) -> None:
        from oryn.browsers.cdp import cookies as jar

        await jar.clear(self._connection.root)


def _not_started(error: OrynError, words: str) -> OrynError:
    """Why the browser did not start, in its own last words where it left any."""
    if isinstance(error, BrowserNotFound) or not words:
        return error
    return BrowserFailed(f"the browser did not start: {words}", "Run 'oryn doctor' to see what is wrong.")

"""`Headless`: one session's browser, which is a browser context and the tabs in it, from its start to its end."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from oryn.browsers.base import Browser, Cookie, DialogPolicy, Download, Navigation, Page, Place, Tab
from oryn.browsers.cdp.chromium import Chromium
from oryn.browsers.cdp.connection import Connection
from oryn.browsers.cdp.contexts import Context
from oryn.browsers.cdp.launch import Started, begin
from oryn.browsers.cdp.process import END_SECONDS
from oryn.browsers.cdp.tabs import Tabs
from oryn.errors import BrowserFailed, OrynError

# The browser takes longer to start than all else, so it is started first: what only pages need is imported meanwhile
# (`_set_up`), and what seldom runs when it does.
if TYPE_CHECKING:
    from oryn.browsers.base.clipboard import Clipboard
    from oryn.browsers.base.console import Console
    from oryn.browsers.base.device import Device
    from oryn.browsers.base.network import Network
    from oryn.browsers.base.page_scripts import PageScripts
    from oryn.browsers.base.recording import Tracing
    from oryn.browsers.base.storage import Storage
    from oryn.browsers.cdp.access import Access
    from oryn.browsers.cdp.cleanup import RunFolder
    from oryn.browsers.cdp.downloads import Downloads
    from oryn.browsers.cdp.features import Features
    from oryn.browsers.cdp.page import CdpPage
    from oryn.browsers.cdp.targets import Targets
    from oryn.browsers.common.shelf import Shelf
    from oryn.domains import Domains, Refusal

ANSWER_SECONDS = 2.0


class Headless(Browser):
    """Chromium or one of its family.

    `executable` is a path or a command, default: the best that `discovery` finds. `profile` is a folder that lasts;
    without it the profile is a temporary one. `runtime_dir` holds what is temporary. `load_timeout` (seconds) limits
    the navigations that actions start, `most_pages` the tabs (0 is no limit). `endpoint` is the address of a browser
    that runs already (`browser_url`): it is left running. `started` is a process that `launch.begin` has started with
    the same settings. `access` is how it reaches the network; what of it are flags of the process stands in
    `extra_args` too.

    `beside` is another session's browser: this one lives in its process, in a browser context of its own, and what
    describes a process is not looked at. `extensions` are folders of unpacked ones."""

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
        most_pages: int = 0,
        endpoint: str | None = None,
        extra_args: Sequence[str] = (),
        started: Started | None = None,
        access: Access | None = None,
        extensions: Sequence[Path] = (),
        attachable: bool = False,
        beside: Headless | None = None,
    ) -> None:
        def launch(folder: RunFolder | None) -> Started:
            return begin(
                executable,
                headful=headful,
                profile=profile,
                viewport=viewport,
                runtime_dir=runtime_dir,
                extra_args=tuple(extra_args),
                extensions=tuple(extensions),
                attachable=attachable,
                folder=folder,
            )

        lasting = profile is not None
        own = Chromium(
            launch,
            runtime_dir=runtime_dir,
            lasting=lasting,
            endpoint=endpoint,
            started=started,
            extensions=extensions,
            attachable=attachable,
        )
        self._chromium: Chromium = beside._chromium if beside else own
        wanted = access.context() if access else {}
        self._context = Context(self._chromium, own=bool(beside or endpoint), wanted=wanted)
        self._place = Place(profile.name if profile else None, headful=headful)
        # A window, and a browser that somebody else has started, are as large as they are.
        self._viewport = None if headful or self._chromium.endpoint else viewport
        self._load_timeout = load_timeout
        self._most_pages = most_pages
        self._access = access
        self._policy: DialogPolicy | None = None
        self._tabs = Tabs()
        self._connection = Connection()
        """The conversation that the tabs are in; after a crash, not the one of the browser that runs by now."""
        self._targets: Targets | None = None
        self._downloads: Downloads | None = None

    # --- from start to end ---

    async def start(self) -> None:
        if self._targets is not None and self._connection.closed is None:
            return
        self._tabs.clear()
        self._targets = None
        try:
            made = await self._context.enter(self._set_up)
            if self._targets is None:
                self._set_up()  # another session has started the browser
            await self._following().first(made)
            self._chromium.clean_up()
        except OrynError as error:
            explained = self._chromium.not_started(error)
            await self.close()
            raise explained from error

    @cached_property
    def _features(self) -> Features:
        from oryn.browsers.cdp.features import Features

        return Features(self._tabs, self._access)

    @property
    def ignores_certificate_errors(self) -> bool:
        return self._access is not None and self._access.ignore_certificate_errors

    def _set_up(self) -> None:
        """Follow the tabs of the context, from before the first can come."""
        from oryn import scanner
        from oryn.browsers.cdp.downloads import Downloads
        from oryn.browsers.cdp.scanning import Scripts
        from oryn.browsers.cdp.targets import PageSettings, Targets

        self._connection = connection = self._chromium.connection
        scripts = Scripts(scanner.bundle(), scanner.LISTENERS_SCRIPT)
        contexts, among = self._chromium.contexts, self._context.among
        settings = PageSettings(
            scripts,
            lambda: self._policy,
            self._viewport,
            self._load_timeout,
            self._features,
            self._context.named,
            contexts.adopt if among else None,
            self._most_pages,
        )
        if self._downloads is not None:
            self._downloads.lost()
        here = self._chromium.here
        self._downloads = Downloads(connection.root, self._tabs, self._shelf, self._context.named, here=here)
        self._targets = Targets(connection, self._tabs, settings)
        if not among:
            contexts.add(self._context.id, self._targets)

    async def close(self) -> None:
        targets, self._targets = self._targets, None
        downloads, self._downloads = self._downloads, None
        if downloads is not None:
            await downloads.kept(END_SECONDS)
            downloads.end()
        await self._context.leave(targets)

    async def version(self) -> str:
        answer = await self._connection.root.call("Browser.getVersion")
        product: str = answer["product"]
        return product

    @property
    def place(self) -> Place:
        if (address := self._chromium.endpoint) is not None:
            from oryn.browser_url import shown

            return Place(endpoint=str(shown(address)), attached=True, here=self._chromium.here)
        return self._place.replace(endpoint=self._chromium.address)

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

    @property
    def lost(self) -> bool:
        return self._targets is not None and self._connection.closed is not None

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
        if not page.frame_tree.known:
            return True  # it is new, and has run none yet
        page.dialogs.dismiss()
        try:
            await page.channel.session.call("Runtime.evaluate", {"expression": "0"}, timeout=ANSWER_SECONDS)
        except OrynError:
            return False
        return True

    # --- recording ---

    @cached_property
    def tracing(self) -> Tracing:
        from oryn.browsers.cdp.recording.tracing import CdpTracing

        return CdpTracing(lambda: self._current().channel.session.connection.root)

    # --- tabs ---

    async def tabs(self) -> list[Tab]:
        await self._tabs.ask_titles(self._connection.root)
        return self._tabs.rows()

    def open_tabs(self) -> list[Tab]:
        return self._tabs.rows()

    def on_moved(self, tell: Callable[[], None]) -> None:
        self._tabs.moved = tell

    async def tabs_until(self, holds: Callable[[Sequence[Tab]], bool], *, timeout: float) -> bool:
        return await self._tabs.until(holds, timeout)

    async def new_tab(self, url: str, *, timeout: float = 30) -> Navigation:
        page = await self._following().open_another()
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

    async def blank_tab(self) -> int:
        return self._tabs.number(await self._following().open_another())

    def page_of(self, number: int) -> Page:
        return self._tabs.get(number)

    def work_on(self, number: int) -> None:
        self._tabs.current = self._tabs.get(number)

    # --- downloads ---

    @cached_property
    def _shelf(self) -> Shelf:
        from oryn.browsers.common.shelf import Shelf

        return Shelf()

    def keep_downloads(self, keep: Callable[[Path, str], Path], limit: int) -> None:
        self._shelf.keep, self._shelf.limit = keep, limit

    def downloads(self) -> list[Download]:
        return list(self._shelf.all.values())

    async def wait_for_downloads(self, ids: Collection[str], *, timeout: float) -> None:
        await self._shelf.wait_for(ids, timeout)

    @property
    def clipboard(self) -> Clipboard:
        return self._features.clipboard

    # --- dialogs ---

    @property
    def dialog_policy(self) -> DialogPolicy | None:
        return self._policy

    @dialog_policy.setter
    def dialog_policy(self, policy: DialogPolicy | None) -> None:
        self._policy = policy

    # --- parts ---

    @cached_property
    def device(self) -> Device:
        from oryn.browsers.cdp.emulation import Emulation
        from oryn.browsers.cdp.emulation.whole import OwnBrowser

        return self._features.made(Emulation(self._tabs, self._viewport, OwnBrowser(self._tabs)))

    @property
    def network(self) -> Network:
        return self._features.network

    def restrict(self, domains: Domains) -> None:
        self._features.interception.domains = domains

    async def hold_files(self, allows: Callable[[str], bool]) -> None:
        self._features.interception.files = allows
        await self._features.interception.apply()

    def refused(self) -> Mapping[Refusal, int]:
        return self._features.interception.refused()

    @property
    def console(self) -> Console:
        return self._features.console

    @cached_property
    def page_scripts(self) -> PageScripts:
        from oryn.browsers.cdp.page_scripts import CdpPageScripts

        return self._features.made(CdpPageScripts(self._tabs))

    @cached_property
    def storage(self) -> Storage:
        from oryn.browsers.cdp.storage import CdpStorage

        return CdpStorage(self._tabs, self._features)

    # --- cookies ---

    async def cookies(self, url: str | None = None) -> list[Cookie]:
        from oryn.browsers.cdp import cookies as jar

        if url is None:
            return await jar.of_session(self._connection.root, self._context.named)
        return await jar.of_url(self._current().channel.session, url)

    async def set_cookies(self, cookies: Sequence[Cookie]) -> None:
        from oryn.browsers.cdp import cookies as jar

        await jar.add(self._connection.root, self._context.named, cookies, self._current().url)

    async def delete_cookies(self, cookies: Sequence[Cookie]) -> None:
        from oryn.browsers.cdp import cookies as jar

        await jar.remove(self._current().channel.session, cookies, self._current().url)

    async def clear_cookies(self) -> None:
        from oryn.browsers.cdp import cookies as jar

        await jar.clear(self._connection.root, self._context.named)

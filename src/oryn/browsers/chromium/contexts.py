"""Browser contexts: how a session enters and leaves one, and permissions of a context.

A context has its own cookies, storage, cache and permissions, and its pop-ups open in the same context.
https://chromedevtools.github.io/devtools-protocol/tot/Target/#method-createBrowserContext
https://chromedevtools.github.io/devtools-protocol/tot/Browser/"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from oryn.browsers.chromium.bootstrap import request_blank_tab, set_download_behavior
from oryn.browsers.common.protocol_session import answer_or_undo
from oryn.browsers.process.browser_process import END_SECONDS, START_SECONDS
from oryn.errors import OrynError

if TYPE_CHECKING:
    from oryn.browsers.cdp.connection import CdpSession
    from oryn.browsers.chromium.page import CdpPage
    from oryn.browsers.chromium.shared_browser import SharedBrowser
    from oryn.browsers.chromium.tabs import CdpTabs
    from oryn.browsers.chromium.targets import CdpTargets
    from oryn.browsers.common.protocol_session import Answer


class BrowserContext:
    """One session's context in a browser.

    own: whether the session gets a new context; otherwise it is in the browser's default context.
    shared: whether it is there as a guest of the browser's user, in a browser that was started by others.
    options: parameters of `Target.createBrowserContext` for a new context.

    A browser that was started by others may not allow new contexts. The session is then in the default context, shared
    with others, and owns only the tabs that it opens."""

    def __init__(self, browser: SharedBrowser, *, own: bool, options: Mapping[str, Any], shared: bool = False) -> None:
        self._browser = browser
        self._own = own
        self._is_guest = shared
        self.is_shared = shared
        """Whether others have tabs in the context, too."""
        self.is_alone = False
        """Whether the browser was opened for this session, and ends with it. The context is then the browser's default
        one, with the tab that is there from the start, since another would only cost time."""
        self._options = {"disposeOnDetach": True, **options}
        self.params: dict[str, str] = {}
        """The parameters that name the context in commands to the browser; empty for the default context."""

    @property
    def id(self) -> str | None:
        """The browser's id of the context; None for the default context."""
        return self.params.get("browserContextId")

    async def enter(self, listen: Callable[[], None], *, resumed: bool = False) -> asyncio.Future[Answer] | None:
        """Start the browser unless it runs. Returns the answer to the request for a first tab, or None without one.

        `resumed`: the context and its tabs are there from before, as only the connection was lost.

        `listen` is called before the first event of the context, unless another session has started the browser and
        this is the default context. Raises `BrowserNotFound`, `BrowserFailed`."""
        if self._is_guest:
            await self._browser.start(self, lambda: None)
            self._browser.guard_tabs()
            set_download_behavior(self._browser.connection.root, None)
            listen()
            return None
        if not self._own:
            return await self._browser.start(self, listen, new_tab=True)
        await self._browser.start(self, lambda: None)
        root = self._browser.connection.root
        if self.is_alone or (resumed and self.id is not None):
            self._accept_downloads(root)
            listen()
            self._browser.hold_tabs(self)  # this attaches the open tabs
            return None
        self._browser.hold_tabs(self)
        try:
            self.params = await self._create(root)
        except OrynError:
            if self._browser.endpoint is None or self._browser.connection.closed:
                raise
            self.params, self.is_shared = {}, True
            set_download_behavior(root, None)
            listen()
            return None
        self._accept_downloads(root)
        listen()
        return request_blank_tab(root, self.params)

    async def _create(self, root: CdpSession) -> dict[str, str]:
        """Create the context; returns the parameters that name it."""
        created = asyncio.ensure_future(root.call("Target.createBrowserContext", self._options, timeout=START_SECONDS))
        return await answer_or_undo(created, lambda params: root.send("Target.disposeBrowserContext", params))

    @property
    def is_own(self) -> bool:
        """Whether it is the session's alone."""
        return self.is_alone or self.id is not None

    def _accept_downloads(self, root: CdpSession) -> None:
        """Have the downloads of an own context stored, if the browser is on this computer."""
        folder = self._browser.run_folder
        downloads = None
        if folder is not None:
            downloads = folder.downloads if self.id is None else folder.downloads_of(self.id)
        set_download_behavior(root, downloads, self.params, fallback="default" if self._browser.is_local else "deny")

    async def leave(self, targets: CdpTargets | None) -> None:
        """Remove the session with these `targets` from the browser; the last session to leave ends the browser.
        Idempotent."""
        keeps_running = self._browser.leave(self) or self._browser.endpoint is not None
        if keeps_running and targets is not None and targets.alive:
            with suppress(OrynError):  # the browser is gone, and everything with it
                await self._dispose(targets)
            self._browser.router.remove(targets)
        self._browser.release_tabs(self)
        await self._browser.end_unused()

    async def _dispose(self, targets: CdpTargets) -> None:
        root = self._browser.connection.root
        if self.is_alone:  # whoever has opened the browser ends it
            targets.end()
            return
        if self.id is None:  # the default context can't be disposed of
            await targets.close_all(END_SECONDS)
            if not self.is_shared:
                await root.call("Storage.clearCookies", timeout=END_SECONDS)
            return
        targets.end()
        if self._browser.run_folder is not None:
            self._browser.run_folder.remove_downloads_of(self.id)
        await root.call("Target.disposeBrowserContext", self.params, timeout=END_SECONDS)


async def context_id_of(page: CdpPage, timeout: float) -> str:
    """The browser's id of the context that a tab is in."""
    root = page.channel.session.connection.root
    info = await root.call("Target.getTargetInfo", {"targetId": page.target_id}, timeout=timeout)
    context: str = info["targetInfo"]["browserContextId"]
    return context


class ContextOverrides:
    """Implements `cdp.emulation.BrowserOverrides` through the session's current tab."""

    def __init__(self, tabs: CdpTabs) -> None:
        self._tabs = tabs

    async def product(self) -> str:
        root = self._tabs.get(None).channel.session.connection.root
        product: str = (await root.call("Browser.getVersion"))["product"]
        return product

    async def permit_geolocation(self, position: tuple[float, float] | None, timeout: float) -> None:
        page = self._tabs.get(None)
        root = page.channel.session.connection.root
        params = {
            "permission": {"name": "geolocation"},
            "setting": "prompt" if position is None else "granted",
            "browserContextId": await context_id_of(page, timeout),
        }
        await root.call("Browser.setPermission", params, timeout=timeout)

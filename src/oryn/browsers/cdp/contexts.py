"""Browser contexts: how a session comes to one and leaves it, and whose tabs are whose.

A context has cookies, storage, cache and permissions of its own and opens its pop-ups in itself.
https://chromedevtools.github.io/devtools-protocol/tot/Target/#method-createBrowserContext
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from oryn.browsers.cdp.greeting import ask_for_tab, tell_downloads
from oryn.browsers.cdp.process import END_SECONDS, START_SECONDS
from oryn.errors import OrynError, TabNotFound

if TYPE_CHECKING:
    from oryn.browsers.cdp.chromium import Chromium
    from oryn.browsers.cdp.connection import Answer, Session
    from oryn.browsers.cdp.page import CdpPage
    from oryn.browsers.cdp.targets import Targets


class Context:
    """One session's context in a browser: the default one, which is there with it, or one of its `own`, made as
    `wanted` (parameters of `Target.createBrowserContext`).

    A browser that was started elsewhere may allow no others: then the session is in the default one, `among` others,
    where only the tabs are its own that it opens."""

    def __init__(self, chromium: Chromium, *, own: bool, wanted: Mapping[str, Any]) -> None:
        self._chromium = chromium
        self._own = own
        self.among = False
        self._wanted = {"disposeOnDetach": True, **wanted}
        self.named: dict[str, str] = {}
        """What names it in a command to the browser itself; empty for the default one."""

    @property
    def id(self) -> str | None:
        """None is the default one."""
        return self.named.get("browserContextId")

    async def enter(self, listen: Callable[[], None]) -> asyncio.Future[Answer] | None:
        """Start the browser unless it runs. The future of a first tab that was asked for, or None.

        `listen` is called before anything can come of the context, save where another session has started the browser
        and it is the default one. Raises `BrowserNotFound`, `BrowserFailed`."""
        if not self._own:
            return await self._chromium.start(self, listen, new_tab=True)
        await self._chromium.start(self, lambda: None)
        root = self._chromium.connection.root
        try:
            self.named = await self._made(root)
        except OrynError:
            if self._chromium.endpoint is None or self._chromium.connection.closed:
                raise
            self.named, self.among = {}, True
            tell_downloads(root, None)
            listen()
            return None
        folder = self._chromium.run_folder
        downloads = folder.downloads_of(self.named["browserContextId"]) if folder else None
        tell_downloads(root, downloads, self.named, without="default" if self._chromium.here else "deny")
        listen()
        return ask_for_tab(root, self.named)

    async def _made(self, root: Session) -> dict[str, str]:
        making = asyncio.ensure_future(root.call("Target.createBrowserContext", self._wanted, timeout=START_SECONDS))
        try:
            return await asyncio.shield(making)
        except asyncio.CancelledError:
            # The browser makes it all the same, and nobody would know of it.
            making.add_done_callback(
                lambda made: made.exception() or root.send("Target.disposeBrowserContext", made.result())
            )
            raise

    async def leave(self, targets: Targets | None) -> None:
        """Leave nothing of the session, whose `targets` these are, in a browser that others are in; the last one ends
        it. Safe to call twice."""
        stays = self._chromium.leave(self) or self._chromium.endpoint is not None
        if stays and targets is not None and targets.alive:
            with suppress(OrynError):  # the browser has gone, and everything with it
                await self._vacate(targets)
            self._chromium.contexts.remove(targets)
        await self._chromium.end_unused()

    async def _vacate(self, targets: Targets) -> None:
        root = self._chromium.connection.root
        if self.id is None:  # it can't be disposed of
            await targets.close_all(END_SECONDS)
            if not self.among:
                await root.call("Storage.clearCookies", timeout=END_SECONDS)
            return
        targets.end()
        if self._chromium.run_folder is not None:
            self._chromium.run_folder.remove_downloads_of(self.id)
        await root.call("Target.disposeBrowserContext", self.named, timeout=END_SECONDS)


class Contexts:
    """Hands what the browser tells of targets to those whose context they are in. In a `foreign` browser most are
    somebody else's: those are let go."""

    def __init__(self, *, foreign: bool = False) -> None:
        self._foreign = foreign
        self._root: Session | None = None
        self._default: str | None = None
        """The browser's name for the default context, where others may make contexts of their own."""
        self._targets: dict[str | None, Targets] = {}
        self._owners: dict[str, Targets] = {}
        """By the protocol's session of each tab: its end is told without the context."""
        self._adopted: dict[str, Targets] = {}
        """By their id, the tabs that a session has opened in a context where others have tabs, too."""

    def listen(self, root: Session) -> None:
        self._root = root
        root.on("Target.attachedToTarget", self._attached)
        root.on("Target.detachedFromTarget", self._detached)
        root.on("Target.targetInfoChanged", self._changed)

    async def tell_apart(self, root: Session) -> None:
        """Others can attach to the browser: what they open in contexts of their own is theirs."""
        told = await root.call("Target.getBrowserContexts", timeout=START_SECONDS)
        self._default = told.get("defaultBrowserContextId")

    def add(self, context: str | None, targets: Targets) -> None:
        """What is in `context` belongs to `targets`; None is the default context, and any that we have not made."""
        self._targets[context] = targets

    def adopt(self, target_id: str, targets: Targets) -> asyncio.Future[Answer]:
        """A tab of a foreign browser belongs to `targets`, and so does what it opens."""
        assert self._root is not None
        self._adopted[target_id] = targets
        return self._root.send("Target.attachToTarget", {"targetId": target_id, "flatten": True})

    def remove(self, targets: Targets) -> None:
        self._targets = {context: owner for context, owner in self._targets.items() if owner is not targets}
        self._owners = {session: owner for session, owner in self._owners.items() if owner is not targets}
        self._adopted = {target: owner for target, owner in self._adopted.items() if owner is not targets}

    def lost(self) -> None:
        """The browser is gone, and all tabs with it."""
        for targets in {*self._targets.values(), *self._adopted.values()}:
            targets.lost()

    def _owner(self, info: dict[str, Any]) -> Targets | None:
        context = info.get("browserContextId")
        if owner := self._targets.get(context):
            return owner
        if not self._foreign:
            return self._targets.get(None) if self._default in (None, context) else None
        if owner := self._adopted.get(info.get("openerId", "")):
            self._adopted[info["targetId"]] = owner
        return self._adopted.get(info["targetId"])

    def _attached(self, event: dict[str, Any]) -> None:
        if event["targetInfo"]["type"] != "page":
            return  # a hidden tab, which belongs to who made it
        if owner := self._owner(event["targetInfo"]):
            self._owners[event["sessionId"]] = owner
            owner.attached(event)
        elif self._foreign or self._default:
            self._let_go(event["sessionId"])

    def _let_go(self, session_id: str) -> None:
        assert self._root is not None
        session = self._root.connection.session(session_id)
        session.send("Runtime.runIfWaitingForDebugger")  # it is held until somebody says so
        self._root.send("Target.detachFromTarget", {"sessionId": session_id})
        self._root.connection.end_session(session, TabNotFound("the tab is somebody else's"))

    def _detached(self, event: dict[str, Any]) -> None:
        if owner := self._owners.pop(event["sessionId"], None):
            owner.detached(event["sessionId"])

    def _changed(self, event: dict[str, Any]) -> None:
        if owner := self._owner(event["targetInfo"]):
            owner.changed(event["targetInfo"])


async def context_of(page: CdpPage, timeout: float) -> str:
    """The browser's name for the context that a tab is in."""
    root = page.channel.session.connection.root
    info = await root.call("Target.getTargetInfo", {"targetId": page.target_id}, timeout=timeout)
    context: str = info["targetInfo"]["browserContextId"]
    return context

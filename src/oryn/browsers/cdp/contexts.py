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
from oryn.errors import OrynError

if TYPE_CHECKING:
    from oryn.browsers.cdp.chromium import Chromium
    from oryn.browsers.cdp.connection import Answer, Session
    from oryn.browsers.cdp.page import CdpPage
    from oryn.browsers.cdp.targets import Targets


class Context:
    """One session's context in a browser: the default one, which is there with it, or one of its `own`, made as
    `wanted` (parameters of `Target.createBrowserContext`)."""

    def __init__(self, chromium: Chromium, *, own: bool, wanted: Mapping[str, Any]) -> None:
        self._chromium = chromium
        self._own = own
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
        self.named = await self._made(root)
        folder = self._chromium.run_folder
        tell_downloads(root, folder.downloads_of(self.named["browserContextId"]) if folder else None, self.named)
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
        if self._chromium.leave(self) and targets is not None and targets.alive:
            with suppress(OrynError):  # the browser has gone, and everything with it
                await self._vacate(targets)
            self._chromium.contexts.remove(self.id)
        await self._chromium.end_unused()

    async def _vacate(self, targets: Targets) -> None:
        root = self._chromium.connection.root
        if self.id is None:  # it can't be disposed of
            await targets.close_all(END_SECONDS)
            await root.call("Storage.clearCookies", timeout=END_SECONDS)
            return
        targets.end()
        if self._chromium.run_folder is not None:
            self._chromium.run_folder.remove_downloads_of(self.id)
        await root.call("Target.disposeBrowserContext", self.named, timeout=END_SECONDS)


class Contexts:
    """Hands what the browser tells of targets to those whose context they are in."""

    def __init__(self) -> None:
        self._targets: dict[str | None, Targets] = {}
        self._owners: dict[str, Targets] = {}
        """By the protocol's session of each tab: its end is told without the context."""

    def listen(self, root: Session) -> None:
        root.on("Target.attachedToTarget", self._attached)
        root.on("Target.detachedFromTarget", self._detached)
        root.on("Target.targetInfoChanged", self._changed)

    def add(self, context: str | None, targets: Targets) -> None:
        """What is in `context` belongs to `targets`; None is the default context, and any that we have not made."""
        self._targets[context] = targets

    def remove(self, context: str | None) -> None:
        targets = self._targets.pop(context, None)
        self._owners = {session: owner for session, owner in self._owners.items() if owner is not targets}

    def lost(self) -> None:
        """The browser is gone, and all tabs with it."""
        for targets in list(self._targets.values()):
            targets.lost()

    def _owner(self, info: dict[str, Any]) -> Targets | None:
        return self._targets.get(info.get("browserContextId")) or self._targets.get(None)

    def _attached(self, event: dict[str, Any]) -> None:
        if event["targetInfo"]["type"] != "page":
            return  # a hidden tab, which belongs to who made it
        if owner := self._owner(event["targetInfo"]):
            self._owners[event["sessionId"]] = owner
            owner.attached(event)

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

"""Routes the browser's target events to the session that owns the target's browser context.

https://chromedevtools.github.io/devtools-protocol/tot/Target/#event-attachedToTarget"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from oryn.browsers.process.browser_process import START_SECONDS
from oryn.errors import TabNotFound

if TYPE_CHECKING:
    from oryn.browsers.cdp.connection import CdpSession
    from oryn.browsers.chromium.targets import CdpTargets
    from oryn.browsers.common.protocol_session import Answer


class TargetRouter:
    """Passes the events of targets on to the `CdpTargets` of the browser context that each target is in.

    foreign: the browser was started by others, so targets that no session claims are released."""

    def __init__(self, *, foreign: bool = False) -> None:
        self._foreign = foreign
        self._root: CdpSession | None = None
        self._default: str | None = None
        """The browser's id of the default context, if others may attach and create contexts of their own."""
        self._targets: dict[str | None, CdpTargets] = {}
        self._owners: dict[str, CdpTargets] = {}
        """By the DevTools session of each tab, because the event of its end does not name the context."""
        self._adopted: dict[str, CdpTargets] = {}
        """By target id, the tabs that a session has opened in a context that it shares with others."""

    def listen(self, root: CdpSession) -> None:
        self._root = root
        root.on("Target.attachedToTarget", self._on_attached)
        root.on("Target.detachedFromTarget", self._on_detached)
        root.on("Target.targetInfoChanged", self._on_changed)

    async def fetch_default(self, root: CdpSession) -> None:
        """Look up the default context, so that targets in contexts that other clients create are left to them."""
        answer = await root.call("Target.getBrowserContexts", timeout=START_SECONDS)
        self._default = answer.get("defaultBrowserContextId")

    def add(self, context: str | None, targets: CdpTargets) -> None:
        """Route the events of `context` to `targets`. None is the default context and any that we did not create."""
        self._targets[context] = targets

    def adopt(self, target_id: str, targets: CdpTargets) -> asyncio.Future[Answer]:
        """Attach a tab of a foreign browser and route its events, and those of tabs that it opens, to `targets`."""
        assert self._root is not None
        self._adopted[target_id] = targets
        return self._root.send("Target.attachToTarget", {"targetId": target_id, "flatten": True})

    def remove(self, targets: CdpTargets) -> None:
        self._targets = {context: owner for context, owner in self._targets.items() if owner is not targets}
        self._owners = {session: owner for session, owner in self._owners.items() if owner is not targets}
        self._adopted = {target: owner for target, owner in self._adopted.items() if owner is not targets}

    def on_lost(self) -> None:
        """Report to every session that the browser, and all tabs with it, is gone."""
        for targets in {*self._targets.values(), *self._adopted.values()}:
            targets.on_lost()

    def _owner(self, info: dict[str, Any]) -> CdpTargets | None:
        context = info.get("browserContextId")
        if owner := self._targets.get(context):
            return owner
        if not self._foreign:
            return self._targets.get(None) if self._default in (None, context) else None
        if owner := self._adopted.get(info.get("openerId", "")):
            self._adopted[info["targetId"]] = owner
        return self._adopted.get(info["targetId"])

    def _on_attached(self, event: dict[str, Any]) -> None:
        if event["targetInfo"]["type"] != "page":
            return  # a hidden tab, which belongs to its creator
        if owner := self._owner(event["targetInfo"]):
            self._owners[event["sessionId"]] = owner
            owner.on_attached(event)
        elif self._foreign or self._default:
            assert self._root is not None
            self._root.connection.release(event["sessionId"], TabNotFound("the tab is somebody else's"))

    def _on_detached(self, event: dict[str, Any]) -> None:
        if owner := self._owners.pop(event["sessionId"], None):
            owner.on_detached(event["sessionId"])

    def _on_changed(self, event: dict[str, Any]) -> None:
        if owner := self._owner(event["targetInfo"]):
            owner.on_changed(event["targetInfo"])

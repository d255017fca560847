"""Whose tabs are whose: the browser contexts of one conversation, each with the targets of one session.

A context has cookies, storage, cache and permissions of its own and opens its pop-ups in itself.
https://chromedevtools.github.io/devtools-protocol/tot/Target/#method-createBrowserContext
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oryn.browsers.cdp.connection import Session
    from oryn.browsers.cdp.page import CdpPage
    from oryn.browsers.cdp.targets import Targets


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

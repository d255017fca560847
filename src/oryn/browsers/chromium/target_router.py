"""Routes the browser's target events to the session that owns the target's browser context.

https://chromedevtools.github.io/devtools-protocol/tot/Target/#event-attachedToTarget"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from oryn.browsers.process.browser_process import START_SECONDS
from oryn.errors import TabNotFound

if TYPE_CHECKING:
    from oryn.browsers.cdp.connection import CdpSession
    from oryn.browsers.chromium.targets import CdpTargets
    from oryn.browsers.common.protocol_session import Answer


_UNLISTED_SCHEMES = ("devtools:",)
_UNLISTED_HOST = ".top-chrome/"
"""Part of the URLs of the browser's own panels. https://chromium.googlesource.com/chromium/src/+/main/docs/webui/"""


def is_listed(info: Mapping[str, Any]) -> bool:
    """Whether a target is a tab that a person sees: neither the window of developer tools, a panel, nor a page that the
    browser loads in advance. https://chromedevtools.github.io/devtools-protocol/tot/Target/#type-TargetInfo"""
    url = info.get("url", "")
    return info["type"] == "page" and not (
        info.get("subtype") or url.startswith(_UNLISTED_SCHEMES) or _UNLISTED_HOST in url
    )


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
        self._attaching: dict[str, CdpTargets] = {}
        """By target id, who has asked to attach a tab."""
        self._watching: list[CdpTargets] = []
        """The sessions that list all tabs of the default context."""
        self._listed: dict[str, dict[str, Any]] = {}
        """The tabs of all contexts, by target id."""
        self._hidden: set[str] = set()
        self.on_adopted: list[Callable[[str], object]] = []
        """Called with the target id of each tab that a session has opened in a context with tabs of others."""
        self.on_destroyed: list[Callable[[str], object]] = []
        """Called with the target id of each tab that has closed."""

    def listen(self, root: CdpSession) -> None:
        self._root = root
        root.on("Target.attachedToTarget", self._on_attached)
        root.on("Target.detachedFromTarget", self._on_detached)
        root.on("Target.targetInfoChanged", self._on_changed)
        root.on("Target.targetCreated", self._on_created)
        root.on("Target.targetDestroyed", self._on_destroyed)

    async def fetch_default(self, root: CdpSession) -> None:
        """Look up the default context, so that targets in contexts that other clients create are left to them."""
        answer = await root.call("Target.getBrowserContexts", timeout=START_SECONDS)
        self._default = answer.get("defaultBrowserContextId")

    def add(self, context: str | None, targets: CdpTargets) -> None:
        """Route the events of `context` to `targets`. None is the default context, and any that we did not create
        unless the browser was started by others."""
        self._targets[self._default if self._foreign and context is None else context] = targets

    def watch(self, targets: CdpTargets) -> None:
        """Report all tabs of the default context to `targets`, those that are open and later ones."""
        self._watching.append(targets)
        for info in self._listed.values():
            self._report(info, (targets,))

    def adopt(self, target_id: str, targets: CdpTargets) -> asyncio.Future[Answer]:
        """Attach a tab that a session has opened in a foreign browser, and route its events, and those of tabs that it
        opens, to `targets`."""
        self._add_adopted(target_id, targets)
        return self.attach(target_id, targets)

    def _add_adopted(self, target_id: str, targets: CdpTargets) -> None:
        self._adopted[target_id] = targets
        for listener in self.on_adopted:
            listener(target_id)

    def attach(self, target_id: str, targets: CdpTargets) -> asyncio.Future[Answer]:
        """Attach a tab of a foreign browser, and route its events to `targets`."""
        assert self._root is not None
        self._attaching[target_id] = targets
        return self._root.send("Target.attachToTarget", {"targetId": target_id, "flatten": True})

    def is_open(self, target_id: str) -> bool:
        """Whether the browser has reported this tab, and not that it has closed."""
        return target_id in self._listed

    def hide(self, target_id: str) -> None:
        """Report a tab to nobody."""
        self._hidden.add(target_id)
        for each in self._watching:
            each.on_unlisted(target_id)

    def remove(self, targets: CdpTargets) -> None:
        self._watching = [each for each in self._watching if each is not targets]
        self._targets = {context: owner for context, owner in self._targets.items() if owner is not targets}
        self._owners = {session: owner for session, owner in self._owners.items() if owner is not targets}
        self._adopted = {target: owner for target, owner in self._adopted.items() if owner is not targets}

    def on_lost(self) -> None:
        """Report to every session that the browser, and all tabs with it, is gone."""
        for targets in {*self._targets.values(), *self._adopted.values(), *self._watching}:
            targets.on_lost()

    def _owner(self, info: dict[str, Any]) -> CdpTargets | None:
        context = info.get("browserContextId")
        if owner := self._targets.get(context):
            return owner
        if not self._foreign:
            return self._targets.get(None) if self._default in (None, context) else None
        if owner := self._adopted.get(info.get("openerId", "")):
            self._add_adopted(info["targetId"], owner)
        return self._adopted.get(info["targetId"])

    def _on_attached(self, event: dict[str, Any]) -> None:
        if event["targetInfo"]["type"] != "page":
            return  # a hidden tab, which belongs to its creator
        owner = self._attaching.pop(event["targetInfo"]["targetId"], None) or self._owner(event["targetInfo"])
        if owner is not None:
            self._owners[event["sessionId"]] = owner
            owner.on_attached(event)
        elif self._foreign or self._default:
            assert self._root is not None
            self._root.connection.release(event["sessionId"], TabNotFound("the tab is somebody else's"))

    def _on_detached(self, event: dict[str, Any]) -> None:
        if owner := self._owners.pop(event["sessionId"], None):
            owner.on_detached(event["sessionId"])

    def _on_changed(self, event: dict[str, Any]) -> None:
        info = event["targetInfo"]
        owner = self._owner(info)
        if owner is not None and owner not in self._watching:
            owner.on_changed(info)
        if info["targetId"] in self._listed:
            self._listed[info["targetId"]] = info
            self._report(info, self._watching)

    def _on_created(self, event: dict[str, Any]) -> None:
        info = event["targetInfo"]
        if not self._foreign or info["type"] != "page":
            return
        self._listed[info["targetId"]] = info
        owner = self._owner(info)
        if owner in self._watching:  # a tab of the session has opened it
            assert owner is not None and self._root is not None
            self.attach(info["targetId"], owner)
        self._report(info, [each for each in self._watching if each is not owner])

    def _on_destroyed(self, event: dict[str, Any]) -> None:
        target_id = event["targetId"]
        self._listed.pop(target_id, None)
        self._adopted.pop(target_id, None)
        self._attaching.pop(target_id, None)
        self._hidden.discard(target_id)
        for each in self._watching:
            each.on_unlisted(target_id)
        for listener in self.on_destroyed:
            listener(target_id)

    def _report(self, info: dict[str, Any], watching: Iterable[CdpTargets]) -> None:
        """Tell sessions of a tab in the default context."""
        context = info.get("browserContextId")
        is_default = context == self._default if self._default else context not in self._targets
        is_visible = is_default and is_listed(info) and info["targetId"] not in self._hidden
        for each in watching:
            if is_visible:
                each.on_listed(info)
            else:
                each.on_unlisted(info["targetId"])

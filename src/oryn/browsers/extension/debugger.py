"""One tab's debugger, attached while the user allows it: the DevTools protocol for what scripts are not let do.

The browser shows a bar as long as it is attached; whoever closes that has said no.
https://developer.chrome.com/docs/extensions/reference/api/debugger
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from oryn.browsers.base import DialogPolicy
from oryn.browsers.cdp.calls import RENDERER, Calls
from oryn.browsers.cdp.connection import Answer, Connection, Session
from oryn.browsers.cdp.dialogs import Dialogs
from oryn.browsers.extension.channel import Channel
from oryn.browsers.extension.features import Debugged
from oryn.errors import BrowserFailed, OrynError, TabNotFound
from oryn.extension.bridge import ChromeFailed

PROTOCOL = "1.3"
TOLD_SECONDS = 1.0
_ENDED = "'Real keys and mouse' has ended"
_DETACHED = "Detached while handling command"
_OVERHEARD = ("Log.", "Network.", "Runtime.")
"""The events of a page that tell what its user does there."""
_HELD = "Another debugger is already attached"
_RUN_AGAIN = "Run it again: Oryn makes the input itself now."
CLOSED_BAR = "the user has ended 'Real keys and mouse': Oryn makes the input itself now, which pages can tell"
TAKEN = "another program debugs this tab: Oryn makes the input itself, which pages can tell"


class Debugger(Calls):
    """`allowed` is the user's setting, asked at each command; `policy` that of the session for dialogs; `heard` says
    whether what goes on in the tab is anybody's but its user's."""

    def __init__(
        self,
        channel: Channel,
        allowed: Callable[[], bool],
        policy: Callable[[], DialogPolicy | None],
        heard: Callable[[], bool] = lambda: True,
    ) -> None:
        self._channel = channel
        self._allowed = allowed
        self._heard = heard
        self._wire: _Wire | None = None
        self._closed_bar = False
        self._is_taken = False
        self._attaching = asyncio.Lock()
        self._told: asyncio.Future[Answer] | None = None
        """The answer to the last of what a tab is told when it is attached."""
        self.dialogs = Dialogs(channel, policy)
        self.debugged: Debugged | None = None
        """The tab, as the parts of a session know it, while it is attached."""
        self.on_begin: Callable[[Debugged], None] = lambda _: None
        self.on_chooser: Callable[[], None] = lambda: None
        """A page has asked for files; the browser's own window for them is not shown."""
        self.news: list[str] = []
        """What the user of the tab is to be told, once."""

    # --- attached or not ---

    @property
    def is_attached(self) -> bool:
        return self._wire is not None

    @property
    def is_refused(self) -> bool:
        """Whether it is kept from the tab: its bar was closed, or another's debugger is there."""
        return self._closed_bar or self._is_taken

    @property
    def session(self) -> Session:  # type: ignore[override]
        """That of the top document. Raises `BrowserFailed` where none is attached."""
        if self._wire is None:
            raise BrowserFailed(_ENDED, _RUN_AGAIN)
        return self._wire.session

    async def attend(self) -> None:
        """A command begins: attach where the user allows it, let go where no longer. Costs nothing where all is well.
        Never raises: what can't be attached goes without."""
        if self._allowed():
            if self._wire is None and not self._closed_bar:
                async with self._attaching:
                    await self._attach()
        else:
            self._closed_bar = self._is_taken = False
            await self.detach()

    async def told(self) -> None:
        """Wait until the tab has what it was told when it was attached: what a renderer has not taken yet, a navigation
        to another one leaves behind. Costs nothing from then on. Never raises; a page that is busy is not waited for
        any longer than `TOLD_SECONDS`."""
        if self._told is not None:
            await asyncio.wait([self._told], timeout=TOLD_SECONDS)

    async def _attach(self) -> None:
        if self._wire is not None:
            return
        try:
            target = await self._target()
            await self._try()
        except ChromeFailed as error:
            if _HELD in error.message and not self._is_taken:
                self._is_taken = True
                self.news.append(TAKEN)
            return  # else it is a page that no extension may debug
        self._is_taken = False
        self._wire = _Wire(self._channel, self._detached, self._heard)
        self._begin(self._wire.session, target)

    async def _target(self) -> str:
        """The protocol's id of the tab.
        https://developer.chrome.com/docs/extensions/reference/api/debugger#method-getTargets"""
        targets = await self._channel.bridge.call("debugger.getTargets")
        return next((each["id"] for each in targets if each.get("tabId") == self._channel.tab), "")

    async def _try(self) -> None:
        target = {"tabId": self._channel.tab}
        try:
            await self._channel.bridge.call("debugger.attach", target, PROTOCOL)
        except ChromeFailed as error:
            if _HELD not in error.message:
                raise
            # It may be ours, from before the browser stopped the worker; another's can't be let go.
            try:
                await self._channel.bridge.call("debugger.detach", target)
            except ChromeFailed:
                raise error from None
            await self._channel.bridge.call("debugger.attach", target, PROTOCOL)

    def _begin(self, session: Session, target: str) -> None:
        self.dialogs.listen(session)
        session.on("Page.javascriptDialogOpening", self._blocked)
        session.on("Page.fileChooserOpened", lambda _: self.on_chooser())
        session.send("Page.enable")
        session.send("Page.setInterceptFileChooserDialog", {"enabled": True})
        session.send("Emulation.setFocusEmulationEnabled", {"enabled": True})
        self.debugged = Debugged(session, self, target)
        self.on_begin(self.debugged)
        self._told = session.send("Page.getFrameTree")  # a renderer answers in order

    def _blocked(self, _: dict[str, Any]) -> None:
        """While a dialog is open nothing is answered that the renderer would answer."""
        if self._channel.blocked is not None and self._wire is not None:
            self._wire.connection.interrupt(self._wire.session, self._channel.blocked, RENDERER)

    def _detached(self, reason: str) -> None:
        closed = TabNotFound("the tab is closed", "Run 'tabs' to see which are open.")
        self._let_go(closed if reason == "target_closed" else BrowserFailed(_ENDED, _RUN_AGAIN))
        if reason == "canceled_by_user":
            self._closed_bar = True
            self.news.append(CLOSED_BAR)

    def _let_go(self, why: OrynError) -> None:
        if self._wire is not None:
            wire, self._wire, self._told = self._wire, None, None
            wire.end(why)
            self.dialogs.forget()
            if self.debugged is not None:
                self.debugged.end()
                self.debugged = None

    async def detach(self) -> None:
        """Let go of the tab, and with it of the bar. Never raises; safe to call twice."""
        if self._wire is None:
            return
        self._let_go(BrowserFailed(_ENDED, _RUN_AGAIN))
        try:
            await self._channel.bridge.call("debugger.detach", {"tabId": self._channel.tab})
        except ChromeFailed:
            pass  # the tab has closed meanwhile

    # --- `Calls` ---

    def check(self) -> None:
        self._channel.check()

    def check_alive(self) -> None:
        self._channel.check_alive()


class _Wire:
    """`chrome.debugger` of one tab as a conversation of the protocol. `on_detached` is told the browser's reason; while
    not `heard` nothing comes of what the page says, sends and is answered."""

    def __init__(self, channel: Channel, on_detached: Callable[[str], None], heard: Callable[[], bool]) -> None:
        self._bridge = channel.bridge
        self._tab = channel.tab
        self._on_detached = on_detached
        self._heard = heard
        self._sending: set[asyncio.Task[None]] = set()
        self.connection = Connection()
        self.connection.attach(self)
        self.session = self.connection.root
        self._bridge.on("debugger.onEvent", self._happened)
        self._bridge.on("debugger.onDetach", self._ended)

    # --- `Transport` ---

    def send(self, message: bytes) -> None:
        # Tasks begin in the order in which they are made, and each makes its call before it waits.
        task = asyncio.get_running_loop().create_task(self._command(json.loads(message)))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    def close(self) -> None:
        """The browser ends it, or `Debugger.detach`."""

    async def _command(self, message: dict[str, Any]) -> None:
        params = message.get("params", {})
        try:
            result = await self._bridge.call("debugger.sendCommand", {"tabId": self._tab}, message["method"], params)
            answer = {"result": result or {}}
        except ChromeFailed as error:
            if error.message.startswith(_DETACHED):
                return  # `end` says why, to all who wait
            answer = {"error": _error(error.message)}
        self.connection.receive(json.dumps({"id": message["id"], **answer}))

    # --- events ---

    def _happened(self, source: dict[str, Any], method: str, params: dict[str, Any] | None = None) -> None:
        is_ours = source.get("tabId") == self._tab and "sessionId" not in source
        if is_ours and (not method.startswith(_OVERHEARD) or self._heard()):
            self.connection.receive(json.dumps({"method": method, "params": params or {}}))

    def _ended(self, source: dict[str, Any], reason: str) -> None:
        if source.get("tabId") == self._tab:
            self._on_detached(reason)

    def end(self, reason: OrynError) -> None:
        self._bridge.off("debugger.onEvent", self._happened)
        self._bridge.off("debugger.onDetach", self._ended)
        for task in self._sending:
            task.cancel()
        self.connection.end_session(self.session, reason)


def _error(message: str) -> dict[str, Any]:
    """The protocol's error, which the browser hands on as JSON text; of others it speaks plainly."""
    try:
        error = json.loads(message)
    except ValueError:
        return {"message": message}
    return error if isinstance(error, dict) else {"message": message}

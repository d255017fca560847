"""One tab's debugger, attached while the user allows it: the DevTools protocol can do more than content scripts.

The browser shows a bar while it is attached; a user who closes the bar has refused it.
https://developer.chrome.com/docs/extensions/reference/api/debugger"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from oryn.browsers.base import DialogPolicy
from oryn.browsers.cdp.channel import RENDERER_METHODS, TabCommands
from oryn.browsers.cdp.connection import CdpConnection, CdpSession
from oryn.browsers.cdp.dialogs import Dialogs
from oryn.browsers.common.protocol_session import Answer
from oryn.browsers.extension.bridge import ChromeFailed
from oryn.browsers.extension.channel import ExtensionChannel
from oryn.browsers.extension.debugged_features import DebuggedTab
from oryn.errors import BrowserFailed, OrynError, TabNotFound

PROTOCOL_VERSION = "1.3"
CONFIGURE_SECONDS = 1.0
_ENDED_MESSAGE = "'Real keys and mouse' has ended"
_DETACHED_MESSAGE = "Detached while handling command"
_USER_ACTIVITY_DOMAINS = ("Log.", "Network.", "Runtime.")
"""The events of a page that reveal what its user does there."""
_ALREADY_ATTACHED = "Another debugger is already attached"
_RUN_AGAIN_HINT = "Run it again: Oryn makes the input itself now."
CLOSED_BAR_NOTICE = "the user has ended 'Real keys and mouse': Oryn now sends input by script, which pages can detect"
OTHER_DEBUGGER_NOTICE = "another program debugs this tab: Oryn sends input by script, which pages can detect"


class TabDebugger(TabCommands):
    """The debugger of one tab, and the commands sent through it."""

    def __init__(
        self,
        channel: ExtensionChannel,
        allowed: Callable[[], bool],
        policy: Callable[[], DialogPolicy | None],
        forwards_events: Callable[[], bool] = lambda: True,
    ) -> None:
        """`allowed` is the user's setting, read at each command; `policy` is the session's for dialogs.
        `forwards_events` says whether commands may reach the tab: else what its user does there is not reported."""
        self._channel = channel
        self._allowed = allowed
        self._forwards_events = forwards_events
        self._transport: _DebuggerTransport | None = None
        self._closed_bar = False
        self._is_taken = False
        self._attaching = asyncio.Lock()
        self._configured: asyncio.Future[Answer] | None = None
        """The answer to the last command of the configuration."""
        self.dialogs = Dialogs(channel, policy)
        self.debugged: DebuggedTab | None = None
        """The tab as the features of a session use it, while the debugger is attached."""
        self.on_attached: Callable[[DebuggedTab], None] = lambda _: None
        self.on_chooser: Callable[[], None] = lambda: None
        """Called when a page has opened a file chooser, which the browser does not display."""
        self.notices: list[str] = []
        """Notices for the next answer."""

    # --- attaching and detaching ---

    @property
    def is_attached(self) -> bool:
        """Whether the debugger is attached."""
        return self._transport is not None

    @property
    def is_refused(self) -> bool:
        """Whether it can't be attached: its bar was closed, or another debugger is attached."""
        return self._closed_bar or self._is_taken

    @property
    def session(self) -> CdpSession:  # type: ignore[override]
        """The session of the top document. Raises `BrowserFailed` if the debugger is not attached."""
        if self._transport is None:
            raise BrowserFailed(_ENDED_MESSAGE, _RUN_AGAIN_HINT)
        return self._transport.session

    async def update_attachment(self) -> None:
        """Attach the debugger if the user allows it, else detach it. Called before each command; costs nothing if
        nothing has changed. Never raises: a tab that can't be attached works without."""
        if self._allowed():
            if self._transport is None and not self._closed_bar:
                async with self._attaching:
                    await self._attach()
        else:
            self._closed_bar = self._is_taken = False
            await self.detach()

    async def wait_until_configured(self) -> None:
        """Wait until the renderer has taken the configuration, which a navigation to another renderer would lose
        before. Costs nothing from then on. Never raises; waits at most `CONFIGURE_SECONDS` for a busy page."""
        if self._configured is not None:
            await asyncio.wait([self._configured], timeout=CONFIGURE_SECONDS)

    async def _attach(self) -> None:
        if self._transport is not None:
            return
        try:
            # https://developer.chrome.com/docs/extensions/reference/api/debugger#method-getTargets
            targets = await self._channel.bridge.call("debugger.getTargets")
            await self._attach_debugger()
        except ChromeFailed as error:
            if _ALREADY_ATTACHED in error.message and not self._is_taken:
                self._is_taken = True
                self.notices.append(OTHER_DEBUGGER_NOTICE)
            return  # else no extension may debug the page
        self._is_taken = False
        self._transport = _DebuggerTransport(self._channel, self._on_detached, self._forwards_events)
        target = next((each["id"] for each in targets if each.get("tabId") == self._channel.tab), "")
        self._configure(self._transport.session, target)

    async def _attach_debugger(self) -> None:
        target = {"tabId": self._channel.tab}
        try:
            await self._channel.bridge.call("debugger.attach", target, PROTOCOL_VERSION)
        except ChromeFailed as error:
            if _ALREADY_ATTACHED not in error.message:
                raise
            # It may be ours, from before the browser stopped the worker; another's can't be detached.
            try:
                await self._channel.bridge.call("debugger.detach", target)
            except ChromeFailed:
                raise error from None
            await self._channel.bridge.call("debugger.attach", target, PROTOCOL_VERSION)

    def _configure(self, session: CdpSession, target: str) -> None:
        self.dialogs.listen(session)
        session.on("Page.javascriptDialogOpening", self._on_blocked)
        session.on("Page.fileChooserOpened", lambda _: self.on_chooser())
        session.send("Page.enable")
        session.send("Page.setInterceptFileChooserDialog", {"enabled": True})
        session.send("Emulation.setFocusEmulationEnabled", {"enabled": True})
        self.debugged = DebuggedTab(session, self, target)
        self.on_attached(self.debugged)
        self._configured = session.send("Page.getFrameTree")  # a renderer answers in order

    def _on_blocked(self, _: dict[str, Any]) -> None:
        """A dialog is open: interrupt the calls that a renderer would answer."""
        if self._channel.blocked is not None and self._transport is not None:
            self._transport.session.interrupt(self._channel.blocked, RENDERER_METHODS)

    def _on_detached(self, reason: str) -> None:
        closed = TabNotFound("the tab is closed", "Run 'tabs' to see which are open.")
        self._end(closed if reason == "target_closed" else BrowserFailed(_ENDED_MESSAGE, _RUN_AGAIN_HINT))
        if reason == "canceled_by_user":
            self._closed_bar = True
            self.notices.append(CLOSED_BAR_NOTICE)

    def _end(self, why: OrynError) -> None:
        if self._transport is not None:
            transport, self._transport, self._configured = self._transport, None, None
            transport.end(why)
            self.dialogs.forget()
            if self.debugged is not None:
                self.debugged.end()
                self.debugged = None

    async def detach(self) -> None:
        """Detach from the tab, which also closes the bar. Never raises; idempotent."""
        if self._transport is None:
            return
        self._end(BrowserFailed(_ENDED_MESSAGE, _RUN_AGAIN_HINT))
        try:
            await self._channel.bridge.call("debugger.detach", {"tabId": self._channel.tab})
        except ChromeFailed:
            pass  # the tab has closed meanwhile

    # --- `TabCommands` ---

    def check(self) -> None:
        self._channel.check()

    def check_alive(self) -> None:
        self._channel.check_alive()


class _DebuggerTransport:
    """`chrome.debugger` of one tab as a protocol transport.

    `on_detached` is called with the browser's reason. While `forwards_events` is false, the page's console and network
    events are dropped."""

    def __init__(
        self, channel: ExtensionChannel, on_detached: Callable[[str], None], forwards_events: Callable[[], bool]
    ) -> None:
        self._bridge = channel.bridge
        self._tab = channel.tab
        self._on_detached = on_detached
        self._forwards_events = forwards_events
        self._sending: set[asyncio.Task[None]] = set()
        self.connection = CdpConnection()
        self.connection.attach(self)
        self.session = self.connection.root
        self._bridge.on("debugger.onEvent", self._on_event)
        self._bridge.on("debugger.onDetach", self._on_detach)

    # --- `Transport` ---

    def send(self, message: bytes) -> None:
        # Tasks begin in the order of their creation, and each makes its call before it waits.
        task = asyncio.get_running_loop().create_task(self._command(json.loads(message)))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    def close(self) -> None:
        """Nothing to do: the browser ends it, or `TabDebugger.detach`."""

    async def _command(self, message: dict[str, Any]) -> None:
        params = message.get("params", {})
        try:
            result = await self._bridge.call("debugger.sendCommand", {"tabId": self._tab}, message["method"], params)
            answer = {"result": result or {}}
        except ChromeFailed as error:
            if error.message.startswith(_DETACHED_MESSAGE):
                return  # `end` gives all waiting calls the reason
            answer = {"error": _protocol_error(error.message)}
        self.connection.receive(json.dumps({"id": message["id"], **answer}))

    # --- events ---

    def _on_event(self, source: dict[str, Any], method: str, params: dict[str, Any] | None = None) -> None:
        is_ours = source.get("tabId") == self._tab and "sessionId" not in source
        if is_ours and (not method.startswith(_USER_ACTIVITY_DOMAINS) or self._forwards_events()):
            self.connection.receive(json.dumps({"method": method, "params": params or {}}))

    def _on_detach(self, source: dict[str, Any], reason: str) -> None:
        if source.get("tabId") == self._tab:
            self._on_detached(reason)

    def end(self, reason: OrynError) -> None:
        self._bridge.off("debugger.onEvent", self._on_event)
        self._bridge.off("debugger.onDetach", self._on_detach)
        for task in self._sending:
            task.cancel()
        self.connection.end_session(self.session, reason)


def _protocol_error(message: str) -> dict[str, Any]:
    """The protocol's error, which the browser passes on as JSON text; other messages are plain text."""
    try:
        error = json.loads(message)
    except ValueError:
        return {"message": message}
    return error if isinstance(error, dict) else {"message": message}

"""One tab's debugger, attached while the user allows it: the DevTools protocol can do more than content scripts.

The browser shows a bar while it is attached; a user who closes the bar has refused it.
https://developer.chrome.com/docs/extensions/reference/api/debugger"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import DialogPolicy
from oryn.browsers.cdp.channel import RENDERER_METHODS, TabCommands
from oryn.browsers.cdp.connection import CdpConnection, CdpSession
from oryn.browsers.cdp.dialogs import Dialogs
from oryn.browsers.common.protocol_session import Answer
from oryn.browsers.extension.bridge import ChromeFailed
from oryn.browsers.extension.channel import ExtensionChannel
from oryn.browsers.extension.debugged_features import DebuggedFeatures, DebuggedTab
from oryn.browsers.extension.error_mapping import debugger_required
from oryn.errors import BrowserFailed, NotSupported, OrynError, TabNotFound

if TYPE_CHECKING:
    from oryn.browsers.common.target_feature import NavigationRefusals

PROTOCOL_VERSION = "1.3"
CONFIGURE_SECONDS = 1.0
_TAB_SESSION = "tab"
"""The session of the tab itself, which has no id for the browser."""
_ENDED_MESSAGE = "'Real keys and mouse' has ended"
_DETACHED_MESSAGE = "Detached while handling command"
_USER_ACTIVITY_DOMAINS = ("Log.", "Network.", "Runtime.")
"""The events of a page that reveal what its user does there."""
_ALREADY_ATTACHED = "Another debugger is already attached"
_RUN_AGAIN_HINT = "Run it again: scripts create the input now, and what needs the debugger is refused."
_CLOSED_BAR_HINT = (
    "The user has closed the browser's bar about it. It needs 'Real keys and mouse': only the user can switch that off "
    "and on again."
)
_OTHER_DEBUGGER_HINT = "It needs the browser's debugger, which another extension has attached to this tab."
_RESTRICTED_HINT = "The browser lets no extension debug this page: 'goto' another one."
CLOSED_BAR_NOTICE = "the user has ended 'Real keys and mouse': Oryn now sends input by script, which pages can detect"
OTHER_DEBUGGER_NOTICE = "another program debugs this tab: Oryn sends input by script, which pages can detect"


class TabDebugger(TabCommands):
    """The debugger of one tab, and the commands sent through it.

    allowed: the user's setting, read at each command.
    reachable: whether commands may reach the tab. While they may not, what its user does there is not reported, and no
        debugger is attached with the next command.
    policy: the policy for dialogs of the session that controls the tab.
    features: those of that session; None without one.
    navigations: where refused navigations of the tab are noted."""

    def __init__(
        self,
        channel: ExtensionChannel,
        *,
        allowed: Callable[[], bool],
        reachable: Callable[[], bool],
        policy: Callable[[], DialogPolicy | None],
        features: Callable[[], DebuggedFeatures | None],
        navigations: NavigationRefusals,
    ) -> None:
        self._channel = channel
        self._allowed = allowed
        self._reachable = reachable
        self._features = features
        self._navigations = navigations
        self._transport: _DebuggerTransport | None = None
        self._closed_bar = False
        self._is_taken = False
        self._was_left = False
        """Its user has been alone with the tab since it was attached last."""
        self._attaching = asyncio.Lock()
        self._configured: asyncio.Future[Answer] | None = None
        """The answer to the last command of the configuration."""
        self.dialogs = Dialogs(channel, policy)
        self.debugged: DebuggedTab | None = None
        """The tab as the features of its session use it, while the debugger is attached."""
        self.listeners: list[Callable[[CdpSession], object]] = []
        """Called with the session of each document of the tab, before its features are attached."""
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

    def missing(self) -> NotSupported:
        """The error for what needs the debugger while it is not attached."""
        if self._closed_bar:
            return NotSupported(hint=_CLOSED_BAR_HINT)
        if self._is_taken:
            return NotSupported(hint=_OTHER_DEBUGGER_HINT)
        return NotSupported(hint=_RESTRICTED_HINT) if self._allowed() else debugger_required()

    @property
    def session(self) -> CdpSession:  # type: ignore[override]
        """The session of the top document. Raises `BrowserFailed` if the debugger is not attached."""
        if self._transport is None:
            raise BrowserFailed(_ENDED_MESSAGE, _RUN_AGAIN_HINT)
        return self._transport.session

    async def update_attachment(self) -> None:
        """Attach the debugger if the user allows it, with the features of the session that controls the tab; else
        detach it. Called before each command; costs nothing if nothing has changed. Never raises: a tab that can't be
        attached works without."""
        if not self._allowed():
            self._closed_bar = self._is_taken = False
            await self.detach()
            return
        if not self._reachable():
            self._was_left = True
            await self.detach()  # which ends all that the debugger has set
        elif self._is_of_another_session() and self.dialogs.open is None:  # nobody else could end an open dialog
            await self.detach()
        if self._transport is None and not self._closed_bar and self._reachable():
            async with self._attaching:
                await self._attach()

    def _is_of_another_session(self) -> bool:
        return self.debugged is not None and self.debugged.features is not self._features()

    async def wait_until_configured(self) -> None:
        """Wait until the renderer has taken the configuration, which a navigation to another renderer would lose
        before. Costs nothing from then on. Never raises; waits at most `CONFIGURE_SECONDS` for a busy page."""
        if self._configured is not None:
            await asyncio.wait([self._configured], timeout=CONFIGURE_SECONDS)

    async def _attach(self) -> None:
        if self._transport is not None or self._features() is None:
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
        self._transport = _DebuggerTransport(self._channel, self._on_detached, self._reachable)
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
        features = self._features()
        assert features is not None, "no session controls the tab"
        session.send("Emulation.setFocusEmulationEnabled", {"enabled": True})
        features.follow_pages()
        if self._was_left:
            features.console_recorder.ignore_past(target)
            self._was_left = False
        self.debugged = DebuggedTab(
            session, self, target, features=features, navigations=self._navigations, listen=self._listen
        )
        self._configured = session.send("Page.getFrameTree")  # a renderer answers in order

    def _listen(self, session: CdpSession) -> None:
        self.dialogs.listen(session)
        session.on("Page.javascriptDialogOpening", self._on_blocked)
        for listener in self.listeners:
            listener(session)
        session.send("Page.enable")

    def _on_blocked(self, _: dict[str, Any]) -> None:
        """A dialog is open: interrupt the calls that a renderer would answer."""
        if self._channel.blocked is not None and self.debugged is not None:
            for session in self.debugged.channel.sessions:
                session.interrupt(self._channel.blocked, RENDERER_METHODS)

    def _on_detached(self, reason: str) -> None:
        closed = TabNotFound("the tab is closed", "Run 'tabs' to see which are open.")
        by_user = reason == "canceled_by_user"
        ended = BrowserFailed(_ENDED_MESSAGE, _CLOSED_BAR_HINT if by_user else _RUN_AGAIN_HINT)
        self._end(closed if reason == "target_closed" else ended)
        if by_user:
            self._closed_bar = True
            self.notices.append(CLOSED_BAR_NOTICE)

    def _end(self, why: OrynError) -> None:
        if self._transport is not None:
            transport, self._transport, self._configured = self._transport, None, None
            transport.end(why)
            self.dialogs.forget()
            if self.debugged is not None:
                debugged, self.debugged = self.debugged, None
                debugged.end()

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
        self.session = self.connection.session(_TAB_SESSION)
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
        method, session, target = message["method"], message["sessionId"], {"tabId": self._tab}
        if session != _TAB_SESSION:
            target["sessionId"] = session
        try:
            if is_about_cookies(method):
                raise ChromeFailed(f"{method}: cookies are out of an extension's reach")
            result = await self._bridge.call("debugger.sendCommand", target, method, message.get("params", {}))
            answer = {"result": result or {}}
        except ChromeFailed as error:
            if error.message.startswith(_DETACHED_MESSAGE):
                return  # `end` gives all waiting calls the reason
            answer = {"error": _protocol_error(error.message)}
        self.connection.receive_message({"id": message["id"], **answer})

    # --- events ---

    def _on_event(self, source: dict[str, Any], method: str, params: dict[str, Any] | None = None) -> None:
        if source.get("tabId") != self._tab:
            return
        if not method.startswith(_USER_ACTIVITY_DOMAINS) or self._forwards_events():
            session = source.get("sessionId", _TAB_SESSION)
            self.connection.receive_message({"method": method, "params": params or {}, "sessionId": session})

    def _on_detach(self, source: dict[str, Any], reason: str) -> None:
        if source.get("tabId") == self._tab and "sessionId" not in source:
            self._on_detached(reason)

    def end(self, reason: OrynError) -> None:
        self._bridge.off("debugger.onEvent", self._on_event)
        self._bridge.off("debugger.onDetach", self._on_detach)
        for task in self._sending:
            task.cancel()
        self.connection.end_session(self.session, reason)


def is_about_cookies(method: str) -> bool:
    """Whether a method of the protocol reads or changes cookies, or the storage that holds them: the user's cookies are
    out of reach for an extension, with a debugger too."""
    domain, _, name = method.partition(".")
    return "cookie" in name.lower() or domain == "Storage"


def _protocol_error(message: str) -> dict[str, Any]:
    """The protocol's error, which the browser passes on as JSON text; other messages are plain text."""
    try:
        error = json.loads(message)
    except ValueError:
        return {"message": message}
    return error if isinstance(error, dict) else {"message": message}

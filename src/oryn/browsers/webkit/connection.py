"""The connection to one browser: its Automation session, the list of its targets, and the inspector of each tab.

The browser has one target of the type `Automation` and one `WebPage` for each tab (Web Inspector's protocol). A tab's
inspector speaks to the process of the tab's page, the inner target, which may be exchanged for another. Nothing waits
behind anything: answers come when they are ready, in any order."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from oryn.browsers.common.events import Deadline, Signal
from oryn.browsers.common.protocol_session import UnansweredCommands
from oryn.browsers.common.tab_state import page_crashed
from oryn.browsers.webkit import error_mapping
from oryn.browsers.webkit.session import AutomationSession, InspectorSession, WebKitSession, encode
from oryn.browsers.webkit.target import WebKitTarget
from oryn.browsers.webkit.transport import MalformedWire, SocketTransport
from oryn.core.records import Record
from oryn.errors import BrowserFailed, OrynError

ANSWER_SECONDS = 15.0
"""How long a browser may take to open its automation session."""


class AutomationOptions(Record):
    """How a browser that is automated loads pages.

    accept_insecure_certificates: load pages of servers with invalid certificates.
    proxy: the address of a proxy for all requests, such as `socks5://127.0.0.1:1080`; empty: none.
    bypass: the hosts and networks that are reached without it, such as `*.example.org` and `10.0.0.0/8`."""

    accept_insecure_certificates: bool = False
    proxy: str = ""
    bypass: tuple[str, ...] = ()

    def capabilities(self) -> dict[str, tuple[str, Any]]:
        """The capabilities of the automation session, as variants: `processSessionCapabilities` in
        Source/JavaScriptCore/inspector/remote/glib/RemoteInspectorServer.cpp. Old versions have a longer name for the
        first."""
        found: dict[str, tuple[str, Any]] = {}
        if self.accept_insecure_certificates:
            found["acceptInsecureCerts"] = found["acceptInsecureCertificates"] = ("b", True)
        if self.proxy:
            urls = dict.fromkeys(("ftpURL", "httpURL", "httpsURL"), ("s", self.proxy))
            bypass = {"ignoreAddressList": ("as", list(self.bypass))} if self.bypass else {}
            found["proxy"] = ("a{sv}", {"type": ("s", "manual"), **urls, **bypass})
        return found


class RemoteTarget(Record):
    """A target as the browser lists it.

    connection, id: its number, and that of the process that has it.
    type: `Automation`, or `WebPage` for a tab.
    name: the title of the tab's page.
    url: the address of the page that the tab shows; "about:blank" in a new one.
    is_open: a client has opened it."""

    connection: int
    id: int
    type: str
    name: str
    url: str
    is_open: bool


class WebKitConnection:
    """The connection to one browser. `open` it before use.

    on_closed: called once when it ends, after all sessions have ended. `closed` is the reason."""

    def __init__(self, on_closed: Callable[[], None] | None = None) -> None:
        self._transport: SocketTransport | None = None
        self._on_closed = on_closed
        self._options = AutomationOptions()
        self._automations = 0
        self.pending = UnansweredCommands(error_mapping.error_from_answer)
        self.automation = AutomationSession(self)
        """The commands and events of the Automation domain, for all tabs. `start_automation` puts another one here."""
        self._inspectors: dict[int, WebKitTarget] = {}
        self.version = ("", "")
        """The browser's name and version: `("MiniBrowser", "2.38.6")`."""
        self.targets: dict[int, RemoteTarget] = {}
        """What the browser listed last, by number."""
        self.on_targets_changed: list[Callable[[], None]] = []
        """Called after each new list: a tab has opened, closed, or has another title or address."""
        self.on_automation_lost: Callable[[], None] = lambda: None
        """Called when the browser has ended the automation session, because a process of its pages or of its network
        has crashed (`WebAutomationSession::terminate`). Commands to `automation` have failed with `PageCrashed`."""
        self.closed: OrynError | None = None
        """Why the connection ended, or None while it is open."""
        self._changed = Signal()

    async def open(
        self, connected: socket.socket, options: AutomationOptions | None = None, *, timeout: float = ANSWER_SECONDS
    ) -> None:
        """Start the automation session over `connected`, a connected socket, at most `timeout` seconds.

        Raises `BrowserFailed` if the other end is not a browser that can be automated."""
        self._options = options or AutomationOptions()
        deadline = Deadline(timeout)
        _, self._transport = await asyncio.get_running_loop().create_connection(
            lambda: SocketTransport(self._on_message, self._on_lost), sock=connected
        )
        await self.start_automation(timeout=deadline.left)

    async def start_automation(self, *, timeout: float = ANSWER_SECONDS) -> None:
        """Start an automation session, the first or the next after the browser has ended one. The pages of the former
        are out of its reach. `automation` is a new object.

        Raises `BrowserFailed` if there is none within `timeout` seconds."""
        former = self.automation.target_id
        if self.closed is None:
            assert self._transport is not None
            self._automations += 1
            self._transport.send("StartAutomationSession", f"oryn-{self._automations}", self._options.capabilities())
        await self._changed.until(lambda: self._automation_row(former) is not None or self.closed is not None, timeout)
        if self.closed is not None:
            raise self.closed
        row = self._automation_row(former)
        if row is None:
            raise BrowserFailed("the browser did not open its automation session", "Run 'oryn doctor'.")
        if former:
            self.automation = AutomationSession(self)
        self.automation.connection_id, self.automation.target_id = row.connection, row.id
        self._setup(row.connection, row.id)

    def _automation_row(self, former: int) -> RemoteTarget | None:
        return next((row for row in self.targets.values() if row.type == "Automation" and row.id != former), None)

    @property
    def tabs(self) -> list[RemoteTarget]:
        """The tabs that the browser has listed, oldest first."""
        return sorted((row for row in self.targets.values() if row.type == "WebPage"), key=lambda row: row.id)

    def attach(self, row: RemoteTarget) -> WebKitTarget:
        """Open the inspector of a tab, once; see `WebKitTarget.wait_for_session`. Its commands fail with `TabNotFound`
        after the tab has closed."""
        inspector = InspectorSession(self, row.connection, row.id)
        target = self._inspectors[row.id] = WebKitTarget(inspector)
        if reason := self.closed:
            target.end(reason)
        else:
            self._setup(row.connection, row.id)
            # From now on a new inner target waits until it is set up.
            inspector.send("Target.setPauseOnStart", {"pauseOnStart": True})
        return target

    def detach(self, target: WebKitTarget, reason: OrynError) -> None:
        """Leave a tab. Commands to it fail with `reason`. Idempotent."""
        inspector = target.inspector
        if self._inspectors.pop(inspector.target_id, None) is not None and self._transport is not None:
            self._transport.send("FrontendDidClose", inspector.connection_id, inspector.target_id)
        target.end(reason)

    def _setup(self, connection: int, target: int) -> None:
        """Open a target: its messages come from now on."""
        if self._transport is not None:
            self._transport.send("Setup", connection, target)

    def transmit(self, connection: int, target: int, message: dict[str, Any]) -> None:
        """Send a command to a target."""
        if self._transport is not None:
            self._transport.send("SendMessageToBackend", connection, target, encode(message))

    def close(self, reason: OrynError | None = None) -> None:
        """Close the connection; no more events come. Commands fail with `reason`, by default that the browser has
        ended. Idempotent."""
        if self._transport is not None:
            self._transport.close()
        self._end(reason or error_mapping.connection_lost())

    # --- messages ---

    def _on_message(self, name: str, parameters: tuple[Any, ...]) -> None:
        if self.closed is not None:
            return
        if name == "SendMessageToFrontend":
            _, target, text = parameters
            self._dispatch(target, text)
        elif name == "SetTargetList":
            self._on_list(*parameters)
        else:
            name, version = parameters
            self.version = name, version

    def _dispatch(self, number: int, text: str) -> None:
        session: WebKitSession
        if (target := self._inspectors.get(number)) is not None:
            session = target.inspector
        elif number == self.automation.target_id:
            session = self.automation
        else:
            return  # of a tab that was left
        with suppress(ValueError):  # no JSON: nobody's answer
            session.receive(json.loads(text))

    def _on_list(self, connection: int, rows: list[tuple[int, str, str, str, bool]]) -> None:
        # A process of a page may list targets of its own, under another connection.
        others = {number: row for number, row in self.targets.items() if row.connection != connection}
        self.targets = others | {row[0]: RemoteTarget(connection, *row) for row in rows}
        for number in [number for number in self._inspectors if number not in self.targets]:
            self._inspectors.pop(number).end(error_mapping.tab_closed())
        automation = self.automation
        if automation.target_id and automation.ended is None and automation.target_id not in self.targets:
            automation.end(page_crashed())
            self.on_automation_lost()
        for listener in list(self.on_targets_changed):
            listener()
        self._changed.notify()

    def _on_lost(self, failure: Exception | None) -> None:
        if isinstance(failure, MalformedWire):
            self._end(BrowserFailed(f"that is no WebKit browser: it sends {failure}", "Run 'oryn doctor'."))
        else:
            self._end(error_mapping.connection_lost())

    def _end(self, reason: OrynError) -> None:
        if self.closed is not None:
            return
        self.closed = reason
        self.automation.end(reason)
        for target in list(self._inspectors.values()):
            target.end(reason)
        self._inspectors.clear()
        self._changed.notify()
        if self._on_closed is not None:
            self._on_closed()

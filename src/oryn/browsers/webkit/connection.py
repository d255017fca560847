"""The connection to one browser: its Automation session, the list of its targets, and the inspector of each tab.

The browser has one target of the type `Automation` and one `WebPage` for each tab (Web Inspector's protocol). A tab's
inspector speaks to the process of the tab's page, the inner target, which may be exchanged for another. Nothing waits
behind anything: answers come when they are ready, in any order."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from oryn.browsers.common.events import Deadline, Signal
from oryn.browsers.common.protocol_session import UnansweredCommands
from oryn.browsers.webkit import error_mapping
from oryn.browsers.webkit.session import AutomationSession, InspectorSession, WebKitSession, encode
from oryn.browsers.webkit.target import WebKitTarget
from oryn.browsers.webkit.transport import MalformedWire, SocketTransport
from oryn.core.records import Record
from oryn.errors import BrowserFailed, OrynError

AUTOMATION_NAME = "oryn"
ANSWER_SECONDS = 15.0
"""How long a browser may take to answer the first message, and to open the inspector of a tab."""

Capabilities = Mapping[str, tuple[str, Any]]
"""Of an automation session, as GVariants: `acceptInsecureCerts` (`b`), `certificates` (`a(ss)`: host and file) and
`proxy` (`a{sv}`: `type`, `httpURL`, `httpsURL`, `socksURL`, `ignoreAddressList` (`as`))."""


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
    """The connection to one browser. Create it with `open`.

    on_closed: called once when it ends, after all sessions have ended. `closed` is the reason."""

    def __init__(self, on_closed: Callable[[], None] | None = None) -> None:
        self._transport: SocketTransport | None = None
        self._on_closed = on_closed
        self.pending = UnansweredCommands(error_mapping.error_from_answer)
        self.automation = AutomationSession(self)
        """The commands and events of the Automation domain, for all tabs."""
        self._inspectors: dict[int, InspectorSession] = {}
        self.version = ("", "")
        """The browser's name and version: `("MiniBrowser", "2.38.6")`."""
        self.targets: dict[int, RemoteTarget] = {}
        """What the browser listed last, by number."""
        self.on_targets: list[Callable[[], None]] = []
        """Called after each new list: a tab has opened, closed, or has another title or address."""
        self.closed: OrynError | None = None
        """Why the connection ended, or None while it is open."""
        self._changed = Signal()

    async def open(
        self, connected: Any, *, capabilities: Capabilities | None = None, timeout: float = ANSWER_SECONDS
    ) -> None:
        """Start the automation session over `connected`, a connected socket. At most `timeout` seconds.

        No tab is open after that. Raises `BrowserFailed` if the other end is not a browser that can be automated."""
        deadline = Deadline(timeout)
        _, self._transport = await asyncio.get_running_loop().create_connection(
            lambda: SocketTransport(self._on_message, self._on_lost), sock=connected
        )
        self._transport.send("StartAutomationSession", AUTOMATION_NAME, dict(capabilities or {}))
        await self._changed.until(lambda: self._automation_row() is not None or self.closed is not None, deadline.left)
        if self.closed is not None:
            raise self.closed
        row = self._automation_row()
        if row is None:
            self.close()
            raise BrowserFailed("the browser did not open its automation session", "Run 'oryn doctor'.")
        self.automation.open(row.connection, row.id)

    def _automation_row(self) -> RemoteTarget | None:
        return next((row for row in self.targets.values() if row.type == "Automation"), None)

    @property
    def tabs(self) -> list[RemoteTarget]:
        """The tabs that the browser has listed, oldest first."""
        return sorted((row for row in self.targets.values() if row.type == "WebPage"), key=lambda row: row.id)

    async def attach(self, row: RemoteTarget, *, timeout: float = ANSWER_SECONDS) -> WebKitTarget:
        """Open the inspector of a tab and wait for its page's session. At most `timeout` seconds.

        Raises `Timeout`, `TabNotFound` if the tab has closed, `BrowserFailed`."""
        if self.closed is not None:
            raise self.closed
        inspector = self._inspectors[row.id] = InspectorSession(self, row.connection, row.id)
        target = WebKitTarget(inspector)
        self.setup(row.connection, row.id)
        await target.start(timeout)
        return target

    def detach(self, target: WebKitTarget, reason: OrynError | None = None) -> None:
        """Close the inspector of a tab. Commands to it fail with `reason`, by default that the tab has closed."""
        inspector = target.inspector
        if self._inspectors.pop(inspector.target_id, None) is not None and self._transport is not None:
            self._transport.send("FrontendDidClose", inspector.connection_id, inspector.target_id)
        target.end(reason or error_mapping.tab_closed())

    def setup(self, connection: int, target: int) -> None:
        """Open a target: its messages come from now on."""
        if self._transport is not None:
            self._transport.send("Setup", connection, target)

    def transmit(self, connection: int, target: int, message: dict[str, Any]) -> None:
        """Send a command to a target."""
        if self._transport is not None:
            self._transport.send("SendMessageToBackend", connection, target, encode(message))

    def close(self) -> None:
        """Close the connection; no more events come. Idempotent."""
        if self._transport is not None:
            self._transport.close()
        self._end(error_mapping.connection_lost())

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
            self.version = parameters

    def _dispatch(self, target: int, text: str) -> None:
        session: WebKitSession | None = self._inspectors.get(target)
        if session is None and target == self.automation.target_id:
            session = self.automation
        if session is None:
            return  # of a tab that was closed
        with suppress(ValueError):  # no JSON: nobody's answer
            session.receive(json.loads(text))

    def _on_list(self, connection: int, rows: list[tuple[int, str, str, str, bool]]) -> None:
        others = {number: row for number, row in self.targets.items() if row.connection != connection}
        self.targets = others | {row[0]: RemoteTarget(connection, *row) for row in rows}
        for number in [number for number in self._inspectors if number not in self.targets]:
            self._inspectors.pop(number).end(error_mapping.tab_closed())
        for listener in list(self.on_targets):
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
        for inspector in list(self._inspectors.values()):
            inspector.end(reason)
        self._inspectors.clear()
        self._changed.notify()
        if self._on_closed is not None:
            self._on_closed()

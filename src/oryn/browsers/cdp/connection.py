"""The protocol's messages: commands and events of one browser, and its sessions (one for the browser, one per target).

https://chromedevtools.github.io/devtools-protocol/tot/Target/#method-attachToTarget (flattened sessions)"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from oryn.browsers.cdp import error_mapping
from oryn.browsers.cdp.transport import CdpTransport
from oryn.browsers.common.protocol_session import ProtocolSession, UnansweredCommands
from oryn.errors import BrowserFailed, OrynError

SIBLING_ENDED = "Oryn.siblingEnded"
"""An event that a transport makes up, of a session whose target has lost another one: the browser has taken back what
belongs to the target and not to a session, such as its virtual authenticators."""

_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


class CdpConnection:
    """The connection to one browser. `root` is the session of the browser itself.

    on_closed: called once when the connection ends."""

    def __init__(self, on_closed: Callable[[], None] | None = None) -> None:
        self._transport: CdpTransport | None = None
        self.pending = UnansweredCommands(error_mapping.error_from_answer)
        self._sessions: dict[str, CdpSession] = {}
        self._on_closed = on_closed
        self.root = CdpSession(self, "")
        self._sessions[""] = self.root
        self.closed: OrynError | None = None
        """Why the connection ended, or None while it is open."""
        self.descriptor: int | None = None
        """The descriptor of the connection's socket, if another process can use it, too."""
        self.advice = "Run 'goto' to start it again."
        """The hint of the error that is raised after the browser has closed the connection."""

    def attach(self, transport: CdpTransport) -> None:
        """Send over `transport`, which must pass its messages to `receive` and its end to `on_lost`."""
        self._transport = transport

    def session(self, session_id: str) -> CdpSession:
        """The session with this id, created on first use."""
        found = self._sessions.get(session_id)
        if found is None:
            found = self._sessions[session_id] = CdpSession(self, session_id)
        return found

    def transmit(self, message: dict[str, Any]) -> None:
        """Send a command."""
        assert self._transport is not None, "attach a transport first"
        self._transport.send(_encode(message).encode())

    def receive(self, data: bytes | str) -> None:
        """One message from the browser, as JSON: an answer or an event."""
        try:
            message = json.loads(data)
        except ValueError:
            message = None
        if not isinstance(message, dict):  # the other end is not a browser
            self.close()
            return
        self.receive_message(message)

    def receive_message(self, message: dict[str, Any]) -> None:
        """One message from the browser: an answer or an event."""
        number = message.get("id")
        if number is None:
            self._receive_event(message)
        else:
            self.pending.complete(number, message)

    def _receive_event(self, message: dict[str, Any]) -> None:
        session = self._sessions.get(message.get("sessionId", ""))
        if session is None or (method := message.get("method")) is None:
            return
        if method == "Target.attachedToTarget" and session is not self.root:
            self.session(message["params"]["sessionId"]).parent = session
        session.emit(method, message.get("params", {}))

    def end_session(self, session: CdpSession, reason: OrynError) -> None:
        """Handle that the browser has detached `session` and its children: their commands, also later ones, fail with
        `reason`."""
        session.ended = reason
        self._sessions.pop(session.id, None)
        session.interrupt(reason)
        for child in [each for each in self._sessions.values() if each.parent is session]:
            self.end_session(child, reason)

    def release(self, session_id: str, reason: OrynError) -> None:
        """Let the target of a session run, which may be paused, and detach from it. Commands to it fail with
        `reason`."""
        session = self.session(session_id)
        session.send("Runtime.runIfWaitingForDebugger")  # the browser keeps it paused until then
        self.root.send("Target.detachFromTarget", {"sessionId": session_id})
        self.end_session(session, reason)

    def on_lost(self) -> None:
        """Handle the end of the transport: all commands in flight fail with `BrowserFailed`."""
        if self.closed is not None:
            return
        self.closed = BrowserFailed("the browser closed the connection", self.advice)
        for session in list(self._sessions.values()):
            self.end_session(session, self.closed)
        if self._on_closed is not None:
            self._on_closed()

    def close(self) -> None:
        """Close the connection; no more events come. Idempotent."""
        if self._transport is not None:
            self._transport.close()
            self.on_lost()


class CdpSession(ProtocolSession):
    """The session with one target. The session with an empty `id` is that of the browser itself."""

    def __init__(self, connection: CdpConnection, session_id: str) -> None:
        super().__init__(connection.pending)
        self.connection = connection
        self.id = session_id

    def _closed(self) -> OrynError | None:
        return self.connection.closed

    def _transmit(self, message: dict[str, Any]) -> None:
        if self.id:
            message["sessionId"] = self.id
        self.connection.transmit(message)

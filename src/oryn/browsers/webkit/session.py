"""The sessions of WebKit's protocol: of the browser's Automation domain, of a tab's inspector, of its page, of workers.

https://github.com/WebKit/WebKit/tree/main/Source/JavaScriptCore/inspector/protocol (Web Inspector's domains) and
https://github.com/WebKit/WebKit/blob/main/Source/WebKit/UIProcess/Automation/Automation.json"""

from __future__ import annotations

import json
from typing import Any, Protocol

from oryn.browsers.common.protocol_session import ProtocolSession, UnansweredCommands
from oryn.browsers.webkit import error_mapping
from oryn.errors import OrynError

encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
"""The JSON of a message, in ASCII: a page's text may hold half of a surrogate pair, which no encoding has."""


class SessionConnection(Protocol):
    """The connection, as its sessions see it."""

    @property
    def pending(self) -> UnansweredCommands: ...
    @property
    def closed(self) -> OrynError | None: ...
    @property
    def automation(self) -> AutomationSession:
        """The present session of the Automation domain."""

    def transmit(self, connection: int, target: int, message: dict[str, Any]) -> None:
        """Send a command to a target."""


class WebKitSession(ProtocolSession):
    """Commands to one target of the browser, and events from it."""

    def __init__(self, connection: SessionConnection) -> None:
        super().__init__(connection.pending)
        self.connection = connection
        self.children: dict[str, WebKitSession] = {}
        """The sessions of the targets within this one, by their ids."""

    def receive(self, message: dict[str, Any]) -> None:
        """One message from the target: an answer or an event."""
        number = message.get("id")
        if number is not None:
            self._pending.complete(number, message)
        elif (method := message.get("method")) is not None:
            self.emit(method, message.get("params", {}))

    def end(self, reason: OrynError) -> None:
        """The target has gone: commands to it and to the targets within it, also later ones, fail with `reason`."""
        if self.ended is None:
            self.ended = reason
            self.interrupt(reason)
            for child in list(self.children.values()):
                child.end(reason)
            self.children.clear()

    def _closed(self) -> OrynError | None:
        return self.connection.closed


class AutomationSession(WebKitSession):
    """The Automation domain of the browser, for all its tabs. Methods are named with their domain:
    `Automation.createBrowsingContext`."""

    connection_id = target_id = 0
    """Its numbers, or 0 until the browser lists it."""

    def _transmit(self, message: dict[str, Any]) -> None:
        self.connection.transmit(self.connection_id, self.target_id, message)


class InspectorSession(WebKitSession):
    """The inspector of one tab, whose only domain is `Target`. Its page has a session of its own (`InnerSession`)."""

    def __init__(self, connection: SessionConnection, connection_id: int, target_id: int) -> None:
        super().__init__(connection)
        self.connection_id, self.target_id = connection_id, target_id

    def receive(self, message: dict[str, Any]) -> None:
        if message.get("method") == "Target.dispatchMessageFromTarget":
            params = message["params"]
            if (inner := self.children.get(params["targetId"])) is not None:
                inner.receive(json.loads(params["message"]))
        elif (number := message.get("id")) is None or not self._forwarded(number, message):
            super().receive(message)

    def _forwarded(self, number: int, message: dict[str, Any]) -> bool:
        """Whether this answers `Target.sendMessageToTarget`, which has the number of the command that it carries."""
        command = self._pending.get(number)
        if command is None or command.session is self:
            return False
        if "error" in message:  # the inner target has gone meanwhile
            self._pending.fail(number, error_mapping.document_gone())
        return True

    def _transmit(self, message: dict[str, Any]) -> None:
        self.connection.transmit(self.connection_id, self.target_id, message)


class InnerSession(WebKitSession):
    """A target within a tab's inspector: its page in its present process, or a page that is to replace it.

    id: the id of the target: `page-9`.
    provisional: it is the page of a navigation that has not been committed yet."""

    def __init__(self, inspector: InspectorSession, target_id: str, *, provisional: bool) -> None:
        super().__init__(inspector.connection)
        self.inspector = inspector
        self.id = target_id
        self.provisional = provisional
        inspector.children[target_id] = self

    def end(self, reason: OrynError) -> None:
        self.inspector.children.pop(self.id, None)
        super().end(reason)

    def _transmit(self, message: dict[str, Any]) -> None:
        carrier = {
            "id": message["id"],
            "method": "Target.sendMessageToTarget",
            "params": {"targetId": self.id, "message": encode(message)},
        }
        self.inspector._transmit(carrier)

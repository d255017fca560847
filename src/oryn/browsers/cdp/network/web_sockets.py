"""The web sockets of a tab over which the page has asked something and got no answer yet.

https://developer.mozilla.org/docs/Web/API/WebSocket; the events are those of
https://chromedevtools.github.io/devtools-protocol/tot/Network/"""

from __future__ import annotations

from typing import Any

from oryn.browsers.base import Checkpoint
from oryn.browsers.common.protocol_session import ProtocolSession
from oryn.browsers.common.tab_state import TabState

_DATA_FRAMES = (1, 2)
"""Opcodes of text and binary messages: https://www.rfc-editor.org/rfc/rfc6455#section-5.2"""


class UnansweredMessages:
    """Tracks the messages that the documents of one tab have sent over web sockets.

    Sockets of workers are not seen. A session must have the domains `Network` and `Page` enabled."""

    def __init__(self, tab_state: TabState) -> None:
        self._tab_state = tab_state
        self._sent: dict[str, int] = {}
        """By request id: the moment of the last message over a socket that has received nothing since."""

    def exist(self, since: Checkpoint) -> bool:
        """Whether a message that was sent at the checkpoint or later waits for one in return. No round trip."""
        return any(moment >= since.serial for moment in self._sent.values())

    def listen(self, session: ProtocolSession) -> None:
        """Follow the events of a document's session."""
        session.on("Network.webSocketFrameSent", self._on_message_sent)
        session.on("Network.webSocketFrameReceived", self._on_message_received)
        session.on("Network.webSocketClosed", self._on_message_received)
        session.on("Page.frameNavigated", self._on_navigated)

    def _on_message_sent(self, event: dict[str, Any]) -> None:
        if event["response"]["opcode"] in _DATA_FRAMES:
            self._sent[event["requestId"]] = self._tab_state.moment

    def _on_message_received(self, event: dict[str, Any]) -> None:
        self._sent.pop(event["requestId"], None)

    def _on_navigated(self, event: dict[str, Any]) -> None:
        if "parentId" not in event["frame"]:  # the sockets of the document before have ended without an event
            self._sent.clear()

"""The latest messages of web sockets and of server-sent events, in bounded memory. Pure."""

from __future__ import annotations

import base64
from collections import OrderedDict, deque
from typing import TYPE_CHECKING, Any

from oryn.core.records import Record, field

if TYPE_CHECKING:
    from oryn.browsers.base.network import StreamMessage

MAX_MESSAGES = 100
"""The number of messages of one request that are stored."""
MAX_CONTENT_CHARACTERS = 5000
"""The stored part of a message's content, in the characters in which the protocol reports it."""
MAX_STORED_CHARACTERS = 2_000_000
"""The limit of all stored content. The messages of the request that has been silent for longest are dropped first, so
that no request drops the messages of others: its own `MAX_MESSAGES` are shorter than this."""
_TEXT, _BINARY = 1, 2
"""https://www.rfc-editor.org/rfc/rfc6455#section-5.2"""


class StoredMessage(Record):
    """A message, as the protocol reports it. `content` is base64 if `encoded`, and only its beginning if it is long.
    `order` counts the messages of all requests, `number` those of its own. `time` is Unix time in seconds."""

    order: int
    number: int
    time: float
    sent: bool
    encoded: bool
    content: str
    size: int
    event: str = ""
    event_id: str = ""


class MessageStream(Record, frozen=False):
    """The messages of one request: how many there were, and the latest of them."""

    sent: int = 0
    received: int = 0
    latest: deque[StoredMessage] = field(factory=deque)


class MessageLog:
    """The latest messages of a session's requests, which are told apart by their numbers."""

    def __init__(self) -> None:
        self._streams: OrderedDict[int, MessageStream] = OrderedDict()
        """By number of the request; the one that has been silent for longest is first."""
        self._order = 0
        self._characters = 0

    def add_frame(self, request: int, time: float, frame: dict[str, Any], *, sent: bool) -> None:
        """A frame of a web socket, which is a whole message unless it is one of control.
        https://chromedevtools.github.io/devtools-protocol/tot/Network/#type-WebSocketFrame"""
        if frame["opcode"] not in (_TEXT, _BINARY):
            return
        content, is_binary = frame["payloadData"], frame["opcode"] == _BINARY
        self._add(request, time, content, sent=sent, encoded=is_binary)

    def add_event(self, request: int, time: float, event: dict[str, Any]) -> None:
        """A server-sent event.
        https://chromedevtools.github.io/devtools-protocol/tot/Network/#event-eventSourceMessageReceived"""
        self._add(request, time, event["data"], event=event["eventName"], event_id=event["eventId"])

    def _add(
        self,
        request: int,
        time: float,
        content: str,
        *,
        sent: bool = False,
        encoded: bool = False,
        event: str = "",
        event_id: str = "",
    ) -> None:
        stream = self._streams.get(request)
        if stream is None:
            stream = self._streams[request] = MessageStream()
        self._streams.move_to_end(request)
        stream.sent, stream.received = stream.sent + sent, stream.received + (not sent)
        self._order += 1
        stream.latest.append(
            StoredMessage(
                self._order,
                stream.sent + stream.received,
                time,
                sent,
                encoded,
                content[:MAX_CONTENT_CHARACTERS],
                _size(content, encoded=encoded),
                event[:MAX_CONTENT_CHARACTERS],
                event_id[:MAX_CONTENT_CHARACTERS],
            )
        )
        self._characters += _characters(stream.latest[-1])
        if len(stream.latest) > MAX_MESSAGES:
            self._characters -= _characters(stream.latest.popleft())
        silent = iter(self._streams.values())
        while self._characters > MAX_STORED_CHARACTERS:
            latest = next(silent).latest
            while latest and self._characters > MAX_STORED_CHARACTERS:
                self._characters -= _characters(latest.popleft())

    def forget(self, request: int) -> None:
        """Drop the messages of a request that is no longer logged."""
        if stream := self._streams.pop(request, None):
            self._characters -= sum(map(_characters, stream.latest))

    def counts(self, request: int) -> tuple[int, int]:
        """How many messages a request has sent and received."""
        stream = self._streams.get(request)
        return (stream.sent, stream.received) if stream else (0, 0)

    def select(self, request: int | None = None) -> list[StreamMessage]:
        """The latest messages of one request, or of all, oldest first."""
        chosen = [key for key in self._streams if request in (None, key)]
        found = [(message.order, key, message) for key in chosen for message in self._streams[key].latest]
        return [_message(key, message) for _, key, message in sorted(found, key=lambda row: row[0])]


def _characters(message: StoredMessage) -> int:
    return len(message.content) + len(message.event) + len(message.event_id)


def _size(content: str, *, encoded: bool) -> int:
    if encoded:
        return len(content) * 3 // 4 - content[-2:].count("=")
    return len(content) if content.isascii() else len(content.encode("utf-8", "surrogatepass"))


def _message(request: int, stored: StoredMessage) -> StreamMessage:
    from oryn.browsers.base.network import StreamMessage

    content: str | bytes = stored.content
    if stored.encoded:
        content = base64.b64decode(stored.content[: len(stored.content) // 4 * 4])
    return StreamMessage(
        request=request,
        number=stored.number,
        time=stored.time,
        sent=stored.sent,
        content=content,
        size=stored.size,
        event=stored.event,
        event_id=stored.event_id,
    )

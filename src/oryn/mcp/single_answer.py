"""A request whose answer is all that is said is answered with JSON, as the newer era's are: a stream of one event
costs both sides a millisecond or two more. What has more to say (progress, a question, a sign of life) is a stream.

https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server: either may
answer any request. The SDK chooses for all requests of a session at once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.types import Message, Send

_OF_STREAMS = frozenset({b"cache-control", b"connection", b"content-type", b"x-accel-buffering"})


class SingleAnswer:
    """Stands before `send` for one request; a stream is begun only when its first event is not the answer."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None
        self._answer: bytes | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_stream(message):
            self._start = message
        elif self._start is None or message["type"] != "http.response.body":
            await self._send(message)
        elif self._answer is None and (answer := _answer_in(message.get("body", b""))) is None:
            start, self._start = self._start, None
            await self._send(start)
            await self._send(message)
        elif self._answer is None:
            self._answer = answer
        elif not message.get("more_body", False):
            await self._send_answer(self._start, self._answer)

    async def _send_answer(self, start: Message, answer: bytes) -> None:
        headers = [pair for pair in start["headers"] if pair[0].lower() not in _OF_STREAMS]
        headers += [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(answer))]
        await self._send({**start, "headers": headers})
        await self._send({"type": "http.response.body", "body": answer, "more_body": False})


def _is_stream(start: Message) -> bool:
    return any(
        name.lower() == b"content-type" and value.startswith(b"text/event-stream") for name, value in start["headers"]
    )


def _answer_in(event: bytes) -> bytes | None:
    """The answer of JSON-RPC that this event is, if it is one. Comments are signs of life."""
    lines = [line.partition(b":") for line in event.splitlines() if line]
    if [name for name, _, _ in lines] != [b"event", b"data"]:
        return None
    message: dict[str, Any] = json.loads(lines[1][2])
    return None if "method" in message else lines[1][2].strip()

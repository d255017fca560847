"""The wire of WebKit's inspector socket: one TCP connection that carries messages both ways.

A message is the length of its body (32 bits, big-endian), a byte of flags, and the body: a name, NUL, and parameters as
a GVariant whose type belongs to the name. The flags tell the byte order of the numbers in it.
Source/WTF/wtf/glib/SocketConnection.cpp, Source/JavaScriptCore/inspector/remote/glib/RemoteInspectorServer.cpp

The browser has answered a command after 0.3 ms. It waits for the acknowledgement of what it has sent before it sends a
short message, and the system delays that by 40 ms unless each read asks for it (`TCP_QUICKACK`)."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

from oryn.browsers.webkit import variant

MAX_MESSAGE_BYTES = 1 << 29
"""Bytes; a picture of a long page is one message. The first four letters of any text are a larger number."""

_HEADER = 5
_LITTLE_ENDIAN = 1
TO_BROWSER = {
    "StartAutomationSession": "(sa{sv})",  # its name, and its capabilities
    "Setup": "(tt)",  # connection, target: open the target
    "SendMessageToBackend": "(tts)",  # connection, target, JSON
    "FrontendDidClose": "(tt)",  # connection, target: close the target
}
"""The messages to the browser, and the types of their parameters."""
FROM_BROWSER = {
    "DidStartAutomationSession": "(ss)",  # name and version of the browser
    "SetTargetList": "(ta(tsssb))",  # connection; target, type, name, address, whether somebody has opened it
    "SendMessageToFrontend": "(tts)",  # connection, target, JSON
}
"""The messages from the browser. Others are for other clients."""

OnMessage = Callable[[str, tuple[Any, ...]], None]
OnClosed = Callable[[Exception | None], None]


class MalformedWire(Exception):
    """What the other end sends are no messages of WebKit's."""


def pack(name: str, *parameters: Any) -> bytes:
    """A message to the browser."""
    body = name.encode() + b"\0" + variant.encode(TO_BROWSER[name], parameters)
    return len(body).to_bytes(4, "big") + bytes([_LITTLE_ENDIAN]) + body


class WireReader:
    """Takes messages out of a stream of bytes that arrive in any parts."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[tuple[str, tuple[Any, ...]]]:
        """The messages that `data` completes: name and parameters. Raises `MalformedWire`."""
        buffer = self._buffer
        buffer += data
        messages, start = [], 0
        while len(buffer) - start >= _HEADER:
            length = int.from_bytes(buffer[start : start + 4], "big")
            if length > MAX_MESSAGE_BYTES:
                raise MalformedWire(f"a message of {length} bytes")
            end = start + _HEADER + length
            if len(buffer) < end:
                break
            message = _unpack(bytes(buffer[start + _HEADER : end]), buffer[start + 4])
            if message is not None:
                messages.append(message)
            start = end
        if start:
            del buffer[:start]
        return messages


def _unpack(body: bytes, flags: int) -> tuple[str, tuple[Any, ...]] | None:
    """One message, or None for one that is not for us."""
    name, separator, parameters = body.partition(b"\0")
    if not separator:
        raise MalformedWire("a message without a name")
    kind = FROM_BROWSER.get(name.decode("ascii", "replace"))
    if kind is None:
        return None
    try:
        return name.decode(), variant.decode(kind, parameters, "little" if flags & _LITTLE_ENDIAN else "big")
    except variant.MalformedVariant as error:
        raise MalformedWire(f"{name.decode()}: {error}") from error


class SocketTransport(asyncio.Protocol):
    """Messages over a connected socket. Calls `on_closed` once at the end, with the reason if it is an error."""

    def __init__(self, on_message: OnMessage, on_closed: OnClosed) -> None:
        self._on_message = on_message
        self._on_closed = on_closed
        self._reader = WireReader()
        self._transport: asyncio.Transport | None = None
        self._socket: Any = None
        self._failure: Exception | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._socket = transport.get_extra_info("socket")
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def data_received(self, data: bytes) -> None:
        if hasattr(socket, "TCP_QUICKACK"):
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        try:
            messages = self._reader.feed(data)
        except MalformedWire as error:
            self._failure = error
            self.close()
            return
        for name, parameters in messages:
            self._on_message(name, parameters)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._on_closed(self._failure or exc)

    def send(self, name: str, *parameters: Any) -> None:
        """Send one message. Messages sent after the end are dropped."""
        if self._transport is not None:
            self._transport.write(pack(name, *parameters))

    def close(self) -> None:
        """Close the connection. Idempotent."""
        if self._transport is not None:
            self._transport.abort()

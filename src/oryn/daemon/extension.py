"""The extension's door: `WS /extension` speaks docs/remote-protocol.md, as `oryn remote` does, and `POST /pair` takes
the code that the extension shows.

The door asks for no token: who comes is known by pairing, and no page comes here (`remote.origins`)."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocketDisconnect

from oryn.daemon.access import EXTENSION
from oryn.daemon.bodies import body_of
from oryn.daemon.protocol import Pairing, read_pairing
from oryn.remote.credentials import Credentials
from oryn.remote.extensions import Extension, Extensions
from oryn.remote.keys import Keys
from oryn.remote.listening import MEANT, MOST_CONNECTIONS
from oryn.remote.peer import Peer

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import Message
    from starlette.websockets import WebSocket

    from oryn.daemon.daemon import Daemon
    from oryn.daemon.events import Events
    from oryn.paths import Paths


class Door:
    """The user's browsers as a daemon knows them, and what it can prove to them."""

    def __init__(self, paths: Paths, events: Events) -> None:
        self.extensions = Extensions("browser")
        self.credentials = Credentials(Keys(paths.remote_keys))
        self._events = events
        self._connections = 0
        self.extensions.connected = self._connected
        self.extensions.disconnected = self._disconnected

    def listens_at(self, port: int | None) -> None:
        """Say where, to whoever misses a browser and to whoever comes with a key."""
        self.credentials.port = port
        self.extensions.advice = (
            f"Press Connect in the Oryn extension, whose endpoint is {url_at(port)}; give the code that it shows with "
            "'oryn daemon pair CODE'."
        )

    def _connected(self, extension: Extension) -> None:
        self._events.publish("extension.connected", name=extension.name, browser=extension.browser)

    def _disconnected(self, extension: Extension) -> None:
        self._events.publish("extension.disconnected", name=extension.name)

    async def converse(self, socket: WebSocket) -> None:
        """One connection, from its first message to its last."""
        await socket.accept()
        if self._connections >= MOST_CONNECTIONS:
            await socket.close(1013, "too many connections")
            return
        self._connections += 1
        try:
            await _converse(socket, self.credentials, self.extensions)
        finally:
            self._connections -= 1


async def _converse(socket: WebSocket, credentials: Credentials, extensions: Extensions) -> None:
    out: asyncio.Queue[str | tuple[int, str]] = asyncio.Queue()
    peer = Peer(out.put_nowait, lambda code, reason: out.put_nowait((code, reason)), credentials, extensions)

    async def write() -> None:
        with suppress(WebSocketDisconnect, RuntimeError):  # Starlette's for a connection that is gone
            while isinstance(frame := await out.get(), str):
                await socket.send_text(frame)
            await socket.close(*frame)

    writing = asyncio.create_task(write())
    message: Message = {}
    try:
        while (message := await socket.receive())["type"] == "websocket.receive":
            if (text := message.get("text")) is not None:
                peer.receive(text)
    finally:
        peer.lost(meant=message.get("code") == MEANT)
        writing.cancel()
        await asyncio.wait([writing])


def url_at(port: int | None) -> str:
    return f"ws://localhost:{port}{EXTENSION}"


def extension_routes(daemon: Daemon) -> list[BaseRoute]:
    async def pair(request: Request) -> Response:
        daemon.door.credentials.give(read_pairing(await daemon.reader.data(await body_of(request))))
        told = Pairing(endpoint=url_at(daemon.port), connected=daemon.door.extensions.any_connected)
        return JSONResponse(told.model_dump())

    return [WebSocketRoute(EXTENSION, daemon.door.converse), Route("/pair", pair, methods=["POST"])]

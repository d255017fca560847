"""The endpoints for the browser extension: `WS /extension` and `POST /pair`.

`WS /extension` speaks docs/spec/extension-protocol.md, as `oryn remote` does; `POST /pair` takes the code that the
extension shows. The WebSocket needs no token: extensions are authenticated by pairing, and no web page can connect
(`remote.origins`)."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocketDisconnect

from oryn.daemon.http.middleware import EXTENSION_PATH
from oryn.daemon.protocol import PairingResponse, read_pairing
from oryn.daemon.request.json_body import read_body
from oryn.extension_server.credentials import ServerCredentials
from oryn.extension_server.extensions import Extension, Extensions
from oryn.extension_server.keys import KeyStore
from oryn.extension_server.peer import Peer
from oryn.extension_server.server import MAX_CONNECTIONS, USER_DISCONNECT
from oryn.plugins.registry import InstalledPlugins

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import Message
    from starlette.websockets import WebSocket

    from oryn.daemon.event_bus import EventBus
    from oryn.daemon.request.parser_pool import RequestParserPool
    from oryn.system.paths import Paths


class ExtensionEndpoint:
    """The connected browser extensions, and the credentials with which they and the daemon authenticate each other.

    `paths` has the file of paired keys. Connections are published as `extension.connected` and
    `extension.disconnected`."""

    def __init__(self, paths: Paths, events: EventBus) -> None:
        self.extensions = Extensions("browser", plugins=InstalledPlugins())
        self.credentials = ServerCredentials(KeyStore(paths.remote_keys))
        self._events = events
        self._connections = 0
        self._scheme = "ws"
        self.extensions.connected = self._on_connected
        self.extensions.disconnected = self._on_disconnected

    def set_port(self, port: int, *, secure: bool) -> None:
        """Set the daemon's port, which speaks TLS if it is `secure`, in hints of errors and messages to extensions."""
        self.credentials.port = port
        self._scheme = "wss" if secure else "ws"
        self.extensions.advice = (
            f"Press Connect in the Oryn extension, whose endpoint is {self.url}; give the code that it shows "
            "with 'oryn daemon pair CODE'."
        )

    @property
    def url(self) -> str:
        """The URL that the extension connects to."""
        return f"{self._scheme}://localhost:{self.credentials.port}{EXTENSION_PATH}"

    def _on_connected(self, extension: Extension) -> None:
        self._events.publish("extension.connected", name=extension.name, browser=extension.browser)

    def _on_disconnected(self, extension: Extension) -> None:
        self._events.publish("extension.disconnected", name=extension.name)

    async def serve_connection(self, socket: WebSocket) -> None:
        """Serve one connection, from its first message to its last."""
        await socket.accept()
        if self._connections >= MAX_CONNECTIONS:
            await socket.close(1013, "too many connections")
            return
        self._connections += 1
        try:
            await _serve_peer(socket, self.credentials, self.extensions)
        finally:
            self._connections -= 1


async def _serve_peer(socket: WebSocket, credentials: ServerCredentials, extensions: Extensions) -> None:
    out: asyncio.Queue[str | tuple[int, str]] = asyncio.Queue()
    peer = Peer(out.put_nowait, lambda code, reason: out.put_nowait((code, reason)), credentials, extensions)

    async def write() -> None:
        with suppress(WebSocketDisconnect, RuntimeError):  # Starlette raises them for a closed connection
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
        peer.on_lost(meant=message.get("code") == USER_DISCONNECT)
        writing.cancel()
        await asyncio.wait([writing])


def extension_routes(endpoint: ExtensionEndpoint, parser: RequestParserPool) -> list[BaseRoute]:
    """The routes of the extension's endpoint; `parser` parses the requests."""

    async def pair(request: Request) -> Response:
        endpoint.credentials.set_code(read_pairing(await parser.parse_json(await read_body(request))))
        response = PairingResponse(endpoint=endpoint.url, connected=endpoint.extensions.any_connected)
        return JSONResponse(response.model_dump())

    return [
        WebSocketRoute(EXTENSION_PATH, endpoint.serve_connection),
        Route("/pair", pair, methods=["POST"]),
    ]

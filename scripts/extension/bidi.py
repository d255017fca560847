"""A client of WebDriver BiDi: commands and events over one WebSocket. https://w3c.github.io/webdriver-bidi/"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

COMMAND_SECONDS = 60.0


class BidiFailed(Exception):
    """The browser has answered a command with an error; `code` is the protocol's, such as "no such frame"."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class BidiConnection:
    """A connection to a browser. `on_event(method, params)` is called with each event."""

    def __init__(self, on_event: Callable[[str, dict[str, Any]], object] = lambda *_: None) -> None:
        self._on_event = on_event
        self._socket: ClientConnection | None = None
        self._receiving: asyncio.Task[None] | None = None
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}

    async def open(self, url: str) -> None:
        """Connect to the browser's endpoint, such as `ws://127.0.0.1:9222/session`. Raises `OSError`."""
        self._socket = await connect(url, max_size=None, ping_interval=None)
        self._receiving = asyncio.create_task(self._receive(self._socket))

    async def close(self) -> None:
        """Close the connection; idempotent."""
        if self._socket is not None:
            await self._socket.close()
        if self._receiving is not None:
            await self._receiving

    async def call(self, method: str, *, timeout: float = COMMAND_SECONDS, **params: Any) -> dict[str, Any]:
        """The result of a command. Raises `BidiFailed`, `ConnectionError` if the browser has gone, and `TimeoutError`
        after `timeout` seconds."""
        if self._socket is None or self._receiving is None or self._receiving.done():
            raise ConnectionError("the browser is not connected")
        number = next(self._numbers)
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        await self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        try:
            async with asyncio.timeout(timeout):
                return await answer
        finally:
            del self._waiting[number]

    async def _receive(self, socket: ClientConnection) -> None:
        try:
            async for text in socket:
                self._dispatch(json.loads(text))
        except ConnectionClosed:
            pass  # the calls that wait say so
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(ConnectionError("the browser has closed the connection"))

    def _dispatch(self, message: dict[str, Any]) -> None:
        if message["type"] == "event":
            self._on_event(message["method"], message["params"])
            return
        answer = self._waiting.get(message["id"] or 0)
        if answer is None or answer.done():
            return
        if message["type"] == "error":
            answer.set_exception(BidiFailed(message["error"], message["message"]))
        else:
            answer.set_result(message["result"])

"""A page that sends a message over a web socket, and the server that answers it later than a reaction is waited for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from websockets.asyncio.server import ServerConnection, serve

ANSWER_SECONDS = 0.8


@asynccontextmanager
async def echo_server(is_answered: bool) -> AsyncIterator[str]:
    """The address of a server that answers each message after `ANSWER_SECONDS`, or never."""

    async def answer(socket: ServerConnection) -> None:
        async for message in socket:
            if is_answered:
                await asyncio.sleep(ANSWER_SECONDS)
                await socket.send(f"{message} saved")

    async with serve(answer, "127.0.0.1", 0) as server:
        yield f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}"


def echo_page(url: str) -> str:
    """A page called Open once its socket is; the button Go sends a message, and the answer is the page's text."""
    return (
        f"<button id=go>Go</button><div id=out>Step 1 of 3</div><script>const socket = new WebSocket('{url}');"
        "go.onclick = () => socket.send('7 ferns'); socket.onopen = () => document.title = 'Open';"
        "socket.onmessage = (event) => { out.textContent = event.data }</script>"
    )

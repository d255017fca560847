"""A page with a web socket and server-sent events, and the server of both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from websockets.asyncio.server import ServerConnection, serve

EVENT_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nAccess-Control-Allow-Origin: *\r\n"
    b"Cache-Control: no-store\r\nConnection: close\r\n\r\n"
)


@asynccontextmanager
async def socket_server() -> AsyncIterator[str]:
    """The address of a server whose sockets answer `count N` by N messages `n 1` to `n N`, `binary` by three bytes, and
    all else by itself."""

    async def answer(socket: ServerConnection) -> None:
        async for message in socket:
            word, _, number = str(message).partition(" ")
            if word == "count":
                for each in range(1, int(number) + 1):
                    await socket.send(f"n {each}")
            else:
                await socket.send(b"\x00\x01\xff" if word == "binary" else message)

    async with serve(answer, "127.0.0.1", 0, compression=None, max_size=None) as server:
        yield f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/"


@asynccontextmanager
async def event_server(*events: str) -> AsyncIterator[str]:
    """The address of a server that sends these events, and keeps the connection open."""
    writers: list[asyncio.StreamWriter] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        await reader.readuntil(b"\r\n\r\n")
        writer.write(EVENT_HEAD + "".join(f"{event}\n\n" for event in events).encode())
        await writer.drain()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    finally:
        for writer in writers:
            writer.close()
        server.close()


def socket_page(url: str) -> str:
    """A page whose function `ask` sends a message, and resolves to the one that comes back; `asked(n)` to the n-th
    message that comes back."""
    return (
        f"<link rel=icon href=data:,><title>Wait</title><script>const socket = new WebSocket('{url}'); let got = 0;"
        "let awaited; socket.onmessage = (event) => { got += 1; if (got === awaited?.count) awaited.resolve(got) };"
        "socket.onopen = () => document.title = 'Open';"
        "function ask(text, count = 1) { return new Promise((resolve) => {"
        " got = 0; awaited = {count, resolve}; socket.send(text) }) }</script>"
    )

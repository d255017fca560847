"""A host on real pipes around a stand-in for the session, which has its own tests."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

import pytest

from oryn.errors import OrynError
from oryn.hosts.line_protocol import serve
from oryn.hosts.process_io import LineReader, Writer


@dataclass
class Reply:
    text: str
    error: OrynError | None = None
    exit: bool = False

    def render(self) -> str:
        return self.text


class Echo:
    """Answers `ok <line>`; `exit` ends, `wait` takes until cancelled, `long` answers a megabyte."""

    json = False

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.hears = asyncio.Event()

    async def execute(self, line: str) -> Reply:
        self.lines.append(line)
        self.hears.set()
        if line == "wait":
            await asyncio.get_running_loop().create_future()
        if line == "long":
            return Reply("x" * 1024 * 1024)
        return Reply(f"ok {line}" if line else "", exit=line == "exit")


class Client:
    """The other end of the host's pipes."""

    def __init__(self, to_host: int, from_host: int, session: Echo) -> None:
        self._to_host, self._from_host = to_host, from_host
        self._buffer = b""
        self.session = session
        self.ended: asyncio.Task[None]

    async def send(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[await asyncio.to_thread(os.write, self._to_host, rest) :]

    async def receive(self) -> bytes:
        """The next answer without its terminator."""
        while True:
            answer, terminator, rest = (b"\n" + self._buffer).partition(b"\n---\n")
            if terminator:
                self._buffer = rest
                return answer[1:]
            data = await asyncio.to_thread(os.read, self._from_host, 65536)
            assert data, "the host has ended"
            self._buffer += data

    async def ask(self, line: bytes) -> bytes:
        await self.send(line + b"\n")
        return await self.receive()

    def end_input(self) -> None:
        os.close(self._to_host)
        self._to_host = -1

    def stop_reading(self) -> None:
        os.close(self._from_host)
        self._from_host = -1

    def close(self) -> None:
        for descriptor in (self._to_host, self._from_host):
            if descriptor >= 0:
                os.close(descriptor)


@asynccontextmanager
async def hosted() -> AsyncIterator[Client]:
    """A client that has read the ready line. Both ends are closed with the block, and the host ends."""
    host_input, to_host = os.pipe()
    from_host, host_output = os.pipe()
    client = Client(to_host, from_host, Echo())
    serving = serve(client.session, LineReader(host_input), Writer(host_output))  # type: ignore[arg-type]
    client.ended = asyncio.create_task(serving)
    client.ended.add_done_callback(lambda _: os.close(host_output))
    try:
        await client.receive()
        yield client
    finally:
        client.close()
        await asyncio.wait_for(client.ended, 30)


@pytest.fixture
def host() -> Callable[[], AbstractAsyncContextManager[Client]]:
    return hosted

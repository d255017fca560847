"""The gateway of a browser that may not reach every host, as a client of it sees it."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from oryn.browsers.webkit.network.gateway import DomainGateway
from oryn.core.urls import DomainPolicy

SUCCEEDED, NOT_ALLOWED, HOST_UNREACHABLE, REFUSED, UNKNOWN_COMMAND = 0, 2, 4, 5, 7
ALLOWED = DomainPolicy.of(["localhost", "shop.localhost", "gone.invalid", "[::1]"], None)


class Place:
    """A gateway, and a server that sends back what it gets."""

    def __init__(self, gateway: DomainGateway, address: str, port: int) -> None:
        self.gateway = gateway
        self.port = port
        self._address = urlsplit(address)
        self._writers: list[asyncio.StreamWriter] = []

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection(self._address.hostname, self._address.port)
        self._writers.append(writer)
        return reader, writer

    def close(self) -> None:
        for writer in self._writers:
            writer.close()

    async def connect(
        self, host: bytes, *, kind: int = 3, port: int | None = None, command: int = 1
    ) -> tuple[int, asyncio.StreamReader, asyncio.StreamWriter]:
        """What the gateway answers to a request, and the connection."""
        reader, writer = await self.open()
        writer.write(b"\x05\x02\x00\x02")
        assert await reader.readexactly(2) == b"\x05\x00"
        name = bytes([len(host)]) + host if kind == 3 else host
        writer.write(bytes([5, command, 0, kind]) + name + (port or self.port).to_bytes(2, "big"))
        answer = await reader.readexactly(10)
        return answer[1], reader, writer


@asynccontextmanager
async def place(domains: DomainPolicy) -> AsyncIterator[Place]:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.read())
        writer.close()

    server = await asyncio.start_server(echo, "localhost")
    gateway = DomainGateway(domains)
    there = Place(gateway, await gateway.start(), server.sockets[0].getsockname()[1])
    try:
        yield there
    finally:
        there.close()
        await gateway.close()
        server.close()


async def test_an_allowed_host_is_reached() -> None:
    async with place(ALLOWED) as there:
        code, reader, writer = await there.connect(b"localhost")
        assert code == SUCCEEDED
        writer.write(b"x" * 300_000)
        writer.write_eof()
        assert await reader.read() == b"x" * 300_000
        assert (await there.connect(b"shop.localhost."))[0] == SUCCEEDED, "a name that no resolver need know"


async def test_no_other_host_is() -> None:
    async with place(ALLOWED) as there:
        for host in (b"ads.localhost", b"127.0.0.1", b"localhost.ads.example", b"\xff"):
            code, reader, _ = await there.connect(host)
            assert code == NOT_ALLOWED, host
            assert await reader.read() == b"", "and the connection ends"
        for address, kind in (("127.0.0.1", 1), ("::2", 4)):
            code, _, _ = await there.connect(ipaddress.ip_address(address).packed, kind=kind)
            assert code == NOT_ALLOWED, address


async def test_an_address_counts_as_it_is_written_in_urls() -> None:
    async with place(ALLOWED) as there:
        code, _, _ = await there.connect(ipaddress.ip_address("::1").packed, kind=4, port=1)
        assert code == REFUSED, "allowed, but nobody listens"


async def test_denied_domains_leave_all_others() -> None:
    async with place(DomainPolicy.of(None, ["*.ads.example", "localhost:1"])) as there:
        assert (await there.connect(b"x.ads.example"))[0] == NOT_ALLOWED
        assert (await there.connect(b"localhost", port=1))[0] == NOT_ALLOWED
        assert (await there.connect(b"localhost"))[0] == SUCCEEDED


async def test_why_a_host_is_not_reached() -> None:
    async with place(ALLOWED) as there:
        assert (await there.connect(b"gone.invalid"))[0] == HOST_UNREACHABLE
        assert (await there.connect(b"localhost", port=1))[0] == REFUSED


async def test_what_is_no_connection_of_a_browser_gets_none() -> None:
    async with place(ALLOWED) as there:
        assert (await there.connect(b"localhost", command=2))[0] == UNKNOWN_COMMAND
        assert (await there.connect(b"", kind=9))[0] == UNKNOWN_COMMAND
        for greeting in (b"GET / HTTP/1.1\r\n\r\n", b"\x04\x01\x00", b"\x05\x01\x02"):
            reader, writer = await there.open()
            writer.write(greeting)
            writer.write_eof()
            assert await reader.read() in (b"", b"\x05\xff"), greeting


async def test_connections_end_with_the_gateway() -> None:
    async with place(ALLOWED) as there:
        _, reader, _ = await there.connect(b"localhost")
        waiting, _ = await there.open()
        await there.gateway.close()
        assert await reader.read() == b"" == await waiting.read()
        await there.gateway.close()

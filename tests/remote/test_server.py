"""The server that extensions connect to, over real WebSockets: who may come, and what becomes of who does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from oryn.errors import BackendUnavailable, ConfigurationError, ConnectionLost
from oryn.extension_server.credentials import ServerCredentials
from oryn.extension_server.extensions import Extension, Extensions
from oryn.extension_server.keys import KeyStore
from oryn.extension_server.server import MAX_CONNECTIONS, Address, is_extension, is_loopback, serve_extensions
from tests.remote.fake_extension import ORIGIN, FakeExtension, RegistrationRefused

CODE = "A7X9K2"


class RunningServer:
    def __init__(self, url: str, credentials: ServerCredentials, extensions: Extensions) -> None:
        self.url = url
        self.credentials = credentials
        self.extensions = extensions
        self.events: list[str] = []
        self._changed = asyncio.Event()
        extensions.connected = lambda each: self._note(f"+{each.name}")
        extensions.disconnected = lambda each: self._note(f"-{each.name}")

    def _note(self, text: str) -> None:
        self.events.append(text)
        self._changed.set()

    async def expect_events(self, *events: str) -> None:
        """Wait until these events have occurred, and no others."""
        async with asyncio.timeout(20):
            while self.events != list(events):
                assert len(self.events) < len(events) or self.events == list(events), self.events
                self._changed.clear()
                await self._changed.wait()

    @property
    def first(self) -> Extension:
        return next(iter(self.extensions))


Serve = Callable[[], AbstractAsyncContextManager[RunningServer]]


@pytest.fixture
def serve(tmp_path: Path) -> Serve:
    @asynccontextmanager
    async def serving() -> AsyncIterator[RunningServer]:
        extensions = Extensions(waits=True, advice="Press Connect.")
        credentials = ServerCredentials(KeyStore(tmp_path / "keys.json"), CODE)
        async with serve_extensions(Address(port=0), credentials, extensions) as url:
            yield RunningServer(url, credentials, extensions)

    return serving


async def test_a_browser_pairs_by_code_and_comes_again_by_its_key(serve: Serve) -> None:
    async with serve() as served:
        browser = FakeExtension(CODE)
        for reconnected in (False, True):
            async with browser.connected(served.url, reconnected=reconnected):
                peer = await served.first.wait_for_peer(20)
                assert (await peer.request("click 3", timeout=20)).text == "ok click 3"
        assert browser.commands == ["click 3", "click 3"]
        await served.expect_events("+default", "-default", "+default", "-default")


async def test_a_browser_with_another_code_is_not_let_in_and_the_code_is_spent(serve: Serve) -> None:
    async with serve() as served:
        for message in ("wrong proof", "pairing required"):
            with pytest.raises(RegistrationRefused, match=message):
                async with FakeExtension("B7X9K2").connected(served.url):
                    pass
        with pytest.raises(BackendUnavailable, match="no browser is connected; the last one that came: pairing"):
            await served.first.wait_for_peer(0.01)


async def test_waiting_caller_gets_the_browser_when_it_connects(serve: Serve) -> None:
    async with serve() as served:
        waiting = asyncio.create_task(served.first.wait_for_peer(20))
        async with FakeExtension(CODE).connected(served.url):
            assert (await waiting).browser == "Chrome/156.0"


async def test_a_connection_that_is_lost_in_the_middle_of_a_command(serve: Serve) -> None:
    async with serve() as served:
        browser = FakeExtension(CODE)
        heard = asyncio.Event()

        async def engine(line: str) -> str | None:
            heard.set()
            return None

        browser.engine = engine
        async with browser.connected(served.url):
            task = asyncio.create_task((await served.first.wait_for_peer(20)).request("click 3", timeout=60))
            await heard.wait()
            browser.socket.transport.abort()
            with pytest.raises(ConnectionLost):
                await task


async def test_the_same_browser_twice_is_the_one_that_came_last(serve: Serve) -> None:
    async with serve() as served:
        browser = FakeExtension(CODE)
        async with browser.connected(served.url):
            again = FakeExtension(key=browser.key)
            async with again.connected(served.url, reconnected=True):
                with pytest.raises(ConnectionClosed):
                    await browser.socket.wait_closed()
                    await browser.socket.send("0:ping")
                assert browser.socket.close_code == 4409
                assert (await (await served.first.wait_for_peer(20)).request("title", timeout=20)).text == "ok title"
        assert again.commands == ["title"]


async def test_each_browser_has_a_name_of_its_own_which_it_gets_again(serve: Serve) -> None:
    async with serve() as served:
        first, second, third = (
            FakeExtension(CODE),
            FakeExtension(CODE, browser="Edge/1.0"),
            FakeExtension(CODE, browser="Edge/1.0"),
        )
        async with first.connected(served.url):
            served.credentials.set_code(CODE)
            async with second.connected(served.url):
                served.credentials.set_code(CODE)
                async with third.connected(served.url):
                    await served.expect_events("+default", "+edge", "+edge-2")
                    assert served.extensions.named("edge-2").peer is not None
        await served.expect_events("+default", "+edge", "+edge-2", "-edge-2", "-edge", "-default")
        async with second.connected(served.url):
            await served.expect_events("+default", "+edge", "+edge-2", "-edge-2", "-edge", "-default", "+edge")


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost", "", "chrome-extension://a/b"])
async def test_no_page_may_connect(serve: Serve, origin: str) -> None:
    async with serve() as served:
        with pytest.raises(InvalidStatus) as caught:
            async with connect(served.url, additional_headers={"Origin": origin}, proxy=None):
                pass
        assert caught.value.response.status_code == 403


async def test_a_name_that_somebody_has_pointed_here(serve: Serve) -> None:
    """As after DNS rebinding, by a page whose extension would be asked."""
    async with serve() as served:
        port = served.url.rpartition(":")[2]
        reader, writer = await asyncio.open_connection("localhost", int(port))
        writer.write(
            b"GET / HTTP/1.1\r\nHost: evil.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        assert (await reader.readline()).startswith(b"HTTP/1.1 421 ")
        writer.close()


async def test_too_many_connections(serve: Serve) -> None:
    async with serve() as served:
        opened = [await connect(served.url, proxy=None) for _ in range(MAX_CONNECTIONS)]
        async with connect(served.url, proxy=None) as one_more:
            await one_more.wait_closed()
            assert one_more.close_code == 1013
        await opened.pop().close()
        for each in opened:
            await each.close()


async def test_binary_messages_and_junk_end_nothing_but_their_own_connection(serve: Serve) -> None:
    async with serve() as served, FakeExtension(CODE).connected(served.url):
        async with connect(served.url, origin=ORIGIN, proxy=None) as other:  # type: ignore[arg-type]
            await other.send(b"\0\1\2")
            await other.send("junk")
            await other.wait_closed()
            assert other.close_code == 4403
        assert (await (await served.first.wait_for_peer(20)).request("title", timeout=20)).text == "ok title"


async def test_a_port_that_is_taken(serve: Serve, tmp_path: Path) -> None:
    async with serve() as served:
        taken = Address(port=int(served.url.rpartition(":")[2]))
        with pytest.raises(ConfigurationError, match="can't listen"):
            async with serve_extensions(taken, ServerCredentials(KeyStore(tmp_path / "other.json")), Extensions()):
                pass


def test_another_computer_connects_with_tls_only(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="TLS"):
        Address(host="0.0.0.0").tls()
    with pytest.raises(ConfigurationError, match="can't be used"):
        Address(host="0.0.0.0", certificate=tmp_path / "none.pem").tls()
    assert Address(host="::1").tls() is None
    assert Address(host="::1").url(1) == "ws://[::1]:1"


def test_origins_of_extensions() -> None:
    good = [None, ORIGIN, "moz-extension://2c2f1f6a-0000-4000-8000-000000000000"]
    bad = ["", "null", "chrome-extension://", "https://chrome-extension://abc", f"{ORIGIN}/", f"{ORIGIN}\n", "file://"]
    assert [is_extension(each) for each in good + bad] == [True] * len(good) + [False] * len(bad)


def test_names_of_this_computer() -> None:
    good = [
        "localhost",
        "localhost:8080",
        "LOCALHOST:1",
        "127.0.0.1:80",
        "127.1.2.3",
        "[::1]",
        "[::1]:80",
        "localhost.",
    ]
    bad = ["", "evil.example", "127.0.0.1.evil.example:80", "localhost.evil.example", "0.0.0.0", "[::]:80", "10.0.0.1"]
    assert [is_loopback(each) for each in good + bad] == [True] * len(good) + [False] * len(bad)

"""Mode "remote" of the Python library: its own server, and a stand-in for the extension that connects to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from websockets.asyncio.client import connect

from oryn import Oryn
from oryn.errors import (
    BackendUnavailable,
    ConfigurationError,
    ConnectionLost,
    InvalidValue,
    NoAnswer,
    NotConnected,
    PairingFailed,
    PairingRequired,
    ProtocolMismatch,
)
from oryn.extension_server.pairing import PairingKey
from scripts.ports import free_port
from tests.clients.test_python_blocking import ROOT, run
from tests.remote.fake_extension import ORIGIN, FakeExtension, RegistrationRefused

CODE = "A7X9K2"


class Server:
    """The server of a client."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.url = f"ws://localhost:{port}"

    async def listens(self) -> None:
        async with asyncio.timeout(30):
            while True:
                try:
                    _, writer = await asyncio.open_connection("127.0.0.1", self.port)
                except OSError:
                    await asyncio.sleep(0.01)  # nothing tells when it begins to listen
                else:
                    writer.close()
                    return

    @asynccontextmanager
    async def paired_client(self, browser: FakeExtension, pair: str | None = None) -> AsyncIterator[Oryn]:
        """A client that this browser is connected to while the block runs."""
        oryn = Oryn("remote", port=self.port, pair=pair)
        connecting = asyncio.create_task(oryn.connect())
        try:
            await self.listens()
            async with browser.connected(self.url):
                await connecting
                yield oryn
        finally:
            await oryn.close()


@pytest.fixture
def server(home: Path) -> Server:
    return Server(free_port())


async def test_a_browser_is_paired_once_and_known_by_its_key_then(server: Server) -> None:
    browser = FakeExtension(CODE)
    async with server.paired_client(browser, "a7x-9k2") as oryn:
        assert await oryn.send("goto example.com") == "ok goto example.com"
        assert await oryn.send('click "Sign in"') == 'ok click "Sign in"'
    async with server.paired_client(browser) as oryn:
        assert await oryn.send("url") == "ok url"
    assert browser.commands == ["goto example.com", 'click "Sign in"', "url"]


async def test_browser_disconnect_fails_calls_in_flight_and_later_calls_wait(server: Server) -> None:
    browser, heard = FakeExtension(CODE), asyncio.Event()

    async def silent(line: str) -> str | None:
        heard.set()
        return None

    async with server.paired_client(browser, CODE) as oryn:
        browser.engine = silent
        asked = asyncio.create_task(oryn.send("click 3"))
        await heard.wait()
        await browser.socket.close()
        with pytest.raises(ConnectionLost, match="the connection to the browser was lost before the answer"):
            await asked
        later = asyncio.create_task(oryn.send("url"))
        await asyncio.sleep(0)
        back = FakeExtension(key=browser.key)
        async with back.connected(server.url, reconnected=True):
            assert (await later).startswith("ok url")
            assert back.commands == ["url"]


async def test_a_command_given_up_does_not_disturb_those_after_it(server: Server) -> None:
    browser, heard, answer = FakeExtension(CODE), asyncio.Event(), asyncio.Event()

    async def late(line: str) -> str | None:
        heard.set()
        await answer.wait()
        return f"ok {line}"

    async with server.paired_client(browser, CODE) as oryn:
        browser.engine = late
        given_up = asyncio.create_task(oryn.send("click 3"))
        await heard.wait()
        given_up.cancel()
        elsewhere = asyncio.create_task(oryn.send("@tab2 url"))
        after = [asyncio.create_task(oryn.send(line)) for line in ("title", "url")]
        await asyncio.sleep(0)
        answer.set()
        assert [await each for each in (elsewhere, *after)] == ["ok @tab2 url", "ok title", "ok url"]


async def test_a_picture_lies_where_the_command_says(server: Server, tmp_path: Path) -> None:
    browser, path = FakeExtension(CODE), tmp_path / "shot.png"
    line = "screenshot --output shot.png"

    async def engine(line: str) -> str | None:
        return f'ok {line}\n\n"/files/ID/shot.png" (1280x720)'

    async with server.paired_client(browser, CODE) as oryn:
        browser.engine, browser.files = engine, {line: [("shot.png", b"picture")]}
        answer = await oryn.send(f"screenshot --output {path}")
    assert answer == f'ok screenshot --output {path}\n\n"{path}" (1280x720)'
    assert path.read_bytes() == b"picture"


async def test_a_code_that_is_wrong_or_missing_is_told_at_once(server: Server) -> None:
    for pair, kind in (("B7X9K2", PairingFailed), (None, PairingRequired)):
        oryn = Oryn("remote", port=server.port, pair=pair)
        connecting = asyncio.create_task(oryn.connect())
        await server.listens()
        with pytest.raises(RegistrationRefused):
            async with FakeExtension(CODE).connected(server.url):
                pass
        with pytest.raises(kind) as failed:
            await connecting
        assert not oryn.connected
    assert failed.value.hint and "pair=CODE" in failed.value.hint
    with pytest.raises(InvalidValue, match="six letters and digits"):
        await Oryn("remote", port=server.port, pair="123").connect()


async def test_a_key_that_is_lost_here_does_not_cost_the_code(server: Server) -> None:
    oryn = Oryn("remote", port=server.port, pair=CODE)
    connecting = asyncio.create_task(oryn.connect())
    await server.listens()
    with pytest.raises(RegistrationRefused, match="pairing required"):
        async with FakeExtension(key=PairingKey.new()).connected(server.url):
            pass
    async with FakeExtension(CODE).connected(server.url):
        await connecting
        await oryn.close()


async def test_an_extension_that_is_too_old(server: Server) -> None:
    oryn = Oryn("remote", port=server.port, pair=CODE)
    connecting = asyncio.create_task(oryn.connect())
    await server.listens()
    async with connect(server.url, origin=ORIGIN, proxy=None) as socket:  # type: ignore[arg-type]
        await socket.send("0:register protocol=1 engine=1.0.0 extension=1.0.0 browser=Chrome/120.0")
        assert await socket.recv() == "0:error unsupported protocol version 1, require 2+"
    with pytest.raises(ProtocolMismatch, match="unsupported protocol version 1"):
        await connecting


async def test_connect_times_out_without_a_browser(server: Server) -> None:
    oryn = Oryn("remote", port=server.port, timeout=0.3)
    with pytest.raises(NoAnswer, match=r"within 0.3 s"):
        await oryn.connect()
    async with server.paired_client(FakeExtension(CODE), CODE) as oryn:
        pass
    with pytest.raises(NotConnected):
        await oryn.send("url")


async def test_a_browser_that_stays_away(server: Server) -> None:
    browser = FakeExtension(CODE)
    async with server.paired_client(browser, CODE) as oryn:
        await oryn.send("url")
        await browser.socket.close()
        with pytest.raises((BackendUnavailable, ConnectionLost)):
            await oryn.send("url --timeout 1s")


async def test_a_port_that_is_taken(server: Server) -> None:
    async with server.paired_client(FakeExtension(CODE), CODE):
        with pytest.raises(ConfigurationError, match=f"can't listen on 127.0.0.1:{server.port}"):
            await Oryn("remote", port=server.port).connect()


def test_nothing_is_written_to_the_terminal(home: Path) -> None:
    code = """
import asyncio, sys
from oryn.errors import PairingFailed
from tests.clients.test_python_remote import FakeExtension, RegistrationRefused, Server
async def main():
    try:
        async with Server(int(sys.argv[1])).paired_client(FakeExtension("A7X9K2"), "B7X9K2"):
            pass
    except RegistrationRefused as error:
        print(error)
asyncio.run(main())
"""
    ended = run(code, str(free_port()), PYTHONPATH=f"{ROOT / 'src'}:{ROOT}")
    assert (ended.stdout, ended.stderr) == ("wrong proof\n", "")

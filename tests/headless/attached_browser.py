"""A browser that somebody else has started, what stands between it and us, and another client of it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from oryn.browsers.chromium.discovery import find_browser
from tests.process_groups import await_end

Listener = Callable[[dict[str, Any]], object]


class RunningChromium:
    """Chromium with an open port, as a person starts one, in a process group of its own. `port` 0 takes a free one."""

    def __init__(self, folder: Path, port: int = 0, profile: Path | None = None) -> None:
        self.profile = profile or folder / "profile"
        flags = ["--headless=new", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
        root = ["--no-sandbox"] if os.name == "posix" and os.geteuid() == 0 else []
        places = [f"--remote-debugging-port={port}", f"--user-data-dir={self.profile}", "about:blank"]
        self.process = subprocess.Popen(
            [find_browser(), *flags, *root, *places],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.port, self.path = 0, ""

    async def ready(self) -> None:
        file = self.profile / "DevToolsActivePort"
        async with asyncio.timeout(60):
            while not self.port:
                try:
                    port, self.path = file.read_text().split()
                    self.port = int(port)
                except (OSError, ValueError):
                    await asyncio.sleep(0.05)  # there is no event for a file that appears

    @property
    def endpoint(self) -> str:
        return f"ws://127.0.0.1:{self.port}{self.path}"

    def kill(self) -> None:
        """Kill it, so that its files stay."""
        self.end(signal.SIGKILL)

    def end(self, number: int = signal.SIGTERM) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)  # the browser may be the child of a script that starts it
        self.process.wait(20)
        await_end(self.process.pid)


@pytest.fixture(scope="module")
def running(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningChromium]:
    """One that runs for all tests of a module that imports this."""
    browser = RunningChromium(tmp_path_factory.mktemp("running"))
    run(browser.ready())
    yield browser
    browser.end()


class Client:
    """Another program that speaks to a browser: `await client("Target.getTargets")` is the result."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._number = 0

    async def __call__(self, method: str, params: dict[str, Any] | None = None, session: str | None = None) -> Any:
        self._number += 1
        message = {"id": self._number, "method": method, "params": params or {}}
        await self._socket.send(json.dumps(message | ({"sessionId": session} if session else {})))
        async with asyncio.timeout(10):
            while (answer := json.loads(await self._socket.recv())).get("id") != self._number:
                pass
        assert "error" not in answer, answer
        return answer["result"]

    async def pages(self) -> dict[str, str]:
        """Every tab's address, by its id."""
        targets = (await self("Target.getTargets"))["targetInfos"]
        return {each["targetId"]: each["url"] for each in targets if each["type"] == "page"}

    async def evaluate(self, target: str, expression: str) -> Any:
        attached = await self("Target.attachToTarget", {"targetId": target, "flatten": True})
        session = attached["sessionId"]
        params = {"expression": expression, "awaitPromise": True}
        answer = await self("Runtime.evaluate", params, session)
        await self("Target.detachFromTarget", {"sessionId": session})
        return answer["result"].get("value")


@asynccontextmanager
async def client_of(endpoint: str) -> AsyncIterator[Client]:
    async with connect(endpoint, max_size=None, proxy=None) as socket:
        yield Client(socket)


class Relay:
    """Stands between us and a browser, as a browser service does: counts, refuses, drops, asks for a token."""

    def __init__(self, to: str, on_sent: Listener, on_received: Listener) -> None:
        self._to = to
        self._on_sent = on_sent
        self._on_received = on_received
        self.refused: set[str] = set()
        """Methods that are answered with an error."""
        self.token: str | None = None
        self.paths: list[str] = []
        self.open: set[ServerConnection] = set()
        self.url = ""
        self.received = asyncio.Event()
        """We have sent something."""

    async def serve(self, socket: ServerConnection) -> None:
        assert socket.request is not None
        self.paths.append(socket.request.path)
        if self.token is not None and f"token={self.token}" not in socket.request.path:
            await socket.close(1008, "no token")
            return
        self.open.add(socket)
        try:
            async with connect(self._to, max_size=None, proxy=None) as browser:
                back = asyncio.create_task(self._back(browser, socket))
                async for message in socket:
                    self.received.set()
                    asked = json.loads(message)
                    self._on_sent(asked)
                    if asked["method"] in self.refused:
                        error = {"code": -32000, "message": "Not allowed"}
                        await socket.send(json.dumps({"id": asked["id"], "error": error}))
                    else:
                        await browser.send(message)
                back.cancel()
        except ConnectionClosed:
            pass
        finally:
            self.open.discard(socket)

    async def _back(self, browser: ClientConnection, socket: ServerConnection) -> None:
        async for message in browser:
            self._on_received(json.loads(message))
            await socket.send(message)
        await socket.close()

    def drop(self) -> None:
        """Break every connection, without a word."""
        for socket in self.open:
            socket.transport.abort()


@asynccontextmanager
async def relay_to(
    endpoint: str, on_sent: Listener = lambda _: None, on_received: Listener = lambda _: None
) -> AsyncIterator[Relay]:
    """A relay to a browser; the listeners get each message of its client, and each of the browser."""
    relay = Relay(endpoint, on_sent, on_received)
    async with serve(relay.serve, "127.0.0.1", 0, max_size=None) as server:
        relay.url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/devtools/browser/relayed"
        yield relay


@asynccontextmanager
async def speaking(answer: Callable[[Any], object]) -> AsyncIterator[str]:
    """A WebSocket server that answers each message with what `answer` makes of it; its address."""

    async def talk(socket: ServerConnection) -> None:
        try:
            async for message in socket:
                said = answer(json.loads(message))
                if said is not None:
                    await socket.send(said if isinstance(said, str) else json.dumps(said))
        except ConnectionClosed:
            pass

    async with serve(talk, "127.0.0.1", 0) as server:
        yield f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/devtools/browser/x"

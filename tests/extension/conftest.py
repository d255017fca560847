"""The extension, built once and loaded into a real Chromium, and a server for it to connect to."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.server import Server, ServerConnection, serve

from scripts.extension import copy
from scripts.extension.browser import WAIT, ExtendedBrowser, Target
from scripts.extension.builder import PYODIDE
from scripts.extension.bundles import write_bundles
from tests.headless.conftest import Pages

pytestmark = [pytest.mark.whole_browser, pytest.mark.node]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if shutil.which("node") is None or not PYODIDE.is_dir():
        missing = pytest.mark.skip(reason="needs Node and Pyodide; 'make test' installs them")
        for item in items:
            if {"extension", "bundles"} & {*getattr(item, "fixturenames", ())}:
                item.add_marker(missing)


@pytest.fixture(scope="session")
def extension(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the built extension."""
    return copy(tmp_path_factory.mktemp("built") / "extension")


@pytest.fixture(scope="session")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the scripts of the extension alone."""
    folder = Path(tmp_path_factory.mktemp("bundles"))
    write_bundles(folder)
    return folder


@pytest.fixture(scope="session")
def extension_browser(extension: Path, run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ExtendedBrowser]:
    """One Chromium with the extension, for all tests of the session."""
    browser = ExtendedBrowser(extension, Path(tmp_path_factory.mktemp("extension_browser")))
    run(browser.start())
    yield browser
    run(browser.close())


@pytest.fixture
def fresh_browser(extension: Path, run: Any, tmp_path: Path) -> Iterator[ExtendedBrowser]:
    """A Chromium of the test's own, with a new profile."""
    browser = ExtendedBrowser(extension, tmp_path)
    run(browser.start())
    yield browser
    run(browser.close())


@pytest.fixture
def worker(extension_browser: ExtendedBrowser, run: Any) -> Iterator[Target]:
    """The service worker of the shared browser, with its engine ready. No error may be left in its console."""
    target = run(extension_browser.awake())
    yield target
    run(target.detach())
    assert target.errors == []


@pytest.fixture(scope="session")
def pages() -> Iterator[Pages]:
    """A server of pages that a test sets."""
    with Pages() as served:
        yield served


class RecordingServer:
    """A WebSocket server that keeps what it gets: `connection` is the newest one, `received` its text frames."""

    def __init__(self) -> None:
        self.connections: asyncio.Queue[ServerConnection] = asyncio.Queue()
        self.received: asyncio.Queue[str] = asyncio.Queue()
        self._server: Server | None = None
        self.url = ""

    async def start(self) -> None:
        self._server = await serve(self._serve, "127.0.0.1", 0, max_size=None)
        self.url = f"ws://127.0.0.1:{next(iter(self._server.sockets)).getsockname()[1]}"

    async def _serve(self, connection: ServerConnection) -> None:
        self.connections.put_nowait(connection)
        async for message in connection:
            assert isinstance(message, str), "the protocol has text frames alone"
            self.received.put_nowait(message)

    async def connection(self) -> ServerConnection:
        """The next connection that is made."""
        return await asyncio.wait_for(self.connections.get(), WAIT)

    async def next(self) -> str:
        """The next text frame, whichever connection it came through."""
        return await asyncio.wait_for(self.received.get(), WAIT)

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()


@pytest.fixture
def recording_server(run: Any) -> Iterator[RecordingServer]:
    server = RecordingServer()
    run(server.start())
    yield server
    run(server.close())

"""A server over real Chromium in this process, and the official client, speaking either era of the protocol."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client as Assistant
from mcp.shared.memory import create_client_server_memory_streams

from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Options, Session
from oryn.engine.policy.policy import Policy
from oryn.mcp.clients import McpClient
from oryn.mcp.host import LocalMcpHost
from oryn.mcp.server import OrynMcpServer
from oryn.sessions.sessions import Sessions
from tests.daemon.daemon_process import RunningDaemon
from tests.headless.conftest import Pages
from tests.research.server import Site

pytestmark = pytest.mark.processes

ERAS = ("legacy", "auto")
"""As the client calls them: the handshake, and requests that stand alone where the server takes them."""
HANDSHAKE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
ACCEPT = {"Accept": "application/json, text/event-stream"}


ARTICLE = """<html lang="en"><head><title>Fern</title></head><body><main><article><h1>Fern</h1>
<p>Ferns have fronds, which uncurl in spring, turn to the light, and are gone again when the first frost has come.</p>
<p>They grow by the brook, in the shade of the old trees, where it is never quite dry and never quite light.</p>
</article></main></body></html>"""


@pytest.fixture(scope="module")
def research_daemon(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    running = RunningDaemon(tmp_path_factory.mktemp("home"), {"ORYN_ALLOW_PRIVATE": "1", "ORYN_THROTTLE": "1ms"})
    yield running
    run(running.stop())


@pytest.fixture
def site() -> Iterator[Site]:
    """A server with an article at `/`."""
    with Site() as site:
        site.page("/", ARTICLE)
        yield site


@pytest.fixture(scope="session")
def served_pages() -> Iterator[Pages]:
    with Pages() as served:
        yield served


@pytest.fixture
def pages(served_pages: Pages) -> Pages:
    """Pages that the test sets: `pages["/a"] = html`, whose address is `pages.url("/a")`."""
    served_pages.bodies.clear()
    return served_pages


@pytest.fixture(scope="session")
def chromium(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromiumBrowser]:
    headless = ChromiumBrowser(runtime_dir=Path(tmp_path_factory.mktemp("chromium")))
    run(headless.start())
    yield headless
    run(headless.close())


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    era: str = request.param
    return era


@pytest.fixture
def sessions(chromium: ChromiumBrowser, run: Any, tmp_path: Path) -> Iterator[Sessions]:
    """Sessions in contexts of their own of the shared browser. One called `looking` only looks."""

    def make(name: str, settings: Mapping[str, Any]) -> Session:
        policy = Policy.of(read_only=True) if name == "looking" else None
        options = Options(timeout=30, policy=policy, screenshot_folder=tmp_path, answer_folder=tmp_path)
        return Session(ChromiumBrowser(runtime_dir=tmp_path / name, shared_with=chromium), name, options)

    sessions = Sessions(make)
    yield sessions
    run(sessions.close())


@pytest.fixture
def host(sessions: Sessions) -> LocalMcpHost:
    return LocalMcpHost(sessions)


Connect = Callable[..., AbstractAsyncContextManager[Assistant]]


@pytest.fixture
def connect(host: LocalMcpHost) -> Connect:
    """`async with connect(era) as assistant`: one client of a server of its own; `session=`, `offer=` … are its
    `McpClient`'s, what else is named is the official client's."""

    @asynccontextmanager
    async def connected(
        era: str, *, session: str = "mine", offer: str = "core", structured: bool = True, **named: Any
    ) -> AsyncIterator[Assistant]:
        client = McpClient(session, owns=True, offer=offer, structured=structured)
        server = OrynMcpServer(host, lambda _: client)
        server.notifier.start()
        try:
            async with Assistant(wire_to(server), mode=era, **named) as assistant:
                yield assistant
        finally:
            server.notifier.stop()

    return connected


@asynccontextmanager
async def wire_to(server: OrynMcpServer) -> AsyncIterator[Any]:
    """The client's end of a connection to a server in this process, over which the messages of both go."""
    async with create_client_server_memory_streams() as (client, (incoming, outgoing)):
        serving = asyncio.create_task(server.run(incoming, outgoing, server.create_initialization_options()))
        yield client
        await client[1].aclose()
        await serving


def text_of(result: Any) -> str:
    """The text of a tool's result, whose first content it is."""
    text: str = result.content[0].text
    return text

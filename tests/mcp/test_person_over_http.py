"""An assistant that comes to the daemon asks its user too, and its folders hold there as well."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client as Assistant
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp_types import ElicitResult, ListRootsResult, Root

from tests.daemon.daemon_process import RunningDaemon
from tests.headless.conftest import Pages
from tests.mcp.conftest import text_of

pytestmark = pytest.mark.browser

PAGE = """<title>shop</title><button onclick="document.title+='!'">Buy</button>"""


@pytest.fixture(scope="module")
def daemon(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    running = RunningDaemon(tmp_path_factory.mktemp("home"), {"ORYN_CONFIRM": "click"})
    yield running
    run(running.stop())


@asynccontextmanager
async def assistant(daemon: RunningDaemon, era: str, **named: Any) -> AsyncIterator[Assistant]:
    async with create_mcp_http_client({"Authorization": f"Bearer {daemon.token}"}) as client:
        transport = streamable_http_client(f"{daemon.url}/mcp", http_client=client)
        async with Assistant(transport, mode=era, **named) as connected:
            yield connected


@pytest.mark.slow
@pytest.mark.parametrize(("agrees", "title"), [(True, "shop!"), (False, "shop")])
async def test_the_person_is_asked(daemon: RunningDaemon, pages: Pages, era: str, agrees: bool, title: str) -> None:
    pages["/"] = PAGE

    async def person(*_: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"agree": agrees})

    async with assistant(daemon, era, elicitation_callback=person) as client:
        await client.call_tool("goto", {"url": pages.url()})
        clicked = await client.call_tool("click", {"target": "Buy"})
        assert clicked.is_error is not agrees, text_of(clicked)
        told = await client.call_tool("oryn", {"line": "title"})
    assert json.loads(text_of(told).split("\n\n")[1]) == title
    assert any(row["action"] == "confirm" and row["ok"] for row in daemon.rows()) or not agrees


async def test_its_folders_hold(daemon: RunningDaemon, era: str, tmp_path: Path) -> None:
    async def roots(_: Any) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=tmp_path.as_uri())])  # type: ignore[arg-type]

    async with assistant(daemon, era, list_roots_callback=roots) as client:
        await client.call_tool("goto", {"url": "about:blank"})
        written = await client.call_tool("oryn", {"line": "pdf page.pdf"})
        assert not written.is_error, text_of(written)
        assert (tmp_path / "page.pdf").is_file()
        refused = await client.call_tool("oryn", {"line": f'pdf "{tmp_path.parent / "page.pdf"}"'})
        assert refused.structured_content["error"]["code"] == "PATH_NOT_ALLOWED"

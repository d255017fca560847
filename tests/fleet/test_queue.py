"""The queue of a Grid that several daemons share, over a network that cuts silent connections."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.base.placement import BrowserSource
from oryn.providers.grid import GridProvider
from oryn.providers.grid_client import GridClient
from oryn.providers.provider import BrowserRequest
from scripts.fleet.grid import SeleniumGrid, find_parts, running_grid
from scripts.fleet.haproxy import cutting_proxy, find_haproxy

pytestmark = [
    pytest.mark.grid,
    pytest.mark.haproxy,
    pytest.mark.skipif(find_parts() is None or find_haproxy() is None, reason="needs a Selenium Grid and HAProxy"),
]


@pytest.fixture
def grid(tmp_path: Path) -> Iterator[SeleniumGrid]:
    """A Grid with one slot."""
    with running_grid(tmp_path / "grid", nodes=(1,)) as grid:
        yield grid


class IdleHolder:
    """A session that has had no command for long, as far as its provider knows."""

    def __init__(self, provider: GridProvider, reference: str) -> None:
        self._provider = provider
        self._reference = reference

    def idle_seconds(self) -> float | None:
        return 100.0

    async def release(self, reason: str) -> bool:
        del self._provider.sources[self._reference]
        await self._provider.close(self._reference)
        return True


async def test_a_request_that_waits_outlives_a_cut_connection(
    grid: SeleniumGrid, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests: asyncio.Queue[str] = asyncio.Queue()
    send = GridClient._request

    async def counted(client: GridClient, method: str, path: str, body: Any = None) -> Any:
        if (method, path) == ("POST", "/session"):
            requests.put_nowait(path)
        return await send(client, method, path, body)

    monkeypatch.setattr(GridClient, "_request", counted)
    with cutting_proxy(tmp_path, grid.url.partition("//")[2], 6) as proxy:
        provider = GridProvider("grid", proxy.url)
        taken = await provider.open(BrowserRequest())
        waiting = asyncio.create_task(provider.open(BrowserRequest()))
        async with asyncio.timeout(60):
            for _ in ("the first", "the one that waits", "that one again"):
                await requests.get()
            await provider.close(taken.reference)
            opened = await waiting
        assert opened.reference != taken.reference
        await provider.close(opened.reference)
        await provider.stop()


async def test_an_idle_session_makes_room_for_those_of_another_daemon(grid: SeleniumGrid) -> None:
    one, other = (GridProvider("grid", grid.url, release_after=1) for _ in range(2))
    taken = await one.open(BrowserRequest())
    source = BrowserSource()
    source.holder = IdleHolder(one, taken.reference)
    one.sources[taken.reference] = source
    async with asyncio.timeout(60):
        opened = await other.open(BrowserRequest())
    assert opened.reference != taken.reference and not one.sources
    await other.close(opened.reference)
    await asyncio.gather(one.stop(), other.stop())

"""Browsers of providers: a Selenium Grid that the tests of a file share, and hosts whose sessions use providers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from oryn.engine import Answer
from oryn.hosts.browser_factory import BrowserFactory
from oryn.hosts.session_factory import sessions_of
from oryn.language import parse
from oryn.providers import ProviderPool
from oryn.sessions.sessions import Sessions
from oryn.settings import load
from oryn.system.paths import find
from scripts.fleet.grid import SeleniumGrid, find_parts, running_grid
from tests.headless.conftest import Pages


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SeleniumGrid]:
    """A hub and two nodes with two slots each, which end a session after 4 s of silence."""
    if find_parts() is None:
        pytest.skip("needs a Selenium Grid; 'make test-all' installs it")
    with running_grid(tmp_path_factory.mktemp("grid"), session_timeout=4, request_timeout=60) as grid:
        yield grid


@pytest.fixture(scope="module")
def pages() -> Iterator[Pages]:
    with Pages() as served:
        yield served


class ProvidedSessions:
    """A host that saves its sessions, whose browsers are those of providers."""

    def __init__(self, sessions: Sessions, pool: ProviderPool, folder: Path) -> None:
        self.sessions = sessions
        self.pool = pool
        self._folder = folder

    def state(self, session: str) -> str:
        """What is saved of a session's cookies and storage; empty while nothing is."""
        file = self._folder / "sessions" / f"{session}.json"
        return file.read_text() if file.exists() else ""

    async def run(self, line: str, session: str = "work", **settings: Any) -> Answer:
        return await self.sessions.execute_in(session, parse(line), settings)

    async def ok(self, line: str, session: str = "work", **settings: Any) -> str:
        answer = await self.run(line, session, **settings)
        assert answer.error is None, answer.render()
        return answer.render()


Host = Callable[..., AbstractAsyncContextManager[ProvidedSessions]]


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """Opens a host with the text of a provider file and with settings. Hosts share their folder, so that a later one
    has the sessions of an earlier one."""

    @asynccontextmanager
    async def host(providers: str, **settings: Any) -> AsyncIterator[ProvidedSessions]:
        file = tmp_path / "providers.toml"
        file.write_text(providers)
        paths = find({"ORYN_HOME": str(tmp_path / "home")})
        flags = {"providers": str(file), "action_wait": "1", "presence_wait": "200ms", "settle_grace": "100ms"}
        configuration = load({**flags, **settings}, paths, {})
        browsers = BrowserFactory(configuration, backend="headless", keeps_connections=True)
        assert browsers.providers is not None
        sessions = sessions_of(configuration, keep=True, browsers=browsers)
        try:
            yield ProvidedSessions(sessions, browsers.providers, paths.daemon)
        finally:
            await sessions.close()
            await browsers.providers.close()

    return host

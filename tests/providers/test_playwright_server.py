"""Sessions in browsers that a Playwright server starts: counted, given back, restored after the server's death."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.headless.conftest import Pages
from tests.playwright.servers import RunServer
from tests.providers.conftest import Host

pytestmark = [pytest.mark.whole_browser, pytest.mark.playwright]


async def test_a_session_at_a_server_that_is_killed_is_restored(tmp_path: Path, host: Host, pages: Pages) -> None:
    if find_spec("playwright") is None:
        pytest.skip("needs Playwright; 'make test' installs it")
    pages["/"] = "<title>Here</title><button>Go</button>"
    server = RunServer(tmp_path / "server")
    await server.start()
    try:
        file = f'[[provider]]\nname = "servers"\nkind = "playwright"\ncapacity = 2\naddresses = ["{server.address}"]\n'
        async with host(file) as one:
            await one.ok(f"goto {pages.url()}")
            session = one.sessions.get("work")
            assert session is not None and session.browser.source is not None
            assert session.browser.mode == "playwright"
            placement = session.browser.source.placement
            assert placement is not None and placement.provider == "servers"
            assert [each.used for each in await one.pool.health()] == [1]
            await server.kill()
            await server.start()
            answers = [await one.run("observe") for _ in range(2)]
            assert "session restored at" in "".join(each.render() for each in answers)
        assert [each.used for each in await one.pool.health()] == [0]
    finally:
        await server.kill()

"""Sessions in browsers at DevTools addresses: shared by capacity, queued fairly, restored."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from oryn.errors import QueueTimedOut
from scripts.users_browser import UsersBrowser
from tests.headless.conftest import Pages
from tests.providers.conftest import Host

pytestmark = pytest.mark.whole_browser


class AddressedBrowser:
    """A browser with a debugging port on this computer."""

    def __init__(self, home: Path) -> None:
        self._browser = UsersBrowser(home, 0, tabs=0)
        port = (home / "config" / "chromium" / "DevToolsActivePort").read_text().split()[0]
        self.url = f"http://127.0.0.1:{port}"

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._browser.process.pid, signal.SIGKILL)
        self._browser.process.wait()


@pytest.fixture
def browsers(tmp_path: Path) -> Iterator[list[AddressedBrowser]]:
    """Two browsers."""
    found = [AddressedBrowser(tmp_path / name) for name in ("a", "b")]
    yield found
    for each in found:
        each.kill()


def file_of(browsers: list[AddressedBrowser], more: str = "") -> str:
    addresses = ", ".join(f'"{each.url}"' for each in browsers)
    return f'[[provider]]\nname = "two"\nkind = "cdp"\naddresses = [{addresses}]\n{more}\n'


@pytest.mark.slow
async def test_sessions_share_the_addresses_and_wait_their_turn(
    browsers: list[AddressedBrowser], host: Host, pages: Pages
) -> None:
    pages["/"] = "<title>Here</title><button>Go</button>"
    async with host(file_of(browsers, "capacity = 1\nrelease_after = 0")) as one:
        await asyncio.gather(*(one.ok(f"goto {pages.url()}", name) for name in ("a", "b")))
        assert [(each.used, each.capacity) for each in await one.pool.health()] == [(2, 2)]
        answer = await one.run(f"goto {pages.url()} --timeout 500ms", "c")
        assert isinstance(answer.error, QueueTimedOut), answer.render()
        assert "place 1 of 1 in the queue of two" in answer.error.message
        assert [each.queue for each in await one.pool.health()] == [0]
        waiting = asyncio.create_task(one.ok(f"goto {pages.url()}", "c"))
        await asyncio.sleep(0)
        await one.sessions.close_session("a")
        await waiting


@pytest.mark.slow
async def test_a_session_whose_browser_dies_is_restored_in_the_other(
    browsers: list[AddressedBrowser], host: Host, pages: Pages
) -> None:
    pages["/"] = "<title>Here</title><button>Go</button>"
    async with host(file_of(browsers)) as one:
        await one.ok(f"goto {pages.url()}")
        session = one.sessions.get("work")
        assert session is not None and session.browser.source is not None
        former = session.browser.source.placement
        assert former is not None
        next(each for each in browsers if each.url == former.where).kill()
        answers = [await one.run("observe") for _ in range(3)]  # it fails at the address that is gone, then at none
        assert answers[-1].error is None, answers[-1].render()
        assert "session restored at" in "".join(each.render() for each in answers)
        session = one.sessions.get("work")
        assert session is not None and session.browser.source is not None
        placement = session.browser.source.placement
        assert placement is not None and placement.where != former.where

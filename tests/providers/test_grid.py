"""Sessions in browsers of a real Selenium Grid: kept alive, restored after losses, queued and given back."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any
from urllib.request import urlopen

import pytest

from oryn.errors import ProviderUnavailable, QueueTimedOut
from scripts.fleet.grid import SeleniumGrid
from tests.headless.conftest import Pages
from tests.providers.conftest import Host, ProvidedSessions
from tests.providers.relay import relay_to

pytestmark = [pytest.mark.whole_browser, pytest.mark.grid]

FORM = """<!doctype html><title>Form</title><h1>Form</h1><label>Name <input name="name"></label>
<button onclick="this.textContent = 'Pressed'">Press</button>"""


def file_of(grid: SeleniumGrid, more: str = "") -> str:
    return f'[[provider]]\nname = "farm"\nkind = "grid"\nurl = "{grid.url}"\n{more}\n'


@pytest.fixture(autouse=True)
def empty_grid(grid: SeleniumGrid, pages: Pages) -> None:
    pages.bodies.clear()
    pages["/form"] = FORM
    # Also without a node that was killed, which the hub keeps in its list for some seconds.
    grid.wait_until(lambda status: len(status["nodes"]) == 2 and not any(map(running, status["nodes"])))


def running(node: dict[str, Any]) -> int:
    return sum(slot["session"] is not None for slot in node["slots"])


def grid_session(host: ProvidedSessions, name: str = "work") -> str:
    session = host.sessions.get(name)
    assert session is not None and session.browser.source is not None
    placement = session.browser.source.placement
    assert placement is not None and placement.provider == "farm"
    return placement.reference


async def test_a_session_runs_on_a_slot_and_gives_it_back(grid: SeleniumGrid, host: Host, pages: Pages) -> None:
    async with host(file_of(grid)) as one:
        await one.ok(f"goto {pages.url('/form')}")
        assert grid.sessions() == [grid_session(one)]
        assert "Pressed" in await one.ok('click "Press"')
    assert grid.sessions() == []


async def test_the_browser_of_a_slot_has_the_tab_alone_that_it_began_with(grid: SeleniumGrid, host: Host) -> None:
    """A context and a tab of its own would only cost time: nobody else has the browser."""
    async with host(file_of(grid)) as one:
        assert "about:blank" in await one.ok("tabs") and "data:," not in await one.ok("observe")
        browser = one.sessions.get("work").browser
        call = browser._connection.root.call
        assert not (await call("Target.getBrowserContexts"))["browserContextIds"]
        targets = (await call("Target.getTargets"))["targetInfos"]
        assert [each["url"] for each in targets if each["type"] == "page"] == ["about:blank"]


async def test_a_session_that_thinks_for_three_time_outs_goes_on(grid: SeleniumGrid, host: Host, pages: Pages) -> None:
    async with host(file_of(grid)) as one:
        await one.ok(f"goto {pages.url('/form')}")
        await one.ok('type "Name" "Ann"')
        before = grid_session(one)
        began = time.monotonic()
        await asyncio.to_thread(grid.wait_until, lambda _: time.monotonic() - began > 12)  # the Grid's time is 4 s
        assert "Ann" in await one.ok("observe")
        assert grid_session(one) == before


async def test_a_session_of_a_killed_node_is_restored_on_another(grid: SeleniumGrid, host: Host, pages: Pages) -> None:
    pages["/login"] = lambda request: (200, {"Set-Cookie": "login=ann; Path=/; Max-Age=9999"}, FORM)
    pages["/account"] = lambda request: (
        f"<h1>{'Ann' if 'login=ann' in (request.headers['Cookie'] or '') else 'Nobody'}</h1>"
    )
    async with host(file_of(grid)) as one:
        await one.ok(f"goto {pages.url('/login')}")
        await one.ok(f"goto {pages.url('/account')}")
        node = grid.node_of(grid_session(one))
        await asyncio.to_thread(grid.wait_until, lambda _: "ann" in one.state("work"))
        running = asyncio.create_task(one.run('wait visible "Never" --timeout 20s'))
        await asyncio.sleep(0)
        began = time.monotonic()
        grid.kill_node(node)
        try:
            answer = await running
            assert time.monotonic() - began < 5, answer.render()
            assert answer.error is not None
            text = await one.ok("text")
            assert "session restored at" in text
            assert "Ann" in text
        finally:
            await asyncio.to_thread(grid.start_node, node)


async def test_a_hub_that_is_gone_is_a_true_error_and_its_return_restores(
    grid: SeleniumGrid, host: Host, pages: Pages
) -> None:
    async with host(file_of(grid)) as one:
        await one.ok(f"goto {pages.url('/form')}")
        grid.kill_hub()
        began = time.monotonic()
        answer = await one.run("observe")
        assert isinstance(answer.error, ProviderUnavailable) or "closed" in answer.render()
        answer = await one.run("observe")
        assert isinstance(answer.error, ProviderUnavailable)
        assert time.monotonic() - began < 5
        await asyncio.to_thread(grid.start_hub)
        assert "session restored at" in await one.ok("observe")


async def test_a_full_grid_is_waited_for_and_the_request_is_withdrawn(
    grid: SeleniumGrid, host: Host, pages: Pages
) -> None:
    async with host(file_of(grid, "release_after = 0")) as one:
        await asyncio.gather(*(one.ok(f"goto {pages.url('/form')}", f"work{n}") for n in range(4)))
        answer = await one.run(f"goto {pages.url('/form')} --timeout 3s", "late")
        assert isinstance(answer.error, QueueTimedOut), answer.render()
        assert "place 1 of 1 in the queue of farm" in answer.error.message
        await asyncio.to_thread(grid.wait_until, lambda _: not _queue(grid))
        waiting = asyncio.create_task(one.run(f"goto {pages.url('/form')}", "later"))
        await asyncio.to_thread(grid.wait_until, lambda _: len(_queue(grid)) == 1)
        await one.sessions.close_session("work0")
        answer = await waiting
        assert answer.error is None, answer.render()
        assert len(grid.sessions()) == 4
    await asyncio.to_thread(grid.wait_until, lambda _: not grid.sessions())


def _queue(grid: SeleniumGrid) -> list[object]:
    with urlopen(f"{grid.url}/se/grid/newsessionqueue/queue", timeout=5) as answer:
        found: list[object] = json.load(answer)["value"]
        return found


async def test_idle_sessions_make_room_and_come_back(grid: SeleniumGrid, host: Host, pages: Pages) -> None:
    async with host(file_of(grid, "release_after = 0.1")) as one:
        for n in range(6):
            await one.ok(f"goto {pages.url('/form')}?{n}", f"work{n}")
        for n in range(6):
            assert f"/form?{n}" in await one.ok("observe", f"work{n}")


async def test_who_opens_a_session_next_ends_its_former_browser(grid: SeleniumGrid, host: Host, pages: Pages) -> None:
    async with host(file_of(grid)) as one:
        await one.ok(f"goto {pages.url('/form')}")
        former = grid_session(one)
        async with host(file_of(grid)) as two:
            await two.ok("observe")
            assert former not in grid.sessions()
            assert grid_session(two) in grid.sessions()


async def test_draining_gives_the_browsers_back(grid: SeleniumGrid, host: Host, pages: Pages) -> None:
    async with host(file_of(grid)) as one:
        await one.ok(f"goto {pages.url('/form')}")
        assert await one.pool.drain("farm") == 1
        assert grid.sessions() == []
        answer = await one.run("observe")
        assert isinstance(answer.error, ProviderUnavailable)
        assert "drained" in answer.error.message


async def test_a_connection_that_a_proxy_cuts_costs_no_page(grid: SeleniumGrid, host: Host, pages: Pages) -> None:
    port = int(grid.url.rpartition(":")[2])
    async with relay_to(port) as relay, host(file_of(grid).replace(str(port), str(relay.port))) as one:
        await one.ok(f"goto {pages.url('/form')}")
        await one.ok('type "Name" "Ann"')
        await one.ok(f"tab new {pages.url('/form')}?2")
        await one.ok("tab switch 1")
        before = grid_session(one)
        running = asyncio.create_task(one.run('wait visible "Never" --timeout 20s'))
        await asyncio.sleep(0.5)  # until it waits
        relay.cut()
        assert (await running).error is not None
        text = await one.ok("observe")
        assert "the connection to the browser was lost, and is there again" in text
        assert "Ann" in text
        assert grid_session(one) == before
        assert [row["url"].rpartition("/")[2] for row in (await one.run("tabs")).data] == ["form", "form?2"]
    await asyncio.to_thread(grid.wait_until, lambda _: not grid.sessions())


async def test_a_proxy_that_strips_web_sockets_is_a_clear_error(grid: SeleniumGrid, host: Host, pages: Pages) -> None:
    port = int(grid.url.rpartition(":")[2])
    async with (
        relay_to(port, strips_web_sockets=True) as relay,
        host(file_of(grid).replace(str(port), str(relay.port))) as one,
    ):
        answer = await one.run(f"goto {pages.url('/form')}")
        assert answer.error is not None
        assert "refused the connection with status 400" in answer.error.message
        health = await one.pool.health()
        assert health[0].capacity == 4
    assert grid.sessions() == []

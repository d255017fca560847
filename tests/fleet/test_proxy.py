"""HAProxy with the configuration that is deployed, in front of two real daemons."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from websockets.asyncio.client import connect

from scripts.fleet.clients import connections_to
from scripts.fleet.daemons import FleetDaemon, in_parallel
from scripts.fleet.haproxy import Proxy, find_haproxy, proxy_of_daemons

pytestmark = [
    pytest.mark.haproxy,
    pytest.mark.browser,
    pytest.mark.skipif(find_haproxy() is None, reason="needs HAProxy"),
]

TOKEN = "a" * 64
PAGE = "data:text/html,<title>Ferns</title><h1>Ferns</h1>"
SETTINGS = {"allowed_hosts": "127.0.0.1", "trusted_proxies": "127.0.0.1"}


class Behind:
    """Two daemons without common records, and the proxy in front of them."""

    def __init__(self, folder: Path, daemons: list[FleetDaemon], proxy: Proxy) -> None:
        self.folder = folder
        self.daemons = daemons
        self.proxy = proxy

    async def ask(self, http: httpx.AsyncClient, line: str) -> httpx.Response:
        return await http.post(f"{self.proxy.url}/command", json={"line": line}, timeout=60)

    async def ok(self, http: httpx.AsyncClient, line: str) -> None:
        answer = await self.ask(http, line)
        assert answer.status_code == 200 and answer.json()["ok"], answer.text


@pytest.fixture
def behind(tmp_path: Path) -> Iterator[Behind]:
    with ExitStack() as ends:
        daemons = [FleetDaemon(name, tmp_path, TOKEN, SETTINGS) for name in ("daemon-1", "daemon-2")]
        ends.callback(lambda: in_parallel(each.stop for each in daemons))
        in_parallel(each.start for each in daemons)
        proxy = proxy_of_daemons(tmp_path, [each.url.partition("//")[2] for each in daemons])
        yield Behind(tmp_path, daemons, ends.enter_context(proxy))


async def test_commands_survive_a_daemon_that_is_killed(behind: Behind) -> None:
    async with connections_to(TOKEN) as http:
        for _ in range(4):
            await behind.ok(http, f"goto {PAGE}")
        behind.daemons[0].kill()
        answers = [await behind.ask(http, f"goto {PAGE}") for _ in range(6)]
        assert [each.status_code for each in answers] == [200] * 6, "a refused connection is tried at the other"
        behind.daemons[1].kill()
        nobody = await behind.ask(http, "title")
        assert (nobody.status_code, nobody.json()["error_kind"]) == (503, "daemon_ending")
        await asyncio.to_thread(behind.daemons[1].start)
        async with asyncio.timeout(20):
            while (await http.get(f"{behind.proxy.url}/readyz")).status_code != 200:
                pass  # the proxy looks once a second
        await behind.ok(http, f"goto {PAGE}")


async def test_a_command_whose_daemon_is_killed_is_answered_with_an_error(behind: Behind) -> None:
    async with connections_to(TOKEN) as http:
        behind.daemons[0].kill()
        await behind.ok(http, f"goto {PAGE}")
        running = asyncio.create_task(behind.ask(http, "wait 20s"))
        await busy(http, behind.daemons[1])
        behind.daemons[1].kill()
        async with asyncio.timeout(5):
            answer = await running
        assert (answer.status_code, answer.json()["error_kind"]) == (502, "daemon_failed")


async def test_a_client_that_disconnects_cancels_its_command(behind: Behind) -> None:
    async with connections_to(TOKEN) as http:
        behind.daemons[0].kill()
        await behind.ok(http, f"goto {PAGE}")
        running = asyncio.create_task(behind.ask(http, "wait 50s"))
        await busy(http, behind.daemons[1])
        running.cancel()
        async with asyncio.timeout(20):
            after = await behind.ask(http, "title")
        assert after.json()["ok"]
        rows = (await http.get(f"{behind.daemons[1].url}/history")).json()["rows"]
        assert [row["error_kind"] for row in rows if "wait" in str(row["args"])] == ["cancelled"]


async def test_streams_and_events_arrive_as_they_are_made(behind: Behind) -> None:
    async with connections_to(TOKEN) as http:
        behind.daemons[0].kill()
        async with http.stream("GET", f"{behind.proxy.url}/events?type=action.start", timeout=60) as events:
            running = asyncio.create_task(behind.ask(http, f"goto {PAGE}"))
            async with asyncio.timeout(20):
                async for line in events.aiter_lines():
                    if line.startswith("data:"):
                        break
        assert json.loads(line.removeprefix("data:"))["type"] == "action.start"
        assert (await running).json()["ok"]
        streamed = {"accept": "application/x-ndjson"}
        request = {"line": "title"}
        answer = await http.post(f"{behind.proxy.url}/command", json=request, headers=streamed, timeout=60)
        assert json.loads(answer.text.splitlines()[-1])["response"]["ok"]


async def test_web_sockets_pass(behind: Behind) -> None:
    async with connections_to(TOKEN) as http:
        behind.daemons[0].kill()
        await behind.ok(http, f"goto {PAGE}")
        address = f"{behind.proxy.url.replace('http', 'ws')}/sessions/default/takeover"
        async with asyncio.timeout(20), connect(address, additional_headers=dict(http.headers)) as person:
            assert json.loads(await person.recv())["type"] in ("taken", "waiting")


async def test_the_daemons_see_the_clients_address_and_no_claim_of_it(behind: Behind) -> None:
    async with connections_to(TOKEN) as http:
        claims = {"forwarded": "for=10.9.9.9", "x-forwarded-for": "10.9.9.9", "x-forwarded-host": "evil.example"}
        answer = await http.get(f"{behind.proxy.url}/status", headers=claims)
        assert answer.status_code == 200, answer.text


async def busy(http: httpx.AsyncClient, daemon: FleetDaemon) -> None:
    """Wait until a daemon runs a command."""
    async with asyncio.timeout(20):
        while not (await http.get(f"{daemon.url}/status")).json()["running"]:
            pass

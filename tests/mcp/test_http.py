"""`/mcp` of a real daemon, and its access control: who is authorised, whose session is whose, and when it ends."""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn
from mcp import Client as Assistant
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from starlette.applications import Starlette
from starlette.routing import Route

from oryn.mcp.host import LocalMcpHost, SessionEvent
from oryn.mcp.http import StreamableHttpApp
from tests.daemon.daemon_process import RunningDaemon, daemon_environment
from tests.headless.conftest import Pages
from tests.mcp.conftest import ACCEPT, HANDSHAKE, text_of

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def daemon(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    running = RunningDaemon(tmp_path_factory.mktemp("daemon"))
    yield running
    assert run(running.stop()) == 0, running.log()
    run(running.no_process())


@contextlib.asynccontextmanager
async def assistant_at(url: str, era: str, token: str = "", **named: Any) -> AsyncIterator[Assistant]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=120) as client,
        Assistant(streamable_http_client(url, http_client=client), mode=era, **named) as assistant,
    ):
        yield assistant


@pytest.mark.slow
async def test_each_client_has_a_session_until_it_goes(daemon: RunningDaemon, pages: Pages) -> None:
    pages["/a"], pages["/b"] = "<title>A</title>", "<title>B</title>"
    address = f"{daemon.url}/mcp"
    async with assistant_at(address, "legacy", daemon.token) as one:
        async with assistant_at(address, "legacy", daemon.token) as other:
            await asyncio.gather(
                one.call_tool("goto", {"url": pages.url("/a")}), other.call_tool("goto", {"url": pages.url("/b")})
            )
            assert '"A"' in text_of(await one.call_tool("oryn", {"line": "title"}))
            assert '"B"' in text_of(await other.call_tool("oryn", {"line": "title"}))
            names = {each["name"] for each in (await daemon.status())["sessions"]}
            assert len({name for name in names if name.startswith("mcp_")}) == 2
        # The other has said that it goes. Its session ends soon after.
        await _sessions(daemon, 1)
        assert not (await one.call_tool("observe")).is_error
    await _sessions(daemon, 0)


async def _sessions(daemon: RunningDaemon, count: int) -> None:
    """Ask until so many sessions of assistants are open."""
    while len([each for each in (await daemon.status())["sessions"] if each["name"].startswith("mcp_")]) != count:
        pass


@pytest.mark.slow
async def test_clients_of_the_newer_era_are_known_by_their_names(daemon: RunningDaemon, pages: Pages) -> None:
    pages["/"] = "<title>Kept</title>"
    address = f"{daemon.url}/mcp"
    async with assistant_at(address, "auto", daemon.token) as assistant:
        await assistant.call_tool("goto", {"url": pages.url()})
    async with assistant_at(address, "auto", daemon.token) as again:
        assert '"Kept"' in text_of(await again.call_tool("oryn", {"line": "title"}))
        await again.call_tool("oryn", {"line": "session close mcp_mcp"})


@pytest.mark.slow
async def test_an_address_may_name_a_session_which_stays(daemon: RunningDaemon, era: str, pages: Pages) -> None:
    pages["/"] = "<title>Mine</title>"
    async with assistant_at(f"{daemon.url}/mcp?session=work_{era}&tools=goto", era, daemon.token) as assistant:
        assert [tool.name for tool in (await assistant.list_tools()).tools] == ["goto"]
        await assistant.call_tool("goto", {"url": pages.url()})
    title = await daemon.ok("title", session=f"work_{era}")
    assert title["data"]["result"] == "Mine"
    # What assistants do stands in the history like all else.
    rows = [row for row in daemon.rows() if row["session"] == f"work_{era}"]
    assert [row["args"]["line"] for row in rows] == [f"goto {pages.url()}", "title"]
    await daemon.ok({"argv": ["close"]}, session=f"work_{era}")


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("session=../../x", '"../../x" is not the name of a session: letters, digits, _ and -'),
        ("session=", '"" is not the name of a session: letters, digits, _ and -'),
        ("session=new", '"new" is not the name of a session: letters, digits, _ and -'),
        ("tools=clik", 'unknown tool "clik": did you mean click?'),
        ("tools=nosuch", "unknown tool \"nosuch\": 'core' or 'all' are sets"),
        ("tools=", "tools names no tool: 'core' or 'all' are sets"),
        ("tools=confirm", 'unknown tool "confirm"'),
        ("backend=evil", 'there is no backend "evil": one of headless, embedded, playwright, remote, extension'),
        ("structured=2", 'structured can\'t be "2": 0 or 1'),
        ("structured=", 'structured can\'t be "": 0 or 1'),
    ],
)
async def test_an_address_that_says_what_can_not_be(daemon: RunningDaemon, query: str, told: str) -> None:
    """At once, before a client believes that it is connected."""
    answer = await daemon.client.post(f"/mcp?{query}", json=HANDSHAKE, headers=ACCEPT)
    assert answer.status_code == 400
    assert answer.json()["error"]["message"].startswith(told), answer.text


async def test_an_address_with_what_nobody_reads(daemon: RunningDaemon, era: str) -> None:
    """From the first message on: who wished for a session that only looks has to hear that there is none."""
    for query in ("read_only=1", "tool=all", "session=a&session=b"):
        with pytest.RaisesGroup(pytest.RaisesGroup(MCPError)):
            async with assistant_at(f"{daemon.url}/mcp?{query}", era, daemon.token):
                raise AssertionError(query)
        answer = await daemon.client.post(f"/mcp?{query}", json=HANDSHAKE, headers=ACCEPT)
        assert answer.status_code == 400
    told = (await daemon.client.post("/mcp?read_only=1", json=HANDSHAKE, headers=ACCEPT)).json()["error"]["message"]
    assert told == 'the address has no parameter "read_only": it takes session, tools, backend, structured'


def printed(home: Path, *options: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "oryn", *options]
    environment = daemon_environment(home)
    return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.slow
async def test_the_command_line_prints_how_to_get_in(daemon: RunningDaemon, era: str) -> None:
    ended = await asyncio.to_thread(printed, daemon.home, "--session", "mine", "mcp", "--http", "--tools", "Moving")
    assert (ended.returncode, ended.stderr) == (0, "")
    server = json.loads(ended.stdout)["mcpServers"]["oryn"]
    assert server["url"] == f"{daemon.url}/mcp?session=mine&tools=Moving"
    token = server["headers"]["Authorization"].removeprefix("Bearer ")
    async with assistant_at(server["url"], era, token) as assistant:
        assert "goto" in [tool.name for tool in (await assistant.list_tools()).tools]


@pytest.mark.slow
async def test_settings_of_the_daemon_are_given_where_it_starts(daemon: RunningDaemon) -> None:
    ended = await asyncio.to_thread(printed, daemon.home, "mcp", "--http", "--headful")
    assert ended.returncode == 2
    assert ended.stderr.startswith("error mcp: --headful must be set for the daemon, not for 'oryn mcp --http'\n")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Host": "evil.example"}, 403),
        ({"Host": "127.0.0.1.evil.example:7720"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "chrome-extension://abcdefgh"}, 403),
    ],
)
@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
async def test_unauthorized_or_foreign_request_is_rejected(
    daemon: RunningDaemon, method: str, headers: dict[str, str], status: int
) -> None:
    """A page of another site, also one whose name leads here (DNS rebinding), and who does not know the token."""
    refused = await daemon.client.request(method, "/mcp", headers={**ACCEPT, **headers}, json=HANDSHAKE)
    assert refused.status_code == status
    assert refused.json()["ok"] is False
    assert "mcp-session-id" not in refused.headers
    assert refused.headers.get("www-authenticate") == ("Bearer" if status == 401 else None)


async def test_invalid_mcp_requests_are_rejected(daemon: RunningDaemon) -> None:
    async def post(body: str, **headers: str) -> int:
        given = {**ACCEPT, "Content-Type": "application/json", **headers}
        return (await daemon.client.post("/mcp", content=body, headers=given)).status_code

    assert await post("what?") == 400
    assert await post("[]") == 400
    assert await post(json.dumps(HANDSHAKE), Accept="text/html") == 406
    assert await post(json.dumps({**HANDSHAKE, "method": "tools/list"})) == 400
    assert await post(json.dumps(HANDSHAKE), **{"Mcp-Session-Id": "0123456789abcdef"}) == 404
    assert await post(" " * 5_000_000) == 413
    assert (await daemon.client.put("/mcp", json=HANDSHAKE)).status_code in (400, 405)
    assert (await daemon.status())["running"] == 0


@pytest.mark.slow
async def test_a_call_that_is_taken_back_is_told_as_that_in_the_history(daemon: RunningDaemon, era: str) -> None:
    async with assistant_at(f"{daemon.url}/mcp?session=back_{era}", era, daemon.token) as assistant:
        await assistant.call_tool("goto", {"url": "about:blank"})
        calling = asyncio.create_task(assistant.call_tool("oryn", {"line": 'wait visible "Nothing"'}))
        while not (await daemon.status())["running"]:
            pass
        calling.cancel()
        await asyncio.wait([calling])
        assert not (await assistant.call_tool("observe")).is_error
    rows = [row for row in daemon.rows() if row["session"] == f"back_{era}"]
    assert [row["error_kind"] for row in rows] == [None, "cancelled", None]
    await daemon.ok({"argv": ["close"]}, session=f"back_{era}")


@pytest.mark.slow
async def test_an_answer_alone_is_json_and_a_stream_where_there_is_more_to_say(daemon: RunningDaemon) -> None:
    """Of the older era, whose clients the SDK answers with streams alone."""
    opened = await daemon.client.post("/mcp", json=HANDSHAKE, headers=ACCEPT)
    there = {**ACCEPT, "Mcp-Session-Id": opened.headers["mcp-session-id"]}

    async def call(line: str, **meta: object) -> httpx2.Response:
        params = {"name": "oryn", "arguments": {"line": line}, "_meta": meta}
        said = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}
        return await daemon.client.post("/mcp", json=said, headers=there)

    alone = await call("url")
    assert (opened.headers["content-type"], alone.headers["content-type"]) == ("application/json", "application/json")
    assert (alone.json()["id"], alone.json()["result"].get("isError", False)) == (2, False)
    stream = await call('wait visible "Nothing" --timeout 1500ms', progressToken="how far")
    assert stream.headers["content-type"].startswith("text/event-stream")
    data = [json.loads(line[5:]) for line in stream.text.splitlines() if line.startswith("data:")]
    assert [each.get("method", each.get("id")) for each in data] == ["notifications/progress", 2]
    await daemon.client.delete("/mcp", headers=there)
    await _sessions(daemon, 0)


# --- the endpoint alone, with short time limits ---


@contextlib.asynccontextmanager
async def served(endpoint: StreamableHttpApp) -> AsyncIterator[str]:
    app = Starlette(routes=[Route("/mcp", endpoint)])
    config = uvicorn.Config(app, port=0, log_config=None, lifespan="off", ws="none")
    server = uvicorn.Server(config)
    listening = config.bind_socket()
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
    finally:
        await endpoint.close()
        server.should_exit = True
        await serving


@pytest.mark.parametrize("gone", ["idle", "without a word"])
async def test_the_session_of_a_client_that_dies_ends(host: LocalMcpHost, gone: str, tmp_path: Path) -> None:
    closed = asyncio.Event()
    host.listen(lambda news: closed.set() if news == SessionEvent("closed", "mcp_test_" + news.session[-8:]) else None)
    patience = {"idle": 0.2, "gone": 3600.0} if gone == "idle" else {"idle": 3600.0, "gone": 0.2}
    async with (
        served(StreamableHttpApp(host, **patience)) as url,
        httpx2.AsyncClient(headers=ACCEPT, timeout=120) as client,
    ):
        id = (await client.post(url, json=HANDSHAKE)).headers["mcp-session-id"]
        there = {"Mcp-Session-Id": id}

        async def call() -> None:
            params = {"name": "goto", "arguments": {"url": "about:blank"}}
            said = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}
            assert "ok goto" in (await client.post(url, json=said, headers=there)).text

        if gone == "idle":
            await call()
        else:
            async with client.stream("GET", url, headers=there) as stream:
                assert stream.status_code == 200
                await call()
        await closed.wait()
    assert host.names == []


async def test_a_door_that_is_closed_ends_its_conversations(host: LocalMcpHost) -> None:
    endpoint = StreamableHttpApp(host)
    async with served(endpoint) as url, httpx2.AsyncClient(headers=ACCEPT, timeout=120) as client:
        id = (await client.post(url, json=HANDSHAKE)).headers["mcp-session-id"]
        async with client.stream("GET", url, headers={"Mcp-Session-Id": id}) as stream:
            await endpoint.close()
            with contextlib.suppress(httpx2.TransportError):
                assert [line async for line in stream.aiter_lines() if line.startswith("data:")] == []

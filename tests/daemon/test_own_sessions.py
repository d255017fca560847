"""Tokens with sessions of their own: they reach no other session, by no entry, and only their domains
(docs/access.md#sessions-of-a-token)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from mcp import Client as Assistant
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from oryn.core.urls import common_rules, parse_domain_rule
from oryn.daemon.access.audit import AuditFile
from oryn.daemon.access.principals import SCOPES, TokenLimits
from oryn.daemon.access.token_file import TokenFile
from oryn.daemon.access.tokens import Token, hash_of, new_token, parse_token, token_data
from oryn.errors import ConfigurationError
from oryn.sessions.ownership import SessionOwner
from tests.daemon.daemon_process import RunningDaemon
from tests.headless.conftest import Pages

pytestmark = pytest.mark.browser


class Caller:
    """A program with a token of a daemon."""

    def __init__(self, daemon: RunningDaemon, name: str, sessions: int = 0, domains: tuple[str, ...] = ()) -> None:
        self.daemon, self.name, self.token = daemon, name, new_token()
        self.limit(sessions, domains)
        headers = {"Authorization": f"Bearer {self.token}"}
        self.client = httpx.AsyncClient(base_url=daemon.url, headers=headers, timeout=60, trust_env=False, verify=False)

    def limit(self, sessions: int = 0, domains: tuple[str, ...] = ()) -> None:
        """Store the token with these limits."""
        limits = TokenLimits(0, sessions, domains)
        file = TokenFile(self.daemon.home / "data" / "daemon" / "tokens.json")
        file.put(Token(self.name, hash_of(self.token), frozenset(SCOPES), limits))

    async def ask(self, line: str | list[str], session: str, **envelope: Any) -> dict[str, Any]:
        """The response to a line, or to words of the command line, also if it was refused."""
        request = {"argv" if isinstance(line, list) else "line": line, "session": session, **envelope}
        answer: dict[str, Any] = (await self.client.post("/command", json=request)).json()
        return answer

    async def ok(self, line: str | list[str], session: str, **envelope: Any) -> dict[str, Any]:
        answer = await self.ask(line, session, **envelope)
        assert answer["ok"], answer
        return answer

    async def names(self) -> set[str]:
        return {each["name"] for each in (await self.client.get("/status")).json()["sessions"]}


CallerOf = Callable[..., Caller]


@pytest.fixture
def caller_of(started: RunningDaemon, run: Any) -> Iterator[CallerOf]:
    """Makes callers of the daemon: `caller_of("one", sessions=2)`."""
    made: list[Caller] = []

    def make(name: str, sessions: int = 0, domains: tuple[str, ...] = ()) -> Caller:
        made.append(Caller(started, name, sessions, domains))
        return made[-1]

    yield make
    for each in made:
        run(each.client.aclose())


@pytest.fixture
def started(daemon_of: Callable[..., RunningDaemon], pages: Pages) -> Iterator[RunningDaemon]:
    pages["/"] = "<title>secret place</title><button>Buy</button>"
    yield daemon_of()


class Events:
    """The events that a caller gets while the block of `of` runs."""

    def __init__(self) -> None:
        self.seen: list[dict[str, Any]] = []
        self._added = asyncio.Event()

    @classmethod
    @asynccontextmanager
    async def of(cls, caller: Caller) -> AsyncIterator[Events]:
        events = cls()
        async with caller.client.stream("GET", "/events") as response:
            reading = asyncio.create_task(events._read(response))
            yield events
            reading.cancel()
            await asyncio.wait([reading])

    async def _read(self, response: httpx.Response) -> None:
        async for line in response.aiter_lines():
            if line.startswith("data: "):
                self.seen.append(json.loads(line.removeprefix("data: ")))
                self._added.set()

    async def until(self, type: str, session: str) -> None:
        """Wait for an event."""
        async with asyncio.timeout(30):
            while not any((each["type"], each["data"].get("session")) == (type, session) for each in self.seen):
                self._added.clear()
                await self._added.wait()

    @property
    def sessions(self) -> set[str]:
        return {each["data"]["session"] for each in self.seen}


@pytest.mark.slow
async def test_another_tokens_session_is_out_of_reach_at_every_entry(
    started: RunningDaemon, caller_of: CallerOf, pages: Pages
) -> None:
    one, other = caller_of("one", sessions=5), caller_of("other", sessions=5)
    async with Events.of(other) as seen:
        await one.ok(f"goto {pages.url()}", "private")
        await started.ok("goto about:blank", session="everybodys")
        await other.ok("goto about:blank", "mine")

        for foreign in ("private", "everybodys"):
            lines: list[str | list[str]] = [
                "observe", "title", "state save x.json", "screenshot", "session show", f"session close {foreign}",
                f"session {foreign}", f"session new {foreign}", ["close"], ["session", "close", foreign],
                ["confirm", "c_00000000"], ["network", "list"],
            ]  # fmt: skip
            for line in lines:
                answer = await other.ask(line, foreign)
                assert not answer["ok"] and "secret place" not in str(answer), (line, answer)
                assert answer["error_kind"] == "session_not_found", (line, answer)
            for line in (
                f"@{foreign} title",
                f"session close {foreign}",
                f"session {foreign}",
                f"session new {foreign}",
            ):
                answer = await other.ask(line, "mine")
                assert answer["error_kind"] == "session_not_found", (line, answer)
            answer = await other.ask(["search", "x"], "mine", browse_in=foreign)
            assert answer["error_kind"] == "session_not_found"
            for method, path, body in [
                ("GET", "sight", None), ("GET", "picture", None), ("GET", "notes", None), ("POST", "notes", {}),
                ("POST", "marks", {"x": 1, "y": 1}), ("GET", "notes/1/picture", None), ("DELETE", "notes/1", None),
            ]:  # fmt: skip
                response = await other.client.request(method, f"/sessions/{foreign}/{path}", json=body)
                assert (response.status_code, response.json()["error_kind"]) == (400, "session_not_found"), path
            address = f"ws://127.0.0.1:{started.port}/sessions/{foreign}/takeover"
            with pytest.raises(InvalidStatus):
                async with connect(address, additional_headers={"Authorization": f"Bearer {other.token}"}):
                    pass

        assert await other.names() == {"mine"}
        listed = await other.ok("sessions", "everybodys")
        assert [each["name"] for each in listed["data"]["result"]] == ["mine"]
        assert "private" not in (await other.ok("sessions", "mine"))["text"]
        assert await one.names() == {"private"}
        assert {"private", "everybodys", "mine"} <= {each["name"] for each in (await started.status())["sessions"]}

        rows = (await other.client.get("/history", params={"limit": 200})).json()["rows"]
        assert {row["principal"] for row in rows} == {"other"}
        row = next(row for row in started.rows() if row["session"] == "private" and row["ok"])
        replayed = await other.client.post(f"/history/{row['action_id']}/replay")
        assert replayed.json()["error_kind"] == "action_not_found"

        await other.ok(["close", "--all"], "private")
        assert await other.names() == set() and await one.names() == {"private"}
        assert (await one.ok("title", "private"))["data"]["result"] == "secret place"
        await other.ok("goto about:blank", "last")
        await seen.until("action.finish", "last")
        await seen.until("session.closed", "mine")
    # Its own command has named the session of the envelope, which does not exist for it.
    assert seen.sessions == {"mine", "last", "private", "everybodys"}
    assert {each["data"]["action"] for each in seen.seen if each["data"]["session"] not in ("mine", "last")} == {
        "sessions", "close",
    }  # fmt: skip
    refused = [row for row in AuditFile(started.home / "data" / "daemon").newest() if row.principal == "other"]
    assert any(row.kind == "command" and "session_not_found" in row.detail for row in refused)


@pytest.mark.slow
async def test_mcp_clients_see_their_own_sessions(started: RunningDaemon, caller_of: CallerOf, pages: Pages) -> None:
    one, other = caller_of("one", sessions=5), caller_of("other", sessions=5)
    await one.ok(f"goto {pages.url()}", "private")

    @asynccontextmanager
    async def assistant(query: str = "") -> AsyncIterator[Assistant]:
        async with create_mcp_http_client({"Authorization": f"Bearer {other.token}"}) as client:
            transport = streamable_http_client(f"{started.url}/mcp{query}", http_client=client)
            async with Assistant(transport) as connected:
                yield connected

    async with assistant("?session=private") as client:
        for tool, arguments in (("oryn", {"line": "title"}), ("observe", {}), ("goto", {"url": pages.url()})):
            answer = await client.call_tool(tool, arguments)
            assert answer.is_error and "secret place" not in str(answer.content), answer.content
    async with assistant() as client:
        await client.call_tool("goto", {"url": "about:blank"})
        answer = await client.call_tool("oryn", {"line": "@private title"})
        assert answer.structured_content["error"]["code"] == "SESSION_NOT_FOUND"
        resources = (await client.list_resources()).resources
        assert resources and not any("private" in str(each.uri) for each in resources)
    assert (await one.ok("title", "private"))["data"]["result"] == "secret place"


@pytest.mark.slow
async def test_the_number_of_open_sessions(started: RunningDaemon, caller_of: CallerOf) -> None:
    one, other = caller_of("one", sessions=2), caller_of("other", sessions=2)
    opened = await asyncio.gather(*(one.ask("goto about:blank", f"s{number}") for number in range(5)))
    assert sorted(answer["error_kind"] or "" for answer in opened) == ["", "", *["session_limit"] * 3]
    refused = next(answer for answer in opened if not answer["ok"])
    assert "2 sessions" in refused["error"] and "Close one" in refused["hint"]
    name = next(iter(await one.names()))
    assert (await one.ask("session new further", name))["error_kind"] == "session_limit"
    await other.ok("goto about:blank", "others")
    await started.ok("goto about:blank", session="s9")
    await one.ok(["close"], name)
    await one.ok("goto about:blank", "s8")
    assert (await one.ask("goto about:blank", "others"))["error_kind"] == "session_not_found"


@pytest.mark.slow
async def test_domains_can_not_be_widened(started: RunningDaemon, caller_of: CallerOf, pages: Pages) -> None:
    host = f"127.0.0.1:{pages.server.server_port}"
    one = caller_of("one", domains=(host, "*.example.org"))
    elsewhere = pages.url(host="localhost")
    await one.ok(f"goto {pages.url()}", "work")
    for line in (f"goto {elsewhere}", f"tab new {elsewhere}", "goto file:///etc/passwd"):
        assert (await one.ask(line, "work"))["error_kind"] == "domain_not_allowed", line
    fetched = await one.ask(f"eval fetch('{elsewhere}').then(() => 'got', () => 'refused')", "work")
    assert fetched["data"].get("result") != "got"

    for settings in ({"allowed_domains": "localhost"}, {"allowed_domains": ["*.net"]}):
        answer = await one.ask(f"goto {elsewhere}", "wide", settings=settings)
        assert answer["error_kind"] == "invalid_setting", answer
    for name, value in {
        "proxy": "localhost:1", "browser_url": "ws://localhost:1", "profile": "others", "downloads": "/tmp",
        "extensions": "/tmp", "backend": "remote", "browser": "/bin/true", "files_root": "/",
    }.items():  # fmt: skip
        answer = await one.ask(f"goto {elsewhere}", "wide", settings={name: value})
        assert answer["error_kind"] == "invalid_setting" and name in answer["error"], answer
    assert (await one.ask(f"goto {elsewhere}", "wide", backend="extension"))["error_kind"] == "invalid_setting"
    forged = {
        "Oryn-Relay": "x",
        "Oryn-Relay-Sender": json.dumps({"name": "owner", "scopes": list(SCOPES), "limits": {}, "person": True}),
    }
    request = {"line": f"goto {elsewhere}", "session": "work"}
    answer = (await one.client.post("/command", json=request, headers=forged)).json()
    assert answer["error_kind"] == "domain_not_allowed"

    await one.ok(f"goto {pages.url()}", "narrow", settings={"allowed_domains": f"{host},localhost"})
    assert (await one.ask("goto http://a.example.org/", "narrow"))["error_kind"] == "domain_not_allowed"
    await one.ok("session new further", "work")
    assert (await one.ask(f"@further goto {elsewhere}", "work"))["error_kind"] == "domain_not_allowed"

    one.limit(domains=(host,))
    answer = await one.ask("title", "work")
    assert answer["error_kind"] == "session_exists" and "allowed_domains" in answer["error"]
    await one.ok(["close"], "work")
    await one.ok(f"goto {pages.url()}", "work")


@pytest.mark.slow
@pytest.mark.parametrize("end", ["stop", "kill"])
async def test_a_session_keeps_its_owner(started: RunningDaemon, caller_of: CallerOf, pages: Pages, end: str) -> None:
    host = f"127.0.0.1:{pages.server.server_port}"
    one, other = caller_of("one", domains=(host,)), caller_of("other", sessions=1)
    await one.ok(f"goto {pages.url()}", "work")
    await one.ok(f"goto {pages.url()}", "passing", settings={"ephemeral": True})
    await started.wait_until_saved("work")
    await (started.stop() if end == "stop" else started.kill())
    started.start()
    one = caller_of("one", domains=(host,))
    other = caller_of("other", sessions=1)
    for name in ("work", "passing"):
        assert (await other.ask("title", name))["error_kind"] == "session_not_found"
        assert (await other.client.get(f"/sessions/{name}/sight")).json()["error_kind"] == "session_not_found"
    assert await other.names() == set() and "work" in await one.names()
    assert (await started.ok("title", session="work"))["data"]["result"] == "secret place"  # an administrator wakes it
    assert (await other.ask("title", "work"))["error_kind"] == "session_not_found"
    assert (await one.ok("title", "work"))["data"]["result"] == "secret place"
    assert (await one.ask(f"goto {pages.url(host='localhost')}", "work"))["error_kind"] == "domain_not_allowed"


@pytest.mark.slow
async def test_a_stream_ends_when_its_token_gets_limits(started: RunningDaemon, caller_of: CallerOf) -> None:
    caller = caller_of("watcher")
    async with Events.of(caller) as seen:
        await started.ok("goto about:blank", session="first")
        caller.limit(sessions=1)
        await started.ok("goto about:blank", session="second")
        assert "second" not in seen.sessions


# --- without a daemon ---


@pytest.mark.parametrize(
    ("some", "others", "common"),
    [
        (["example.org"], ["*.example.org"], ["example.org"]),
        (["*.example.org"], ["*.a.example.org", "b.example.org"], ["*.a.example.org", "b.example.org"]),
        (["*.example.org"], ["*.example.org:8443"], ["*.example.org:8443"]),
        (["*.example.org:443"], ["a.example.org:8443"], []),
        (["example.org"], ["example.net"], []),
        (["example.org"], ["*.a.example.org"], []),
        (["badexample.org"], ["*.example.org"], []),
        (["127.0.0.1", "[::1]"], ["[::1]:80"], ["[::1]:80"]),
    ],
)
def test_what_two_lists_of_domains_have_in_common(some: list[str], others: list[str], common: list[str]) -> None:
    for one, other in ((some, others), (others, some)):
        found = common_rules(list(map(parse_domain_rule, one)), list(map(parse_domain_rule, other)))
        assert sorted(map(str, found)) == common


def test_domains_of_the_host_the_token_and_the_session() -> None:
    owner = SessionOwner("one", domains=("*.example.org",))
    assert owner.narrow({}, None) == {"allowed_domains": ["*.example.org"]}
    assert owner.narrow({"strict": True}, ["a.example.org"]) == {"strict": True, "allowed_domains": ["a.example.org"]}
    narrowed = owner.narrow({"allowed_domains": "*.a.example.org,example.net"}, None)
    assert narrowed == {"allowed_domains": ["*.a.example.org"]} == owner.narrow(narrowed, None)
    with pytest.raises(ConfigurationError):
        owner.narrow({}, ["example.net"])
    with pytest.raises(ConfigurationError):
        owner.narrow({"allowed_domains": ["https://x/"]}, None)
    assert SessionOwner("one", sessions=1).narrow({}, None) == {}


def test_limits_in_the_file_of_tokens() -> None:
    entry = {
        "name": "ci",
        "sha256": "a" * 64,
        "scopes": ["see"],
        "sessions": 2,
        "domains": ["*.Example.org", "[::1]:80"],
    }
    token = parse_token(entry)
    assert token.limits == TokenLimits(0, 2, ("*.example.org", "[::1]:80"))
    assert parse_token(token_data(token)) == token
    for wrong in ({"sessions": -1}, {"sessions": True}, {"domains": "example.org"}, {"domains": ["https://x"]}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            parse_token({**entry, **wrong})

"""Tokens of a daemon that others reach: scopes, rates, ends, and the audit of what was refused (docs/access.md)."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from oryn.daemon.access.audit import MAX_ROWS_PER_PRINCIPAL, AuditFile, AuditLog
from oryn.daemon.access.gate import RequestRates
from oryn.daemon.access.principals import Principal, Scope, TokenLimits
from oryn.daemon.access.scopes import scope_of_command, scope_of_request
from oryn.daemon.access.token_file import TokenFile
from oryn.daemon.access.tokens import Token, hash_of, new_token
from oryn.errors import ConfigurationError, RateLimited
from oryn.language import parse
from tests.daemon.daemon_process import RunningDaemon


@pytest.fixture(scope="module")
def daemon(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    running = RunningDaemon(tmp_path_factory.mktemp("tokens"))
    yield running
    assert run(running.stop()) == 0, running.log()


def store(daemon: RunningDaemon) -> TokenFile:
    return TokenFile(daemon.home / "data" / "daemon" / "tokens.json")


def make(daemon: RunningDaemon, name: str, *scopes: Scope, rate: int = 0, expires: str | None = None) -> str:
    token = new_token()
    store(daemon).put(Token(name, hash_of(token), frozenset(scopes), TokenLimits(rate), "", expires))
    return token


def client(daemon: RunningDaemon, token: str) -> httpx.AsyncClient:
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.AsyncClient(base_url=daemon.url, headers=headers, timeout=60, trust_env=False, verify=False)


def audit(daemon: RunningDaemon) -> list[dict[str, Any]]:
    return [row.values() for row in AuditFile(daemon.home / "data" / "daemon").newest()]


REQUESTS: list[tuple[str, str, Any, Scope]] = [
    ("GET", "/status", None, "see"),
    ("GET", "/history", None, "see"),
    ("GET", "/openapi.json", None, "see"),
    ("POST", "/link", None, "see"),
    ("POST", "/mcp", {}, "see"),
    ("POST", "/command", {"line": "intents"}, "see"),
    ("POST", "/command", {"line": "click 3", "session": "none"}, "act"),
    ("POST", "/command", {"argv": ["close", "--all"]}, "act"),
    ("POST", "/command", {"action": "confirm", "args": {"id": "c_00000000"}}, "confirm"),
    ("POST", "/command", {"action": "deny", "args": {"id": "c_00000000"}}, "confirm"),
    ("POST", "/command", {"argv": ["search", "nothing"]}, "research"),
    ("DELETE", "/sessions/none/notes/1", None, "act"),
    ("POST", "/sessions/none/marks", {}, "act"),
    ("POST", "/pair", {"code": "A7X9K2"}, "administer"),
    ("POST", "/stop", None, "administer"),
    ("GET", "/nothing", None, "administer"),
]


@pytest.mark.parametrize(("method", "path", "body", "scope"), REQUESTS)
async def test_every_entry_needs_its_scope(
    daemon: RunningDaemon, method: str, path: str, body: Any, scope: Scope
) -> None:
    others: list[Scope] = [each for each in ("see", "act", "confirm", "administer", "research") if each != scope]
    token = make(daemon, "others", *others)
    for accept in ("application/json", "application/x-ndjson", "text/plain"):
        async with client(daemon, token) as asking:
            response = await asking.request(method, path, json=body, headers={"Accept": accept})
        assert (response.status_code, response.json()["error_kind"]) == (403, "token_scope"), response.text
    assert any(row["principal"] == "others" and "token_scope" in row["detail"] for row in audit(daemon))


@pytest.mark.parametrize(("method", "path", "body", "scope"), [each for each in REQUESTS if each[1] != "/stop"])
async def test_the_scope_alone_is_enough(
    daemon: RunningDaemon, method: str, path: str, body: Any, scope: Scope
) -> None:
    if scope in ("see", "confirm") or path in ("/nothing", "/pair"):
        async with client(daemon, make(daemon, "one", scope)) as asking:
            response = await asking.request(method, path, json=body)
        assert response.status_code not in (401, 403), response.text


async def test_what_an_administrator_does_is_in_the_audit(daemon: RunningDaemon) -> None:
    """Also what the daemon can't do, and an address that it does not have."""
    async with client(daemon, make(daemon, "boss", "administer", "see")) as asking:
        assert (await asking.post("/pair", json={"code": "A7X9K2"})).status_code == 200
        assert (await asking.post("/drain?provider=none")).status_code == 400
        assert (await asking.post("/nothing")).status_code == 404
        assert (await asking.get("/status")).status_code == 200
    found = {(row["subject"], row["outcome"]) for row in audit(daemon) if row["principal"] == "boss"}
    assert found == {("pair", "done"), ("drain?provider=none", "refused"), ("nothing", "refused")}


@pytest.mark.slow
async def test_stops_drains_and_changed_settings_are_in_the_audit(daemon_of: Callable[..., RunningDaemon]) -> None:
    daemon = daemon_of(ORYN_MAX_SESSIONS="7")
    assert (await daemon.client.post("/drain")).status_code == 200
    assert (await daemon.client.post("/stop")).status_code == 202
    assert await daemon.ended() == 0
    daemon.start()  # nothing has changed
    await daemon.stop()
    daemon.environment |= {"ORYN_MAX_SESSIONS": "8", "ORYN_ALLOWED_HOSTS": "oryn.example.org"}
    daemon.start()
    rows = [(row["principal"], row["subject"], row["detail"]) for row in reversed(audit(daemon))]
    first, *others, last = [row for row in rows if row[1] != "stop" or row[0] == "owner"]
    assert first[:2] == ("owner", "settings") and "max_sessions" in first[2] and "7" not in first[2]
    assert others == [("owner", "drain", "requested"), ("owner", "stop", "requested")]
    assert last == ("owner", "settings", "changed: allowed_hosts, max_sessions")


def test_scopes_are_those_of_the_table() -> None:
    lines = {"goto example.org": "see", "observe": "see", "click 3": "act", 'type 3 "x"': "act", "eval 1": "act"}
    assert {line: scope_of_command(parse(line).command) for line in lines} == lines
    assert scope_of_command(None) == "see"
    assert scope_of_request("GET", "/metrics") == "see"
    assert scope_of_request("GET", "/sessions/a/notes") == "see"
    assert scope_of_request("", "/sessions/a/takeover") == "act"
    assert scope_of_request("POST", "/drain") == scope_of_request("GET", "/status/") == "administer"


async def test_revoked_expired_and_unknown_tokens(daemon: RunningDaemon) -> None:
    """Changes of the file count at once, and a token in a URL never does."""
    token = make(daemon, "short", "see")
    async with client(daemon, token) as asking, client(daemon, "oryn_x") as stranger:
        assert (await asking.get("/status")).status_code == 200
        bare = httpx.AsyncClient(base_url=daemon.url, trust_env=False, verify=False)
        for parameter in ("token", "access_token", "authorization"):
            assert (await bare.get(f"/status?{parameter}={token}")).status_code in (400, 401)
        await bare.aclose()
        past = (datetime.now(UTC) - timedelta(seconds=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
        store(daemon).put(Token("short", hash_of(token), frozenset(["see"]), expires=past))
        expired = await asking.get("/status")
        assert expired.status_code == 401 and "expired" in expired.json()["error"]
        assert (await stranger.get("/status")).json()["error_kind"] == "unauthorized"
        assert store(daemon).revoke("short")
        assert "wrong" in (await asking.get("/status")).json()["error"]
    details = [(row["principal"], row["detail"]) for row in audit(daemon)]
    assert any(name == "short" and "expired" in detail for name, detail in details)
    assert any(name == "unknown" for name, _ in details)
    assert token not in (daemon.home / "data" / "daemon" / "tokens.json").read_text() + str(audit(daemon))


async def test_a_stream_ends_with_its_token(daemon: RunningDaemon) -> None:
    token = make(daemon, "watcher", "see")
    async with client(daemon, token) as asking, asking.stream("GET", "/events") as events:
        assert events.status_code == 200
        store(daemon).revoke("watcher")
        await daemon.ask("intents")  # an event
        try:
            got = [chunk async for chunk in events.aiter_bytes()]
        except httpx.RemoteProtocolError:
            got = []
        assert not any(b"action." in chunk for chunk in got)


@pytest.mark.slow
async def test_requests_beyond_the_rate_of_a_token(daemon: RunningDaemon) -> None:
    """They are refused, others are served, and the audit has few rows of them; `benchmarks/token_flood.py` sends 10,000
    a minute."""
    before = len(audit(daemon))
    async with client(daemon, make(daemon, "flood", "see", rate=60)) as flood:
        statuses = [(await flood.get("/status")).status_code for _ in range(400)]
        last = await flood.get("/status")
        assert 0 < statuses.count(200) < 60 and set(statuses) == {200, 429}
        assert int(last.headers["Retry-After"]) >= 1 and last.json()["error_kind"] == "rate_limited"
        assert (await daemon.client.get("/status")).status_code == 200
    assert len(audit(daemon)) - before <= 2


# --- without a daemon ---


def test_a_bucket_fills_again() -> None:
    now = 0.0
    rates = RequestRates(clock=lambda: now)
    one = Principal("one", frozenset(["see"]), TokenLimits(60))
    for _ in range(10):
        rates.take(one)
    with pytest.raises(RateLimited) as refused:
        rates.take(one)
    assert refused.value.retry_after == 1
    rates.take(one.replace(name="other"))
    now = 1.0
    rates.take(one)


def test_a_flood_of_refusals_is_few_rows(tmp_path: Path, run: Any) -> None:
    now, file = 1.0, AuditFile(tmp_path)
    log = AuditLog(file, clock=lambda: now)

    async def flood() -> None:
        for number in range(10_000):
            log.refuse("unknown", "10.0.0.1", "request", f"/{number}", "unauthorized")
        log.refuse("ci", "10.0.0.2", "request", "/stop", "token_scope")
        log.flush()

    run(flood())
    rows = list(file.newest())
    assert len(rows) <= MAX_ROWS_PER_PRINCIPAL + 4
    assert sum(row.count for row in rows if row.principal == "unknown") == 10_000
    assert any(row.principal == "ci" for row in rows)
    assert os.stat(file.file).st_mode & 0o077 == 0


ENTRY = {"name": "ci", "sha256": "a" * 64, "scopes": ["see"]}


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        ({"scopes": ["admin"]}, "no scope 'admin'"),
        ({"scopes": []}, "needs a scope"),
        ({"sha256": "abc"}, "sha256"),
        ({"name": "owner"}, "can't be called"),
        ({"rate": -1}, "rate"),
        ({"expires": "soon"}, "expires"),
        ({"expires": "2026-01-01"}, "time zone"),
        ({"token": "x"}, "'token' is unknown"),
    ],
)
def test_a_mistake_is_named_with_its_place(tmp_path: Path, wrong: dict[str, Any], place: str) -> None:
    file = tmp_path / "tokens.json"
    file.write_text(json.dumps({"tokens": [ENTRY, {**ENTRY, "name": "b", "sha256": "b" * 64, **wrong}]}))
    file.chmod(0o600)
    tokens = TokenFile(file)
    for _ in range(2):
        with pytest.raises(ConfigurationError, match=r"tokens\[1\]") as error:
            tokens.all()
        assert place in error.value.message


def test_a_secret_in_toml_that_is_read_only(tmp_path: Path) -> None:
    file = tmp_path / "tokens.toml"
    file.write_text(
        f'[[tokens]]\nname = "ci"\nsha256 = "{"a" * 64}"\nscopes = ["see"]\nexpires = 2100-01-01T00:00:00Z\n'
    )
    file.chmod(0o444)
    tokens = TokenFile(file)
    found = asyncio.run(tokens.find("a" * 64))
    assert found is not None and found.expires == "2100-01-01T00:00:00Z" and not found.has_expired()
    with pytest.raises(ConfigurationError):
        tokens.revoke("ci")
    file.chmod(0o666)
    with pytest.raises(ConfigurationError, match="other users"):
        TokenFile(file).all()

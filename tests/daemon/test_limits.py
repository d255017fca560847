"""What a daemon refuses because it is too much, and that it goes on after that."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from oryn.daemon.dispatcher import MAX_QUEUED_COMMANDS
from oryn.daemon.http.connections import ARRIVAL_SECONDS, MAX_CONNECTIONS, MAX_HEAD_BYTES
from oryn.daemon.request.json_body import MAX_BODY_BYTES, MAX_DEPTH, read_json
from oryn.errors import RequestError
from oryn.language import Command, Exit, Output, SessionSwitch
from oryn.language.commands import COMMANDS
from tests.daemon.daemon_process import END_SECONDS, RunningDaemon
from tests.daemon.live import takeover_socket
from tests.headless.conftest import Pages

Start = Callable[..., RunningDaemon]

FOR_EVER = "<title>busy</title><button onclick='while(true);'>Stay</button>"

CLOSE = {"action": "close"}
CLOSE_ALL = {"action": "close", "args": {"all": True}}


async def refused(daemon: RunningDaemon, body: bytes, status: int = 400) -> dict[str, Any]:
    response = await daemon.client.post("/command", content=body)
    assert response.status_code == status, response.text
    failure: dict[str, Any] = response.json()
    assert failure["ok"] is False
    return failure


async def test_a_client_of_another_version(daemon: RunningDaemon) -> None:
    failure = await refused(daemon, b'{"protocol_version": "9", "line": "help"}')
    assert failure["error_kind"] == "protocol_mismatch"
    assert failure["error"] == "the client speaks protocol '9', this daemon '1'"


CONVERSATION = {Exit: "exit", Output: "output json", SessionSwitch: "session other"}


@pytest.mark.parametrize("type", [each for each in COMMANDS if each.spec.scope == "conversation"])
async def test_conversation_commands_are_not_supported(daemon: RunningDaemon, type: type[Command]) -> None:
    answer = await daemon.ask(CONVERSATION[type])
    assert answer["error_kind"] == "not_supported" and "is not available in the daemon" in answer["error"]
    assert answer["hint"]


# --- bodies ---


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"nonsense", b"\xff\xfe", '{"line": "help"}'.encode("utf-16"), b'{"line": NaN}',
        b'{"line": "help", "timeout_ms": Infinity}', b'{"line": "help", "timeout_ms": 1e999}',
        b'{"line": "help", "timeout_ms": ' + b"9" * 5000 + b"}", b'{"line": "\\ud800"}', b'{"line": "\\uDFFF\\ud83d"}',
    ],
    ids=lambda body: repr(body)[:30],
)  # fmt: skip
async def test_invalid_json_is_rejected(daemon: RunningDaemon, body: bytes) -> None:
    failure = await refused(daemon, body)
    assert (failure["error_kind"], failure["error"]) == ("invalid_request", "the request is not valid JSON")
    assert failure["hint"] == "GET /openapi.json describes valid requests."


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"[]", "the request: Input should be a valid dictionary or instance of Command"),
        (b'{"line": "help", "lime": 1}', "lime: Extra inputs are not permitted"),
        (b'{"line": 3}', "line: Input should be a valid string"),
        (b'{"line": "help", "timeout_ms": 0}', "timeout_ms: Input should be greater than or equal to 1"),
        (b'{"line": "help", "timeout_ms": 1e300}', "timeout_ms: "),
        (b'{"line": "help", "argv": ["help"]}', "the request: Value error, give one of line, argv and action"),
        (b'{"line": "help", "line": "exit"}', 'the request has "line" twice'),
        (b'{"line": "help", "session": "../../etc"}', "session: String should match pattern"),
    ],
    ids=str,
)
async def test_invalid_command_envelope_is_rejected(daemon: RunningDaemon, body: bytes, error: str) -> None:
    assert (await refused(daemon, body))["error"].startswith(error)


@pytest.mark.slow
async def test_a_body_that_is_too_large_or_too_deep(daemon: RunningDaemon) -> None:
    failure = await refused(daemon, b'{"line": "' + b"x" * MAX_BODY_BYTES + b'"}', 413)
    assert failure["error_kind"] == "request_too_large"
    assert failure["error"] == f"a request of more than {MAX_BODY_BYTES} bytes"
    failure = await refused(daemon, b'{"args": ' + b"[" * 100_000)
    assert "more than 64 deep" in failure["error"]
    await daemon.ok("help")


def test_brackets_in_text_are_no_depth() -> None:
    text = "[{" * 1000 + '\\"'
    assert read_json(json.dumps({"line": text}).encode()) == {"line": text}
    deep: Any = "\ud83d\ude00"
    for _ in range(MAX_DEPTH):
        deep = [deep]
    assert read_json(json.dumps(deep).encode()) is not None
    with pytest.raises(RequestError):
        read_json(json.dumps([deep]).encode())


async def test_chunks_without_an_end(daemon: RunningDaemon) -> None:
    async def chunks() -> Any:
        for _ in range(MAX_BODY_BYTES // 2**16 + 2):
            yield b"x" * 2**16

    response = await daemon.client.post("/command", content=chunks())
    assert response.status_code == 413


# --- connections ---


async def exchange(daemon: RunningDaemon, data: bytes) -> bytes:
    """What the daemon answers to these bytes until it hangs up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", daemon.port)
    writer.write(data)
    try:
        async with asyncio.timeout(ARRIVAL_SECONDS * 3):
            return await reader.read()
    finally:
        writer.close()


async def test_headers_that_are_too_large(daemon: RunningDaemon) -> None:
    answer = await exchange(daemon, b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * MAX_HEAD_BYTES * 2)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"] == "this is not HTTP, or its headers are too large"


@pytest.mark.parametrize("data", [b"\x16\x03\x01\x02\x00\x01\x00", b"nonsense\r\n\r\n"])
async def test_invalid_http_is_answered_with_400(daemon: RunningDaemon, data: bytes) -> None:
    answer = await exchange(daemon, data)
    assert answer.startswith(b"HTTP/1.1 400 ")


@pytest.mark.slow
async def test_requests_that_never_end_are_given_up_and_web_sockets_stay(daemon: RunningDaemon) -> None:
    await daemon.ok("goto about:blank")
    head = f"POST /command HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {daemon.token}\r\n".encode()
    async with takeover_socket(daemon) as takeover:
        answers = await asyncio.gather(
            exchange(daemon, b""),
            exchange(daemon, b"GET /healthz HT"),
            exchange(daemon, head + b"Content-Length: 100\r\n\r\n{"),
            exchange(daemon, head + b"Transfer-Encoding: chunked\r\n\r\n5\r\nab"),
        )
        await takeover.send('{"type": "give_back"}')
        assert '"ended"' in [str(message) async for message in takeover][-1]
    assert [answer for answer in answers if answer] == []
    await daemon.ok("help")


async def test_requests_one_after_the_other_without_waiting(daemon: RunningDaemon) -> None:
    request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    last = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    assert (await exchange(daemon, request * 20 + last)).count(b"\r\n\r\nok") == 21


@pytest.mark.slow
async def test_too_many_connections_over_the_port_leave_the_socket_open(daemon_of: Start) -> None:
    daemon = daemon_of()
    opened = []
    try:
        for _ in range(MAX_CONNECTIONS + 10):
            each = socket.create_connection(("127.0.0.1", daemon.port))
            each.settimeout(30)
            opened.append(each)
        answer = await asyncio.to_thread(opened[-1].recv, 65536)
        assert answer.startswith(b"HTTP/1.1 429 ")
        assert json.loads(answer.partition(b"\r\n\r\n")[2])["error_kind"] == "too_many_connections"
        transport = httpx.AsyncHTTPTransport(uds=daemon.about["socket"])
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            assert (await client.get("/healthz")).text == "ok"
    finally:
        for each in opened:
            each.close()


async def test_half_of_a_connection_is_enough_for_an_answer(daemon: RunningDaemon) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", daemon.port)
    writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    writer.write_eof()
    async with asyncio.timeout(10):
        assert (await reader.read()).endswith(b"ok")
    writer.close()


async def test_methods_and_addresses_that_are_not_there(daemon: RunningDaemon) -> None:
    for method, path in [("PUT", "/command"), ("GET", "/command"), ("OPTIONS", "/command"), ("GET", "/nothing")]:
        response = await daemon.client.request(method, path)
        assert response.status_code in (404, 405)
        assert response.json()["error_kind"] == "no_such_address"
    assert (await daemon.client.head("/events")).status_code == 200
    assert (await daemon.client.head("/status")).text == ""


# --- commands and sessions ---


@pytest.mark.slow
async def test_a_session_that_blocks_for_ever_blocks_itself_alone_and_can_be_closed(
    daemon_of: Start, pages: Pages
) -> None:
    pages["/"] = FOR_EVER
    daemon = daemon_of()
    await daemon.ok(f"goto {pages.url()}", session="stuck")
    stuck = [asyncio.create_task(daemon.ask("click 'Stay'", session="stuck"))]
    stuck += [asyncio.create_task(daemon.ask("title", session="stuck")) for _ in range(3)]
    await daemon.ok(f"goto {pages.url()}", session="free")
    assert not any(command.done() for command in stuck)
    await daemon.ok(CLOSE, session="stuck")
    answers = await asyncio.gather(*stuck)
    assert {answer["ok"] for answer in answers} == {False}
    assert {answer["error_kind"] for answer in answers} <= {"browser_failed", "session_not_found"}
    assert (await daemon.ok("url", session="free"))["ok"]
    names = [session["name"] for session in (await daemon.status())["sessions"]]
    assert names == ["free"]
    await daemon.ok(CLOSE_ALL)
    assert (await daemon.status())["sessions"] == []


@pytest.mark.slow
async def test_so_many_commands_wait_for_a_session(daemon_of: Start, pages: Pages) -> None:
    pages["/"] = FOR_EVER
    daemon = daemon_of(ORYN_MAX_COMMANDS="40")
    await daemon.ok(f"goto {pages.url()}")
    tasks = [asyncio.create_task(daemon.ask("click 'Stay'"))]
    tasks += [
        asyncio.create_task(daemon.client.post("/command", json={"line": "title"})) for _ in range(MAX_QUEUED_COMMANDS)
    ]
    done, waiting = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    (one,) = done
    failure = one.result()
    assert failure.status_code == 429
    assert failure.json()["error_kind"] == "too_many_commands"
    assert failure.json()["error"] == f"{MAX_QUEUED_COMMANDS} commands wait for the session default"
    free = await daemon.ask("title", session="free")
    assert free["ok"] or free["error_kind"] != "too_many_commands"
    await daemon.ok(CLOSE_ALL)
    await asyncio.wait(waiting)


@pytest.mark.slow
async def test_so_many_commands_at_once(daemon_of: Start, pages: Pages) -> None:
    pages["/"] = FOR_EVER
    daemon = daemon_of(ORYN_MAX_COMMANDS="1")
    await daemon.ok(f"goto {pages.url()}")
    stuck = asyncio.create_task(daemon.ask("click 'Stay'"))
    async with daemon.client.stream("GET", "/events") as events:
        refused = None
        while refused is None:
            response = await daemon.client.post("/command", json={"line": "help", "session": "other"})
            refused = response if response.status_code == 429 else None
        await events.aclose()
    assert refused.json()["error"] == "1 commands are being done"
    await daemon.ok(CLOSE)  # which is never refused
    assert (await stuck)["error_kind"] == "browser_failed"


@pytest.mark.slow
async def test_so_many_sessions(daemon_of: Start) -> None:
    daemon = daemon_of(ORYN_MAX_SESSIONS="2")
    for name in ("one", "two"):
        await daemon.ok("goto about:blank", session=name)
    for what in ("goto about:blank", "session new four"):
        answer = await daemon.ask(what, session="three" if "goto" in what else "two")
        assert answer["error_kind"] == "session_limit"
        assert answer["error"] == "2 sessions are open already"
    await daemon.ok(CLOSE, session="one")
    await daemon.ok("goto about:blank", session="three")


@pytest.mark.slow
async def test_so_many_tabs_of_a_session(daemon_of: Start) -> None:
    daemon = daemon_of(ORYN_MAX_PAGES="1")
    await daemon.ok("goto about:blank")
    answer = await daemon.ask({"action": "tab", "args": {"action": "new"}})
    assert (answer["error_kind"], answer["error"]) == ("tab_limit", "1 tabs are open already")
    await daemon.ok("goto about:blank", session="more", settings={"max_pages": 2})
    await daemon.ok("tab new about:blank", session="more")


async def test_a_row_of_the_history_does_not_hold_everything(daemon: RunningDaemon) -> None:
    answer = await daemon.ask({"action": "eval", "args": {"script": "1;" + "/" * 100_000}})
    row = next(row for row in daemon.rows() if row["action_id"] == answer["action_id"])
    assert row["withheld"] is True
    assert len(row["args"]["line"]) < 1100
    assert len(json.dumps(row)) < 4000


def test_no_tracebacks_or_draft_files_remain(daemon: RunningDaemon) -> None:
    assert "Traceback" not in daemon.log()
    end = time.monotonic() + END_SECONDS
    while drafts := list(Path(daemon.home).rglob(".*.[0-9]*")):
        assert time.monotonic() < end, drafts
        time.sleep(0.05)  # one may just be written: nothing tells when it is done

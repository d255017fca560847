"""One rule for every client of a daemon that is shutting down: what it did not take is sent to the next daemon, and
nothing is sent twice that it may have taken."""

from __future__ import annotations

import asyncio
import json
import select
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, repeat
from pathlib import Path
from typing import Literal

import pytest

from oryn.cli.fast import main as verbs
from oryn.cli.mcp_research import DaemonResearch
from oryn.client.daemon_engine import DaemonEngine
from oryn.daemon_client.client import DaemonClient
from oryn.daemon_client.http import MAX_ATTEMPTS
from oryn.errors import ConnectionLost, DaemonFailed, OrynError
from oryn.language import parse
from oryn.settings import load
from oryn.system.daemon_instance import DaemonInstance
from oryn.system.paths import find

pytestmark = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="the daemon is reached by a socket")

Client = Callable[[], Awaitable[None]]
Reaction = Literal["answers", "ending", "unread", "read"]
"""What a daemon does with a request: it answers it, responds that it is shutting down, or closes the connection before
or after it has read the request."""

RESPONSE = {
    "ok": True, "action": "search", "text": "ok search", "data": {}, "error": None, "error_kind": None, "hint": None,
}  # fmt: skip
ENDING = {"ok": False, "error": "the daemon is ending", "error_kind": "daemon_ending", "hint": None}


class ScriptedDaemon:
    """A socket where a daemon's would be. It reacts to one request after the other; the last reaction is repeated."""

    def __init__(self, home: Path, reactions: Sequence[Reaction]) -> None:
        self.requests = 0
        self._reactions = chain(reactions, repeat(reactions[-1]))
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(home / "run" / "daemon.sock"))
        self._listening.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):  # closed
            while True:
                connection, _ = self._listening.accept()
                with connection:
                    self._react(connection, next(self._reactions))

    def _react(self, connection: socket.socket, reaction: Reaction) -> None:
        select.select([connection], [], [])
        self.requests += 1
        if reaction == "unread":
            return
        received = b""
        while not (b"\r\n\r\n" in received and received.endswith(b"}")):
            received += connection.recv(65536)
        if reaction == "read":
            return
        status, data = ("503 Service Unavailable", ENDING) if reaction == "ending" else ("200 OK", RESPONSE)
        is_streamed = reaction == "answers" and b"x-ndjson" in received
        body = json.dumps({"response": data} if is_streamed else data).encode()
        head = f"HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {len(body)}\r\noryn-exit-code: 0\r\n\r\n"
        connection.sendall(head.encode() + body)

    def close(self) -> None:
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()


@pytest.fixture
def scripted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., ScriptedDaemon]]:
    monkeypatch.setenv("ORYN_HOME", str(tmp_path))
    for folder in ("run", "data/daemon"):
        (tmp_path / folder).mkdir(parents=True, mode=0o700)
    (tmp_path / "data/daemon/token").write_text("t")
    started: list[ScriptedDaemon] = []

    def start(*reactions: Reaction) -> ScriptedDaemon:
        started.append(ScriptedDaemon(tmp_path, reactions))
        return started[-1]

    yield start
    for each in started:
        each.close()


async def command_line() -> None:
    request = verbs.parse_request(["title"])
    assert request is not None
    assert await asyncio.to_thread(verbs.run, request) == 0


async def command_line_client() -> None:
    client = DaemonClient(DaemonInstance(find()), start=True)
    assert (await asyncio.to_thread(client.command, {"line": "title"}))["ok"]


async def library() -> None:
    engine = DaemonEngine()
    engine._session = "default"  # what `connect` sets; it would be one more connection
    assert await engine.ask("title") == "ok search"


async def mcp() -> None:
    answer = await DaemonResearch(load({}, find()))(parse('search "ferns"'))
    assert answer.ok


CLIENTS: list[Client] = [command_line, command_line_client, library, mcp]


@pytest.mark.parametrize("client", CLIENTS)
async def test_a_command_that_was_not_taken_is_sent_again(
    scripted: Callable[..., ScriptedDaemon], client: Client
) -> None:
    daemon = scripted("ending", "unread", "ending", "answers")
    await client()
    assert daemon.requests == 4


@pytest.mark.parametrize("client", CLIENTS)
async def test_a_command_that_may_have_run_is_not_sent_again(
    scripted: Callable[..., ScriptedDaemon], client: Client
) -> None:
    daemon = scripted("read", "answers")
    with pytest.raises((DaemonFailed, ConnectionLost), match="the daemon ended"):
        await client()
    assert daemon.requests == 1


@pytest.mark.parametrize("client", CLIENTS)
async def test_attempts_have_an_end(scripted: Callable[..., ScriptedDaemon], client: Client) -> None:
    daemon = scripted("ending")
    with pytest.raises(OrynError, match="the daemon ended"):
        await client()
    assert daemon.requests == MAX_ATTEMPTS

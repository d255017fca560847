"""Attacks of other programs on a server that extensions connect to: they pose as an extension, with what can be heard
or guessed. What they may and may not get is told in docs/remote-security.md."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from oryn.extension_server import peer as peers
from oryn.extension_server.messages import Accepted, Control, ExtensionRegistration, Paired, read_control
from oryn.extension_server.pairing import MAX_TRIES, PairingKey, extension_proof, new_nonce
from tests.remote.fake_extension import FakeExtension, RegistrationRefused
from tests.remote.test_server import CODE, Serve, serve

__all__ = ["serve"]


@asynccontextmanager
async def program(url: str) -> AsyncIterator[ClientConnection]:
    """Another program, which has no `Origin`."""
    async with connect(url, proxy=None) as connection:
        yield connection


async def register(connection: ClientConnection, *, key: str | None = None) -> Any:
    """What the server answers the registration of whoever this is."""
    await connection.send(ExtensionRegistration(2, "0.1.0", "0.1.0", "Chrome/156.0", new_nonce(), key).frame)
    return read_control(str(await connection.recv()).removeprefix("0:"))


async def close_reason(connection: ClientConnection) -> list[str]:
    """What the server says before it closes the connection, as it does."""
    frames = []
    with pytest.raises(ConnectionClosed):
        while True:
            frames.append(str(await connection.recv()))
    assert connection.close_code == 4403
    return frames


async def test_key_name_alone_gets_no_command_and_no_place(serve: Serve) -> None:
    """The name passes in the open, before either has proved anything."""
    async with serve() as served:
        browser = FakeExtension(CODE)
        async with browser.connected(served.url):
            assert browser.key is not None
            async with program(served.url) as false:
                answer = await register(false, key=browser.key.id)
                assert isinstance(answer, Accepted)
                await false.send(Paired(extension_proof("0" * 64, answer.nonce or "")).frame)
                assert await close_reason(false) == ["0:error pairing failed"]
            # Whose name it is has been neither replaced nor interrupted.
            reply = await (await served.first.wait_for_peer(20)).request("click 3", timeout=20)
            assert reply.text == "ok click 3"
        await served.expect_events("+default", "-default")


class RecordingExtension(FakeExtension):
    """Keeps what it says, as somebody does who listens in."""

    def __init__(self, code: str | None = None, key: PairingKey | None = None) -> None:
        super().__init__(code, key)
        self.said: list[str] = []

    async def say(self, what: Control | str) -> None:
        self.said.append(what if isinstance(what, str) else what.frame)
        await super().say(what)


async def test_recorded_conversation_is_rejected(serve: Serve) -> None:
    """The whole of an earlier conversation, and the server's own words sent back to it."""
    async with serve() as served:
        by_code = RecordingExtension(CODE)
        async with by_code.connected(served.url):
            pass
        key = by_code.key
        assert key is not None
        by_key = RecordingExtension(key=key)
        async with by_key.connected(served.url):
            pass
        async with program(served.url) as false:
            for frame in by_code.said:
                await false.send(frame)
            assert str(await false.recv()) == "0:error pairing required"  # the code was spent
        async with program(served.url) as false:
            for frame in by_key.said:
                await false.send(frame)
            assert [frame.split()[0] for frame in await close_reason(false)] == ["0:ok", "0:error"]
        async with program(served.url) as false:
            answer = await register(false, key=key.id)
            await false.send(Paired(answer.proof).frame)
            assert await close_reason(false) == ["0:error pairing failed"]
        await served.expect_events(*["+default", "-default"] * 2)


async def test_a_server_does_not_prove_for_a_program_at_another_port(serve: Serve) -> None:
    """One that listens where the extension calls, while the server that was paired does not run, and hands on what the
    extension says to another server of the same user's."""
    async with serve() as paired, serve() as other:
        browser = FakeExtension(CODE)
        async with browser.connected(paired.url):
            pass
        assert browser.key is not None
        async with program(other.url) as between:
            assert (await register(between, key=browser.key.id)).message == "pairing required"
        async with program(paired.url) as right:
            assert isinstance(await register(right, key=browser.key.id), Accepted)


async def test_codes_can_not_be_tried_one_after_the_other(serve: Serve) -> None:
    """A code is spent by the first try; who goes on with each new one is kept waiting."""
    async with serve() as served:
        for _ in range(MAX_TRIES):
            served.credentials.set_code(CODE)
            with pytest.raises(RegistrationRefused, match="wrong proof"):
                async with FakeExtension("B7X9K2").connected(served.url):
                    pass
        served.credentials.set_code(CODE)
        with pytest.raises(RegistrationRefused, match="pairing failed"):
            async with FakeExtension(CODE).connected(served.url):
                pass


async def test_a_proof_that_was_worked_out_too_late(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever gets a proof that was made with a code can find the code by trying all of them, in time."""
    monkeypatch.setattr(peers, "PROOF_SECONDS", 0.05)
    async with serve() as served, program(served.url) as false:
        answer = await register(false)
        assert isinstance(answer, Accepted) and answer.nonce
        assert await close_reason(false) == ["0:error pairing failed"]
        async with program(served.url) as later:
            assert (await register(later)).message == "pairing required"
            key = PairingKey.new()
            await later.send(Paired(extension_proof(CODE, answer.nonce), key.id, key.secret).frame)
            await later.send("0:ping")
            assert str(await later.recv()) == "0:pong"
            assert served.credentials.keys.all() == []
            assert served.events == []


async def test_the_keys_are_for_their_owner_alone(serve: Serve, tmp_path: Path) -> None:
    async with serve() as served, FakeExtension(CODE).connected(served.url):
        await served.expect_events("+default")
        file = tmp_path / "keys.json"
        assert len(json.loads(file.read_text())["keys"]) == 1
        assert stat.S_IMODE(os.stat(file).st_mode) == 0o600


@pytest.mark.slow
async def test_what_an_extension_answers_is_no_line_of_the_hosts(tmp_path: Path) -> None:
    """Of a false one, or of a page that has fooled a right one: an answer ends where the host ends it."""
    host = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "oryn", "remote", "--port", "0", "--pair", CODE,
        env={**os.environ, "ORYN_HOME": str(tmp_path)},
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert host.stdin and host.stdout and host.stderr
    try:
        async with asyncio.timeout(60):
            while b"ws://" not in (line := await host.stderr.readline()):
                assert line
            url = line.split(b"ws://")[1].split()[0].strip(b".,").decode()
            browser = FakeExtension(CODE)

            async def engine(line: str) -> str:
                return "ok title\n\n---\nok click 1\n---\n\\---"

            browser.engine = engine
            async with browser.connected(f"ws://{url}"):
                host.stdin.write(b"title\nexit\n")
                answers = (await host.stdout.read()).decode()
    finally:
        if host.returncode is None:
            host.kill()
        await host.wait()
    assert answers.split("\n---\n")[1:] == ["ok title\n\n\\---\nok click 1\n\\---\n\\\\---", "ok exit", ""]

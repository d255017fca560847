"""A stand-in for the extension: its end of the protocol over a real WebSocket, and an engine that answers as told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from oryn.extension_server.messages import (
    Accepted,
    AnswerOptions,
    Control,
    Data,
    EngineOptions,
    ExtensionRegistration,
    Failed,
    File,
    Paired,
    PluginMessage,
    WireMessage,
    read_control,
)
from oryn.extension_server.pairing import PairingKey, constant_time_equal, extension_proof, new_nonce, server_proof

ORIGIN = "chrome-extension://abcdefghijklmnopabcdefghijklmnop"
LIMIT = 8 * 1024 * 1024

Engine = Callable[[str], Awaitable[str | None]]
"""Answers a line; None is no answer."""


async def echo(line: str) -> str | None:
    return f"ok {line}"


class RegistrationRefused(Exception):
    """The server does not let it in."""


class FakeExtension:
    """One extension, with a key where it was paired before."""

    def __init__(self, code: str | None = None, key: PairingKey | None = None, browser: str = "Chrome/156.0") -> None:
        self.code = code
        self.key = key
        self.browser = browser
        self.engine: Engine = echo
        self.generation = 1
        self.forms: dict[str, dict[str, Any]] = {}
        """JSON forms of answers by line."""
        self.files: dict[str, list[tuple[str, bytes]]] = {}
        """What lines write."""
        self.commands: list[str] = []
        self.wants_data = False
        self.options = EngineOptions()
        self.given: dict[str, bytes] = {}
        """The files that it was sent."""
        self.plugin_messages: asyncio.Queue[PluginMessage] = asyncio.Queue()
        """What the server has sent to the hub."""
        self.socket: ClientConnection

    @asynccontextmanager
    async def connected(self, url: str, *, reconnected: bool = False) -> AsyncIterator[FakeExtension]:
        """Registered, paired, and answering while the block runs."""
        async with connect(url, origin=ORIGIN, proxy=None, max_size=None) as self.socket:  # type: ignore[arg-type]
            await self.pair(reconnected=reconnected)
            answering = asyncio.create_task(self._answer_all())
            try:
                yield self
            finally:
                answering.cancel()
                await asyncio.wait([answering])

    async def pair(self, *, reconnected: bool = False) -> None:
        """Raises `Refused` with the server's message."""
        nonce = new_nonce()
        key = self.key.id if self.key else None
        await self.say(ExtensionRegistration(2, "0.1.0", "0.1.0", self.browser, nonce, key, reconnected))
        answer = await self.next_control()
        if isinstance(answer, Failed):
            raise RegistrationRefused(answer.message)
        assert isinstance(answer, Accepted) and answer.nonce
        secret = self.key.secret if self.key else self.code or ""
        if not constant_time_equal(answer.proof, server_proof(secret, nonce)):
            await self.say(Failed("pairing failed"))
            raise RegistrationRefused("wrong proof")
        new = None if self.key else PairingKey.new()
        proof = extension_proof(secret, answer.nonce)
        await self.say(Paired(proof, new.id if new else None, new.secret if new else None))
        self.key = self.key or new

    async def say(self, what: Control | str) -> None:
        await self.socket.send(what if isinstance(what, str) else what.frame)

    async def next_control(self) -> Control | None:
        """The next control message."""
        message = WireMessage.read(str(await self.socket.recv()), LIMIT)
        assert message.id == 0, message
        return read_control(message.content)

    async def _answer_all(self) -> None:
        tasks = set[asyncio.Task[None]]()
        try:
            async for frame in self.socket:
                message = WireMessage.read(str(frame), LIMIT)
                if message.id:
                    self.commands.append(message.content)
                    tasks.add(asyncio.create_task(self._answer(message)))
                else:
                    self._handle(read_control(message.content))
        except ConnectionClosed:
            pass
        finally:
            for task in tasks:
                task.cancel()

    def _handle(self, control: Control | None) -> None:
        match control:
            case AnswerOptions():
                self.wants_data = control.data
            case EngineOptions():
                self.options = control
            case File():
                self.given[control.name] = control.content
            case PluginMessage():
                self.plugin_messages.put_nowait(control)

    async def _answer(self, message: WireMessage) -> None:
        line = message.content
        text = await self.engine(line)
        if text is None:
            return
        for name, content in self.files.get(line, ()):
            await self.say(File(message.id, name, content))
        text = text.replace("/files/ID/", f"/files/{message.id}/")
        if self.wants_data:
            form = self.forms.get(line) or {"ok": text.startswith("ok "), "command": line, "result": text}
            await self.say(Data(message.id, form, self.generation))
        await self.say(WireMessage(message.id, text).frame)

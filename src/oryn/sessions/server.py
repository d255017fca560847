"""The Unix socket by which other processes of the same user send lines to a host's sessions.

Each line gets one answer, framed as on standard output (docs/spec/line-protocol.md#sockets-of-sessions). A line names
its session (`@work observe`); `output json` and `output text` set the form of the answers on one connection. If the
client disconnects, the running command is cancelled."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import struct
from pathlib import Path
from typing import Protocol

from oryn.engine import Answer, Session
from oryn.errors import ConfigurationError, LanguageError, NotSupported, OrynError, SessionNotFound
from oryn.language import Exit, Line, Output, SessionClose, SessionSwitch, parse
from oryn.language.json_codec import is_request, line_of_request
from oryn.sessions.framing import LineSplitter, OversizedLine, decode_line, encode
from oryn.sessions.registry import remove_socket, socket_path
from oryn.sessions.relay import line_without_arguments
from oryn.system import processes

log = logging.getLogger(__name__)

_CHUNK = 64 * 1024


class LocalSessions(Protocol):
    """The interface of the server to the sessions of this process."""

    @property
    def names(self) -> list[str]:
        """Names of the open sessions."""

    def get(self, name: str) -> Session | None:
        """The open session of this name; None if it is not open."""

    async def close_session(self, name: str) -> None:
        """Close a session for its user. Raises `SessionNotFound`."""


class SessionServer:
    """One host's socket, in the folder `runtime`.

    On a platform without Unix sockets (Windows) it is never opened. If the socket can't be created, that is logged."""

    def __init__(self, sessions: LocalSessions, runtime: Path) -> None:
        self._sessions = sessions
        self._runtime = runtime
        self.path: Path | None = None
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Create the socket, which only its owner can use, and accept connections. Does not raise if that fails."""
        if not processes.HAS_UNIX_SOCKETS:
            return
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            path = socket_path(self._runtime / f"sessions-{os.getpid()}-{os.urandom(4).hex()}.sock")
            listening.bind(str(path))
            self.path = path  # from here on `close` removes the socket, even if starting is cancelled
            path.chmod(0o600)
            self._server = await asyncio.start_unix_server(self._accept, sock=listening, start_serving=False)
            await self._server.start_serving()
        except (ConfigurationError, OSError) as error:
            listening.close()
            log.warning("other processes can't reach these sessions: %s", error)

    async def close(self) -> None:
        """Close all connections and remove the socket. Safe to call twice."""
        if self._server is not None:
            self._server.close()
            self._server = None
        for connection in self._connections:
            connection.cancel()
        if self._connections:
            await asyncio.wait(self._connections)
        if self.path is not None:
            remove_socket(self.path)
            self.path = None

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = asyncio.create_task(self._serve_client(reader, writer))
        self._connections.add(connection)
        connection.add_done_callback(self._connections.discard)

    async def _serve_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines: asyncio.Queue[bytes | OversizedLine] = asyncio.Queue(1)
        reading = asyncio.create_task(_read_lines(reader, lines))
        answering = asyncio.create_task(self._send_answers(lines, writer))
        try:
            if _is_same_user(writer):
                await asyncio.wait([reading, answering], return_when=asyncio.FIRST_COMPLETED)
        finally:
            reading.cancel()
            answering.cancel()
            await asyncio.wait([reading, answering])
            writer.close()

    async def _send_answers(self, lines: asyncio.Queue[bytes | OversizedLine], writer: asyncio.StreamWriter) -> None:
        json = False
        try:
            while True:
                line = await lines.get()
                try:
                    answer, json = await self._answer(line, json)
                except OrynError as error:
                    answer = Answer(command="line", error=error, json=json)
                writer.write(encode(answer.render()))
                await writer.drain()
        except OSError:
            return  # the client has disconnected

    async def _answer(self, line: bytes | OversizedLine, json: bool) -> tuple[Answer, bool]:
        """The answer to a line, and whether the next answers are JSON."""
        text = decode_line(line)
        if is_request(text):
            answer, _ = await self._answer_line(line_of_request(text), False)
            answer.record = True
            return answer, json
        try:
            parsed = parse(text)
        except LanguageError as error:
            raise type(error)(error.message, error.hint) from None
        return await self._answer_line(parsed, json)

    async def _answer_line(self, parsed: Line, json: bool) -> tuple[Answer, bool]:
        if parsed.command is None:
            return Answer(json=json), json
        if isinstance(parsed.command, Output) and parsed.session is None:
            json = parsed.command.format == "json"
            return Answer(command=parsed.canonical, json=json), json
        if parsed.session is None:
            raise SessionNotFound("a line without a session", "Begin it with the session's name: '@name …'.")
        try:
            session = self._session_for(parsed)
            if isinstance(parsed.command, SessionClose) and parsed.command.name == session.name:
                await self._sessions.close_session(session.name)
                return Answer(command=parsed.canonical, json=json), json
            return await session.execute(parsed, json=json), json
        except OrynError as error:
            return Answer(command=line_without_arguments(parsed), error=error, json=json), json

    def _session_for(self, line: Line) -> Session:
        """The session that a line of another process addresses. Raises `NotSupported`, `SessionNotFound`."""
        if isinstance(line.command, Exit | SessionSwitch):
            raise NotSupported(
                f"{line.command.spec.name} works only in the session's own process",
                "'session close <name>' ends a session.",
            )
        session = self._sessions.get(line.session or "")
        if session is None:
            raise SessionNotFound.among(self._sessions.names)
        return session


async def _read_lines(reader: asyncio.StreamReader, lines: asyncio.Queue[bytes | OversizedLine]) -> None:
    """Put lines into `lines` until the client disconnects."""
    splitter = LineSplitter()
    try:
        while data := await reader.read(_CHUNK):
            for line in splitter.feed(data):
                await lines.put(line)
    except OSError:
        return  # the client has disconnected


def _is_same_user(writer: asyncio.StreamWriter) -> bool:
    """Whether the client's process belongs to the same user.

    The modes of the folder and of the socket exclude other users already, but not every file system supports modes.
    https://man7.org/linux/man-pages/man7/unix.7.html"""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    credentials = writer.get_extra_info("socket").getsockopt(
        socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")
    )
    _, user, _ = struct.unpack("3i", credentials)
    return bool(user == os.getuid())

"""The socket over which other processes of the same user send lines to a host's sessions.

One line in, one answer out, framed as on standard output (seed 000 §4.3). A line names its session (`@work observe`);
`output json` and `output text` set the form of the answers of one connection. Who hangs up gives up: the command in
hand is cancelled.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import struct
from pathlib import Path
from typing import TYPE_CHECKING

from oryn.engine import Answer, Session
from oryn.errors import ConfigurationError, LanguageError, NotSupported, OrynError, SessionNotFound
from oryn.language import Exit, Line, Output, SessionClose, SessionSwitch, parse
from oryn.sessions.framing import LineSplitter, TooLong, encode, text_of
from oryn.sessions.registry import remove_socket, socket_path
from oryn.sessions.relay import spoken

if TYPE_CHECKING:
    from oryn.sessions.sessions import Sessions

log = logging.getLogger(__name__)

_CHUNK = 64 * 1024


class Server:
    """The door of one host. It stays shut, with a word in the log, where there is no such thing (Windows) or no place
    for it."""

    def __init__(self, sessions: Sessions, runtime: Path) -> None:
        self._sessions = sessions
        self._runtime = runtime
        self.path: Path | None = None
        self._server: asyncio.Server | None = None
        self._conversations: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        if not hasattr(socket, "AF_UNIX") or not hasattr(asyncio, "start_unix_server"):
            return
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            path = socket_path(self._runtime / f"sessions-{os.getpid()}-{os.urandom(4).hex()}.sock")
            listening.bind(str(path))
            self.path = path  # from here on `close` has something to remove, also when this is given up
            path.chmod(0o600)
            self._server = await asyncio.start_unix_server(self._accept, sock=listening, start_serving=False)
            await self._server.start_serving()
        except (ConfigurationError, OSError) as error:
            listening.close()
            log.warning("other processes can't reach these sessions: %s", error)

    async def close(self) -> None:
        """Hang up on everybody and remove the socket. Safe to call twice."""
        if self._server is not None:
            self._server.close()
            self._server = None
        for conversation in self._conversations:
            conversation.cancel()
        if self._conversations:
            await asyncio.wait(self._conversations)
        if self.path is not None:
            remove_socket(self.path)
            self.path = None

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        conversation = asyncio.create_task(self._converse(reader, writer))
        self._conversations.add(conversation)
        conversation.add_done_callback(self._conversations.discard)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines: asyncio.Queue[bytes | TooLong] = asyncio.Queue(1)
        reading = asyncio.create_task(_read(reader, lines))
        speaking = asyncio.create_task(self._speak(lines, writer))
        try:
            if _is_ours(writer):
                await asyncio.wait([reading, speaking], return_when=asyncio.FIRST_COMPLETED)
        finally:
            reading.cancel()
            speaking.cancel()
            await asyncio.wait([reading, speaking])
            writer.close()

    async def _speak(self, lines: asyncio.Queue[bytes | TooLong], writer: asyncio.StreamWriter) -> None:
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
            return  # they have hung up

    async def _answer(self, line: bytes | TooLong, json: bool) -> tuple[Answer, bool]:
        """The answer, and the form of the next one."""
        text = text_of(line)
        try:
            parsed = parse(text)
        except LanguageError as error:
            raise type(error)(error.message, error.hint) from None
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
                await self._sessions.close_session(session.name)  # its user asks, in another process
                return Answer(command=parsed.canonical, json=json), json
            return await session.execute(parsed, json=json), json
        except OrynError as error:
            return Answer(command=spoken(parsed), error=error, json=json), json

    def _session_for(self, line: Line) -> Session:
        """The session that a line is for, when it is for others to say."""
        if isinstance(line.command, Exit | SessionSwitch):
            raise NotSupported("that is for the session's own process to say", "'session close <name>' ends a session.")
        session = self._sessions.get(line.session or "")
        if session is None:
            raise SessionNotFound.among(self._sessions.names)
        return session


async def _read(reader: asyncio.StreamReader, lines: asyncio.Queue[bytes | TooLong]) -> None:
    """Put lines into `lines` until the other end hangs up."""
    splitter = LineSplitter()
    try:
        while data := await reader.read(_CHUNK):
            for line in splitter.feed(data):
                await lines.put(line)
    except OSError:
        return  # they have hung up


def _is_ours(writer: asyncio.StreamWriter) -> bool:
    """Whether the other process runs as our user. The modes of the folder and of the socket keep others out already,
    but not every file system knows modes. https://man7.org/linux/man-pages/man7/unix.7.html"""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    credentials = writer.get_extra_info("socket").getsockopt(
        socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")
    )
    _, user, _ = struct.unpack("3i", credentials)
    return bool(user == os.getuid())

"""Sending a line to a session of another process, and taking its answer as it was rendered there."""

from __future__ import annotations

import asyncio
import json as json_text
import sys

from oryn.engine import Answer
from oryn.engine.boundary import without_fence
from oryn.error_codes import class_of
from oryn.errors import NotSupported, OrynError, SessionUnreachable, Timeout
from oryn.language import Line
from oryn.sessions.framing import decode
from oryn.sessions.registry import Listed

CONNECT_SECONDS = 5.0
LEEWAY = 1.0
"""Seconds more than the line has, so that its own session says what took so long."""
_CHUNK = 256 * 1024
_FAILED = "error "


class Relayed(Answer, frozen=False):
    """An answer that its session's process has rendered already, as `text`; `command` and `error` say of it what hosts
    want to know."""

    text: str = ""

    def render(self) -> str:
        return self.text


async def relay(to: Listed, line: Line, *, json: bool, limit: float) -> Answer:
    """Have `line` run in the process of the session `to`, which answers within `limit` seconds, or those that the line
    gives itself."""
    command = line.command
    assert command is not None
    try:
        return await _relay(to, line.canonical, json, LEEWAY + (limit if command.timeout is None else command.timeout))
    except OrynError as error:
        return Answer(command=spoken(line), error=error, json=json)


def spoken(line: Line) -> str:
    """A line that no session has run, for its answer: without its arguments, for its session knows which are secret."""
    return f"@{line.session} {' '.join(line.command.spec.path) if line.command else ''}"


async def _relay(to: Listed, line: str, json: bool, limit: float) -> Relayed:
    if "\n" in line:
        raise NotSupported("a definition can't be sent to another process", f"Define it where {to.name} runs.")
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            reader, writer = await _connected(to)
    except (OSError, TimeoutError):
        raise _unreachable(to) from None
    try:
        async with asyncio.timeout(limit):
            if json:
                await _ask(reader, writer, "output json")
            return _read(await _ask(reader, writer, line), json)
    except TimeoutError:
        raise Timeout(f"the session {to.name} did not answer within {limit:g} s") from None
    except OSError:
        raise SessionUnreachable(f"the session {to.name} ended before it answered") from None
    finally:
        writer.close()


async def _connected(to: Listed) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    if sys.platform == "win32" or to.socket is None:
        raise FileNotFoundError
    return await asyncio.open_unix_connection(to.socket)


def _unreachable(to: Listed) -> SessionUnreachable:
    if sys.platform == "win32":
        hint = "On Windows, sessions of other processes can't be sent commands."
    else:
        hint = "It may only be starting: try again."
    return SessionUnreachable(f"the session {to.name} (process {to.process}) takes no commands", hint)


async def _ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, line: str) -> str:
    """One line's answer. Raises `OSError` when the other end hangs up instead."""
    writer.write(f"{line}\n".encode())
    await writer.drain()
    data = bytearray()
    while data != b"---\n" and not data.endswith(b"\n---\n"):
        chunk = await reader.read(_CHUNK)
        if not chunk:
            raise ConnectionResetError
        data += chunk
    return decode(bytes(data))


def _read(text: str, json: bool) -> Relayed:
    if json:
        told = without_fence(json_text.loads(text))
        error = told.get("error")
        failure = class_of(error["code"])(error["message"], error["hint"]) if error else None
        return Relayed(command=told["command"], error=failure, text=text, json=True)
    first = text.partition("\n")[0]
    # What a page says never begins the first line of an answer.
    failure = OrynError(first.removeprefix(_FAILED)) if first.startswith(_FAILED) else None
    return Relayed(command=first, error=failure, text=text)

"""Sends a line to a session of another process, and returns the answer as that process has rendered it."""

from __future__ import annotations

import asyncio
import json as json_text
import sys

from oryn.engine import Answer
from oryn.engine.output.boundary import unfence_form
from oryn.errors import NotSupported, OrynError, SessionUnreachable, Timeout, error_class_of
from oryn.language import Line
from oryn.sessions.framing import decode
from oryn.sessions.registry import RegisteredSession

CONNECT_SECONDS = 5.0
LEEWAY_SECONDS = 1.0
"""Seconds added to the line's timeout, so that its own session can report the timeout in detail."""
_CHUNK = 256 * 1024
_ERROR_PREFIX = "error "


class RelayedAnswer(Answer, frozen=False):
    """An answer that another process has already rendered as `text`; `command` and `error` are parsed from it."""

    text: str = ""

    def render(self) -> str:
        return self.text


async def relay(to: RegisteredSession, line: Line, *, json: bool, limit: float, record: bool = False) -> Answer:
    """Run `line` in the process of the session `to`, for at most `limit` seconds, or the timeout in the line itself.
    With `record` the answer is rendered as a record (`Answer.record`).

    Errors are in the answer and not raised."""
    command = line.command
    assert command is not None
    try:
        return await _relay(
            to,
            json_text.dumps({"line": line.canonical}) if record else line.canonical,
            json or record,
            record,
            LEEWAY_SECONDS + (limit if command.timeout is None else command.timeout),
        )
    except OrynError as error:
        return Answer(command=line_without_arguments(line), error=error, json=json)


def line_without_arguments(line: Line) -> str:
    """The echo of a line that no session has run: without arguments, some of which may be secret."""
    return f"@{line.session} {' '.join(line.command.spec.path) if line.command else ''}"


async def _relay(to: RegisteredSession, line: str, json: bool, record: bool, limit: float) -> RelayedAnswer:
    if "\n" in line:
        raise NotSupported("a definition can't be sent to another process", f"Define it where {to.name} runs.")
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            reader, writer = await _connect(to)
    except (OSError, TimeoutError):
        raise _unreachable(to) from None
    try:
        async with asyncio.timeout(limit):
            if json and not record:
                await _request(reader, writer, "output json")
            return _read(await _request(reader, writer, line), json)
    except TimeoutError:
        raise Timeout(f"the session {to.name} did not answer within {limit:g} s") from None
    except OSError:
        raise SessionUnreachable(f"the session {to.name} ended before it answered") from None
    finally:
        writer.close()


async def _connect(to: RegisteredSession) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    if sys.platform == "win32" or to.socket is None:
        raise FileNotFoundError
    return await asyncio.open_unix_connection(to.socket)


def _unreachable(to: RegisteredSession) -> SessionUnreachable:
    if sys.platform == "win32":
        hint = "On Windows, sessions of other processes can't be sent commands."
    else:
        hint = "It may only be starting: try again."
    return SessionUnreachable(f"the session {to.name} (process {to.process}) takes no commands", hint)


async def _request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, line: str) -> str:
    """Send one line and return its answer. Raises `OSError` if the other process disconnects instead."""
    writer.write(f"{line}\n".encode())
    await writer.drain()
    data = bytearray()
    while data != b"---\n" and not data.endswith(b"\n---\n"):
        chunk = await reader.read(_CHUNK)
        if not chunk:
            raise ConnectionResetError
        data += chunk
    return decode(bytes(data))


def _read(text: str, json: bool) -> RelayedAnswer:
    if json:
        form = unfence_form(json_text.loads(text))
        error = form.get("error")
        failure = error_class_of(error["code"])(error["message"], error["hint"]) if error else None
        return RelayedAnswer(command=form["command"], error=failure, text=text, json=True)
    first = text.partition("\n")[0]
    # Text of a page never begins the first line of an answer.
    failure = OrynError(first.removeprefix(_ERROR_PREFIX)) if first.startswith(_ERROR_PREFIX) else None
    return RelayedAnswer(command=first, error=failure, text=text)

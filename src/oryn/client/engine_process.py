"""An engine's process: its ready line, its command queue, and the conversation over standard input and output.

The first answer is `ready oryn-h v0.1.0 protocol=2` (docs/spec/line-protocol.md#ready-line). The engine runs one
command at a time; the others wait in the queue."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from collections import deque
from collections.abc import Callable, Sequence

from oryn import DISTRIBUTION, PROTOCOL_VERSION
from oryn.core.records import Record
from oryn.errors import ConnectionLost, EngineFailed, OrynError, ProtocolMismatch
from oryn.sessions.framing import CANCEL_LINE, AnswerSplitter

_READY = re.compile(r"ready (\S+) v(\S+)((?: [\w-]+=\S*)*)")
_PROTOCOL = re.compile(r" protocol=([0-9]{1,9})(?= |$)", re.ASCII)
_ACTION = re.compile(r'\{"action":"([\w-]{1,40})"')
_MAX_LINE_BYTES = 4096
_EXCERPT_CHARACTERS = 200


class ReadyLine(Record):
    """A parsed ready line. `engine` is the name of the mode's program: `oryn-h`, `oryn-e`, `oryn-p`, `oryn-r`."""

    engine: str
    version: str
    protocol: int


def parse_ready(payload: str) -> ReadyLine:
    """Parse the first answer.

    Raises `EngineFailed` if it is not that of an engine, and `ProtocolMismatch` if the engine's protocol is older than
    this library requires. A newer one is accepted."""
    match = _READY.fullmatch(payload)
    if match is None:
        raise _not_an_engine(payload)
    engine, version, fields = match.groups()
    match = _PROTOCOL.search(fields)
    if match is None and " protocol=" in fields:
        raise _not_an_engine(payload)
    protocol = int(match[1]) if match else 1
    if protocol < PROTOCOL_VERSION:
        raise ProtocolMismatch(
            f"{engine} {version} speaks protocol {protocol}, and this library requires {PROTOCOL_VERSION} or later",
            f"Update the engine: pip install --upgrade {DISTRIBUTION}",
        )
    return ReadyLine(engine, version, protocol)


def check_beginning(unfinished: bytes) -> None:
    """Check the beginning of a first answer as soon as possible, as another program may never end its answer.

    Raises `EngineFailed` if it is not that of an engine."""
    line, end, _ = unfinished.partition(b"\n")
    if (end or len(line) > _MAX_LINE_BYTES) and not line.startswith(b"ready "):
        raise _not_an_engine(line[:_MAX_LINE_BYTES].decode("utf-8", "replace"))


def _not_an_engine(output: str) -> EngineFailed:
    return EngineFailed(
        f"the program is no Oryn engine: it said {output.strip()[:_EXCERPT_CHARACTERS]!r} and not 'ready …'",
        "Say which program it is: Oryn(binary=…).",
    )


class _QueuedCommand:
    """A command, and the future of its answer, which is done if the caller was cancelled."""

    __slots__ = ("answer", "line")

    def __init__(self, line: str) -> None:
        self.line = line
        self.answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()


class CommandQueue:
    """Sends the commands one at a time, in the order of the calls.

    `write` sends a line. A command that is cancelled while it waits is never sent. One that was sent is cancelled in
    the engine, and its answer is dropped, so that the next command gets its own answer."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._waiting: deque[_QueuedCommand] = deque()
        self._current: _QueuedCommand | None = None
        self._answers_due = 0
        """The number of answers that still come before the next command can be sent."""

    @property
    def busy(self) -> bool:
        """Whether a command was sent and is not answered yet."""
        return self._current is not None

    async def ask(self, line: str) -> str:
        """Send a command and return its answer. Raises `ConnectionLost` after `fail`."""
        turn = _QueuedCommand(line)
        self._waiting.append(turn)
        self._send_next()
        try:
            return await turn.answer
        except asyncio.CancelledError:
            if turn is self._current:
                self._answers_due += 1
                self._write(CANCEL_LINE.decode())
            raise

    def on_answer(self, payload: str) -> bool:
        """Process an answer; return whether a command was waiting for one."""
        if self._current is not None and self._answers_due > 1:
            self._answers_due -= 1
            return True
        turn, self._current = self._current, None
        if turn is None:
            return False
        if not turn.answer.done():
            turn.answer.set_result(payload)
        self._send_next()
        return True

    def fail(self, why: str, detail: str = "") -> None:
        """Fail all commands with `ConnectionLost`, as no more answers come. `why` is the cause; `detail` is appended to
        the message."""
        turn, self._current = self._current, None
        if turn and not turn.answer.done():
            turn.answer.set_exception(ConnectionLost(f"{why} before it answered '{_verb(turn.line)}'{detail}"))
        for each in self._waiting:
            if not each.answer.done():
                why_not = f"{why} before '{_verb(each.line)}' was sent{detail}"
                each.answer.set_exception(ConnectionLost(why_not, "It was not done: send it again."))
        self._waiting.clear()

    def _send_next(self) -> None:
        while self._waiting and self._current is None:
            turn = self._waiting.popleft()
            if not turn.answer.done():
                self._current, self._answers_due = turn, 1
                self._write(turn.line)


def _verb(line: str) -> str:
    """The verb of a line, or the action of a request, for messages: its arguments may be secret."""
    if line.lstrip().startswith("{"):
        found = _ACTION.match(line)
        return found[1] if found else "request"
    return next((word for word in line.split() if not word.startswith("@")), "")[:40]


START_SECONDS = 60.0
"""Seconds that a process gets to become ready. The browser starts concurrently and is not waited for."""
QUIT_SECONDS = 10.0
"""Seconds that it gets to end after `quit`, as its browser then writes its profile."""
TERMINATE_SECONDS = 5.0
"""Seconds that it gets to end after SIGTERM."""
MAX_ANSWER_BYTES = 256 * 1024 * 1024
_PIPE_DRAIN_SECONDS = 1.0
"""Seconds for which its pipes may stay open after its end: its child processes may have inherited them."""
_MAX_STDERR_BYTES = 4096
"""Maximum number of bytes of its latest standard error that are kept for error messages."""
_INPUT, _OUTPUT = 0, 1
_CLOSED = "the client was closed"


class EngineProcess(asyncio.SubprocessProtocol):
    """One process, which is started once and answers until it is `lost`. It creates no tasks that could be left
    over."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._transport: asyncio.SubprocessTransport | None = None
        self._splitter = AnswerSplitter()
        self._stderr = b""
        self._ready: asyncio.Future[ReadyLine] = asyncio.get_running_loop().create_future()
        self._queue = CommandQueue(self._write)
        self._spawned, self._exited, self._closed = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._quitting = False
        self.lost = False
        """Whether the process can no longer answer."""

    async def start(self) -> ReadyLine:
        """Start it, and wait until it is ready. Raises `EngineFailed`, `ProtocolMismatch`."""
        try:
            async with asyncio.timeout(START_SECONDS):
                await self._spawn()
                ready = await self._ready
        except TimeoutError:
            raise EngineFailed(f"the engine was not ready within {START_SECONDS:g} s{self._stderr_note()}") from None
        except BaseException:
            self._lose("the engine did not start")
            raise
        return ready

    async def _spawn(self) -> None:
        try:
            # A new session, as Ctrl-C in a terminal is for the program that uses this library, which decides what ends.
            await asyncio.get_running_loop().subprocess_exec(lambda: self, *self._words, start_new_session=True)
        except OSError as error:
            self._closed.set()
            raise EngineFailed(f"{self._words[0]} can't be run: {error.strerror}") from error
        finally:
            self._spawned.set()

    @property
    def pid(self) -> int:
        """The process's identifier. The process must have been started."""
        assert self._transport is not None
        pid: int = self._transport.get_pid()
        return pid

    async def ask(self, line: str) -> str:
        """Send a line and return the answer. Raises `ConnectionLost`."""
        return await self._queue.ask(line)

    async def end(self) -> None:
        """End the process with `quit`, then SIGTERM, then SIGKILL; afterwards it has ended. Commands in
        progress fail."""
        self._quitting = True
        try:
            await self._spawned.wait()
            if not self._ready.done():
                self._lose(_CLOSED)
            if not (self.lost or self._queue.busy):
                self._write("quit")
                self._close_input()
                await self._closed_within(QUIT_SECONDS)
            self._queue.fail(_CLOSED)
            if not self._exited.is_set():
                self._terminate()
                await self._closed_within(TERMINATE_SECONDS)
        finally:
            self._lose(_CLOSED)
        await self._closed_within(TERMINATE_SECONDS)

    async def _closed_within(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._closed.wait()
        except TimeoutError:
            pass

    # --- callbacks of asyncio ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport
        if self.lost:
            self._kill()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd != _OUTPUT:
            self._stderr = (self._stderr + data)[-_MAX_STDERR_BYTES:]
        elif not self.lost:
            try:
                self._on_output(data)
            except OrynError as error:
                self._fail_start(error)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == _OUTPUT:
            # The process's exit, which gives a better reason, usually follows now. If it does not, the process is
            # useless without its output.
            asyncio.get_running_loop().call_later(_PIPE_DRAIN_SECONDS, self._lose, "the engine closed its output")

    def process_exited(self) -> None:
        self._exited.set()
        if self.lost:
            self._close()
        else:
            asyncio.get_running_loop().call_later(_PIPE_DRAIN_SECONDS, self._lose_ended)

    def connection_lost(self, exc: Exception | None) -> None:
        self._lose_ended()
        self._closed.set()

    # --- the conversation ---

    def _on_output(self, data: bytes) -> None:
        for payload in self._splitter.feed(data):
            if not self._ready.done():
                self._ready.set_result(parse_ready(payload))
            elif not self._queue.on_answer(payload) and not self._quitting:
                raise EngineFailed("the engine answered what nobody had asked")
        if not self._ready.done():
            check_beginning(bytes(self._splitter.unfinished))
        if len(self._splitter.unfinished) > MAX_ANSWER_BYTES:
            raise EngineFailed("an answer of the engine does not end")

    def _fail_start(self, error: OrynError) -> None:
        if not self._ready.done():
            self._ready.set_exception(error)
        self._lose(error.message)

    def _write(self, line: str) -> None:
        if self._transport and (pipe := self._transport.get_pipe_transport(_INPUT)):
            assert isinstance(pipe, asyncio.WriteTransport)
            pipe.write(f"{line}\n".encode())

    def _close_input(self) -> None:
        if self._transport and (pipe := self._transport.get_pipe_transport(_INPUT)):
            pipe.close()

    # --- the end ---

    def _lose_ended(self) -> None:
        self._lose(f"the engine {_describe_exit(self._transport.get_returncode() if self._transport else None)}")

    def _lose(self, why: str) -> None:
        """Fail all waiting callers, and kill the process if it still runs."""
        if self.lost:
            return
        self.lost = True
        if not self._ready.done():
            self._ready.set_exception(EngineFailed(f"{why} before it was ready{self._stderr_note()}"))
            self._ready.exception()  # marks it as retrieved: if `start` was cancelled, nothing else does
        self._queue.fail(why, self._stderr_note())
        if self._exited.is_set():
            self._close()
        else:
            self._kill()

    # Signals are sent by number: `subprocess.Popen` polls the process before it sends one, and so takes the exit code
    # away from asyncio, which then logs a warning.

    def _terminate(self) -> None:
        if self._transport and sys.platform != "win32":
            _signal(os.kill, self._transport, signal.SIGTERM)
        elif self._transport:
            self._transport.terminate()
        self._close_input()

    def _kill(self) -> None:
        if self._transport and sys.platform != "win32":
            _signal(os.killpg, self._transport, signal.SIGKILL)  # with the child processes of a script that started it
        elif self._transport:
            self._transport.kill()

    def _close(self) -> None:
        if self._transport:
            self._transport.close()

    def _stderr_note(self) -> str:
        output = self._stderr.decode("utf-8", "replace").strip()
        return f"; it said: {output}" if output else ""


def _signal(send: Callable[[int, int], None], transport: asyncio.SubprocessTransport, number: int) -> None:
    try:
        send(transport.get_pid(), number)
    except (ProcessLookupError, PermissionError):
        pass  # it has just ended; macOS then reports that it belongs to another user


def _describe_exit(code: int | None) -> str:
    if code is None or code >= 0:
        return "ended" if code is None else f"ended with exit code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"

"""An engine's process and the conversation with it over its standard input and output (seed 000 §4.3)."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Sequence

from oryn.client.ready import Ready, check_beginning, read_ready
from oryn.client.turns import Turns
from oryn.errors import EngineFailed, OrynError
from oryn.sessions.framing import AnswerSplitter

START_SECONDS = 60.0
"""How long a process may take until it is ready. The browser starts meanwhile, and is not waited for."""
QUIT_SECONDS = 10.0
"""How long it may take to end after `quit`: its browser writes its profile then."""
TERMINATE_SECONDS = 5.0
"""How long after SIGTERM."""
LONGEST_ANSWER = 256 * 1024 * 1024
_LAST_WORDS_SECONDS = 1.0
"""How long after a process its pipes may stay open: children of its own may have inherited them."""
_COMPLAINTS = 4096
"""So many bytes of what it last wrote to standard error are kept for errors."""
_INPUT, _OUTPUT = 0, 1
_CLOSED = "the client was closed"


class EngineProcess(asyncio.SubprocessProtocol):
    """One process, started once, then asked until it is `lost`. It has no tasks that could be left over."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._transport: asyncio.SubprocessTransport | None = None
        self._splitter = AnswerSplitter()
        self._complaints = b""
        self._ready: asyncio.Future[Ready] = asyncio.get_running_loop().create_future()
        self._turns = Turns(self._write)
        self._spawned, self._exited, self._gone = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._quitting = False
        self.lost = False
        """No answer comes any more."""

    async def start(self) -> Ready:
        """Start it, and wait until it is ready. Raises `EngineFailed`, `ProtocolMismatch`."""
        try:
            async with asyncio.timeout(START_SECONDS):
                await self._spawn()
                ready = await self._ready
        except TimeoutError:
            raise EngineFailed(f"the engine was not ready within {START_SECONDS:g} s{self._told()}") from None
        except BaseException:
            self._lose("the engine did not start")
            raise
        return ready

    async def _spawn(self) -> None:
        try:
            # Ctrl-C in a terminal is for the program that uses this library, and it decides what ends: hence a session.
            await asyncio.get_running_loop().subprocess_exec(lambda: self, *self._words, start_new_session=True)
        except OSError as error:
            self._gone.set()
            raise EngineFailed(f"{self._words[0]} can't be run: {error.strerror}") from error
        finally:
            self._spawned.set()

    @property
    def pid(self) -> int:
        """The number of the process, once it was started."""
        assert self._transport is not None
        pid: int = self._transport.get_pid()
        return pid

    async def ask(self, line: str) -> str:
        """The answer to a line. Raises `ConnectionLost`."""
        return await self._turns.ask(line)

    async def end(self) -> None:
        """`quit`, then SIGTERM, then SIGKILL; no process is left afterwards. What is under way fails."""
        self._quitting = True
        try:
            await self._spawned.wait()
            if not self._ready.done():
                self._lose(_CLOSED)
            if not (self.lost or self._turns.busy):
                self._write("quit")
                self._close_input()
                await self._gone_within(QUIT_SECONDS)
            self._turns.fail(_CLOSED)
            if not self._exited.is_set():
                self._terminate()
                await self._gone_within(TERMINATE_SECONDS)
        finally:
            self._lose(_CLOSED)
        await self._gone_within(TERMINATE_SECONDS)

    async def _gone_within(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._gone.wait()
        except TimeoutError:
            pass

    # --- what asyncio calls ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport
        if self.lost:
            self._kill()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd != _OUTPUT:
            self._complaints = (self._complaints + data)[-_COMPLAINTS:]
        elif not self.lost:
            try:
                self._hear(data)
            except OrynError as error:
                self._refuse(error)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == _OUTPUT:
            # Its end, which tells more, comes now; else it is of no use without its output.
            asyncio.get_running_loop().call_later(_LAST_WORDS_SECONDS, self._lose, "the engine closed its output")

    def process_exited(self) -> None:
        self._exited.set()
        if self.lost:
            self._close()
        else:
            asyncio.get_running_loop().call_later(_LAST_WORDS_SECONDS, self._lose_ended)

    def connection_lost(self, exc: Exception | None) -> None:
        self._lose_ended()
        self._gone.set()

    # --- the conversation ---

    def _hear(self, data: bytes) -> None:
        for payload in self._splitter.feed(data):
            if not self._ready.done():
                self._ready.set_result(read_ready(payload))
            elif not self._turns.answered(payload) and not self._quitting:
                raise EngineFailed("the engine answered what nobody had asked")
        if not self._ready.done():
            check_beginning(bytes(self._splitter.unfinished))
        if len(self._splitter.unfinished) > LONGEST_ANSWER:
            raise EngineFailed("an answer of the engine does not end")

    def _refuse(self, error: OrynError) -> None:
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
        self._lose(f"the engine {_how(self._transport.get_returncode() if self._transport else None)}")

    def _lose(self, why: str) -> None:
        """Fail all who wait, and kill what still runs."""
        if self.lost:
            return
        self.lost = True
        if not self._ready.done():
            self._ready.set_exception(EngineFailed(f"{why} before it was ready{self._told()}"))
            self._ready.exception()  # whoever waits for it gets it; if nobody does, it was cancelled
        self._turns.fail(why, self._told())
        if self._exited.is_set():
            self._close()
        else:
            self._kill()

    # Signals are sent by number: subprocess.Popen looks whether the process has ended before it sends one, and takes
    # the exit code away from asyncio, which then complains in the log.

    def _terminate(self) -> None:
        if self._transport and sys.platform != "win32":
            _signal(os.kill, self._transport, signal.SIGTERM)
        elif self._transport:
            self._transport.terminate()
        self._close_input()

    def _kill(self) -> None:
        if self._transport and sys.platform != "win32":
            _signal(os.killpg, self._transport, signal.SIGKILL)  # with the children of a script that starts it
        elif self._transport:
            self._transport.kill()

    def _close(self) -> None:
        if self._transport:
            self._transport.close()

    def _told(self) -> str:
        said = self._complaints.decode("utf-8", "replace").strip()
        return f"; it said: {said}" if said else ""


def _signal(send: Callable[[int, int], None], transport: asyncio.SubprocessTransport, number: int) -> None:
    try:
        send(transport.get_pid(), number)
    except (ProcessLookupError, PermissionError):
        pass  # it has ended just now; macOS then says that it is not ours


def _how(code: int | None) -> str:
    if code is None or code >= 0:
        return "ended" if code is None else f"ended with exit code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"

"""`Link`: one WebSocket to a server, from its opening to its end (docs/remote-protocol.md).

Registers, lets the server prove who it is, hands on the commands that come after that, and keeps the worker alive.
Whatever a server sends ends in an answer or in the end of the link, never in an exception.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

from oryn.engine.escape import plain, shortened
from oryn.errors import MalformedMessage, OrynError
from oryn.extension.greeting import Greeting
from oryn.extension.world import Timer, World
from oryn.records import Record
from oryn.remote.attachments import Answers, EngineOptions, File
from oryn.remote.control import Control
from oryn.remote.messages import COMMAND_LIMIT, Accepted, Failed, Message, Ping, Pong, read_control
from oryn.remote.pairing import Key

OPEN_SECONDS = 15.0
"""How long a server has to accept the connection."""
ANSWER_SECONDS = 10.0
"""How long it has to answer a registration, where it needs no code for that."""
PING_SECONDS = 20.0
"""A worker that sends nothing for 30 s is stopped by the browser."""
ASK_AGAIN_SECONDS = 2.0
"""A server that knows no code yet is asked again so often."""
MOST_REFUSED = 200
"""Messages between two pings that are none, or come too early: more, and the link ends."""
MOST_EARLY = 64
"""Commands that a server may send before it is told that it is paired."""

MALFORMED, REFUSED, SILENT, FLOOD = 4400, 4403, 4408, 4429
"""Close codes of our own (RFC 6455 §7.4.2)."""

Cause = Literal["lost", "required", "failed", "version"]
"""Why a link has ended: the connection; the server knows no code or key; a proof is wrong; its version is another."""


class End(Record):
    cause: Cause
    detail: str


class Owner(Protocol):
    """Whoever has the link."""

    async def keep(self, key: Key | None) -> None:
        """The server is the right one, and has the key from now on; what is to outlive the worker is written here."""

    def paired(self, accepted: Accepted) -> None:
        """Commands pass from now on."""

    def waiting(self) -> None:
        """The server knows no code yet."""

    def command(self, message: Message) -> bool:
        """Whether there was room for it."""

    def told(self, control: Control) -> None:
        """What the server says of the commands that come: `Answers`, `EngineOptions`, `File`."""

    def ended(self, end: End) -> None:
        """Nothing comes or goes any more. Not called after `close`."""


class Link:
    """`code_seconds` is how long the code still holds that `greeting` uses, if it does. Raises `ChromeFailed` where the
    browser takes `url` for no address."""

    def __init__(self, world: World, url: str, greeting: Greeting, owner: Owner, code_seconds: float) -> None:
        self._world = world
        self._greeting = greeting
        self._owner = owner
        self._code_seconds = code_seconds
        self._timers: dict[str, Timer] = {}
        self._refused = 0
        self._early: list[Message] = []
        self._proved = False
        self._answers_pings = False
        self._heard = True
        self._open = True
        self._reached = False
        self.paired = False
        self._socket = world.open(url, self._opened, self._received, self._closed)
        self._wait("limit", OPEN_SECONDS, lambda: self._end("lost", "the server does not answer"))

    def send(self, frame: str) -> None:
        """Send a message, unless the link has ended."""
        if self._open:
            self._socket.send(frame)

    def close(self, reason: str) -> None:
        """Nobody wants it any more. Safe to call twice."""
        if self._open:
            self._shut(1000, reason)

    # --- what the socket tells ---

    def _opened(self) -> None:
        if not self._open:
            return
        self._reached = True
        limit = self._code_seconds if self._greeting.uses_code else ANSWER_SECONDS
        self._wait("limit", limit, lambda: self._end("lost", "the server does not answer the registration", SILENT))
        self._wait("ping", PING_SECONDS, self._beat)
        self.send(self._greeting.frame)

    def _closed(self, code: int, reason: str) -> None:
        if self._open:
            said = f": {_told(reason)}" if reason else ""
            lost = "the connection was lost" if code == 1006 else f"the server has closed the connection{said}"
            self._end("lost", lost if self._reached else "no server answers there")

    def _received(self, frame: str) -> None:
        if not self._open:
            return
        self._heard = True
        try:
            message = Message.read(frame, COMMAND_LIMIT)
            control = None if message.id else read_control(message.content)
        except MalformedMessage as error:
            self._refuse(error.message)
            return
        if not message.id:
            self._hear(control)
        elif self.paired:
            if not self._owner.command(message):
                self._count()
        elif self._proved and len(self._early) < MOST_EARLY:
            self._early.append(message)
        else:
            self._refuse("pairing required")

    # --- control messages ---

    def _hear(self, control: Control | None) -> None:
        match control:
            case Answers() | EngineOptions() | File() if self.paired:
                self._owner.told(control)
                return
            case Accepted() if not self._proved:
                self._verify(control)
            case Failed() if not self._proved:
                self._fail(control.message)
            case Pong():
                self._answers_pings = True
        self._count()

    def _verify(self, answer: Accepted) -> None:
        told = self._greeting.accepts(answer, self._world.now())
        if told is None:
            self.send(Failed("pairing failed").frame)
            self._end("failed", "the server did not prove that it is the right one", REFUSED)
            return
        self._proved = True
        self._stop("limit")
        self._stop("ask")
        self._world.spawn(self._welcome(answer, *told))

    async def _welcome(self, answer: Accepted, reply: Control, key: Key | None) -> None:
        """What is kept is kept first: a server never has a key that this browser does not know."""
        try:
            await self._owner.keep(key)
        except OrynError as error:
            self._end("lost", f"the pairing can't be kept: {error.message}", SILENT)
        if not self._open:
            return
        self.paired = True
        self.send(reply.frame)
        self._owner.paired(answer)
        early, self._early = self._early, []
        for message in early:
            self._owner.command(message)

    def _fail(self, said: str) -> None:
        """The server refuses the registration."""
        if said.startswith("unsupported protocol"):
            self._end("version", _told(said), 1000)
        elif not said.startswith("pairing required"):
            self._end("failed" if said.startswith("pairing failed") else "lost", _told(said), 1000)
        elif self._greeting.uses_code:
            self._owner.waiting()
            self._wait("ask", ASK_AGAIN_SECONDS, lambda: self.send(self._greeting.frame))
        else:
            self._end("required", "the server does not know this browser any more", 1000)

    # --- keeping it sane ---

    def _refuse(self, why: str) -> None:
        self.send(Failed(why).frame)
        self._count()

    def _count(self) -> None:
        self._refused += 1
        if self._refused > MOST_REFUSED:
            self._end("lost", "the server sends more than it may", FLOOD)

    def _beat(self) -> None:
        """Say that we live; a server that has answered that before, and is silent now, is gone."""
        if self._answers_pings and not self._heard:
            self._end("lost", "the server is silent", SILENT)
            return
        self._heard, self._refused = False, 0
        self.send(Ping().frame)
        self._wait("ping", PING_SECONDS, self._beat)

    def _wait(self, name: str, seconds: float, then: Callable[[], object]) -> None:
        self._stop(name)
        self._timers[name] = self._world.later(seconds, then)

    def _stop(self, name: str) -> None:
        if timer := self._timers.pop(name, None):
            timer.cancel()

    def _end(self, cause: Cause, detail: str, code: int = 1000) -> None:
        if self._open:
            self._shut(code, "")
            self._owner.ended(End(cause, detail))

    def _shut(self, code: int, reason: str) -> None:
        self._open = False
        for name in tuple(self._timers):
            self._stop(name)
        self._socket.close(code, reason)


def _told(text: str) -> str:
    """What a server says, harmless and short, for the user to read."""
    return shortened(plain(text), 200)

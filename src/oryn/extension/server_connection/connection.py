"""`ExtensionConnection`: one WebSocket to a server, from its opening to its end (docs/spec/extension-protocol.md).

It registers (`Handshake`, pure): with a saved key or with the code that the extension displays, both ends prove that
they know the secret. Then it passes on the server's commands and keeps the worker alive with pings. Whatever a server
sends leads to an answer or to the end of the connection, never to an exception."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

from oryn import PROTOCOL_VERSION
from oryn.core.records import Record
from oryn.core.text_safety import plain, shortened
from oryn.errors import MalformedMessage, OrynError
from oryn.extension.environment import Environment, Timer
from oryn.extension_server.messages import (
    COMMAND_LIMIT,
    Accepted,
    AnswerOptions,
    Cancel,
    Control,
    EngineOptions,
    ExtensionRegistration,
    Failed,
    File,
    Paired,
    Ping,
    PluginMessage,
    Pong,
    WireMessage,
    read_control,
)
from oryn.extension_server.pairing import (
    PairingKey,
    PairingOffer,
    constant_time_equal,
    extension_proof,
    new_nonce,
    server_proof,
)


class ExtensionVersions(Record):
    """The versions in a registration."""

    engine: str
    extension: str
    browser: str


class Handshake:
    """The registration of one connection, with a nonce of its own: by the saved `key`, or without one by the code in
    `offer`."""

    def __init__(
        self, versions: ExtensionVersions, key: PairingKey | None, offer: PairingOffer | None, *, again: bool
    ) -> None:
        self._versions = versions
        self._key = key
        self._offer = offer
        self._is_reconnect = again
        self._nonce = new_nonce()

    @property
    def uses_code(self) -> bool:
        """Whether it pairs by a code, without a saved key."""
        return self._key is None

    @property
    def frame(self) -> str:
        """The registration. It may be sent again until the server has the code."""
        return ExtensionRegistration(
            PROTOCOL_VERSION,
            self._versions.engine,
            self._versions.extension,
            self._versions.browser,
            nonce=self._nonce,
            key=self._key.id if self._key else None,
            reconnected=self._is_reconnect,
        ).frame

    def verify(self, answer: Accepted, now: float) -> tuple[Paired, PairingKey | None] | None:
        """The answer to a server that has proved its identity, and the new key in it, if there is one; None if the
        proof is wrong. `now` is in epoch seconds."""
        if self._key is not None:
            secret = self._key.secret
            right = constant_time_equal(answer.proof, server_proof(secret, self._nonce))
        else:
            secret = self._offer.code if self._offer else ""
            right = self._offer is not None and self._offer.accepts(answer.proof, self._nonce, now)
        if not right:
            return None
        if answer.nonce is None:  # a server that requires no proof saves no key either
            return Paired(), None
        proof = extension_proof(secret, answer.nonce)
        if self._key is not None:
            return Paired(proof), None
        key = PairingKey.new()
        return Paired(proof, key.id, key.secret), key


OPEN_SECONDS = 15.0
"""How long a server has to accept the connection."""
ANSWER_SECONDS = 10.0
"""How long it has to answer a registration that needs no code."""
PING_SECONDS = 20.0
"""A worker that sends nothing for 30 s is stopped by the browser."""
REGISTER_AGAIN_SECONDS = 2.0
"""Seconds between registrations at a server that has no code yet."""
MAX_REFUSED_MESSAGES = 200
"""Malformed or early messages between two pings after which the connection ends."""
MAX_EARLY_COMMANDS = 64
"""Commands that a server may send before it learns that it is paired."""

MALFORMED, REFUSED, SILENT, FLOOD = 4400, 4403, 4408, 4429
"""Close codes of our own (RFC 6455 §7.4.2)."""

EndCause = Literal["lost", "required", "failed", "version"]
"""Why a connection has ended: it was lost; the server has no code or key (`required`); a proof was wrong (`failed`);
the server does not support this version."""


class ConnectionEnd(Record):
    """The end of a connection; `detail` is for the user."""

    cause: EndCause
    detail: str


class ConnectionOwner(Protocol):
    """Receives the events of a connection."""

    async def save_pairing(self, key: PairingKey | None) -> None:
        """The server has proved its identity. Store `key`, if it is a new one, before the server gets it."""

    def on_paired(self, accepted: Accepted) -> None:
        """The server is paired: commands follow."""

    def waiting(self) -> None:
        """The server waits for the code."""

    def command(self, message: WireMessage) -> bool:
        """A command has arrived; False if it was refused."""

    def on_control(self, control: Control) -> None:
        """A message about commands (`AnswerOptions`, `Cancel`, `EngineOptions`, `File`), or a `PluginMessage`."""

    def on_ended(self, end: ConnectionEnd) -> None:
        """The connection has ended. Not called after `close`."""


class ExtensionConnection:
    """One connection, which opens as soon as it is created."""

    def __init__(
        self, environment: Environment, url: str, handshake: Handshake, owner: ConnectionOwner, code_seconds: float
    ) -> None:
        """`code_seconds` is how long the code in `handshake` is still valid, if it has one. Raises `ChromeFailed` if
        the browser does not accept `url`."""
        self._environment = environment
        self._handshake = handshake
        self._owner = owner
        self._code_seconds = code_seconds
        self._timers: dict[str, Timer] = {}
        self._refused = 0
        self._early: list[WireMessage] = []
        self._proved = False
        self._answers_pings = False
        self._received_since_ping = True
        self._open = True
        self._reached = False
        self.paired = False
        self._socket = environment.open(url, self._on_opened, self._on_received, self._on_closed)
        self._set_timer("limit", OPEN_SECONDS, lambda: self._end("lost", "the server does not answer"))

    def send(self, frame: str) -> None:
        """Send a message; does nothing if the connection has ended."""
        if self._open:
            self._socket.send(frame)

    def close(self, reason: str) -> None:
        """Close the connection without a call of `ended`. Idempotent."""
        if self._open:
            self._close_socket(1000, reason)

    # --- events of the socket ---

    def _on_opened(self) -> None:
        if not self._open:
            return
        self._reached = True
        limit = self._code_seconds if self._handshake.uses_code else ANSWER_SECONDS
        self._set_timer(
            "limit", limit, lambda: self._end("lost", "the server does not answer the registration", SILENT)
        )
        self._set_timer("ping", PING_SECONDS, self._send_ping)
        self.send(self._handshake.frame)

    def _on_closed(self, code: int, reason: str) -> None:
        if self._open:
            why = f": {_sanitized(reason)}" if reason else ""
            lost = "the connection was lost" if code == 1006 else f"the server has closed the connection{why}"
            self._end("lost", lost if self._reached else "no server answers there")

    def _on_received(self, frame: str) -> None:
        if not self._open:
            return
        self._received_since_ping = True
        try:
            message = WireMessage.read(frame, COMMAND_LIMIT)
            control = None if message.id else read_control(message.content)
        except MalformedMessage as error:
            self._refuse(error.message)
            return
        if not message.id:
            self._on_control(control)
        elif self.paired:
            if not self._owner.command(message):
                self._count()
        elif self._proved and len(self._early) < MAX_EARLY_COMMANDS:
            self._early.append(message)
        else:
            self._refuse("pairing required")

    # --- control messages ---

    def _on_control(self, control: Control | None) -> None:
        match control:
            case AnswerOptions() | Cancel() | EngineOptions() | File() | PluginMessage() if self.paired:
                self._owner.on_control(control)
                return
            case Accepted() if not self._proved:
                self._verify(control)
            case Failed() if not self._proved:
                self._on_refused(control.message)
            case Pong():
                self._answers_pings = True
        self._count()

    def _verify(self, answer: Accepted) -> None:
        verified = self._handshake.verify(answer, self._environment.now())
        if verified is None:
            self.send(Failed("pairing failed").frame)
            self._end("failed", "the server did not prove that it is the right one", REFUSED)
            return
        self._proved = True
        self._cancel_timer("limit")
        self._cancel_timer("ask")
        self._environment.spawn(self._complete_pairing(answer, *verified))

    async def _complete_pairing(self, answer: Accepted, reply: Control, key: PairingKey | None) -> None:
        """Save the key before it is sent: a server never has a key that this browser does not have."""
        try:
            await self._owner.save_pairing(key)
        except OrynError as error:
            self._end("lost", f"the pairing can't be saved: {error.message}", SILENT)
        if not self._open:
            return
        self.paired = True
        self.send(reply.frame)
        self._owner.on_paired(answer)
        early, self._early = self._early, []
        for message in early:
            self._owner.command(message)

    def _on_refused(self, message: str) -> None:
        """The server has refused the registration."""
        if message.startswith("unsupported protocol"):
            self._end("version", _sanitized(message), 1000)
        elif not message.startswith("pairing required"):
            self._end("failed" if message.startswith("pairing failed") else "lost", _sanitized(message), 1000)
        elif self._handshake.uses_code:
            self._owner.waiting()
            self._set_timer("ask", REGISTER_AGAIN_SECONDS, lambda: self.send(self._handshake.frame))
        else:
            self._end("required", "the server does not know this browser any more", 1000)

    # --- limits and pings ---

    def _refuse(self, why: str) -> None:
        self.send(Failed(why).frame)
        self._count()

    def _count(self) -> None:
        self._refused += 1
        if self._refused > MAX_REFUSED_MESSAGES:
            self._end("lost", "the server sends more than it may", FLOOD)

    def _send_ping(self) -> None:
        """Send a ping. A server that has answered pings before, and is silent now, is gone."""
        if self._answers_pings and not self._received_since_ping:
            self._end("lost", "the server is silent", SILENT)
            return
        self._received_since_ping, self._refused = False, 0
        self.send(Ping().frame)
        self._set_timer("ping", PING_SECONDS, self._send_ping)

    def _set_timer(self, name: str, seconds: float, then: Callable[[], object]) -> None:
        self._cancel_timer(name)
        self._timers[name] = self._environment.later(seconds, then)

    def _cancel_timer(self, name: str) -> None:
        if timer := self._timers.pop(name, None):
            timer.cancel()

    def _end(self, cause: EndCause, detail: str, code: int = 1000) -> None:
        if self._open:
            self._close_socket(code, "")
            self._owner.on_ended(ConnectionEnd(cause, detail))

    def _close_socket(self, code: int, reason: str) -> None:
        self._open = False
        for name in tuple(self._timers):
            self._cancel_timer(name)
        self._socket.close(code, reason)


def _sanitized(text: str) -> str:
    """A text of the server for the user: without control characters, and short."""
    return shortened(plain(text), 200)

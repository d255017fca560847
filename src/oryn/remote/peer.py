"""`Peer`: a server's end of one conversation with an extension (docs/remote-protocol.md), whatever carries it.

Whoever has the connection makes a `Peer` of what sends, hands it each text frame (`receive`), and says when the other
end is gone (`lost`). Nothing that the other end sends raises: what is no message is ignored, or ends the conversation.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Protocol

from oryn.errors import (
    BackendUnavailable,
    MalformedMessage,
    OrynError,
    PairingFailed,
    PairingRequired,
    Timeout,
    UnexpectedInput,
)
from oryn.remote.attachments import Answers, Data, EngineOptions, File
from oryn.remote.control import Control
from oryn.remote.credentials import Credentials, Secret
from oryn.remote.in_flight import InFlight, Pending, Reply
from oryn.remote.messages import (
    ANSWER_LIMIT,
    COMMAND_LIMIT,
    Accepted,
    Failed,
    Message,
    Paired,
    Ping,
    Pong,
    Registration,
    read_control,
    require_version,
)
from oryn.remote.pairing import CODE_SECONDS, extension_proof, matches, new_nonce, server_proof

log = logging.getLogger(__name__)

REGISTER_SECONDS = 10.0
"""How long the other end has to say who it is."""
PROOF_SECONDS = 5.0
"""How long it has to prove that it knows the code or the key."""
LONGEST_ID = 20
"""Characters of a command's id and its colon."""
MOST_EARLY = 1000
"""Messages before both know each other."""

REFUSED, TOO_LARGE, REPLACED, SILENT, FLOOD = 4403, 1009, 4409, 4408, 4429
"""Close codes: who it is was not proved, a message was too long, the same browser has connected again, nothing came,
and too much. https://www.rfc-editor.org/rfc/rfc6455#section-7.4.2"""


class Home(Protocol):
    """Whoever wants to know of conversations: in which both ends know each other, which end, or come to nothing."""

    def arrived(self, peer: Peer) -> None: ...

    def left(self, peer: Peer) -> None: ...

    def refused(self, error: OrynError) -> None: ...


class Peer:
    """`send` sends a text frame, `close` ends the connection with a code and a reason; neither raises. `first_id` is as
    `InFlight` has it. Needs a running event loop."""

    def __init__(
        self,
        send: Callable[[str], None],
        close: Callable[[int, str], None],
        credentials: Credentials,
        home: Home,
        first_id: int | None = None,
    ) -> None:
        self._send = send
        self._close = close
        self._credentials = credentials
        self._home = home
        self._secret: Secret | None = None
        self._nonce = ""
        self._in_flight = InFlight(first_id)
        self._wants_data = False
        self._options = EngineOptions()
        self._early = 0
        self._ended = False
        self.registration: Registration | None = None
        self.paired = False
        """Both ends know each other: commands pass."""
        self.key: str | None = None
        """The id of the key that both keep."""
        self.left_for_good = False
        """The user has ended the connection."""
        self._limit = asyncio.get_running_loop().call_later(REGISTER_SECONDS, self._end, SILENT, "no registration")

    @property
    def browser(self) -> str:
        """`Chrome/156.0.8078.79`, as the extension says."""
        return self.registration.browser if self.registration else ""

    # --- what comes ---

    def receive(self, frame: str) -> None:
        """A text frame has come."""
        if self._ended:
            return
        self._early = 0 if self.paired else self._early + 1
        if self._early > MOST_EARLY:
            self._end(FLOOD, "too many messages")
            return
        try:
            message = Message.read(frame, ANSWER_LIMIT)
            if message.id:
                self._in_flight.answer(message)
            elif (control := read_control(message.content)) is not None:
                self._told(control)
        except MalformedMessage as error:
            log.info("from the extension: %s", error)
            if len(frame) > ANSWER_LIMIT:
                self._end(TOO_LARGE, error.message)
            elif not self.paired:
                self._refuse(error)

    def lost(self, *, meant: bool = False) -> None:
        """The connection is gone. `meant`: the user has ended it, so that nothing is going to come back by itself."""
        self.left_for_good = meant
        self._end(None, "")

    def _told(self, control: Control) -> None:
        match control:
            case Registration():
                self._register(control)
            case Ping():
                self._send(Pong().frame)
            case Paired() if self._secret is not None and not self.paired:
                self._prove(control, self._secret)
            case Failed() if not self.paired and self._secret is not None:
                self._credentials.failed()
                self._home.refused(PairingFailed())
                self._end(REFUSED, PairingFailed().message)
            case File() if self.paired:
                self._in_flight.take_file(control)
            case Data() if self.paired:
                self._in_flight.take_data(control)

    # --- knowing each other ---

    def _register(self, registration: Registration) -> None:
        self._start_again()
        self.registration = registration
        try:
            require_version(registration.protocol)
            secret = self._credentials.secret_for(registration)
        except PairingRequired as error:
            # The connection stays: its user may give a code now, which the next registration brings about.
            self._send(Failed(error.message).frame)
            self._home.refused(error)
            self._wait(CODE_SECONDS, lambda: self._end(SILENT, "no registration"))
            return
        except OrynError as error:
            self._refuse(error)
            return
        assert registration.nonce is not None
        self._secret, self._nonce = secret, new_nonce()
        self._send(Accepted(server_proof(secret.text, registration.nonce), self._nonce, files=True).frame)
        self._wait(PROOF_SECONDS, self._unproved)

    def _start_again(self) -> None:
        """Nobody knows the other any more, and what was in flight will not be answered."""
        self._limit.cancel()
        self._secret, self._wants_data, self._options = None, False, EngineOptions()
        if self.paired:
            self.paired = False
            self._home.left(self)
        self._in_flight.fail()

    def _prove(self, told: Paired, secret: Secret) -> None:
        if not matches(told.proof, extension_proof(secret.text, self._nonce)):
            self._unproved()
            return
        self._limit.cancel()
        assert self.registration is not None
        self._secret = None
        self.key = self._credentials.proved(secret, told, self.registration.browser)
        self.paired = True
        self._home.arrived(self)

    def _unproved(self) -> None:
        self._credentials.failed()
        self._refuse(PairingFailed())

    def _refuse(self, error: OrynError) -> None:
        self._home.refused(error)
        self._send(Failed(error.message).frame)
        self._end(REFUSED, error.message)

    def _wait(self, seconds: float, then: Callable[[], object]) -> None:
        self._limit.cancel()
        self._limit = asyncio.get_running_loop().call_later(seconds, then)

    # --- commands ---

    async def ask(
        self,
        line: str,
        *,
        timeout: float,
        data: bool = False,
        options: EngineOptions = EngineOptions(),  # noqa: B008 - it never changes
        files: Mapping[str, bytes] | None = None,
    ) -> Reply:
        """Have a command done, and its answer within `timeout` seconds, with its data where that is wanted. `options`
        are its engine's, `files` those that it reads, by their names, of `GIVEN_LIMIT` bytes at most.

        Raises `BackendUnavailable` where it was not sent, and where it was and may have been done: `ConnectionLost`
        when the connection is lost or the browser says that it has begun anew, `Timeout` when nothing came."""
        pending = self._sent(line, data, options, files or {})
        try:
            async with asyncio.timeout(timeout):
                return await pending.answer
        except TimeoutError:
            raise Timeout(
                f"the browser did not answer within {timeout:g} s",
                "It may have been done: run 'observe' to see where the page stands.",
            ) from None
        finally:
            self._in_flight.forget(pending)

    def _sent(self, line: str, data: bool, options: EngineOptions, files: Mapping[str, bytes]) -> Pending:
        if not self.paired:
            raise BackendUnavailable("the browser is not connected")
        if len(line) > COMMAND_LIMIT - LONGEST_ID:
            raise UnexpectedInput(f"a line of {len(line)} characters", f"A browser takes {COMMAND_LIMIT} at most.")
        pending = self._in_flight.add()
        if data != self._wants_data:
            self._wants_data = data
            self._send(Answers(data).frame)
        if options != self._options:
            self._options = options
            self._send(options.frame)
        for name, content in files.items():
            self._send(File(pending.id, name, content).frame)
        self._send(Message(pending.id, line).frame)
        return pending

    # --- the end ---

    def end(self, code: int = 1001, reason: str = "") -> None:
        """Close the connection. Safe to call twice."""
        self._end(code, reason)

    def _end(self, code: int | None, reason: str) -> None:
        if self._ended:
            return
        self._ended = True
        self._start_again()
        if code is not None:
            self._close(code, reason)

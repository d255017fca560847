"""`Peer`: the server's end of one connection with an extension (docs/spec/extension-protocol.md), over any transport.

The owner of a connection creates a `Peer` with functions to send and to close, passes it each text frame
(`receive`), and reports the end of the connection (`on_lost`). Nothing that the extension sends raises: malformed
messages are ignored, or end the connection."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Protocol

from oryn.core.error_text import round_up_seconds
from oryn.errors import (
    BackendUnavailable,
    MalformedMessage,
    OrynError,
    PairingFailed,
    PairingRequired,
    Timeout,
    UnexpectedInput,
)
from oryn.extension_server.credentials import PairingSecret, ServerCredentials
from oryn.extension_server.messages import (
    ANSWER_LIMIT,
    COMMAND_LIMIT,
    Accepted,
    AnswerOptions,
    Cancel,
    Control,
    Data,
    EngineOptions,
    ExtensionRegistration,
    Failed,
    File,
    OfferedTools,
    Paired,
    Ping,
    PluginMessage,
    Pong,
    WireMessage,
    read_control,
    require_version,
)
from oryn.extension_server.pairing import CODE_SECONDS, constant_time_equal, extension_proof, new_nonce, server_proof
from oryn.extension_server.pending_commands import CommandReply, PendingCommand, PendingCommands

log = logging.getLogger(__name__)

REGISTER_SECONDS = 10.0
"""Limit for the registration."""
PROOF_SECONDS = 5.0
"""Limit for the extension's proof."""
MAX_ID_CHARACTERS = 20
"""Characters of a command's id and its colon."""
MAX_EARLY_MESSAGES = 1000
"""Messages before the pairing is complete."""

REFUSED, TOO_LARGE, REPLACED, SILENT, FLOOD = 4403, 1009, 4409, 4408, 4429
"""Close codes: the proof has failed, a message was too long, the same browser has connected again, an expected message
has not come, and too many messages came. https://www.rfc-editor.org/rfc/rfc6455#section-7.4.2"""


class PeerListener(Protocol):
    """Receives the events of a server's connections."""

    def on_arrived(self, peer: Peer) -> None:
        """An extension is paired."""

    def on_left(self, peer: Peer) -> None:
        """The connection to a paired extension has ended."""

    def on_refused(self, error: OrynError) -> None:
        """An extension was not accepted."""


class Peer:
    """One connection with an extension. Needs a running event loop."""

    def __init__(
        self,
        send: Callable[[str], None],
        close: Callable[[int, str], None],
        credentials: ServerCredentials,
        listener: PeerListener,
        first_id: int | None = None,
    ) -> None:
        """`send` sends a text frame, `close` ends the connection with a code and a reason; neither may raise.
        `first_id` is that of `PendingCommands`."""
        self._send = send
        self._close = close
        self._credentials = credentials
        self._listener = listener
        self._secret: PairingSecret | None = None
        self._nonce = ""
        self._pending = PendingCommands(first_id)
        self._wants_data = False
        self._options = EngineOptions()
        self._early = 0
        self._ended = False
        self.registration: ExtensionRegistration | None = None
        self.paired = False
        """Both ends have proved their identity: commands can be sent."""
        self.key: str | None = None
        """The id of the key that both ends have saved."""
        self.left_for_good = False
        """The user has ended the connection, so the extension does not reconnect."""
        self.offers_tools = False
        """Whether the page in front or the extension's hub has tools."""
        self.on_offer: Callable[[], object] | None = None
        """Called after each change of `offers_tools`."""
        self.on_plugin_message: Callable[[PluginMessage], object] | None = None
        """Receives the messages of the extension's hub to plugins of this server."""
        self._limit = asyncio.get_running_loop().call_later(REGISTER_SECONDS, self._end, SILENT, "no registration")

    @property
    def browser(self) -> str:
        """The browser in the registration, such as `Chrome/156.0.8078.79`; empty before it."""
        return self.registration.browser if self.registration else ""

    # --- messages of the extension ---

    def receive(self, frame: str) -> None:
        """Handle a text frame."""
        if self._ended:
            return
        self._early = 0 if self.paired else self._early + 1
        if self._early > MAX_EARLY_MESSAGES:
            self._end(FLOOD, "too many messages")
            return
        try:
            message = WireMessage.read(frame, ANSWER_LIMIT)
            if message.id:
                self._pending.answer(message)
            elif (control := read_control(message.content)) is not None:
                self._on_control(control)
        except MalformedMessage as error:
            log.info("from the extension: %s", error)
            if len(frame) > ANSWER_LIMIT:
                self._end(TOO_LARGE, error.message)
            elif not self.paired:
                self._refuse(error)

    def on_lost(self, *, meant: bool = False) -> None:
        """The connection has ended. `meant` says that the user has ended it."""
        self.left_for_good = meant
        self._end(None, "")

    def _on_control(self, control: Control) -> None:
        match control:
            case ExtensionRegistration():
                self._register(control)
            case Ping():
                self._send(Pong().frame)
            case Paired() if self._secret is not None and not self.paired:
                self._prove(control, self._secret)
            case Failed() if not self.paired and self._secret is not None:
                self._credentials.note_failure()
                self._listener.on_refused(PairingFailed())
                self._end(REFUSED, PairingFailed().message)
            case File() if self.paired:
                self._pending.take_file(control)
            case Data() if self.paired:
                self._pending.take_data(control)
            case OfferedTools() if self.paired:
                self.offers_tools = control.offered
                if self.on_offer is not None:
                    self.on_offer()
            case PluginMessage() if self.paired and self.on_plugin_message is not None:
                self.on_plugin_message(control)

    # --- pairing ---

    def _register(self, registration: ExtensionRegistration) -> None:
        self._reset()
        self.registration = registration
        try:
            require_version(registration.protocol)
            secret = self._credentials.secret_for(registration)
        except PairingRequired as error:
            # The connection stays open: the user may enter a code now, which the next registration uses.
            self._send(Failed(error.message).frame)
            self._listener.on_refused(error)
            self._wait(CODE_SECONDS, lambda: self._end(SILENT, "no registration"))
            return
        except OrynError as error:
            self._refuse(error)
            return
        assert registration.nonce is not None
        self._secret, self._nonce = secret, new_nonce()
        self._send(Accepted(server_proof(secret.text, registration.nonce), self._nonce, files=True).frame)
        self._wait(PROOF_SECONDS, self._unproved)

    def _reset(self) -> None:
        """Forget the pairing; commands in flight fail."""
        self._limit.cancel()
        self._secret, self._wants_data, self._options = None, False, EngineOptions()
        self.offers_tools = False
        if self.paired:
            self.paired = False
            self._listener.on_left(self)
        self._pending.fail()

    def _prove(self, paired: Paired, secret: PairingSecret) -> None:
        if not constant_time_equal(paired.proof, extension_proof(secret.text, self._nonce)):
            self._unproved()
            return
        self._limit.cancel()
        assert self.registration is not None
        self._secret = None
        self.key = self._credentials.confirm_pairing(secret, paired, self.registration.browser)
        self.paired = True
        self._listener.on_arrived(self)

    def _unproved(self) -> None:
        self._credentials.note_failure()
        self._refuse(PairingFailed())

    def _refuse(self, error: OrynError) -> None:
        self._listener.on_refused(error)
        self._send(Failed(error.message).frame)
        self._end(REFUSED, error.message)

    def _wait(self, seconds: float, then: Callable[[], object]) -> None:
        self._limit.cancel()
        self._limit = asyncio.get_running_loop().call_later(seconds, then)

    # --- commands ---

    async def request(
        self,
        line: str,
        *,
        timeout: float,
        data: bool = False,
        options: EngineOptions = EngineOptions(),  # noqa: B008 - it never changes
        files: Mapping[str, bytes] | None = None,
    ) -> CommandReply:
        """Run a command; its answer, with `data` if that is set. `options` are the engine's, `files` those that the
        command reads, by their names, of `FILE_LIMIT` bytes at most each.

        Raises `BackendUnavailable`, `UnexpectedInput` if it was not sent. If it was sent, and may have run: `Timeout`
        after `timeout` seconds without an answer, `ConnectionLost` if the connection is lost or the extension registers
        again. If the caller is cancelled, or has waited long enough, the command is cancelled in the browser."""
        pending = self._sent(line, data, options, files or {})
        try:
            async with asyncio.timeout(timeout):
                return await pending.answer
        except TimeoutError:
            self._cancel(pending)
            raise Timeout(
                f"the browser did not answer within {round_up_seconds(timeout):g} s",
                "It may have been done: run 'observe' to see the page's current state.",
            ) from None
        except asyncio.CancelledError:
            self._cancel(pending)
            raise
        finally:
            self._pending.forget(pending)

    def _cancel(self, pending: PendingCommand) -> None:
        if self.paired:
            self._send(Cancel(pending.id).frame)

    def _sent(self, line: str, data: bool, options: EngineOptions, files: Mapping[str, bytes]) -> PendingCommand:
        if not self.paired:
            raise BackendUnavailable("the browser is not connected")
        if len(line) > COMMAND_LIMIT - MAX_ID_CHARACTERS:
            raise UnexpectedInput(f"a line of {len(line)} characters", f"A browser takes {COMMAND_LIMIT} at most.")
        pending = self._pending.add()
        if data != self._wants_data:
            self._wants_data = data
            self._send(AnswerOptions(data).frame)
        if options != self._options:
            self._options = options
            self._send(options.frame)
        for name, content in files.items():
            for piece in File(pending.id, name, content).pieces():
                self._send(piece.frame)
        self._send(WireMessage(pending.id, line).frame)
        return pending

    def send_plugin_message(self, message: PluginMessage) -> None:
        """Send a message to the extension's hub. Does nothing if the extension is not paired."""
        if self.paired:
            self._send(message.frame)

    # --- closing ---

    def end(self, code: int = 1001, reason: str = "") -> None:
        """Close the connection. Idempotent. `code` is the WebSocket status, by default 1001, "going away" (RFC 6455
        §7.4.1)."""
        self._end(code, reason)

    def _end(self, code: int | None, reason: str) -> None:
        if self._ended:
            return
        self._ended = True
        self._reset()
        if code is not None:
            self._close(code, reason)

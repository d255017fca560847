"""`ReconnectingClient`: connects to the server that the user has chosen, and reconnects
(docs/spec/extension-protocol.md#reconnection).

It pairs by a code that the popup displays or by a saved key, and reconnects when the connection is lost: after 2 s,
then twice as long each time, 30 s at most. Its target state is saved, so that the worker continues with it after a
restart. `ExtensionConnection` is one WebSocket; time and sockets come from an `Environment`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from oryn.errors import EndpointNotAllowed, OrynError
from oryn.extension.environment import CommandReceiver, Environment, Timer
from oryn.extension.server_connection.connection import (
    REGISTER_AGAIN_SECONDS,
    ConnectionEnd,
    ExtensionConnection,
    ExtensionVersions,
    Handshake,
)
from oryn.extension.server_connection.endpoints import ServerEndpoint, read_endpoint, require_allowed
from oryn.extension.server_connection.plugins import ServerPlugins
from oryn.extension.storage import ExtensionStorage
from oryn.extension_server.messages import Accepted, Control, PluginMessage, WireMessage
from oryn.extension_server.pairing import PairingKey, PairingOffer

MIN_DELAY_SECONDS = 2.0
MAX_DELAY_SECONDS = 30.0


class Backoff:
    """The delay before each attempt to reconnect."""

    def __init__(self) -> None:
        self._next = MIN_DELAY_SECONDS

    def after_loss(self) -> float:
        """Seconds to wait now; the next delay is twice as long."""
        seconds, self._next = self._next, min(MAX_DELAY_SECONDS, 2 * self._next)
        return seconds

    def reset(self) -> None:
        """Start again with the shortest delay: a connection has succeeded, or the user wants one."""
        self._next = MIN_DELAY_SECONDS


ConnectionStatus = Literal["disconnected", "connecting", "pairing", "connected", "waiting"]
"""`pairing`: the user has not entered the code at the server yet; `waiting`: until the next attempt."""


class ReconnectingClient:
    """Keeps the connection that the user wants. `changed` is called after each change that the popup displays.
    `plugins` receives what the server sends to the hub; without it that is ignored."""

    def __init__(
        self,
        environment: Environment,
        storage: ExtensionStorage,
        versions: ExtensionVersions,
        commands: CommandReceiver,
        changed: Callable[[], object],
        plugins: ServerPlugins | None = None,
    ) -> None:
        self._plugins = plugins
        self._environment = environment
        self._storage = storage
        self._versions = versions
        self._commands = commands
        self._changed = changed
        self._backoff = Backoff()
        self._connection: ExtensionConnection | None = None
        self._retry: Timer | None = None
        self._expiry: Timer | None = None
        self._is_reconnect = False
        self._awaits_code = False
        self.wanted = False
        self.status: ConnectionStatus = "disconnected"
        self._saved_connected: bool | None = None
        """What is stored about being connected; None until this worker has stored it."""
        self.detail = ""
        """Why it is not connected, for the user."""
        self.endpoint: ServerEndpoint | None = None
        self.offer: PairingOffer | None = None
        """The code that the popup displays, if there is one."""
        self.retry_at: float | None = None

    # --- commands of the user and the browser ---

    def resume(self) -> None:
        """Continue after a restart of the worker, or connect at the start of the browser if the settings say so."""
        memory = self._storage.connection_state
        settings = self._storage.settings
        if not (settings.auto_connect if self._storage.wanted is None else self._storage.wanted):
            return
        try:
            self._is_reconnect = memory.get("again") is True
            if offer := memory.get("offer"):
                self._set_offer(PairingOffer.of(offer))
            self._begin(str(memory.get("endpoint") or settings.endpoint), is_new=not offer)
        except EndpointNotAllowed as error:
            self._give_up(error.message)
        except (KeyError, TypeError, ValueError):  # written by another version
            self._give_up("")

    def connect(self) -> None:
        """Connect to the endpoint of the settings; ends an earlier connection. Raises `EndpointNotAllowed`."""
        self._hang_up()
        self._is_reconnect = False
        self._begin_allowed()

    def new_code(self) -> None:
        """Display a new code, and connect with it. Raises `EndpointNotAllowed`."""
        self._hang_up()
        self._set_offer(PairingOffer.new(self._environment.now()))
        self._begin_allowed()

    def disconnect(self, detail: str = "") -> None:
        """End the connection; running commands are answered with an error."""
        self._hang_up()
        self._give_up(detail)

    def wake(self) -> None:
        """Reconnect if that is due. The browser's alarm calls it, because the timer may be lost."""
        if self.wanted and self._connection is None and self._environment.now() >= (self.retry_at or 0):
            self._open()

    def send(self, frame: str) -> None:
        """Send a message to the server, if one is connected."""
        if self._connection is not None and self._connection.paired:
            self._connection.send(frame)

    # --- connecting and disconnecting ---

    def _begin_allowed(self) -> None:
        try:
            self._begin(self._storage.settings.endpoint)
        except EndpointNotAllowed as error:
            self._give_up(error.message)
            raise

    def _begin(self, url: str, *, is_new: bool = True) -> None:
        """Start to connect; if it `is_new`, with a new code if the endpoint is not paired."""
        endpoint = read_endpoint(url)
        self.endpoint = endpoint
        require_allowed(endpoint, self._storage.settings.allowlist)
        if is_new and self._code() is None and endpoint.url not in self._storage.pairings:
            self._set_offer(PairingOffer.new(self._environment.now()))
        self.wanted = True
        self._backoff.reset()
        self._environment.alarm(True)
        self._save_state()
        self._open()

    def _open(self) -> None:
        assert self.endpoint is not None
        self._cancel_retry()
        url, offer = self.endpoint.url, self._code()
        pairing = None if offer else self._storage.pairings.get(url)
        if offer is None and pairing is None:
            self._give_up("the code has expired: connect again for a new one")
            return
        handshake = Handshake(self._versions, pairing.key if pairing else None, offer, again=self._is_reconnect)
        seconds = offer.expires - self._environment.now() if offer else 0.0
        try:
            self._connection = ExtensionConnection(
                self._environment, self.endpoint.socket_url, handshake, self, seconds
            )
        except OrynError as error:
            self._give_up(error.message)
            return
        self._set_status("pairing" if offer and self._awaits_code else "connecting")

    def _hang_up(self) -> None:
        """Close the connection on behalf of the user."""
        self._cancel_retry()
        self._awaits_code = False
        if self._connection is not None:
            if self._connection.paired:
                self._commands.stop()
            self._connection.close("disconnected by the user")
            self._connection = None
            self._withdraw_plugins()

    def _give_up(self, detail: str) -> None:
        """Stay disconnected until the user connects again."""
        self._cancel_retry()
        self._set_offer(None)
        self.wanted = self._is_reconnect = self._awaits_code = False
        self._environment.alarm(False)
        self._save_state()
        self._set_status("disconnected", detail)

    # --- `ConnectionOwner` ---

    async def save_pairing(self, key: PairingKey | None) -> None:
        assert self.endpoint is not None
        now, url = self._environment.now(), self.endpoint.url
        self._set_offer(None)
        self._is_reconnect = True
        if key is not None:
            await self._storage.save_pairing(url, key, now)
        else:
            await self._storage.mark_used(url, now)
        await self._storage.save_connection(self.wanted, self._connection_state())

    def on_paired(self, accepted: Accepted) -> None:
        self._backoff.reset()
        self._awaits_code = False
        self._commands.begin(files=accepted.files)
        if self._plugins is not None:
            self._plugins.begin()
        self._set_status("connected")

    def waiting(self) -> None:
        self._awaits_code = True
        self._set_status("pairing")

    def command(self, message: WireMessage) -> bool:
        return self._commands.receive(message)

    def on_control(self, control: Control) -> None:
        if not isinstance(control, PluginMessage):
            self._commands.on_control(control)
        elif self._plugins is not None:
            self._plugins.receive(control)

    def on_ended(self, end: ConnectionEnd) -> None:
        connection, self._connection = self._connection, None
        if connection is not None and connection.paired:
            self._commands.drop()
            self._withdraw_plugins()
        self._save_state()  # a wrong proof has used up a try
        has_key = self.endpoint is not None and self.endpoint.url in self._storage.pairings
        if end.cause == "version":
            self._give_up(end.detail)
        elif self._code() is None and not has_key:
            self._give_up(f"{end.detail}: the code is no longer valid, connect again for a new one")
        else:
            awaits_code = self._awaits_code and self._code() is not None
            self._try_later(REGISTER_AGAIN_SECONDS if awaits_code else self._backoff.after_loss(), end.detail)

    def _withdraw_plugins(self) -> None:
        if self._plugins is not None:
            self._plugins.withdraw()

    def _try_later(self, seconds: float, detail: str) -> None:
        self.retry_at = self._environment.now() + seconds
        self._retry = self._environment.later(seconds, self._open)
        self._set_status("waiting", detail)

    def _cancel_retry(self) -> None:
        self.retry_at = None
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None

    # --- the code ---

    def _code(self) -> PairingOffer | None:
        """The code, if it is still valid."""
        if self.offer is not None and not self.offer.is_valid(self._environment.now()):
            self._set_offer(None)
        return self.offer

    def _set_offer(self, offer: PairingOffer | None) -> None:
        self.offer = offer
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None
        if offer is not None:
            self._expiry = self._environment.later(max(0.0, offer.expires - self._environment.now()), self._expire)

    def _expire(self) -> None:
        """The code has expired: continue with the saved key, if there is one."""
        self._set_offer(None)
        if self._connection is not None:
            self._connection.close("the code has expired")
            self._connection = None
            self._withdraw_plugins()
        self._awaits_code = False
        if self.wanted:
            self._open()

    # --- the displayed and the saved state ---

    def _set_status(self, status: ConnectionStatus, detail: str = "") -> None:
        self.status, self.detail = status, detail
        if (is_connected := status == "connected") != self._saved_connected:
            self._saved_connected = is_connected
            self._environment.spawn(self._storage.save_connected(is_connected))
        self._changed()

    def _connection_state(self) -> dict[str, Any]:
        return {
            "endpoint": self.endpoint.url if self.endpoint else None,
            "again": self._is_reconnect,
            "offer": self.offer.data() if self.offer else None,
        }

    def _save_state(self) -> None:
        self._environment.spawn(self._storage.save_connection(self.wanted, self._connection_state()))

"""`Connection`: the user's wish to be connected, and what becomes of it (seed 000 §5.3, §5.8).

Connects, pairs by a code that the popup shows or by a kept key, and connects again whenever a link is lost: after 2 s,
then twice as long each time, 30 s at most. What it wants is written down, so that the next life of the worker goes on
with it. `Link` is one WebSocket; time and sockets come from a `World`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from oryn.errors import EndpointNotAllowed, OrynError
from oryn.extension.backoff import Backoff
from oryn.extension.endpoints import Endpoint, read_endpoint, require_allowed
from oryn.extension.greeting import Greeting, Versions
from oryn.extension.link import ASK_AGAIN_SECONDS, End, Link
from oryn.extension.stored import Stored
from oryn.extension.world import Commands, Timer, World
from oryn.remote.control import Control
from oryn.remote.messages import Accepted, Message
from oryn.remote.pairing import Key, Offer

Status = Literal["disconnected", "connecting", "pairing", "connected", "waiting"]
"""`pairing`: the server has yet to be given the code; `waiting`: until the connection is tried again."""


class Connection:
    """`changed` is called whenever something is another that the popup shows."""

    def __init__(
        self, world: World, stored: Stored, versions: Versions, commands: Commands, changed: Callable[[], object]
    ) -> None:
        self._world = world
        self._stored = stored
        self._versions = versions
        self._commands = commands
        self._changed = changed
        self._backoff = Backoff()
        self._link: Link | None = None
        self._retry: Timer | None = None
        self._expiry: Timer | None = None
        self._again = False
        self._asks = False
        self.wanted = False
        self.status: Status = "disconnected"
        self.detail = ""
        """Why it is not connected, for the user."""
        self.endpoint: Endpoint | None = None
        self.offer: Offer | None = None
        """The code that is shown, while one is."""
        self.retry_at: float | None = None

    # --- what the user and the browser ask ---

    def resume(self) -> None:
        """The worker has started: go on where the one before it was, or connect where the user wants that always."""
        memory = self._stored.memory
        settings = self._stored.settings
        if not (settings.auto_connect if self._stored.wanted is None else self._stored.wanted):
            return
        try:
            self._again = memory.get("again") is True
            if offer := memory.get("offer"):
                self._show(Offer.of(offer))
            self._begin(str(memory.get("endpoint") or settings.endpoint), is_new=not offer)
        except EndpointNotAllowed as error:
            self._give_up(error.message)
        except (KeyError, TypeError, ValueError):  # written by another version
            self._give_up("")

    def connect(self) -> None:
        """Connect to the endpoint of the settings, anew where it is connected. Raises `EndpointNotAllowed`."""
        self._hang_up()
        self._again = False
        self._begin_allowed()

    def new_code(self) -> None:
        """Show a new code, and connect for it. Raises `EndpointNotAllowed`."""
        self._hang_up()
        self._show(Offer.new(self._world.now()))
        self._begin_allowed()

    def disconnect(self, detail: str = "") -> None:
        """The user wants no connection; what runs is answered with an error."""
        self._hang_up()
        self._give_up(detail)

    def wake(self) -> None:
        """The browser's alarm: try again where that is due, whatever has become of the timer."""
        if self.wanted and self._link is None and self._world.now() >= (self.retry_at or 0):
            self._open()

    def send(self, frame: str) -> None:
        """Send a message to the server, if one is connected."""
        if self._link is not None and self._link.paired:
            self._link.send(frame)

    # --- beginning and ending ---

    def _begin_allowed(self) -> None:
        try:
            self._begin(self._stored.settings.endpoint)
        except EndpointNotAllowed as error:
            self._give_up(error.message)
            raise

    def _begin(self, url: str, *, is_new: bool = True) -> None:
        """Begin to connect; one that `is_new` gets a code where it needs one."""
        endpoint = read_endpoint(url)
        self.endpoint = endpoint
        require_allowed(endpoint, self._stored.settings.allowlist)
        if is_new and self._code() is None and endpoint.url not in self._stored.pairings:
            self._show(Offer.new(self._world.now()))
        self.wanted = True
        self._backoff.reset()
        self._world.alarm(True)
        self._remember()
        self._open()

    def _open(self) -> None:
        assert self.endpoint is not None
        self._cancel_retry()
        url, offer = self.endpoint.url, self._code()
        pairing = None if offer else self._stored.pairings.get(url)
        if offer is None and pairing is None:
            self._give_up("the code has expired: connect again for a new one")
            return
        greeting = Greeting(self._versions, pairing.key if pairing else None, offer, again=self._again)
        seconds = offer.expires - self._world.now() if offer else 0.0
        try:
            self._link = Link(self._world, self.endpoint.socket_url, greeting, self, seconds)
        except OrynError as error:
            self._give_up(error.message)
            return
        self._tell("pairing" if offer and self._asks else "connecting")

    def _hang_up(self) -> None:
        """End the link as a user does who wants another or none."""
        self._cancel_retry()
        self._asks = False
        if self._link is not None:
            if self._link.paired:
                self._commands.stop()
            self._link.close("disconnected by the user")
            self._link = None

    def _give_up(self, detail: str) -> None:
        """Want no connection any more, until the user does."""
        self._cancel_retry()
        self._show(None)
        self.wanted = self._again = self._asks = False
        self._world.alarm(False)
        self._remember()
        self._tell("disconnected", detail)

    # --- what the link tells ---

    async def keep(self, key: Key | None) -> None:
        assert self.endpoint is not None
        now, url = self._world.now(), self.endpoint.url
        self._show(None)
        self._again = True
        if key is not None:
            await self._stored.keep(url, key, now)
        else:
            await self._stored.used(url, now)
        await self._stored.remember(self.wanted, self._memory())

    def paired(self, accepted: Accepted) -> None:
        self._backoff.reset()
        self._asks = False
        self._commands.begin(files=accepted.files)
        self._tell("connected")

    def waiting(self) -> None:
        self._asks = True
        self._tell("pairing")

    def command(self, message: Message) -> bool:
        return self._commands.receive(message)

    def told(self, control: Control) -> None:
        self._commands.hear(control)

    def ended(self, end: End) -> None:
        link, self._link = self._link, None
        if link is not None and link.paired:
            self._commands.drop()
        self._remember()  # a wrong proof has cost a try
        has_key = self.endpoint is not None and self.endpoint.url in self._stored.pairings
        if end.cause == "version":
            self._give_up(end.detail)
        elif self._code() is None and not has_key:
            self._give_up(f"{end.detail}: the code is void, connect again for a new one")
        else:
            asked = self._asks and self._code() is not None
            self._try_later(ASK_AGAIN_SECONDS if asked else self._backoff.after_loss(), end.detail)

    def _try_later(self, seconds: float, detail: str) -> None:
        self.retry_at = self._world.now() + seconds
        self._retry = self._world.later(seconds, self._open)
        self._tell("waiting", detail)

    def _cancel_retry(self) -> None:
        self.retry_at = None
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None

    # --- the code ---

    def _code(self) -> Offer | None:
        """The offer, while it holds."""
        if self.offer is not None and not self.offer.holds(self._world.now()):
            self._show(None)
        return self.offer

    def _show(self, offer: Offer | None) -> None:
        self.offer = offer
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None
        if offer is not None:
            self._expiry = self._world.later(max(0.0, offer.expires - self._world.now()), self._expire)

    def _expire(self) -> None:
        """Nobody has used the code in time: the key goes on, where there is one."""
        self._show(None)
        if self._link is not None:
            self._link.close("the code has expired")
            self._link = None
        self._asks = False
        if self.wanted:
            self._open()

    # --- what is told and kept ---

    def _tell(self, status: Status, detail: str = "") -> None:
        self.status, self.detail = status, detail
        self._changed()

    def _memory(self) -> dict[str, Any]:
        return {
            "endpoint": self.endpoint.url if self.endpoint else None,
            "again": self._again,
            "offer": self.offer.data() if self.offer else None,
        }

    def _remember(self) -> None:
        self._world.spawn(self._stored.remember(self.wanted, self._memory()))

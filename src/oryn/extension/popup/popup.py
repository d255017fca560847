"""The popup: handles the user's commands from it (and from the banner's button), and publishes the whole state to it,
as JSON, whenever something has changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from oryn.errors import EndpointNotAllowed, InvalidValue
from oryn.extension.environment import Environment, Timer
from oryn.extension.popup.activity import CommandActivity
from oryn.extension.server_connection.client import ReconnectingClient
from oryn.extension.server_connection.endpoints import read_endpoint, read_origin, require_allowed
from oryn.extension.storage import ExtensionStorage

REVOKED = "its pairing was revoked"
STOPPED = "stopped"
MOVED = "the server's address was changed"


class PopupCommands:
    """Handles the commands about the connection and the settings; `changed` is called after each."""

    def __init__(
        self, connection: ReconnectingClient, storage: ExtensionStorage, changed: Callable[[], object]
    ) -> None:
        self._connection = connection
        self._storage = storage
        self._changed = changed

    async def handle(self, message: Any) -> None:
        """Handle a message of the popup. Raises an `OrynError` if it can't be done."""
        match message:
            case {"type": "connect"}:
                self._connection.connect()
            case {"type": "disconnect"}:
                self._connection.disconnect()
            case {"type": "stop"}:
                self._connection.disconnect(STOPPED)
            case {"type": "new_code"}:
                self._connection.new_code()
            case {"type": "settings", "changes": Mapping() as changes}:
                await self._change_settings(changes)
            case {"type": "revoke", "endpoint": str(url)}:
                await self._revoke(url)
            case {"type": "allow", "endpoint": str(url)}:
                await self._change_settings({"allowlist": [*self._storage.settings.allowlist, read_origin(url)]})
            case _:
                raise InvalidValue("this version does not support the popup's request")
        self._changed()

    async def _change_settings(self, changes: Mapping[str, Any]) -> None:
        await self._storage.change(changes)
        self.check_connection()

    def check_connection(self) -> None:
        """End a connection that the settings no longer allow."""
        endpoint = self._connection.endpoint
        if not self._connection.wanted or endpoint is None:
            return
        settings = self._storage.settings
        try:
            require_allowed(endpoint, settings.allowlist)
        except EndpointNotAllowed as error:
            self._connection.disconnect(error.message)
        else:
            if endpoint != read_endpoint(settings.endpoint):
                self._connection.disconnect(MOVED)

    async def _revoke(self, url: str) -> None:
        await self._storage.revoke(url)
        endpoint = self._connection.endpoint
        if self._connection.wanted and endpoint is not None and endpoint.url == url:
            self._connection.disconnect(REVOKED)


MIN_UPDATE_SECONDS = 0.1
"""The least time between two published states."""

State = dict[str, Any]


def popup_state(
    connection: ReconnectingClient,
    storage: ExtensionStorage,
    activity: CommandActivity,
    engine: State,
    controlled: Sequence[State],
) -> State:
    """The state as JSON data. Times are epoch milliseconds. `endpoint` is that of the connection, or of the
    settings."""
    endpoint = connection.endpoint if connection.wanted else None
    endpoint = endpoint or read_endpoint(storage.settings.endpoint)
    offer = connection.offer
    return {
        "type": "state",
        "status": connection.status,
        "detail": connection.detail,
        "endpoint": endpoint.url,
        "code": offer.code if offer else None,
        "code_expires": _milliseconds(offer.expires) if offer else None,
        "retry_at": _milliseconds(connection.retry_at),
        "settings": {**storage.settings.values(), "allowlist": list(storage.settings.allowlist)},
        "paired": [
            {"endpoint": url, "since": _milliseconds(each.since), "last_used": _milliseconds(each.last_used)}
            for url, each in storage.pairings.items()
        ],
        "activity": activity.data(),
        "engine": engine,
        "warning": endpoint.warning,
        "controlled": list(controlled),
    }


def _milliseconds(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1000)


class Popups:
    """Publishes the state to the open popups. `post` sends a message through a port, `state` returns the state."""

    def __init__(
        self, environment: Environment, post: Callable[[int, State], None], state: Callable[[], State]
    ) -> None:
        self._environment = environment
        self._post = post
        self._state = state
        self._ports: set[int] = set()
        self._ready = False
        self._timer: Timer | None = None
        self._last_update = 0.0

    def ready(self) -> None:
        """The state is complete: publish it from now on."""
        self._ready = True
        self._publish()

    def on_opened(self, port: int) -> None:
        """A popup was opened: send it the state."""
        self._ports.add(port)
        if self._ready:
            self._post(port, self._state())

    def on_closed(self, port: int) -> None:
        """A popup was closed."""
        self._ports.discard(port)

    def refuse(self, port: int, message: str) -> None:
        """Report to a popup why its command was refused."""
        if port in self._ports:
            self._post(port, {"type": "refused", "message": message})

    def on_changed(self) -> None:
        """Publish the state: at once, or as soon as `MIN_UPDATE_SECONDS` have passed since the last time."""
        if self._ready and self._ports and self._timer is None:
            seconds = max(0.0, self._last_update + MIN_UPDATE_SECONDS - self._environment.now())
            self._timer = self._environment.later(min(seconds, MIN_UPDATE_SECONDS), self._publish)

    def _publish(self) -> None:
        self._timer = None
        self._last_update = self._environment.now()
        if self._ports:
            state = self._state()
            for port in tuple(self._ports):
                self._post(port, state)

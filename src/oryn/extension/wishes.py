"""`Wishes`: what the user asks of the extension in its popup, or with the button on a page that is under control."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from oryn.errors import EndpointNotAllowed, InvalidValue
from oryn.extension.connection import Connection
from oryn.extension.endpoints import read_endpoint, read_origin, require_allowed
from oryn.extension.stored import Stored

REVOKED = "its pairing was revoked"
STOPPED = "stopped"
MOVED = "the address is another"


class Wishes:
    """`changed` is called when one is fulfilled."""

    def __init__(self, connection: Connection, stored: Stored, changed: Callable[[], object]) -> None:
        self._connection = connection
        self._stored = stored
        self._changed = changed

    async def fulfil(self, message: Any) -> None:
        """Do what a message of the popup says. Raises an `OrynError` where that is not done."""
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
                await self._set(changes)
            case {"type": "revoke", "endpoint": str(url)}:
                await self._revoke(url)
            case {"type": "allow", "endpoint": str(url)}:
                await self._set({"allowlist": [*self._stored.settings.allowlist, read_origin(url)]})
            case _:
                raise InvalidValue("the popup asks for something that this version does not know")
        self._changed()

    async def _set(self, changes: Mapping[str, Any]) -> None:
        await self._stored.change(changes)
        self.check()

    def check(self) -> None:
        """End a connection that the settings do not want any more."""
        endpoint = self._connection.endpoint
        if not self._connection.wanted or endpoint is None:
            return
        settings = self._stored.settings
        try:
            require_allowed(endpoint, settings.allowlist)
        except EndpointNotAllowed as error:
            self._connection.disconnect(error.message)
        else:
            if endpoint != read_endpoint(settings.endpoint):
                self._connection.disconnect(MOVED)

    async def _revoke(self, url: str) -> None:
        await self._stored.revoke(url)
        endpoint = self._connection.endpoint
        if self._connection.wanted and endpoint is not None and endpoint.url == url:
            self._connection.disconnect(REVOKED)

"""Mode "remote": a WebSocket server of our own, to which the extension in a browser connects (seed 000 §4.4)."""

from __future__ import annotations

import asyncio
import logging
from contextlib import AsyncExitStack

from oryn.engine.options import Options
from oryn.errors import (
    BackendUnavailable,
    ConnectionLost,
    NotConnected,
    OrynError,
    PairingFailed,
    PairingRequired,
    ProtocolMismatch,
)
from oryn.paths import find
from oryn.remote.credentials import Credentials
from oryn.remote.extensions import Extensions
from oryn.remote.keys import Keys
from oryn.remote.listening import Address, listening
from oryn.remote.peer import Peer
from oryn.sessions.remote import RemoteSession

# The program that uses this library decides where its logs go; without this, Python would write warnings to its
# standard error. https://docs.python.org/3/howto/logging.html#configuring-logging-for-a-library
logging.getLogger("oryn").addHandler(logging.NullHandler())


class RemoteBrowser:
    """The browser that connects to `port`. `pair` is the code that its extension shows, needed once."""

    def __init__(self, port: int = 8080, pair: str | None = None) -> None:
        self._address = Address(port)
        self._pair = pair
        self._credentials: Credentials | None = None
        self._server = AsyncExitStack()
        self._session: RemoteSession | None = None

    async def connect(self, session: str | None) -> None:
        """Listen, and wait until a browser has connected. Raises `ConfigurationError`, `InvalidValue` for what is no
        code, and why a browser that came was not let in: `PairingRequired`, `PairingFailed`, `ProtocolMismatch`."""
        name = session or "default"
        if self._credentials is None:  # once: a code is spent by the first browser that comes with it
            self._credentials = Credentials(Keys(find().remote_keys), self._pair)
        coming = _Coming(name, self._credentials)
        await self._server.enter_async_context(listening(self._address, self._credentials, coming))
        self._server.callback(coming.end)
        self._session = RemoteSession(name, Options(), lambda: coming.named(name))
        await coming.first

    async def ask(self, line: str) -> str:
        """The answer to a line. A browser that is gone is waited for, as long as the command may take. Raises
        `ConnectionLost` where it goes meanwhile, `BackendUnavailable` where it does not come."""
        if self._session is None:
            raise NotConnected("the client was closed")
        answer = await self._session.execute(line)
        if isinstance(answer.error, ConnectionLost | BackendUnavailable):
            raise answer.error
        return answer.render()

    async def close(self) -> None:
        """End the connections and the server. What is under way fails."""
        self._session = None
        await self._server.aclose()


class _Coming(Extensions):
    """`first` is done when the first browser is there, or is refused in a way that will not mend by itself."""

    def __init__(self, name: str, credentials: Credentials) -> None:
        super().__init__(name, waits=True, advice="Press Connect in the Oryn extension.")
        self._credentials = credentials
        self.first: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def arrived(self, peer: Peer) -> None:
        super().arrived(peer)
        if not self.first.done():
            self.first.set_result(None)

    def refused(self, error: OrynError) -> None:
        super().refused(error)
        if not self.first.done() and (why := self._final(error)):
            self.first.set_exception(why)

    def _final(self, error: OrynError) -> OrynError | None:
        if isinstance(error, PairingRequired):
            # One that names a key that is lost here comes again without it, and then the code counts.
            advice = "Give the code that the extension's popup shows: Oryn('remote', pair=CODE)."
            return None if self._credentials.has_code else PairingRequired(hint=advice)
        return error if isinstance(error, PairingFailed | ProtocolMismatch) else None

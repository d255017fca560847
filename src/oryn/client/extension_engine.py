"""Mode "remote": runs a WebSocket server to which the extension in a browser connects
(docs/spec/extension-protocol.md)."""

from __future__ import annotations

import asyncio
import logging
from contextlib import AsyncExitStack

from oryn.engine import Answer, Session
from oryn.engine.options import Options
from oryn.errors import (
    BackendUnavailable,
    ConnectionLost,
    LanguageError,
    NotConnected,
    OrynError,
    PairingFailed,
    PairingRequired,
    ProtocolMismatch,
)
from oryn.extension_server.credentials import ServerCredentials
from oryn.extension_server.extensions import Extensions
from oryn.extension_server.keys import KeyStore
from oryn.extension_server.peer import Peer
from oryn.extension_server.server import Address, serve_extensions
from oryn.language.json_codec import is_request, line_of_request
from oryn.sessions.extension.session import extension_session
from oryn.system.paths import find

# The program that uses this library decides where its logs go. Without this, Python would write warnings to its
# standard error. https://docs.python.org/3/howto/logging.html#configuring-logging-for-a-library
logging.getLogger("oryn").addHandler(logging.NullHandler())


class ExtensionEngine:
    """The browser that connects to `port`. `pair` is the code that its extension shows, needed once."""

    def __init__(self, port: int = 8080, pair: str | None = None) -> None:
        self._address = Address(port)
        self._pair = pair
        self._credentials: ServerCredentials | None = None
        self._server = AsyncExitStack()
        self._session: Session | None = None

    async def connect(self, session: str | None) -> None:
        """Listen, and wait until a browser has connected.

        Raises `ConfigurationError`, `InvalidValue` for an invalid code, and the reason why a browser was rejected:
        `PairingRequired`, `PairingFailed`, `ProtocolMismatch`."""
        name = session or "default"
        if self._credentials is None:  # once: the first browser to pair uses up the code
            self._credentials = ServerCredentials(KeyStore(find().remote_keys), self._pair)
        coming = _AwaitedExtensions(name, self._credentials)
        await self._server.enter_async_context(serve_extensions(self._address, self._credentials, coming))
        self._server.callback(coming.end)
        self._session = extension_session(name, Options(), lambda: coming.named(name))
        await coming.first

    async def ask(self, line: str) -> str:
        """Send a line and return the answer. If the browser has disconnected, wait for it as long as the command may
        take.

        Raises `ConnectionLost` if the browser disconnects meanwhile, `BackendUnavailable` if it does not connect,
        `NotConnected` after `close`."""
        if self._session is None:
            raise NotConnected("the client was closed")
        answer = await self._execute(self._session, line)
        if isinstance(answer.error, ConnectionLost | BackendUnavailable):
            raise answer.error
        return answer.render()

    async def _execute(self, session: Session, line: str) -> Answer:
        """Run a line, or a request in its place."""
        if not is_request(line):
            return await session.execute(line)
        try:
            answer = await session.execute(line_of_request(line), json=True)
        except LanguageError as error:
            answer = Answer(command="request", error=error)  # the request may contain a secret
        answer.json, answer.record = False, True
        return answer

    async def close(self) -> None:
        """End the connections and the server. Commands in progress fail."""
        self._session = None
        await self._server.aclose()


class _AwaitedExtensions(Extensions):
    """Connected extensions. `first` is done when the first browser has connected, or was rejected for a reason that
    retrying does not remove."""

    def __init__(self, name: str, credentials: ServerCredentials) -> None:
        super().__init__(name, waits=True, advice="Press Connect in the Oryn extension.")
        self._credentials = credentials
        self.first: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def on_arrived(self, peer: Peer) -> None:
        super().on_arrived(peer)
        if not self.first.done():
            self.first.set_result(None)

    def on_refused(self, error: OrynError) -> None:
        super().on_refused(error)
        if not self.first.done() and (why := self._final(error)):
            self.first.set_exception(why)

    def _final(self, error: OrynError) -> OrynError | None:
        if isinstance(error, PairingRequired):
            # A browser with a key that is lost here connects again without it; then the code counts.
            advice = "Give the code that the extension's popup shows: Oryn('remote', pair=CODE)."
            return None if self._credentials.has_code else PairingRequired(hint=advice)
        return error if isinstance(error, PairingFailed | ProtocolMismatch) else None

"""`oryn remote`: sessions in the user's own browsers, which connect to this process
(docs/spec/extension-protocol.md)."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from oryn.core.records import Record
from oryn.errors import NotSupported
from oryn.extension_server.credentials import ServerCredentials
from oryn.extension_server.extensions import Extension, Extensions
from oryn.extension_server.keys import KeyStore
from oryn.extension_server.server import Address, serve_extensions
from oryn.hosts.session_factory import apply_limits, close_sessions, remote_session
from oryn.plugins.registry import InstalledPlugins

if TYPE_CHECKING:
    from oryn.engine import Session
    from oryn.sessions.sessions import Sessions
    from oryn.settings import Configuration

ENGINE = "oryn-r"


class ListenOptions(Record):
    """Where browsers connect: the address, and the pairing code that one of them shows."""

    address: Address
    code: str | None = None


def run(configuration: Configuration, serving: ListenOptions) -> int:
    """Serve until the end, with a prompt on a terminal, else the line protocol; return the exit code.

    Raises `ConfigurationError`, `InvalidValue` for an invalid code."""
    opener = open_remote_sessions(configuration, serving)
    if sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty():
        from oryn.hosts.prompt import converse

        return asyncio.run(converse(configuration, opener, ENGINE))
    from oryn.hosts.line_protocol import converse as speak

    return asyncio.run(speak(opener, ENGINE))


@asynccontextmanager
async def open_remote_sessions(configuration: Configuration, serving: ListenOptions) -> AsyncIterator[Sessions]:
    """The sessions of the browsers that connect; they and the connections are closed at the block's end.

    The first session has the name in the settings. The others are added when their browsers connect."""
    from oryn.sessions.sessions import Sessions

    extensions = Extensions(configuration.settings.session, waits=True, plugins=InstalledPlugins())
    credentials = ServerCredentials(KeyStore(configuration.paths.remote_keys), serving.code)
    first = remote_session(configuration, configuration.settings.session, lambda: next(iter(extensions)))
    sessions = Sessions(_reject_new_session, first, configuration.paths)
    apply_limits(sessions, configuration.settings)

    def connected(extension: Extension) -> None:
        if sessions.get(extension.name) is None:
            sessions.add(remote_session(configuration, extension.name, lambda: extension))

    extensions.connected = connected
    async with serve_extensions(serving.address, credentials, extensions) as url:
        extensions.advice = (
            f"Press Connect in the Oryn extension, whose endpoint is {url}; give the code that it shows with "
            "'oryn remote --pair CODE'."
        )
        # For a person; the URL includes the port if any free one was chosen.
        sys.stderr.write(f"# the extension connects to {url}\n")
        sys.stderr.flush()
        sessions.launch(asyncio.create_task(_nothing_to_start()))
        try:
            yield sessions
        finally:
            extensions.end()
            await close_sessions(sessions)


async def _nothing_to_start() -> None:
    """Start nothing: the browser runs already, and connects when its user wants."""


def _reject_new_session(name: str, settings: Mapping[str, Any]) -> Session:
    raise NotSupported("a session of this mode starts when its browser connects", "'sessions' lists those there are.")

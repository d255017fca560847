"""`oryn remote`: sessions in the user's own browsers, which connect to this process (seed 000 §5)."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from oryn.errors import ConfigurationError, NotSupported
from oryn.host.opening import close, hold, options_of
from oryn.records import Record
from oryn.remote.credentials import Credentials
from oryn.remote.extensions import Extension, Extensions
from oryn.remote.keys import Keys
from oryn.remote.listening import Address, listening

if TYPE_CHECKING:
    from oryn.engine import Session
    from oryn.sessions.sessions import Sessions
    from oryn.settings import Configuration

ENGINE = "oryn-r"

_UNENFORCED = ("allowed_domains", "denied_domains")
"""Limits of what a browser requests, which holds nothing but one that the host starts."""

_OF_STARTED = (
    "attachable",
    "browser",
    "browser_url",
    "cache",
    "certificate_pins",
    "client_certificate",
    "client_certificate_origins",
    "downloads",
    "extensions",
    "headful",
    "ignore_certificate_errors",
    "profile",
    "proxy",
    "proxy_bypass",
    "viewport",
)
"""Settings of a browser that the host starts."""


class Serving(Record):
    """How browsers come: to which address, and the code that one of them shows."""

    address: Address
    code: str | None = None


def run(configuration: Configuration, serving: Serving) -> int:
    """Serve until the end: a prompt on a terminal, else the line protocol; the exit code. Raises `ConfigurationError`,
    `InvalidValue` for what is no code."""
    opening = opened(configuration, serving)
    if sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty():
        from oryn.host.prompt import converse

        return asyncio.run(converse(configuration, opening, ENGINE))
    from oryn.host.line_protocol import converse as speak

    return asyncio.run(speak(opening, ENGINE))


@asynccontextmanager
async def opened(configuration: Configuration, serving: Serving) -> AsyncIterator[Sessions]:
    """The sessions of the browsers that connect: the first has the name in the settings, the others come as their
    browsers do. They end with the block, and the connections too."""
    from oryn.sessions.sessions import Sessions

    extensions = Extensions(configuration.settings.session, waits=True)
    credentials = Credentials(Keys(configuration.paths.remote_keys), serving.code)
    first = session_in(configuration, configuration.settings.session, lambda: next(iter(extensions)))
    sessions = Sessions(_none_new, first, configuration.paths)
    hold(sessions, configuration.settings)

    def connected(extension: Extension) -> None:
        if sessions.get(extension.name) is None:
            sessions.add(session_in(configuration, extension.name, lambda: extension))

    extensions.connected = connected
    async with listening(serving.address, credentials, extensions) as url:
        extensions.advice = _advice(url)
        _tell(url)
        sessions.launch(asyncio.create_task(_begun()))
        try:
            yield sessions
        finally:
            extensions.end()
            await close(sessions)


async def _begun() -> None:
    """There is nothing to start: the browser runs, and comes when its user wants."""


def _none_new(name: str, settings: Mapping[str, Any]) -> Session:
    raise NotSupported("a session of this mode begins when its browser connects", "'sessions' lists those there are.")


def _advice(url: str) -> str:
    return (
        f"Press Connect in the Oryn extension, whose endpoint is {url}; give the code that it shows with "
        "'oryn remote --pair CODE'."
    )


def _tell(url: str) -> None:
    """On standard error, for a person; also the port, where any was asked for."""
    sys.stderr.write(f"# the extension connects to {url}\n")
    sys.stderr.flush()


def session_in(
    configuration: Configuration,
    name: str,
    extension: Callable[[], Extension],
    *,
    given: Mapping[str, Any] | None = None,
    data: bool = False,
) -> Session:
    """A session in a user's own browser. Raises `ConfigurationError` for limits that can't be held there, and for
    settings `given` for it that are another browser's."""
    from oryn.sessions.remote import RemoteSession

    for setting in _UNENFORCED:
        if getattr(configuration.settings, setting) is not None:
            raise ConfigurationError(
                f"{setting} can't be held in the user's own browser, whose requests no host sees",
                "Leave the setting out, or use a headless session; read_only and confirm hold in both.",
            )
    if wrong := [setting for setting in _OF_STARTED if setting in (given or {})]:
        raise ConfigurationError(
            f"{wrong[0]} is for a browser that is started, and the user's own runs already", "Leave the setting out."
        )
    session = RemoteSession(name, options_of(configuration, name), extension, data=data)
    session.json = configuration.settings.output == "json"
    return session

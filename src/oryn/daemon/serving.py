"""From settings to a daemon that answers, on loopback and on a socket in the user's own folder, until it is ended."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING

import uvicorn

from oryn.browsers.cdp.cleanup import clean
from oryn.daemon.app import app_of
from oryn.daemon.connections import LARGEST_HEAD, Connection, WebSocketConnection
from oryn.daemon.daemon import Daemon
from oryn.daemon.lifecycle import Place, tell_ready
from oryn.daemon.listening import on_port, on_socket
from oryn.host.signals import handled
from oryn.remote.messages import ANSWER_LIMIT
from oryn.sessions.registry import running

if TYPE_CHECKING:
    from oryn.paths import Paths
    from oryn.settings import Configuration

log = logging.getLogger(__name__)

_ANSWERS_SECONDS = 2
"""How long answers may take to be sent when the daemon ends."""
_KEPT_SECONDS = 75
"""How long a connection without a request stays, so that a client may send the next one over it."""


class Server(uvicorn.Server):
    """uvicorn's, which leaves signals to us."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def serve(configuration: Configuration) -> int:
    """Serve until a signal, `oryn daemon stop`, or nothing was to do for long; returns the exit code.

    Raises `DaemonFailed` where another daemon runs or the port is taken."""
    place = Place(configuration.paths)
    with place.claimed():
        return asyncio.run(_serve(configuration, place))


async def _serve(configuration: Configuration, place: Place) -> int:
    daemon = Daemon(configuration)
    with handled(lambda number: daemon.stop(f"signal {number}"), "SIGTERM", "SIGINT", "SIGHUP"):
        port, own = on_port(configuration), on_socket(place.socket)
        daemon.port, daemon.socket = port.getsockname()[1], str(own[1]) if own else None
        daemon.door.listens_at(daemon.port)
        server = _server(daemon)
        serving = asyncio.create_task(server.serve(sockets=[port, own[0]] if own else [port]))
        cleaning = asyncio.create_task(asyncio.to_thread(_clean, configuration.paths))
        try:
            place.tell(port=daemon.port, socket=own[1] if own else None)
            tell_ready(daemon.port)
            log.info("listening on 127.0.0.1:%s and %s", daemon.port, daemon.socket)
            stopped = asyncio.create_task(daemon.stopped())
            await asyncio.wait([serving, stopped], return_when=asyncio.FIRST_COMPLETED)
        finally:
            place.leave()
            await daemon.end_commands()
            server.should_exit = True
            await asyncio.gather(serving, daemon.close(), cleaning)
    return 0


def _clean(paths: Paths) -> None:
    """Remove what processes that were killed have left: browsers and their folders, entries of sessions."""
    clean(paths.runtime)
    for _ in running(paths.sessions):
        pass  # looking at the list is what removes the dead ones


def _server(daemon: Daemon) -> Server:
    config = uvicorn.Config(
        app_of(daemon),
        http=Connection,
        ws=WebSocketConnection,
        ws_max_size=ANSWER_LIMIT,
        h11_max_incomplete_event_size=LARGEST_HEAD,
        timeout_keep_alive=_KEPT_SECONDS,
        timeout_graceful_shutdown=_ANSWERS_SECONDS,
        log_config=None,
        access_log=False,
        lifespan="off",
        server_header=False,
        proxy_headers=False,
        date_header=False,
    )
    return Server(config)

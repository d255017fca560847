"""From settings to a daemon that answers, on loopback and on a socket in the user's own folder, until it is ended."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn

from oryn import __version__
from oryn.daemon.app import app_of
from oryn.daemon.daemon import Daemon
from oryn.daemon.lifecycle import Place
from oryn.errors import DaemonFailed
from oryn.host.signals import ending_on_signals
from oryn.paths import private_folder, write_private
from oryn.sessions.registry import remove_socket

if TYPE_CHECKING:
    from oryn.settings import Configuration

log = logging.getLogger(__name__)

_CLOSING = 5
"""Seconds that requests under way get when the daemon ends."""


READY = "ORYN_READY_FD"


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
    listening = [_on_port(configuration), *_on_socket(place.socket)]
    daemon.port = listening[0].getsockname()[1]
    daemon.socket = str(place.socket) if len(listening) > 1 else None
    config = uvicorn.Config(
        app_of(daemon),
        log_config=None,
        access_log=False,
        lifespan="off",
        ws="websockets-sansio",
        timeout_graceful_shutdown=_CLOSING,
    )
    server = Server(config)
    try:
        with ending_on_signals("SIGTERM", "SIGINT", "SIGHUP") as ending:
            about = {"pid": os.getpid(), "port": daemon.port, "socket": daemon.socket, "version": __version__}
            write_private(place.about, json.dumps(about))
            _tell_ready(daemon.port)
            serving = asyncio.create_task(server.serve(sockets=listening))
            log.info("listening on 127.0.0.1:%s and %s", daemon.port, daemon.socket)
            try:
                await asyncio.shield(serving)
            finally:
                server.should_exit = True
                await daemon.close()
                await asyncio.wait([serving])
        return 0 if ending.code in (None, 143, 130) else ending.code or 0
    finally:
        for each in listening:
            each.close()
        remove_socket(place.socket)
        place.about.unlink(missing_ok=True)


def _tell_ready(port: int) -> None:
    """Write the port and a line's end to the descriptor that whoever started the daemon waits at (`ORYN_READY_FD`)."""
    if number := os.environ.pop(READY, None):
        try:
            with os.fdopen(int(number), "w") as waiting:
                waiting.write(f"{port}\n")
        except (OSError, ValueError) as error:
            log.warning("nobody could be told that the daemon is ready: %s", error)


def _on_port(configuration: Configuration) -> socket.socket:
    """Listening on loopback. The default port may be another daemon's (`ORYN_HOME`): then it is any that is free."""
    port = configuration.settings.port
    for attempt in (port, 0) if configuration.origins["port"] == "default" else (port,):
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind(("127.0.0.1", attempt))
            listening.listen(128)
        except OSError as error:
            listening.close()
            failed = error
        else:
            return listening
    raise DaemonFailed(
        f"can't listen on port {port}: {failed.strerror}", "Choose another with ORYN_PORT, or 0 for any that is free."
    ) from failed


def _on_socket(path: Path) -> Iterator[socket.socket]:
    """Listening on a Unix socket, where there is such a thing and its path is not too long."""
    if not hasattr(socket, "AF_UNIX"):
        return
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        private_folder(path.parent)
        path.unlink(missing_ok=True)  # a dead daemon's: we hold the lock
        listening.bind(str(path))
        path.chmod(0o600)
        listening.listen(128)
    except OSError as error:
        listening.close()
        log.warning("there is no socket %s: %s", path, error)
    else:
        yield listening

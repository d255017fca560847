"""The sockets that a daemon listens on: a port on loopback, and a file that is its user's own."""

from __future__ import annotations

import logging
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from oryn.errors import ConfigurationError, DaemonFailed
from oryn.sessions.registry import socket_path

if TYPE_CHECKING:
    from oryn.settings import Configuration

log = logging.getLogger(__name__)

_BACKLOG = 128


def on_port(configuration: Configuration) -> socket.socket:
    """Listening on loopback. The default port may be another daemon's (`ORYN_HOME`): then it is any that is free.

    Raises `DaemonFailed`."""
    port = configuration.settings.port
    for attempt in (port, 0) if configuration.origins["port"] == "default" else (port,):
        # asyncio sends without delay (TCP_NODELAY) only where the protocol is named; an answer is two pieces, and the
        # second would wait 40 ms for the first to be acknowledged.
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind(("127.0.0.1", attempt))
            listening.listen(_BACKLOG)
        except OSError as error:
            listening.close()
            failed = error
        else:
            return listening
    raise DaemonFailed(
        f"can't listen on port {port}: {failed.strerror}", "Choose another with ORYN_PORT, or 0 for any that is free."
    ) from failed


def on_socket(path: Path) -> tuple[socket.socket, Path] | None:
    """Listening on a Unix socket, and where: elsewhere when `path` is too long for one. None, with a word in the log,
    where there is no such thing or no place for it."""
    if not hasattr(socket, "AF_UNIX"):
        return None
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        place = socket_path(path)
        place.unlink(missing_ok=True)  # a dead daemon's: we are the one that runs
        listening.bind(str(place))
        place.chmod(0o600)
        listening.listen(_BACKLOG)
    except (ConfigurationError, OSError) as error:
        listening.close()
        log.warning("there is no socket %s: %s", path, error)
        return None
    return listening, place

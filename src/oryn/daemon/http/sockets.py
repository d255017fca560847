"""The sockets that a daemon listens on."""

from __future__ import annotations

import logging
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from oryn.errors import ConfigurationError, DaemonFailed
from oryn.system import processes
from oryn.system.socket_files import socket_path

if TYPE_CHECKING:
    from oryn.settings import Configuration

log = logging.getLogger(__name__)

_BACKLOG = 128


def listen_on_port(configuration: Configuration) -> socket.socket:
    """Listen on the configured address. If another daemon has the default port (`ORYN_HOME`), any free port is used.

    Raises `DaemonFailed`."""
    address, port = configuration.settings.listen, configuration.settings.port
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    for attempt in (port, 0) if configuration.origins["port"] == "default" else (port,):
        # asyncio sets TCP_NODELAY only if the protocol is given. Without it, the second part of each answer would wait
        # 40 ms for the first to be acknowledged.
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((address, attempt))
            listening.listen(_BACKLOG)
        except OSError as error:
            listening.close()
            failed = error
        else:
            return listening
    raise DaemonFailed(
        f"can't listen on port {port}: {failed.strerror}", "Choose another with ORYN_PORT, or 0 for any that is free."
    ) from failed


def listen_on_socket(path: Path) -> tuple[socket.socket, Path] | None:
    """Listen on a Unix socket; return it and its path, which is another one if `path` is too long.

    Returns None, with a message in the log, if the platform has no Unix sockets or the path is not usable."""
    if not processes.HAS_UNIX_SOCKETS:
        return None
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        place = socket_path(path)
        place.unlink(missing_ok=True)  # a dead daemon's: this process has the lock
        listening.bind(str(place))
        place.chmod(0o600)
        listening.listen(_BACKLOG)
    except (ConfigurationError, OSError) as error:
        listening.close()
        log.warning("there is no socket %s: %s", path, error)
        return None
    return listening, place

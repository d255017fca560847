"""Whose program is at the other end of a connection on this computer, where the system tells."""

from __future__ import annotations

import os
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection

_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
"""https://www.kernel.org/doc/html/latest/networking/proc_net_tcp.html"""
_ROOT = 0


def is_strangers(connection: HTTPConnection) -> bool:
    """Whether another user of this computer made the connection. False where nobody can tell."""
    client, server = connection.client, connection.scope.get("server")
    if client is None or not server or not server[1] or not hasattr(os, "getuid"):
        return False  # not by TCP: the socket's folder is the user's own
    owner = _owner((client.host, client.port), (server[0], server[1]))
    return owner is not None and owner not in (os.getuid(), _ROOT)


def _owner(local: tuple[str, int], remote: tuple[str, int]) -> int | None:
    """The user who owns the socket between these addresses."""
    ends = _end(*local), _end(*remote)
    for table in _TABLES:
        with suppress(OSError):
            for line in Path(table).read_text("ascii").splitlines()[1:]:
                fields = line.split()
                if (_tail(fields[1]), _tail(fields[2])) == ends:
                    return int(fields[7])
    return None


def _end(host: str, port: int) -> str:
    """`127.0.0.1`, 80 → `0100007F:0050`, as the tables have it: the address in the machine's byte order."""
    return f"{int.from_bytes(socket.inet_aton(host), sys.byteorder):08X}:{port:04X}"


def _tail(address: str) -> str:
    """An address without what stands before IPv4 in a mapped IPv6 one."""
    return address[-13:]

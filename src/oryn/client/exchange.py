"""One request to a daemon and its response: HTTP/1.1 over a socket, in the few lines that a client needs whose start is
timed."""

from __future__ import annotations

import os
import sys
from _socket import SOCK_STREAM, socket

from oryn import places

ENDING = 503
"""The status of a daemon that takes no more commands (`oryn.errors.DaemonEnding`): another one may be started."""
_PIECE = 1 << 16


class Response:
    """`headers` by their names in lower case."""

    __slots__ = ("body", "headers", "status")

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body


class Vanished(Exception):
    """The daemon ended in the middle of the request. `unread`: it had not read the request, and so done nothing."""

    def __init__(self, unread: bool) -> None:
        super().__init__()
        self.unread = unread


def connected(runtime: str) -> socket:
    """A connection to the daemon whose socket is in this folder. Raises `OSError` where nobody listens there, and
    `ConfigurationError` where it is another user who does, or may."""
    from _socket import AF_UNIX

    places.require_own(runtime)
    connection = socket(AF_UNIX, SOCK_STREAM)
    try:
        connection.connect(f"{runtime}/{places.SOCKET}")
        _require_own_peer(connection, runtime)
    except BaseException:
        connection.close()
        raise
    return connection


def _require_own_peer(connection: socket, runtime: str) -> None:
    """Whoever listens gets the token, and commands. https://man7.org/linux/man-pages/man7/unix.7.html (SO_PEERCRED)"""
    try:
        from _socket import SO_PEERCRED, SOL_SOCKET
    except ImportError:  # not Linux: the folder is the user's own
        return
    credentials = connection.getsockopt(SOL_SOCKET, SO_PEERCRED, 12)
    user = int.from_bytes(credentials[4:8], sys.byteorder)
    if user != os.getuid():
        from oryn.errors import ConfigurationError

        raise ConfigurationError(
            f"another user's program (user {user}) listens at {runtime}/{places.SOCKET}",
            "Set ORYN_HOME to a folder of your own.",
        )


def token_in(folder: str) -> str:
    """The token of the daemon that keeps its files there. Raises `OSError`, and `ConfigurationError` where others may
    have put it there."""
    for each in (os.path.dirname(folder), folder):
        places.require_own(each)
    with open(f"{folder}/{places.TOKEN}", "rb") as file:
        return file.read().decode("ascii", "replace").strip()


def request(method: str, path: str, token: str, body: bytes = b"", accept: str = "application/json") -> bytes:
    """The bytes of a request."""
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nAccept: {accept}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode("ascii") + body


def answered(connection: socket, request: bytes) -> Response:
    """The response to a request; the connection is closed. Raises `Vanished`."""
    received = bytearray()
    try:
        connection.sendall(request)
        while (end := received.find(b"\r\n\r\n")) < 0:
            _receive(connection, received)
        status, headers = _head(bytes(received[:end]))
        size = end + 4 + int(headers.get("content-length", 0))
        while len(received) < size:
            _receive(connection, received)
        return Response(status, headers, bytes(received[end + 4 : size]))
    except ConnectionError:
        # A socket that is closed with something unread in it is reset; one whose owner had read all ends in order.
        raise Vanished(unread=not received and connection.family != _INET) from None
    except ValueError:
        raise Vanished(unread=False) from None
    finally:
        connection.close()


_INET = 2
"""`AF_INET`, for which a reset proves nothing."""


def _receive(connection: socket, received: bytearray) -> None:
    piece = connection.recv(_PIECE)
    if not piece:
        raise ValueError
    received += piece


def _head(head: bytes) -> tuple[int, dict[str, str]]:
    first, *lines = head.decode("latin-1").split("\r\n")
    fields = (line.partition(":") for line in lines)
    return int(first.split(" ", 2)[1]), {name.lower(): value.strip() for name, _, value in fields}


def current_folder() -> str | None:
    """Where relative paths of the caller begin; None where that can't be said."""
    try:
        folder = os.getcwd()
        folder.encode()
    except (OSError, UnicodeEncodeError):
        return None
    return folder

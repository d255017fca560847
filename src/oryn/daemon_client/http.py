"""A minimal HTTP/1.1 client for the daemon's socket, and JSON encoding without the time that importing `json` takes.

One rule holds for every client: a command that the daemon did not take is sent to the next daemon, at most
`MAX_ATTEMPTS` times; a command that it may have taken is never sent again. A daemon that is shutting down takes none:
it responds with `STATUS_ENDING`, or closes the connection before it has read the request (`RequestNotTaken`)."""

from __future__ import annotations

import os
import sys
from _socket import SOCK_STREAM, socket

from oryn.system import daemon_paths

TYPE_CHECKING = False  # without the import of `typing`

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from oryn.errors import DaemonFailed

try:
    from _json import encode_basestring_ascii as _quoted
except ImportError:  # not CPython
    from json.encoder import py_encode_basestring_ascii as _quoted


def json_text(data: Any) -> str:
    """Encode strings, booleans, and lists and objects of them as JSON."""
    if isinstance(data, str):
        return _quoted(data)
    if isinstance(data, bool):
        return "true" if data else "false"
    if isinstance(data, dict):
        return f"{{{','.join(f'{_quoted(name)}:{json_text(value)}' for name, value in data.items())}}}"
    return f"[{','.join(map(json_text, data))}]"


STATUS_ENDING = 503
"""The status of a daemon that accepts no more commands (`oryn.errors.DaemonEnding`); another one may be started."""
MAX_ATTEMPTS = 10
"""How many daemons a command is sent to. Each attempt waits until the one before has ended."""
SILENCE_SECONDS = 0.5
"""Seconds without a response after which a person or an agent should learn what a command waits for."""
CHUNK_BYTES = 1 << 16
_UNIX = 1
"""`AF_UNIX`; of any other connection, a reset proves nothing."""


class DaemonResponse:
    """A response of the daemon, with its HTTP `status`. The names of `headers` are in lower case."""

    __slots__ = ("body", "headers", "status")

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body


class RequestNotTaken(Exception):
    """The daemon is shutting down and did not take the request, so the command did not run."""


def command_lost() -> DaemonFailed:
    """The error of a command of which nobody knows whether it ran, or that no daemon took."""
    from oryn.errors import DaemonFailed

    return DaemonFailed("the daemon ended in the middle of the command", "'oryn daemon logs' may show why.")


def disconnected(connection: socket, *, received: bool) -> Exception:
    """The error of a connection that was reset; `received` is whether a part of the response had arrived."""
    # Closing a Unix socket that has unread input resets it; if the daemon had read all, the socket is closed normally.
    return RequestNotTaken() if not received and connection.family == _UNIX else command_lost()


def connect(runtime: str) -> socket:
    """Connect to the daemon whose socket is in the folder `runtime`.

    Raises `OSError` if no process listens there, and `ConfigurationError` if a process of another user does or could.
    """
    from _socket import AF_UNIX

    daemon_paths.require_private_folder(runtime)
    connection = socket(AF_UNIX, SOCK_STREAM)
    try:
        connection.connect(f"{runtime}/{daemon_paths.SOCKET_FILE}")
        _require_own_peer(connection, runtime)
    except BaseException:  # also when interrupted: no socket stays open
        connection.close()
        raise
    return connection


def _require_own_peer(connection: socket, runtime: str) -> None:
    """Check that the process that listens is the user's, as it gets the token and commands.

    https://man7.org/linux/man-pages/man7/unix.7.html (SO_PEERCRED)"""
    try:
        from _socket import SO_PEERCRED, SOL_SOCKET
    except ImportError:  # not Linux: the folder is the user's own
        return
    credentials = connection.getsockopt(SOL_SOCKET, SO_PEERCRED, 12)
    user = int.from_bytes(credentials[4:8], sys.byteorder)
    if user != os.getuid():
        from oryn.errors import ConfigurationError

        raise ConfigurationError(
            f"another user's program (user {user}) listens at {runtime}/{daemon_paths.SOCKET_FILE}",
            "Set ORYN_HOME to a folder of your own.",
        )


def read_token(folder: str, name: str = daemon_paths.TOKEN_FILE) -> str:
    """The token of the daemon with this data folder, or another of its secrets.

    Raises `OSError`, and `ConfigurationError` if other users could have written the file."""
    for each in (os.path.dirname(folder), folder):
        daemon_paths.require_private_folder(each)
    with open(f"{folder}/{name}", "rb") as file:
        return file.read().decode("ascii", "replace").strip()


PERSON_HEADER = "sec-oryn-person"
"""The header with the person's key, without which the daemon takes no approval. No script of a page can send a header
of such a name (https://fetch.spec.whatwg.org/#forbidden-request-header), and no command sets it."""


def person_header(folder: str) -> str:
    """The header line with the person's key, with its line end; empty if there is no key. Raises `ConfigurationError`
    as `read_token` does."""
    try:
        return f"{PERSON_HEADER}: {read_token(folder, daemon_paths.PERSON_KEY_FILE)}\r\n"
    except OSError:  # the daemon says what is missing
        return ""


def request_bytes(
    method: str,
    path: str,
    token: str,
    body: bytes = b"",
    accept: str = "application/json",
    more: str = "",
    host: str = "localhost",
) -> bytes:
    """Encode a request. `more` is further header lines, each with its line end."""
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nAccept: {accept}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n{more}\r\n"
    )
    return head.encode("ascii") + body


def send_request(connection: socket, request: bytes, on_silence: Callable[[], object] | None = None) -> DaemonResponse:
    """Send a request and return the response; the connection is closed, also if this is interrupted.

    `on_silence` is called once if nothing has arrived after `SILENCE_SECONDS`. Raises `RequestNotTaken`, and
    `DaemonFailed` if the daemon ends later."""
    received = bytearray()
    try:
        connection.sendall(request)
        if on_silence is not None:
            connection.settimeout(SILENCE_SECONDS)
            try:
                received += connection.recv(CHUNK_BYTES)
            except TimeoutError:
                on_silence()
            connection.settimeout(None)
        while (response := parse_response(received)) is None:
            if not (piece := connection.recv(CHUNK_BYTES)):
                raise command_lost()
            received += piece
    except ConnectionError:
        raise disconnected(connection, received=bool(received)) from None
    except OSError:  # of TLS, or of the network
        raise command_lost() from None
    finally:
        connection.close()
    return response


def parse_response(received: bytes | bytearray) -> DaemonResponse | None:
    """The response in the bytes that have arrived; None if there are more to come.

    Raises `RequestNotTaken` for a daemon that is shutting down, and `DaemonFailed` for bytes that are not a
    response."""
    if (end := received.find(b"\r\n\r\n")) < 0:
        return None
    first, *lines = received[:end].decode("latin-1").split("\r\n")
    fields = [line.partition(":") for line in lines]
    headers = {name.lower(): value.strip() for name, _, value in fields}
    try:
        status, size = int(first.split(" ", 2)[1]), int(headers.get("content-length", 0))
    except (ValueError, IndexError):
        raise command_lost() from None
    if status == STATUS_ENDING:
        raise RequestNotTaken
    whole = end + 4 + size
    return DaemonResponse(status, headers, bytes(received[end + 4 : whole])) if len(received) >= whole else None


def current_folder() -> str | None:
    """The folder for relative paths of the caller; None if it can't be determined or sent, or if the daemon may be on
    another computer."""
    if os.environ.get(daemon_paths.DAEMON_URL):
        return None
    try:
        folder = os.getcwd()
        folder.encode()
    except (OSError, UnicodeEncodeError):
        return None
    return folder

"""The sessions of the user's daemon, over its socket: `Oryn("daemon")`. The daemon is started if it does not run."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from collections.abc import Mapping
from typing import Any

from oryn.client.result import error_of
from oryn.core.error_text import last_error
from oryn.errors import ConnectionLost, DaemonFailed, NotConnected, NotSupported
from oryn.system import daemon_http
from oryn.system.daemon_paths import DAEMON_PROTOCOL
from oryn.system.paths import find

_CHUNK_BYTES = 1 << 16


class DaemonEngine:
    """A session of the daemon. It stays, with its pages, when the client closes; `end_session()` ends it.

    Commands run concurrently if they name several sessions. A command that is cancelled is cancelled in the daemon."""

    def __init__(self) -> None:
        self._session: str | None = None

    async def connect(self, session: str | None) -> None:
        """Find the daemon, or start it. Raises `DaemonFailed`, `ConfigurationError`."""
        if not hasattr(socket, "AF_UNIX"):
            raise NotSupported("this system has no sockets by which to reach the daemon", "Use an engine of its own.")
        self._session = session or os.environ.get("ORYN_SESSION") or "default"
        runtime = str(find().runtime)
        try:
            daemon_http.connect(runtime).close()
        except OSError:
            await _start()
            daemon_http.connect(runtime).close()

    async def ask(self, line: str) -> str:
        """Run a line or a request. Raises `ConnectionLost` if the daemon ends meanwhile, and the errors with which it
        rejects requests."""
        if self._session is None:
            raise NotConnected("the client was closed")
        is_request = line.lstrip().startswith("{")
        about: dict[str, Any] = json.loads(line) if is_request else {"line": line}
        envelope = {"protocol_version": DAEMON_PROTOCOL, "folder": daemon_http.current_folder(), **about}
        envelope["session"] = about.get("session") or self._session
        status, response = await _post({name: value for name, value in envelope.items() if value is not None})
        if status != 200:
            raise error_of(_error_form(response))
        return json.dumps(record_of(response)) if is_request else str(response["text"])

    async def close(self) -> None:
        """Forget the session, which stays open in the daemon. Safe to call twice."""
        self._session = None


def record_of(response: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of the daemon's response to a command: its data without a boundary, its text and its error."""
    data = dict(response["data"] or {})
    inside = data.pop(f"page-{data.pop('boundary')}", {}) if "boundary" in data else {}
    error = None if response["ok"] else _error_form(response) | inside.pop("error", {})
    record = {"command": response["action"], **data, **inside, "ok": response["ok"], "text": response["text"]}
    return record | ({"error": error} if error else {})


def _error_form(response: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "code": str(response.get("error_kind", "internal_error")).upper(),
        "message": response.get("error"),
        "hint": response.get("hint"),
    }


async def _start() -> None:
    """Start the daemon of this installation. Raises `DaemonFailed`."""
    program = [sys.executable, "-P", "-m", "oryn", "daemon", "start"]
    process = await asyncio.create_subprocess_exec(
        *program, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    output, _ = await process.communicate()
    if process.returncode:
        text = output.decode("utf-8", "replace").strip()
        why, hint = last_error(text) or (text.rpartition("\n")[2] or "no reason given", None)
        raise DaemonFailed(f"the daemon did not start: {why}", hint or "'oryn doctor' may show why.")


async def _post(envelope: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
    """Send a command; return the status and the body of the response."""
    paths = find()
    connection = daemon_http.connect(str(paths.runtime))
    connection.setblocking(False)
    token = daemon_http.read_token(str(paths.daemon))
    reader, writer = await asyncio.open_unix_connection(sock=socket.socket(fileno=connection.detach()))
    try:
        more = daemon_http.person_header(str(paths.daemon)) if envelope.get("action") == "confirm" else ""
        body = json.dumps(envelope).encode()
        writer.write(daemon_http.request_bytes("POST", "/command", token, body, more=more))
        received = await reader.read()
        head, _, body = received.partition(b"\r\n\r\n")
        return int(head.split(b" ", 2)[1]), json.loads(body)
    except (OSError, ValueError, IndexError):
        raise ConnectionLost(f"the daemon ended before it answered '{_verb(envelope)}'") from None
    finally:
        writer.close()


def _verb(envelope: Mapping[str, Any]) -> str:
    """The verb of a command: the rest may be a secret."""
    return str(envelope.get("action") or str(envelope.get("line", "")).split(" ")[0])

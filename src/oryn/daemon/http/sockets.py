"""The sockets that a daemon listens on, and TLS of its port: the certificate and the key of the settings
(docs/access.md#tls)."""

from __future__ import annotations

import logging
import os
import socket
import ssl
from pathlib import Path
from typing import TYPE_CHECKING

from oryn.errors import ConfigurationError, DaemonFailed
from oryn.system import processes
from oryn.system.socket_files import socket_path

if TYPE_CHECKING:
    from oryn.settings import Configuration, Settings

log = logging.getLogger(__name__)

_BACKLOG = 128
_CERTIFICATE, _KEY = b"-----BEGIN CERTIFICATE-----", b"PRIVATE KEY-----"


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


def server_context(settings: Settings) -> ssl.SSLContext | None:
    """The context of the settings `tls_certificate` and `tls_key`; None without them. Raises `ConfigurationError`,
    which names the setting and the file."""
    certificate, key = settings.tls_certificate, settings.tls_key
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        missing, present = ("tls_certificate", "tls_key") if certificate is None else ("tls_key", "tls_certificate")
        raise ConfigurationError(f"{missing} is missing: {present} is set", "Set both, or neither.")
    _require("tls_certificate", certificate, _CERTIFICATE, "certificate")
    _require("tls_key", key, _KEY, "private key")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(certificate, key, password=lambda: b"")  # without one, OpenSSL asks at the terminal
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            raise ConfigurationError(
                f"tls_key {key} does not belong to the first certificate of tls_certificate {certificate}",
                "The first certificate is the daemon's own; those of its CAs follow.",
            ) from error
        raise ConfigurationError(
            f"tls_certificate {certificate} and tls_key {key} can't be used: {error.reason or error}",
            "Both must be PEM, and the key must have no password.",
        ) from error
    return context


def _require(setting: str, file: Path, mark: bytes, what: str) -> None:
    try:
        content = file.read_bytes()
    except OSError as error:
        raise ConfigurationError(f"{setting} {file} can't be read: {error.strerror}", "Correct its access.") from error
    if mark not in content:
        raise ConfigurationError(f"{setting} {file} has no {what}", f"It must be a PEM file with a {what}.")

"""A daemon that is reached by its URL and a token: `ORYN_DAEMON_URL` and `ORYN_DAEMON_TOKEN` (docs/access.md#clients).

A token goes only to a server whose certificate checks, or to loopback."""

from __future__ import annotations

import os
import socket
import ssl
from pathlib import Path
from urllib.parse import urlsplit

from oryn.core.records import Record
from oryn.errors import ConfigurationError, DaemonFailed, DaemonNotRunning
from oryn.system.daemon_paths import DAEMON_URL

CONNECT_SECONDS = 10.0
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_PORTS = {"http": 80, "https": 443}


class RemoteDaemon(Record):
    """The daemon at a URL, which has the form of an origin."""

    url: str
    token: str

    @classmethod
    def of_environment(cls) -> RemoteDaemon | None:
        """The daemon that the environment names; None if it names none. Raises `ConfigurationError`."""
        url = os.environ.get(DAEMON_URL, "")
        return cls(_checked(url), _token()) if url else None

    @property
    def host(self) -> str:
        """The `Host` of requests."""
        return urlsplit(self.url).netloc

    @property
    def address(self) -> tuple[str, int]:
        parts = urlsplit(self.url)
        return parts.hostname or "", parts.port or _PORTS[parts.scheme]

    def tls(self) -> ssl.SSLContext | None:
        """A context that checks the certificate, with the system's CAs or those in `SSL_CERT_FILE`; None for http.
        Raises `ConfigurationError`."""
        if not self.url.startswith("https:"):
            return None
        if (file := os.environ.get("SSL_CERT_FILE")) and not os.access(file, os.R_OK):
            raise ConfigurationError(f"SSL_CERT_FILE {file} can't be read", "It must be a PEM file of CAs.")
        return ssl.create_default_context()

    def connect(self) -> socket.socket:
        """Connect, and check the certificate. Raises `DaemonNotRunning`, and `DaemonFailed` for a certificate that
        does not check."""
        try:
            stream = socket.create_connection(self.address, CONNECT_SECONDS)
            try:
                if (tls := self.tls()) is not None:
                    stream = tls.wrap_socket(stream, server_hostname=self.address[0])
                stream.settimeout(None)
            except BaseException:
                stream.close()
                raise
        except OSError as error:
            raise self.error_of(error) from error
        return stream

    def error_of(self, error: OSError) -> DaemonFailed | DaemonNotRunning:
        """The error of a connection that was not made."""
        if isinstance(error, ssl.SSLCertVerificationError):
            return DaemonFailed(
                f"the certificate of {self.url} does not check: {error.verify_message}",
                "Nothing was sent. Use a name that it has; SSL_CERT_FILE names a file with your own CA.",
            )
        if isinstance(error, ssl.SSLError):
            return DaemonFailed(f"{self.url} speaks no TLS: {error.reason or error}", "Nothing was sent.")
        return DaemonNotRunning(f"no daemon answers at {self.url}: {error.strerror or error}")


def _checked(url: str) -> str:
    """The URL as an origin. Raises `ConfigurationError`."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host, parts = None, urlsplit("")
    if host is None or parts.scheme not in _PORTS or parts.path.strip("/") or parts.query or "@" in parts.netloc:
        raise ConfigurationError(
            f"{DAEMON_URL} can't be {url[:200]!r}", "It is a daemon's address: https://oryn.example.org:7720."
        )
    if parts.scheme == "http" and host not in _LOOPBACK:
        raise ConfigurationError(
            f"{DAEMON_URL} can't be {url[:200]!r}: the token would be readable on its way", "Use https://."
        )
    return f"{parts.scheme}://{parts.netloc}"


def _token() -> str:
    """The token of the environment, or of a file that it names. Raises `ConfigurationError`."""
    token, file = os.environ.get("ORYN_DAEMON_TOKEN", ""), os.environ.get("ORYN_DAEMON_TOKEN_FILE")
    if not token and file:
        try:
            token = Path(file).expanduser().read_text("ascii", "replace")
        except OSError as error:
            raise ConfigurationError(
                f"ORYN_DAEMON_TOKEN_FILE {file} can't be read: {error.strerror}", "Correct its access."
            ) from error
    token = token.strip()
    if not token.isascii() or not token.isprintable() or not token or " " in token:
        raise ConfigurationError(
            f"{DAEMON_URL} needs a token", "Set ORYN_DAEMON_TOKEN, or ORYN_DAEMON_TOKEN_FILE; 'oryn token' makes one."
        )
    return token

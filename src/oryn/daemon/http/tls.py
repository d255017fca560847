"""TLS of a daemon's port: the certificate and the key of the settings (docs/access.md#tls)."""

from __future__ import annotations

import logging
import ssl
from pathlib import Path
from typing import TYPE_CHECKING

from oryn.errors import ConfigurationError

if TYPE_CHECKING:
    from oryn.settings import Settings

log = logging.getLogger(__name__)

_CERTIFICATE, _KEY = b"-----BEGIN CERTIFICATE-----", b"PRIVATE KEY-----"


def server_context(settings: Settings) -> ssl.SSLContext | None:
    """The context of the settings `tls_certificate` and `tls_key`; None without them. Raises `ConfigurationError`,
    which names the setting and the file."""
    certificate, key = settings.tls_certificate, settings.tls_key
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        missing, present = ("tls_certificate", "tls_key") if certificate is None else ("tls_key", "tls_certificate")
        raise ConfigurationError(f"{missing} is missing: {present} is set", "Set both, or neither.")
    return CertificateFiles(certificate, key).context


class CertificateFiles:
    """A certificate and its key: each new connection gets them as the files are then.

    A renewal that can't be used, such as a certificate whose key is not written yet, is logged, and changes nothing."""

    def __init__(self, certificate: Path, key: Path) -> None:
        """Raises `ConfigurationError`."""
        self._certificate = certificate
        self._key = key
        self._version = self._current_version()
        self.context = self._current = self._load()
        """The context for the port's connections."""
        self.context.sni_callback = self._on_hello

    def _on_hello(self, connection: ssl.SSLObject, name: str | None, context: ssl.SSLContext) -> None:
        """OpenSSL calls this before it chooses a certificate, also if the client has named no server.

        https://docs.python.org/3/library/ssl.html#ssl.SSLContext.sni_callback"""
        version = self._current_version()
        if version != self._version:
            self._version = version
            try:
                self._current = self._load()
            except ConfigurationError as error:
                log.warning("the former certificate stays in use: %s", error.message)
            else:
                log.info("the certificate %s was renewed", self._certificate)
        connection.context = self._current

    def _current_version(self) -> object:
        """A value that changes with the files."""
        found: list[tuple[int, int, int] | None] = []
        for file in (self._certificate, self._key):
            try:
                status = file.stat()
            except OSError:
                found.append(None)
            else:
                found.append((status.st_mtime_ns, status.st_ino, status.st_size))
        return found

    def _load(self) -> ssl.SSLContext:
        certificate, key = self._certificate, self._key
        _require("tls_certificate", certificate, _CERTIFICATE, "certificate")
        _require("tls_key", key, _KEY, "private key")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        try:
            context.load_cert_chain(certificate, key, password=lambda: b"")  # without one, OpenSSL asks at the terminal
        except OSError as error:  # `ssl.SSLError` is one
            reason = getattr(error, "reason", None) or error
            if reason == "KEY_VALUES_MISMATCH":
                raise ConfigurationError(
                    f"tls_key {key} does not belong to the first certificate of tls_certificate {certificate}",
                    "The first certificate is the daemon's own; those of its CAs follow.",
                ) from error
            raise ConfigurationError(
                f"tls_certificate {certificate} and tls_key {key} can't be used: {reason}",
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

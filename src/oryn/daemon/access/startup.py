"""What a daemon does with its settings when it starts: TLS of its port (docs/access.md#tls), and which settings have
changed since its last start, for the audit log.

Settings are fixed while a daemon runs. Their values may be secret, so a file has only a digest of each."""

from __future__ import annotations

import hmac
import json
import logging
import ssl
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from oryn.errors import ConfigurationError
from oryn.system.paths import write_private

if TYPE_CHECKING:
    from oryn.settings import Configuration, Settings

log = logging.getLogger(__name__)

DIGEST_FILE = "settings.digest"
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


def changed_settings(configuration: Configuration, key: str) -> Sequence[str]:
    """The names of the settings whose values differ from those of the last start, and store the present ones. At the
    first start, these are the settings that differ from their defaults. `key` is a secret of the daemon's."""
    file = configuration.paths.daemon / DIGEST_FILE
    present = {
        name: hmac.digest(key.encode(), repr(getattr(configuration.settings, name)).encode(), "sha256").hex()
        for name, origin in configuration.origins.items()
        if origin != "default"
    }
    try:
        last = json.loads(file.read_bytes())
    except (OSError, ValueError):
        last = {}
    if not isinstance(last, dict):
        last = {}
    changed = sorted(name for name in present.keys() | last.keys() if present.get(name) != last.get(name))
    if changed:
        try:
            write_private(file, json.dumps(present))
        except (OSError, ConfigurationError) as error:
            log.warning("the digest of the settings can't be written in %s: %s", file, error)
    return changed

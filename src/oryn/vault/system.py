"""The system's keyring, where there is one that keeps secrets."""

from __future__ import annotations

from typing import Any

LEAST_PRIORITY = 1.0
"""That of a backend which is recommended: https://keyring.readthedocs.io/en/latest/#keyring.backend.KeyringBackend"""

_PLAINTEXT = "keyrings.alt."
"""Backends that write files, some of them as they are."""


def has_keyring() -> bool:
    """Whether the system has one. Files that only look like a keyring are none, nor is its absence."""
    try:
        import keyring
    except ImportError:
        return False
    return _keeps_secrets(keyring.get_keyring())


def _keeps_secrets(backend: Any) -> bool:
    if type(backend).__module__ == "keyring.backends.chainer":
        # It stores in the first that takes it.
        members = list(backend.backends)
        return bool(members) and all(map(_keeps_secrets, members))
    return not type(backend).__module__.startswith(_PLAINTEXT) and float(backend.priority) >= LEAST_PRIORITY

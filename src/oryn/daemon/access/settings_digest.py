"""Which settings of a daemon have changed since its last start, for the audit log.

Settings are fixed while a daemon runs. Their values may be secret, so a file has only a digest of each."""

from __future__ import annotations

import hmac
import json
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from oryn.errors import ConfigurationError
from oryn.system.paths import write_private

if TYPE_CHECKING:
    from oryn.settings import Configuration

log = logging.getLogger(__name__)

FILE = "settings.digest"


def changed_settings(configuration: Configuration, key: str) -> Sequence[str]:
    """The names of the settings whose values differ from those of the last start, and store the present ones. At the
    first start, these are the settings that differ from their defaults. `key` is a secret of the daemon's."""
    file = configuration.paths.daemon / FILE
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

"""The metadata of a profile: the time of its creation, the source of a copy, and the keys that it needs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from oryn.system.paths import write_private

METADATA_FILE = "oryn.json"
"""`{"made": 1764000000.0, "from": {"browser": "Chrome", "profile": "Default", "folder": "/…"}, "system_keys": true}`"""


def write_metadata(profile: Path, metadata: dict[str, Any]) -> None:
    """Write the metadata of a profile. Raises `OSError`."""
    write_private(profile / METADATA_FILE, json.dumps(metadata))


def read_metadata(profile: Path) -> dict[str, Any]:
    """The metadata of a profile, by key; empty without a valid file."""
    try:
        metadata = json.loads((profile / METADATA_FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return metadata if isinstance(metadata, dict) else {}


def uses_system_keys(profile: Path) -> bool:
    """Whether its cookies are encrypted with the desktop's key, which the browser has to request."""
    return read_metadata(profile).get("system_keys") is True

"""What a profile says of itself: when it was made, what it is a copy of, which keys it needs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from oryn.paths import write_private

ABOUT = "oryn.json"
"""`{"made": 1764000000.0, "from": {"browser": "Chrome", "profile": "Default", "folder": "/…"}, "system_keys": true}`"""


def tell(profile: Path, about: dict[str, Any]) -> None:
    """Raises `OSError`."""
    write_private(profile / ABOUT, json.dumps(about))


def of(profile: Path) -> dict[str, Any]:
    """Empty where it says nothing."""
    try:
        about = json.loads((profile / ABOUT).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return about if isinstance(about, dict) else {}


def uses_system_keys(profile: Path) -> bool:
    """Whether its cookies are encrypted with a key of the desktop's, for which the browser has to ask."""
    return of(profile).get("system_keys") is True

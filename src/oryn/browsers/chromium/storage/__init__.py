"""Web storage of a session's origins: implements `browsers.base.storage`."""

from __future__ import annotations

from oryn.browsers.chromium.storage.storage import CdpStorage

__all__ = ["CdpStorage"]

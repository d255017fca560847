"""Web storage of a session's origins: the part of a session behind `browsers.base.storage`."""

from __future__ import annotations

from oryn.browsers.cdp.storage.part import CdpStorage

__all__ = ["CdpStorage"]

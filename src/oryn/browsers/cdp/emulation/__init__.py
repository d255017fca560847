"""What Chromium pretends to be: the part of a session behind `browsers.base.Device`."""

from __future__ import annotations

from oryn.browsers.cdp.emulation.part import Emulation

__all__ = ["Emulation"]

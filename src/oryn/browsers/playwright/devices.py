"""The devices of the installed Playwright. https://playwright.dev/python/docs/emulation#devices

Oryn's own list is Playwright's, too, with the sizes of screens, which Playwright's interface for Python leaves out. So
that list comes first, and this one has the names that a newer Playwright adds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from oryn.browsers.base.emulation import DeviceDescriptor

_VERSION = re.compile(r"\b(Chrome|Edg)/[\d.]+")
"""The version of Playwright's Chromium, which a browser replaces by its own."""


def device_models(listed: Mapping[str, Mapping[str, Any]]) -> dict[str, DeviceDescriptor]:
    """The devices of `playwright.devices`, by name."""
    return {name: _device_model(name, each) for name, each in listed.items()}


def _device_model(name: str, listed: Mapping[str, Any]) -> DeviceDescriptor:
    viewport = listed["viewport"]
    screen = listed.get("screen", viewport)
    return DeviceDescriptor(
        name,
        (viewport["width"], viewport["height"]),
        (screen["width"], screen["height"]),
        listed["device_scale_factor"],
        listed["is_mobile"],
        listed["has_touch"],
        _VERSION.sub(r"\1/{chrome}", listed["user_agent"]),
    )

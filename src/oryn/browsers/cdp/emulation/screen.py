"""The size of the viewport and what it is part of, as the protocol has it. Pure.

https://chromedevtools.github.io/devtools-protocol/tot/Emulation/#method-setDeviceMetricsOverride
"""

from __future__ import annotations

from typing import Any

from oryn.browsers.base.device import Model

TOUCH = {"enabled": True, "maxTouchPoints": 5}


def metrics(size: tuple[int, int], model: Model | None = None) -> dict[str, Any]:
    """A viewport of `size` CSS pixels, on the screen of `model`. The scale 0 is the browser's own."""
    width, height = size
    params: dict[str, Any] = {"width": width, "height": height, "deviceScaleFactor": 0, "mobile": False}
    if model is None:
        return params
    # A screen is never smaller than what is seen on it.
    screen_width, screen_height = max(width, model.screen[0]), max(height, model.screen[1])
    params |= {"deviceScaleFactor": model.scale, "mobile": model.mobile}
    params |= {"screenWidth": screen_width, "screenHeight": screen_height}
    return params | {"screenOrientation": _orientation(width > height, model.mobile)}


def _orientation(wide: bool, mobile: bool) -> dict[str, Any]:
    """What is held in a hand is turned by a quarter to be wide; what stands on a desk is wide by itself."""
    if mobile:
        return {"type": "landscapePrimary", "angle": 90} if wide else {"type": "portraitPrimary", "angle": 0}
    return {"type": "landscapePrimary", "angle": 0}

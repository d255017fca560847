"""What a browser pretends to be: a device, a place, a language. A part of the session's browser.

What is set holds for every tab, for those that are open at once, and outlives a restart of the browser.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from oryn.errors import NotSupported

MediaFeature = Literal["prefers-color-scheme", "prefers-reduced-motion"]


@dataclass(frozen=True, slots=True)
class Model:
    """A device to pretend to be. Lengths are CSS pixels; `user_agent` holds `{chrome}` where a browser of Chromium's
    family puts its own version."""

    name: str
    viewport: tuple[int, int]
    screen: tuple[int, int]
    scale: float
    """Device pixels to a CSS pixel."""
    mobile: bool
    """The page's viewport follows `<meta name=viewport>`, and scrollbars take no room."""
    touch: bool
    user_agent: str


class Device:
    """Each method returns when the current tab has taken the change; None undoes it. `timeout` is in seconds.

    All of them raise `Timeout` when the page does not answer; what was asked for holds nevertheless."""

    async def show(self, model: Model | None, *, timeout: float = 30) -> None:
        """Have the viewport, the screen, touch and the user agent of a device; None is the browser's own."""
        raise NotSupported

    async def resize(self, width: int, height: int, *, timeout: float = 30) -> None:
        """Give the viewport this size, and keep what else the device in hand has. Raises `InvalidValue` for more than a
        browser can draw."""
        raise NotSupported

    async def set_user_agent(self, text: str | None, *, timeout: float = 30) -> None:
        """Call itself `text` towards servers and scripts, whatever the device in hand is called."""
        raise NotSupported

    async def prefer(self, feature: MediaFeature, value: str | None, *, timeout: float = 30) -> None:
        """What a media query of this feature finds."""
        raise NotSupported

    async def set_place(self, place: tuple[float, float] | None, *, timeout: float = 30) -> None:
        """Be at a latitude and a longitude in degrees, and let every page ask for it."""
        raise NotSupported

    async def set_locale(self, tag: str | None, *, timeout: float = 30) -> None:
        """Speak a language: for servers, for scripts, in dates and numbers. Raises `InvalidValue`."""
        raise NotSupported

    async def set_timezone(self, name: str | None, *, timeout: float = 30) -> None:
        """Be in a time zone of the IANA database. Raises `InvalidValue`."""
        raise NotSupported

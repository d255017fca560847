"""The interfaces for emulation (a device, a location, a language), and for user scripts that run before each page's
own.

Settings apply to every tab, including those that are open, and survive a restart of the browser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from oryn.errors import NotSupported

MediaFeature = Literal["prefers-color-scheme", "prefers-contrast", "prefers-reduced-motion", "forced-colors"]
MediaType = Literal["screen", "print"]


@dataclass(frozen=True, slots=True)
class DeviceDescriptor:
    """A device to emulate. Lengths are CSS pixels; `user_agent` contains `{chrome}` as a placeholder for the version of
    a browser of Chromium's family."""

    name: str
    viewport: tuple[int, int]
    screen: tuple[int, int]
    scale: float
    """Device pixels per CSS pixel."""
    mobile: bool
    """The page's viewport follows `<meta name=viewport>`, and scrollbars take no room."""
    touch: bool
    user_agent: str


class Device:
    """Emulation in one session. Each method returns when the current tab has applied the change; None undoes it.

    All of them raise `Timeout` if the page does not answer within `timeout` seconds; the setting applies all the
    same."""

    async def emulate(self, model: DeviceDescriptor | None, *, timeout: float = 30) -> None:
        """Emulate the viewport, the screen, touch and the user agent of a device; None is the browser's own."""
        raise NotSupported

    async def resize(self, width: int, height: int, *, timeout: float = 30) -> None:
        """Set the size of the viewport; the rest of the emulated device stays. Raises `InvalidValue` for more than a
        browser can draw."""
        raise NotSupported

    async def set_user_agent(self, text: str | None, *, timeout: float = 30) -> None:
        """Set the user agent for servers and scripts, in preference to that of the emulated device."""
        raise NotSupported

    async def set_media_feature(self, feature: MediaFeature, value: str, *, timeout: float = 30) -> None:
        """Set the value of a feature for media queries, until `reset_media`."""
        raise NotSupported

    async def set_media_type(self, media: MediaType, *, timeout: float = 30) -> None:
        """Set the type that media queries see, until `reset_media`."""
        raise NotSupported

    async def reset_media(self, *, timeout: float = 30) -> None:
        """Undo `set_media_feature` and `set_media_type`."""
        raise NotSupported

    async def set_geolocation(self, place: tuple[float, float] | None, *, timeout: float = 30) -> None:
        """Set the location (latitude and longitude in degrees), and permit every page to read it."""
        raise NotSupported

    async def set_locale(self, tag: str | None, *, timeout: float = 30) -> None:
        """Set the language for servers and scripts, and in dates and numbers. Raises `InvalidValue`."""
        raise NotSupported

    async def set_timezone(self, name: str | None, *, timeout: float = 30) -> None:
        """Set the time zone, by its name in the IANA database. Raises `InvalidValue`."""
        raise NotSupported


@dataclass(frozen=True, slots=True)
class PageScript:
    """A user script. `number` stays with the script; `name` is the user's, such as the path of its file."""

    number: int
    name: str
    source: str


class PageScripts:
    """The user scripts of one session. They run in the page's own world, in every frame of every tab, from the next
    document on, in the order in which they were added; a restart of the browser keeps them."""

    def all(self) -> Sequence[PageScript]:
        """All scripts, in the order in which they run. No round trip."""
        raise NotSupported

    async def add(self, name: str, source: str, *, timeout: float = 30) -> PageScript:
        """Add a script. Raises `ScriptError` if it does not compile."""
        raise NotSupported

    async def remove(self, number: int, *, timeout: float = 30) -> PageScript:
        """Remove and return a script. Raises `NameNotFound`."""
        raise NotSupported

"""*Device*: what the browser pretends to be."""

from __future__ import annotations

from typing import Literal

from oryn.language.command import Command, argument
from oryn.language.kinds import NAME, TEXT, ChoiceKind, IntegerKind, NameKind, NumberKind
from oryn.language.kinds.text import WordsKind

__all__ = [
    "Device",
    "DeviceReset",
    "Devices",
    "Geolocation",
    "GeolocationOff",
    "Locale",
    "LocaleReset",
    "MediaColorScheme",
    "MediaContrast",
    "MediaForcedColors",
    "MediaReducedMotion",
    "MediaReset",
    "MediaType",
    "Timezone",
    "TimezoneReset",
    "UserAgent",
    "UserAgentReset",
    "Viewport",
]

_FAMILY = "Device"

ColorScheme = Literal["dark", "light"]
ReducedMotion = Literal["reduce", "no-preference"]
Contrast = Literal["more", "less", "custom", "no-preference"]
ForcedColors = Literal["active", "none"]
Medium = Literal["screen", "print"]


class Viewport(
    Command,
    path="viewport",
    family=_FAMILY,
    safe=True,
    help="Set the size of the viewport",
    example="viewport 1280 720",
):
    """In CSS pixels."""

    width: int = argument(IntegerKind("w"), "width in CSS pixels")
    height: int = argument(IntegerKind("h"), "height in CSS pixels")


class Device(
    Command,
    path="device",
    family=_FAMILY,
    result="DeviceDetails",
    safe=True,
    help="Emulate a device",
    example="device iPhone 14",
):
    """Its viewport, pixel ratio, touch and user agent."""

    name: str = argument(WordsKind("name"), "the device, as listed by devices", source="devices")


class DeviceReset(Command, path="device reset", family=_FAMILY, safe=True, help="Stop emulating a device"):
    """Back to the browser's own."""


class Devices(
    Command,
    path="devices",
    family=_FAMILY,
    result="list[str]",
    safe=True,
    reads=True,
    help="List the devices that can be emulated",
):
    """Names for `device`."""


class MediaColorScheme(
    Command, path="media color-scheme", family=_FAMILY, safe=True, help="Set the preferred colour scheme"
):
    """The media feature `prefers-color-scheme`."""

    value: ColorScheme = argument(ChoiceKind[ColorScheme]("dark", "light"), "the preference")


class MediaReducedMotion(
    Command, path="media reduced-motion", family=_FAMILY, safe=True, help="Set whether reduced motion is preferred"
):
    """The media feature `prefers-reduced-motion`."""

    value: ReducedMotion = argument(ChoiceKind[ReducedMotion]("reduce", "no-preference"), "the preference")


class MediaContrast(
    Command, path="media contrast", family=_FAMILY, safe=True, help="Set whether more or less contrast is preferred"
):
    """The media feature `prefers-contrast`."""

    value: Contrast = argument(ChoiceKind[Contrast]("more", "less", "custom", "no-preference"), "the preference")


class MediaForcedColors(
    Command, path="media forced-colors", family=_FAMILY, safe=True, help="Set whether the colours are the user's"
):
    """The media feature `forced-colors`, as with a theme of high contrast."""

    value: ForcedColors = argument(ChoiceKind[ForcedColors]("active", "none"), "whether they are")


class MediaType(
    Command,
    path="media type",
    family=_FAMILY,
    safe=True,
    help="Show the pages as on paper, or on a screen",
    example="media type print",
):
    """The type that media queries see."""

    value: Medium = argument(ChoiceKind[Medium]("screen", "print"), "the type")


class MediaReset(Command, path="media reset", family=_FAMILY, safe=True, help="Reset the media type and preferences"):
    """Back to the browser's own."""


class Geolocation(
    Command,
    path="geolocation",
    family=_FAMILY,
    safe=True,
    help="Set the geolocation",
    example="geolocation 48.86 2.35",
):
    """Degrees."""

    latitude: float = argument(NumberKind("lat"), "degrees north")
    longitude: float = argument(NumberKind("lon"), "degrees east")


class GeolocationOff(
    Command, path="geolocation off", family=_FAMILY, safe=True, help="Stop overriding the geolocation"
):
    """Back to the browser's own."""


class Locale(
    Command, path="locale", family=_FAMILY, safe=True, help="Set the browser's language", example="locale de-DE"
):
    """A BCP 47 tag."""

    tag: str = argument(NameKind("tag"), "a BCP 47 language tag")


class LocaleReset(Command, path="locale reset", family=_FAMILY, safe=True, help="Reset the browser's language"):
    """Back to the browser's own."""


class Timezone(
    Command,
    path="timezone",
    family=_FAMILY,
    safe=True,
    help="Set the browser's time zone",
    example="timezone Europe/Paris",
):
    """A name of the IANA database."""

    name: str = argument(NAME, "a time zone of the IANA database")


class TimezoneReset(Command, path="timezone reset", family=_FAMILY, safe=True, help="Reset the browser's time zone"):
    """Back to the browser's own."""


class UserAgent(Command, path="useragent", family=_FAMILY, effects=("request",), help="Set the User-Agent header"):
    """Also what scripts see."""

    text: str = argument(TEXT, "the header's value")


class UserAgentReset(
    Command, path="useragent reset", family=_FAMILY, effects=("request",), help="Reset the User-Agent header"
):
    """Back to the browser's own."""

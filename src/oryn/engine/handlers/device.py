"""`viewport`, `device`, `devices`, `media`, `geolocation`, `locale`, `timezone`, `useragent`.

The named devices are Playwright's list, in `devices.json` (written by `scripts/devices.mjs`)."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import TYPE_CHECKING, Any

from oryn.browsers.base.emulation import DeviceDescriptor, MediaFeature
from oryn.core.text_safety import quoted
from oryn.engine.action import Action
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.page.context import require_no_dialog
from oryn.errors import InvalidValue
from oryn.language import (
    Command,
    Device,
    DeviceReset,
    Devices,
    Geolocation,
    GeolocationOff,
    Locale,
    LocaleReset,
    MediaColorScheme,
    MediaContrast,
    MediaForcedColors,
    MediaReducedMotion,
    MediaReset,
    MediaType,
    Timezone,
    TimezoneReset,
    UserAgent,
    UserAgentReset,
    Viewport,
)

if TYPE_CHECKING:
    from oryn.engine.page.context import PageContext

LANDSCAPE = " landscape"


@cache
def _device_data() -> dict[str, Any]:
    data: dict[str, Any] = json.loads((files("oryn.engine") / "devices.json").read_text(encoding="utf-8"))
    return data


def device_list_source() -> str:
    """Return the source of the list: package, version, URL."""
    found: str = _device_data()["source"]
    return found


_NO_MODELS: Mapping[str, DeviceDescriptor] = {}


def device_names(more: Mapping[str, DeviceDescriptor] = _NO_MODELS) -> list[str]:
    """Return every name, in the list's order: by family, the landscape variant of a device after the upright one. Then
    those of `more`, the backend's, that are not in it."""
    return list(_device_data()["devices"] | more)


def find_device(name: str, more: Mapping[str, DeviceDescriptor] = _NO_MODELS) -> DeviceDescriptor:
    """Return the device called `name`, ignoring case, of the list or of `more`, the backend's. Raises `InvalidValue`
    with the nearest names."""
    names = {each.lower(): each for each in device_names(more)}
    wanted = " ".join(name.lower().split())
    if wanted not in names:
        near = [names[each] for each in difflib.get_close_matches(wanted[:100], names, 3)]
        hint = f"Did you mean {' or '.join(near)}?" if near else "Run 'devices' to see the names."
        raise InvalidValue(f"there is no device {quoted(name)}", hint)
    data = _device_data()
    if names[wanted] not in data["devices"]:
        return more[names[wanted]]
    width, height, screen_width, screen_height, scale, mobile, touch, agent = data["devices"][names[wanted]]
    screen, user_agent = (screen_width, screen_height), data["userAgents"][agent]
    return DeviceDescriptor(names[wanted], (width, height), screen, scale, mobile, touch, user_agent)


def device_families(names: Iterable[str]) -> list[str]:
    """Return a line for each first word, `Pixel: 2, 2 XL, 3`, without landscape variants."""
    upright = [name for name in names if not name.endswith(LANDSCAPE)]
    rows = []
    for family, members in groupby(upright, key=lambda name: name.partition(" ")[0]):
        kinds = [name.partition(" ")[2] for name in members]
        rows.append(f"{family}: {', '.join(kinds)}" if len(kinds) > 1 else f"{family} {kinds[0]}")
    return rows


MAX_SIDE_PIXELS = 16_384
MAX_AREA_PIXELS = 40_000_000
"""Maximum area in CSS pixels that a browser can render without running out of memory."""

REFRESH_NOTE = "pages that are already loaded need a 'refresh' for the full effect"

# https://www.rfc-editor.org/rfc/rfc5646#section-2.1, without extensions
_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z]{4})?([-_]([A-Za-z]{2}|\d{3}))?")


@handles(Viewport)
async def viewport(context: PageContext, command: Viewport) -> Answer:
    width, height = command.width, command.height
    if not (1 <= width <= MAX_SIDE_PIXELS and 1 <= height <= MAX_SIDE_PIXELS and width * height <= MAX_AREA_PIXELS):
        raise InvalidValue(
            f"a viewport can't be {width}x{height}",
            f"Each side may be 1 to {MAX_SIDE_PIXELS} pixels, both together at most "
            f"{MAX_AREA_PIXELS // 1_000_000} million.",
        )
    action = await _begin(context)
    await context.browser.device.resize(width, height, timeout=context.deadline.remaining())
    return await action.report()


@handles(Device)
async def device(context: PageContext, command: Device) -> Answer:
    model = find_device(command.name, context.browser.device_models())
    action = await _begin(context)
    await context.browser.device.emulate(model, timeout=context.deadline.remaining())
    answer = await action.report([REFRESH_NOTE])
    (width, height), kind = model.viewport, "mobile" if model.mobile else "desktop"
    answer.lines = [f"{model.name}: {width}x{height}, scale {model.scale:g}, {kind}{', touch' if model.touch else ''}"]
    answer.data = {"name": model.name, "width": width, "height": height, "scale": model.scale, "mobile": model.mobile}
    return answer


@handles(DeviceReset)
async def device_reset(context: PageContext, command: DeviceReset) -> Answer:
    action = await _begin(context)
    await context.browser.device.emulate(None, timeout=context.deadline.remaining())
    return await action.report([REFRESH_NOTE])


@handles(Devices, browser=False)
async def devices(context: PageContext, command: Devices) -> Answer:
    notes = [f"'device iPhone 14 landscape' turns it on its side; the list is that of {device_list_source()}"]
    names = device_names(context.browser.device_models())
    return Answer(lines=device_families(names), notes=notes, data=names)


MEDIA_FEATURES: dict[type[Command], MediaFeature] = {
    MediaColorScheme: "prefers-color-scheme",
    MediaContrast: "prefers-contrast",
    MediaForcedColors: "forced-colors",
    MediaReducedMotion: "prefers-reduced-motion",
}


@handles(*MEDIA_FEATURES)
async def media_feature(
    context: PageContext, command: MediaColorScheme | MediaContrast | MediaForcedColors | MediaReducedMotion
) -> Answer:
    action = await _begin(context)
    await context.browser.device.set_media_feature(
        MEDIA_FEATURES[type(command)], command.value, timeout=context.deadline.remaining()
    )
    return await action.report()


@handles(MediaType)
async def media_type(context: PageContext, command: MediaType) -> Answer:
    action = await _begin(context)
    await context.browser.device.set_media_type(command.value, timeout=context.deadline.remaining())
    return await action.report()


@handles(MediaReset)
async def media_reset(context: PageContext, command: MediaReset) -> Answer:
    action = await _begin(context)
    await context.browser.device.reset_media(timeout=context.deadline.remaining())
    return await action.report()


@handles(Geolocation)
async def geolocation(context: PageContext, command: Geolocation) -> Answer:
    for name, degrees, most in (("latitude", command.latitude, 90), ("longitude", command.longitude, 180)):
        if not -most <= degrees <= most:
            raise InvalidValue(f"there is no {name} {degrees:g}", f"A {name} is from -{most} to {most} degrees.")
    action = await _begin(context)
    place = (command.latitude, command.longitude)
    await context.browser.device.set_geolocation(place, timeout=context.deadline.remaining())
    return await action.report()


@handles(GeolocationOff)
async def geolocation_off(context: PageContext, command: GeolocationOff) -> Answer:
    action = await _begin(context)
    await context.browser.device.set_geolocation(None, timeout=context.deadline.remaining())
    return await action.report()


@handles(Locale)
async def locale(context: PageContext, command: Locale) -> Answer:
    if not _LANGUAGE_TAG.fullmatch(command.tag):
        raise InvalidValue(f"{quoted(command.tag)} is no language tag", "Give one such as de-DE, fr or zh-Hant-TW.")
    require_no_dialog(context)
    await context.browser.device.set_locale(command.tag.replace("_", "-"), timeout=context.deadline.remaining())
    return Answer(notes=[REFRESH_NOTE])


@handles(LocaleReset)
async def locale_reset(context: PageContext, command: LocaleReset) -> Answer:
    require_no_dialog(context)
    await context.browser.device.set_locale(None, timeout=context.deadline.remaining())
    return Answer(notes=[REFRESH_NOTE])


@handles(Timezone)
async def timezone(context: PageContext, command: Timezone) -> Answer:
    require_no_dialog(context)
    await context.browser.device.set_timezone(command.name, timeout=context.deadline.remaining())
    return Answer()


@handles(TimezoneReset)
async def timezone_reset(context: PageContext, command: TimezoneReset) -> Answer:
    require_no_dialog(context)
    await context.browser.device.set_timezone(None, timeout=context.deadline.remaining())
    return Answer()


@handles(UserAgent)
async def user_agent(context: PageContext, command: UserAgent) -> Answer:
    if not command.text.isascii() or not command.text.isprintable() or not command.text.strip():
        raise InvalidValue("a user agent is a line of printable ASCII characters", "Remove the other characters.")
    require_no_dialog(context)
    await context.browser.device.set_user_agent(command.text, timeout=context.deadline.remaining())
    return Answer(notes=[REFRESH_NOTE])


@handles(UserAgentReset)
async def user_agent_reset(context: PageContext, command: UserAgentReset) -> Answer:
    require_no_dialog(context)
    await context.browser.device.set_user_agent(None, timeout=context.deadline.remaining())
    return Answer(notes=[REFRESH_NOTE])


async def _begin(context: PageContext) -> Action:
    require_no_dialog(context)
    return await Action.begin(context, reacts=False)

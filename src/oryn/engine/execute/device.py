"""`viewport`, `device`, `devices`, `media`, `geolocation`, `locale`, `timezone`, `useragent`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oryn.engine import devices as list_of_devices
from oryn.engine.actions import Action, require_no_dialog
from oryn.engine.answer import Answer
from oryn.engine.escape import quoted
from oryn.engine.execute.registry import handles
from oryn.errors import InvalidValue
from oryn.language import (
    Device,
    DeviceReset,
    Devices,
    Geolocation,
    GeolocationOff,
    Locale,
    LocaleReset,
    MediaColorScheme,
    MediaReducedMotion,
    MediaReset,
    Timezone,
    TimezoneReset,
    UserAgent,
    UserAgentReset,
    Viewport,
)

if TYPE_CHECKING:
    from oryn.engine.session import Session

LARGEST_SIDE = 16_384
LARGEST_AREA = 40_000_000
"""CSS pixels: what a browser can still draw without running out of memory."""

REFRESH = "pages that are loaded already see all of it after 'refresh'"

# https://www.rfc-editor.org/rfc/rfc5646#section-2.1, without extensions
_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z]{4})?([-_]([A-Za-z]{2}|\d{3}))?")


@handles(Viewport)
async def viewport(session: Session, command: Viewport) -> Answer:
    width, height = command.width, command.height
    if not (1 <= width <= LARGEST_SIDE and 1 <= height <= LARGEST_SIDE and width * height <= LARGEST_AREA):
        raise InvalidValue(
            f"a viewport can't be {width}x{height}",
            f"Each side may be 1 to {LARGEST_SIDE} pixels, both together at most {LARGEST_AREA // 1_000_000} million.",
        )
    action = await _begin(session)
    await session.browser.device.resize(width, height, timeout=session.remaining())
    return await action.report()


@handles(Device)
async def device(session: Session, command: Device) -> Answer:
    model = list_of_devices.model(command.name)
    action = await _begin(session)
    await session.browser.device.show(model, timeout=session.remaining())
    answer = await action.report([REFRESH])
    (width, height), kind = model.viewport, "mobile" if model.mobile else "desktop"
    answer.lines = [f"{model.name}: {width}x{height}, scale {model.scale:g}, {kind}{', touch' if model.touch else ''}"]
    answer.data = {"name": model.name, "width": width, "height": height, "scale": model.scale, "mobile": model.mobile}
    return answer


@handles(DeviceReset)
async def device_reset(session: Session, command: DeviceReset) -> Answer:
    action = await _begin(session)
    await session.browser.device.show(None, timeout=session.remaining())
    return await action.report([REFRESH])


@handles(Devices, browser=False)
async def devices(session: Session, command: Devices) -> Answer:
    notes = [f"'device iPhone 14 landscape' turns it on its side; the list is that of {list_of_devices.source()}"]
    return Answer(lines=list_of_devices.families(), notes=notes, data=list_of_devices.names())


@handles(MediaColorScheme)
async def color_scheme(session: Session, command: MediaColorScheme) -> Answer:
    action = await _begin(session)
    await session.browser.device.prefer("prefers-color-scheme", command.value, timeout=session.remaining())
    return await action.report()


@handles(MediaReducedMotion)
async def reduced_motion(session: Session, command: MediaReducedMotion) -> Answer:
    action = await _begin(session)
    await session.browser.device.prefer("prefers-reduced-motion", command.value, timeout=session.remaining())
    return await action.report()


@handles(MediaReset)
async def media_reset(session: Session, command: MediaReset) -> Answer:
    action = await _begin(session)
    await session.browser.device.prefer("prefers-color-scheme", None, timeout=session.remaining())
    await session.browser.device.prefer("prefers-reduced-motion", None, timeout=session.remaining())
    return await action.report()


@handles(Geolocation)
async def geolocation(session: Session, command: Geolocation) -> Answer:
    for name, degrees, most in (("latitude", command.latitude, 90), ("longitude", command.longitude, 180)):
        if not -most <= degrees <= most:
            raise InvalidValue(f"there is no {name} {degrees:g}", f"A {name} is from -{most} to {most} degrees.")
    action = await _begin(session)
    place = (command.latitude, command.longitude)
    await session.browser.device.set_place(place, timeout=session.remaining())
    return await action.report()


@handles(GeolocationOff)
async def geolocation_off(session: Session, command: GeolocationOff) -> Answer:
    action = await _begin(session)
    await session.browser.device.set_place(None, timeout=session.remaining())
    return await action.report()


@handles(Locale)
async def locale(session: Session, command: Locale) -> Answer:
    if not _LANGUAGE_TAG.fullmatch(command.tag):
        raise InvalidValue(f"{quoted(command.tag)} is no language tag", "Give one such as de-DE, fr or zh-Hant-TW.")
    require_no_dialog(session)
    await session.browser.device.set_locale(command.tag.replace("_", "-"), timeout=session.remaining())
    return Answer(notes=[REFRESH])


@handles(LocaleReset)
async def locale_reset(session: Session, command: LocaleReset) -> Answer:
    require_no_dialog(session)
    await session.browser.device.set_locale(None, timeout=session.remaining())
    return Answer(notes=[REFRESH])


@handles(Timezone)
async def timezone(session: Session, command: Timezone) -> Answer:
    require_no_dialog(session)
    await session.browser.device.set_timezone(command.name, timeout=session.remaining())
    return Answer()


@handles(TimezoneReset)
async def timezone_reset(session: Session, command: TimezoneReset) -> Answer:
    require_no_dialog(session)
    await session.browser.device.set_timezone(None, timeout=session.remaining())
    return Answer()


@handles(UserAgent)
async def user_agent(session: Session, command: UserAgent) -> Answer:
    if not command.text.isascii() or not command.text.isprintable() or not command.text.strip():
        raise InvalidValue("a user agent is a line of printable ASCII characters", "Leave out what is none.")
    require_no_dialog(session)
    await session.browser.device.set_user_agent(command.text, timeout=session.remaining())
    return Answer(notes=[REFRESH])


@handles(UserAgentReset)
async def user_agent_reset(session: Session, command: UserAgentReset) -> Answer:
    require_no_dialog(session)
    await session.browser.device.set_user_agent(None, timeout=session.remaining())
    return Answer(notes=[REFRESH])


async def _begin(session: Session) -> Action:
    require_no_dialog(session)
    return await Action.begin(session)

"""Device emulation in all tabs of a session: a table of overrides (screen, locale, ...), sent to every target.

The protocol drops an override with the session that set it, so the table is sent to each new target, and changes of it
to the existing ones. Emulation belongs to targets: frames in processes of their own get the overrides too.
https://chromedevtools.github.io/devtools-protocol/tot/Emulation/
https://chromedevtools.github.io/devtools-protocol/tot/Emulation/#method-setDeviceMetricsOverride
https://chromedevtools.github.io/devtools-protocol/tot/Emulation/#method-setUserAgentOverride"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Protocol

from oryn.browsers.base.emulation import Device, DeviceDescriptor, MediaFeature, MediaType
from oryn.browsers.cdp.broadcast import wait_for_answers
from oryn.browsers.cdp.error_mapping import SharedOverride
from oryn.browsers.cdp.feature import TargetFeature
from oryn.errors import InvalidValue, OrynError

if TYPE_CHECKING:
    import asyncio

    from oryn.browsers.cdp.broadcast import BroadcastTab, BroadcastTabs
    from oryn.browsers.cdp.connection import CdpSession
    from oryn.browsers.cdp.feature import CdpTarget
    from oryn.browsers.common.protocol_session import Answer

TOUCH_PARAMS = {"enabled": True, "maxTouchPoints": 5}


def device_metrics(size: tuple[int, int], model: DeviceDescriptor | None = None) -> dict[str, Any]:
    """The parameters for a viewport of `size` (width and height in CSS pixels) on the screen of `model`.

    Without a model the device scale factor is 0, which means the browser's own."""
    width, height = size
    params: dict[str, Any] = {"width": width, "height": height, "deviceScaleFactor": 0, "mobile": False}
    if model is None:
        return params
    # A screen is never smaller than the viewport.
    screen_width, screen_height = max(width, model.screen[0]), max(height, model.screen[1])
    params |= {"deviceScaleFactor": model.scale, "mobile": model.mobile}
    params |= {"screenWidth": screen_width, "screenHeight": screen_height}
    return params | {"screenOrientation": _orientation(width > height, model.mobile)}


def _orientation(wide: bool, mobile: bool) -> dict[str, Any]:
    """The screen orientation: landscape is rotated by 90 degrees on a mobile device, and the primary one on others."""
    if mobile:
        return {"type": "landscapePrimary", "angle": 90} if wide else {"type": "portraitPrimary", "angle": 0}
    return {"type": "landscapePrimary", "angle": 0}


_CHROMIUM = re.compile(r"\bChrome/")
_SYSTEMS: tuple[tuple[str, str, str], ...] = (
    # a pattern of the user agent, then the matching values of `Sec-CH-UA-Platform` and `navigator.platform`
    (r"Android ([\d.]+)", "Android", "Linux armv81"),
    (r"Windows NT ([\d.]+)", "Windows", "Win32"),
    (r"CrOS \S+ ([\d.]+)", "Chrome OS", "Linux x86_64"),
    (r"Mac OS X ([\d_.]+)\)", "macOS", "MacIntel"),
    (r"Linux()", "Linux", "Linux x86_64"),
)
_APPLE = re.compile(r"\((iPhone|iPad);")
_MODEL = re.compile(r"Android [\d.]+; ([^;)]+(?:\([^)]*\))?)")


def user_agent_override(user_agent: str, locale: str | None) -> dict[str, Any]:
    """The parameters of the override. An empty `user_agent` means the browser's own."""
    params: dict[str, Any] = {"userAgent": user_agent}
    if locale is not None:
        params["acceptLanguage"] = accept_languages(locale)
    if apple := _APPLE.search(user_agent):
        params["platform"] = apple[1]
    elif user_agent:
        params |= _client_hints(user_agent)
    return params


def accept_languages(locale: str) -> str:
    """The value of `Accept-Language`: the language, then the same without its region, as in `de-DE,de`."""
    parts = locale.replace("_", "-").split("-")
    return ",".join(dict.fromkeys(("-".join(parts), parts[0])))


def _client_hints(user_agent: str) -> dict[str, Any]:
    """The platform and the client hints that match a user agent. Only Chromium sends client hints
    (https://wicg.github.io/ua-client-hints/).

    The brands are left out, because the browser adds its own."""
    system, version, platform = _platform_of(user_agent)
    if not platform:
        return {}
    if not _CHROMIUM.search(user_agent):
        return {"platform": platform}
    model = _MODEL.search(user_agent)
    metadata = {
        "platform": system,
        "platformVersion": version,
        "architecture": "" if system == "Android" else "x86",
        "model": model[1].partition(" Build/")[0] if model else "",
        "mobile": "Mobile" in user_agent,
    }
    return {"platform": platform, "userAgentMetadata": metadata}


def _platform_of(user_agent: str) -> tuple[str, str, str]:
    """The operating system, its version, and `navigator.platform`; empty strings if unknown."""
    for pattern, system, platform in _SYSTEMS:
        if found := re.search(pattern, user_agent):
            return system, found[1].replace("_", "."), platform
    return "", "", ""


def with_browser_version(user_agent: str, product: str) -> str:
    """A user agent with `{chrome}` replaced by the browser's version, reduced as Chromium reduces its own.

    product: such as `Chrome/156.0.8078.79`. https://www.chromium.org/updates/ua-reduction/"""
    major = product.rpartition("/")[2].partition(".")[0]
    return user_agent.replace("{chrome}", f"{major}.0.0.0")


_METRICS = "Emulation.setDeviceMetricsOverride"
_TOUCH = "Emulation.setTouchEmulationEnabled"
_USER_AGENT = "Emulation.setUserAgentOverride"
_MEDIA = "Emulation.setEmulatedMedia"
_GEOLOCATION = "Emulation.setGeolocationOverride"
_LOCALE = "Emulation.setLocaleOverride"
_TIMEZONE = "Emulation.setTimezoneOverride"

_RESET: dict[str, tuple[str, dict[str, Any]]] = {
    _METRICS: ("Emulation.clearDeviceMetricsOverride", {}),
    _TOUCH: (_TOUCH, {"enabled": False}),
    _USER_AGENT: (_USER_AGENT, {"userAgent": ""}),
    _MEDIA: (_MEDIA, {"media": "", "features": []}),
    _GEOLOCATION: ("Emulation.clearGeolocationOverride", {}),
    _LOCALE: (_LOCALE, {"locale": ""}),
    _TIMEZONE: (_TIMEZONE, {"timezoneId": ""}),
}
"""The command that removes each override."""
_PROCESS_WIDE = (_LOCALE, _TIMEZONE)
"""Overrides that the tabs of one process share: the first tab that sets one owns it, and removes it when it closes."""

ACCURACY_METRES = 10
MAX_DEVICE_PIXELS = 200_000_000
"""The most device pixels of which the browser takes a screenshot."""

Overrides = dict[str, dict[str, Any] | None]
"""Parameters by method; None if the method overrides nothing."""


class BrowserOverrides(Protocol):
    """The part of device emulation that concerns the browser and not a tab."""

    async def product(self) -> str:
        """The product name and version, such as `Chrome/156.0.8078.79`."""

    async def permit_geolocation(self, position: tuple[float, float] | None, timeout: float) -> None:
        """Grant every site the geolocation permission, without a prompt, if `position` (latitude and longitude) is set;
        None resets it."""


class CdpEmulation(TargetFeature, Device):
    """Emulates a device in all tabs of a session.

    viewport: the size to return to, in CSS pixels; None if the window has a size of its own."""

    def __init__(self, tabs: BroadcastTabs, viewport: tuple[int, int] | None, browser: BrowserOverrides) -> None:
        self._tabs = tabs
        self._viewport = viewport
        self._browser = browser
        self._overrides: Overrides = {}
        self._model: DeviceDescriptor | None = None
        self._user_agent: str | None = None
        self._locale: str | None = None
        self._media_type: MediaType | None = None
        self._media: dict[MediaFeature, str] = {}

    # --- targets ---

    def attach(self, page: CdpTarget, session: CdpSession) -> None:
        for method, params in self._overrides.items():
            if params is not None and (method != _METRICS or session is page.channel.session):
                session.send(method, params)

    def attach_worker(self, page: CdpTarget, session: CdpSession) -> None:
        if params := self._overrides.get(_USER_AGENT):
            session.send(_USER_AGENT, params)  # a worker inherits the page's user agent but not its languages

    def detach(self, page: CdpTarget, session: CdpSession) -> None:
        for method in _PROCESS_WIDE:
            if params := self._overrides.get(method):
                for other in self._tabs:
                    self._send(other, method, params)

    # --- settings ---

    async def emulate(self, model: DeviceDescriptor | None, *, timeout: float = 30) -> None:
        self._model = model
        await self._apply(
            {
                _METRICS: self._sized(model.viewport if model else self._viewport),
                _TOUCH: TOUCH_PARAMS if model is not None and model.touch else None,
                _USER_AGENT: await self._identity(),
            },
            timeout,
        )

    async def resize(self, width: int, height: int, *, timeout: float = 30) -> None:
        if self._model is not None and width * height * self._model.scale**2 > MAX_DEVICE_PIXELS:
            raise InvalidValue(
                f"{width}x{height} is too large for a device with {self._model.scale:g} pixels to a CSS pixel",
                "Give a smaller size, or run 'device reset' first.",
            )
        await self._apply({_METRICS: self._sized((width, height))}, timeout)

    async def set_user_agent(self, text: str | None, *, timeout: float = 30) -> None:
        self._user_agent = text
        await self._apply({_USER_AGENT: await self._identity()}, timeout)

    async def set_media_feature(self, feature: MediaFeature, value: str, *, timeout: float = 30) -> None:
        self._media[feature] = value
        await self._apply({_MEDIA: self._media_params()}, timeout)

    async def set_media_type(self, media: MediaType, *, timeout: float = 30) -> None:
        self._media_type = media
        await self._apply({_MEDIA: self._media_params()}, timeout)

    async def reset_media(self, *, timeout: float = 30) -> None:
        self._media_type = None
        self._media.clear()
        await self._apply({_MEDIA: None}, timeout)

    async def set_geolocation(self, position: tuple[float, float] | None, *, timeout: float = 30) -> None:
        await self._browser.permit_geolocation(position, timeout)
        params = position and {"latitude": position[0], "longitude": position[1], "accuracy": ACCURACY_METRES}
        await self._apply({_GEOLOCATION: params}, timeout)

    async def set_locale(self, tag: str | None, *, timeout: float = 30) -> None:
        await self._apply({_LOCALE: {"locale": tag} if tag else None}, timeout)
        self._locale = tag
        await self._apply({_USER_AGENT: await self._identity()}, timeout)

    async def set_timezone(self, name: str | None, *, timeout: float = 30) -> None:
        await self._apply({_TIMEZONE: {"timezoneId": name} if name else None}, timeout)

    # --- parameters ---

    def _media_params(self) -> dict[str, Any]:
        features = [{"name": name, "value": value} for name, value in self._media.items()]
        return {"media": self._media_type or "", "features": features}

    def _sized(self, size: tuple[int, int] | None) -> dict[str, Any] | None:
        return size and device_metrics(size, self._model)

    async def _identity(self) -> dict[str, Any] | None:
        user_agent = self._user_agent
        if user_agent is None and self._model is not None:
            user_agent = with_browser_version(self._model.user_agent, await self._browser.product())
        if user_agent is None and self._locale is None:
            return None
        return user_agent_override(user_agent or "", self._locale)

    # --- sending ---

    async def _apply(self, overrides: Overrides, timeout: float) -> None:
        """Apply overrides to all targets, also to later ones. If the browser refuses one, restore all of them and
        raise."""
        before: Overrides = {method: self._overrides.get(method) for method in overrides}
        self._overrides |= overrides
        try:
            await self._broadcast(overrides, timeout)
        except InvalidValue:
            self._overrides |= before
            await self._broadcast(before, timeout)
            raise

    async def _broadcast(self, overrides: Overrides, timeout: float) -> None:
        self._tabs.get(None).channel.check()
        sent: dict[CdpSession, list[asyncio.Future[Answer]]] = {}
        for page in self._tabs:
            for method, params in overrides.items():
                for session, answer in self._send(page, method, params):
                    sent.setdefault(session, []).append(answer)
        for answer in await wait_for_answers(self._tabs, sent, timeout):
            _raise_refusal(answer)

    def _send(
        self, page: BroadcastTab, method: str, params: dict[str, Any] | None
    ) -> list[tuple[CdpSession, asyncio.Future[Answer]]]:
        if params is None:
            method, params = _RESET[method]
        # Only a top document has a viewport to be set.
        sessions = [page.channel.session] if "DeviceMetrics" in method else page.channel.sessions
        if method == _TIMEZONE and params["timezoneId"]:
            for session in sessions:  # the browser checks the name only if no other zone is set
                session.send(method, {"timezoneId": ""})
        return [(session, session.send(method, params)) for session in sessions]


def _raise_refusal(answer: asyncio.Future[Answer]) -> None:
    """Raise the error with which a target refused, unless another target of its process had set the override."""
    refusal = answer.exception()
    if isinstance(refusal, OrynError) and not isinstance(refusal, SharedOverride):
        raise refusal

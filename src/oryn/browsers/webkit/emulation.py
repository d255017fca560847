"""Device emulation in all tabs of a session: what WebKit has commands for, and scripts for the rest.

The window of WPE has one size, so no viewport can be set there. The location, the language and the time zone are those
of scripts that run before a page's own, in the page's world; workers keep the browser's.
https://github.com/WebKit/WebKit/blob/main/Source/JavaScriptCore/inspector/protocol/Page.json"""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from oryn.browsers.base.emulation import Device, DeviceDescriptor, MediaFeature, MediaType
from oryn.browsers.cdp.emulation import accept_languages
from oryn.browsers.common.target_feature import TargetFeature
from oryn.browsers.webkit.session import WebKitSession
from oryn.errors import InvalidValue, NotSupported, OrynError, Timeout
from oryn.scanner import page_call

if TYPE_CHECKING:
    from oryn.browsers.common.protocol_session import Answer
    from oryn.browsers.common.tabs import OpenTabs
    from oryn.browsers.common.target_feature import InterceptedTarget
    from oryn.browsers.webkit.bootstrap import Bootstrap
    from oryn.browsers.webkit.network.interception import WebKitConditions
    from oryn.browsers.webkit.page import WebKitPage

ACCURACY_METRES = 10
OTHERS_SECONDS = 1.0
"""The time that tabs in the background get to answer in, because one of them may hang."""
_WINDOW_SECONDS = 2.0
_ONE_SIZE = "The window of this browser has one size: {}x{}."
_USER_AGENT = "Page.overrideUserAgent"
_PREFERENCE: dict[MediaFeature, tuple[str, dict[str, str]]] = {
    "prefers-color-scheme": ("PrefersColorScheme", {"dark": "Dark", "light": "Light"}),
    "prefers-contrast": ("PrefersContrast", {"more": "More", "no-preference": "NoPreference"}),
    "prefers-reduced-motion": ("PrefersReducedMotion", {"reduce": "Reduce", "no-preference": "NoPreference"}),
}
_ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+/-]*")


class WebKitEmulation(TargetFeature[WebKitSession], Device):
    """Emulates a device in all tabs of a session.

    sets_window: whether the browser's windows can have any size.
    conditions: returns the feature that sends the headers of all requests."""

    def __init__(
        self,
        tabs: OpenTabs[WebKitPage],
        bootstrap: Bootstrap,
        conditions: Callable[[], WebKitConditions],
        *,
        sets_window: bool,
    ) -> None:
        self._tabs = tabs
        self._bootstrap = bootstrap
        self._conditions = conditions
        self._sets_window = sets_window
        self._key = secrets.token_hex(8)
        self._model: DeviceDescriptor | None = None
        self._user_agent: str | None = None
        self._own_user_agent = ""
        """The browser's own, once it has been replaced."""
        self._size: tuple[int, int] | None = None
        self._media_type: MediaType | None = None
        self._media: dict[MediaFeature, str] = {}
        self._has_preferences = True
        """Whether the browser may have a command for preferences: WebKit 2.38 has one for dark pages alone."""
        self._locale: str | None = None
        self._zone: str | None = None

    # --- targets ---

    def attach(self, page: InterceptedTarget[WebKitSession], session: WebKitSession) -> None:
        if (text := self._wanted_user_agent) is not None:
            session.send(_USER_AGENT, {"value": text})
        self._send_preferences(session)
        session.on("Page.frameNavigated", lambda event: self._on_navigated(session, event["frame"]))
        if self._model is not None:
            session.send("Page.setScreenSizeOverride", _screen(self._model))

        if self._media_type is not None:
            session.send("Page.setEmulatedMedia", {"media": self._media_type})

    def _send_preferences(self, session: WebKitSession) -> None:
        for feature, value in self._media.items():
            self._send_media(session, feature, value)

    def _on_navigated(self, session: WebKitSession, frame: dict[str, Any]) -> None:
        if not self._has_preferences and "parentId" not in frame:
            self._send_preferences(session)  # WebKit 2.38 forgets them with each document

    # --- settings ---

    async def emulate(self, model: DeviceDescriptor | None, *, timeout: float = 30) -> None:
        size = await self._window_size(timeout)
        if model is not None and not self._can_be(model, size):
            reason = _ONE_SIZE.format(*size) if not self._sets_window else "It has one device pixel to a CSS pixel."
            raise NotSupported(hint=f"{reason} 'useragent' and 'media' work.")
        if self._sets_window and model is not None:
            await self.resize(*model.viewport, timeout=timeout)
        self._model = model
        screen = _screen(model) if model is not None else dict(zip(("width", "height"), size, strict=True))
        await self._send_to_all(lambda session: session.send("Page.setScreenSizeOverride", screen), timeout)
        await self._apply_user_agent(timeout)

    def _can_be(self, model: DeviceDescriptor, size: tuple[int, int]) -> bool:
        has_size = self._sets_window or model.viewport == size
        return has_size and model.scale == 1 and not model.mobile and not model.touch

    async def resize(self, width: int, height: int, *, timeout: float = 30) -> None:
        present = await self._window_size(timeout)
        if (width, height) == present:
            return
        if not self._sets_window:
            raise NotSupported(hint=_ONE_SIZE.format(*present))
        channel = self._tabs.get(None).channel
        # The first try tells what the window's own parts take.
        wanted = [width, height]
        for _ in range(2):
            size = {"width": wanted[0], "height": wanted[1]}
            await channel.automate("setWindowFrameOfBrowsingContext", {"size": size}, timeout=timeout)
            present = await self._settled_size((width, height))
            if present == (width, height):
                return
            wanted = [wanted[0] + width - present[0], wanted[1] + height - present[1]]
        raise InvalidValue(f"the window can't be made {width}x{height}", "Give another size.")

    async def _settled_size(self, wanted: tuple[int, int]) -> tuple[int, int]:
        """The size of the viewport once it is the wanted one, or after a moment."""
        present = await self._window_size(_WINDOW_SECONDS)
        for _ in range(20):
            if present == wanted:
                break
            await asyncio.sleep(0.02)  # no event reports a window's size
            present = await self._window_size(_WINDOW_SECONDS)
        return present

    async def _window_size(self, timeout: float) -> tuple[int, int]:
        page = self._tabs.get(None)
        response: Any = await page.scanner_client.run({"cmd": "page"}, page.frame_tree.top, timeout)
        view = response["data"]["viewport"]
        return round(view["width"]), round(view["height"])

    async def set_user_agent(self, text: str | None, *, timeout: float = 30) -> None:
        self._user_agent = text
        await self._apply_user_agent(timeout)

    @property
    def _wanted_user_agent(self) -> str | None:
        """The user agent to send; None to leave it alone."""
        if self._user_agent is not None:
            return self._user_agent
        if self._model is not None:
            return self._model.user_agent.replace("{chrome}", "120.0.0.0")
        return self._own_user_agent or None

    async def _apply_user_agent(self, timeout: float) -> None:
        if not self._own_user_agent:
            # The browser has no command that says so, and an empty text does not reset what pages see.
            self._own_user_agent = str(await self._evaluate("navigator.userAgent", timeout))
        text = self._wanted_user_agent
        await self._send_to_all(lambda session: session.send(_USER_AGENT, {"value": text}), timeout)

    async def set_media_feature(self, feature: MediaFeature, value: str, *, timeout: float = 30) -> None:
        if value not in _PREFERENCE.get(feature, ("", {}))[1]:
            raise NotSupported(hint=f"WebKit can't emulate '{feature}: {value}'.")
        await self._prefer(feature, value, timeout)

    async def set_media_type(self, media: MediaType, *, timeout: float = 30) -> None:
        self._media_type = media
        await self._send_to_all(lambda session: session.send("Page.setEmulatedMedia", {"media": media}), timeout)

    async def reset_media(self, *, timeout: float = 30) -> None:
        self._media_type = None
        await self._send_to_all(lambda session: session.send("Page.setEmulatedMedia", {"media": ""}), timeout)
        for feature in list(self._media):
            await self._prefer(feature, None, timeout)

    async def _prefer(self, feature: MediaFeature, value: str | None, timeout: float) -> None:
        self._media.pop(feature, None)
        if value is not None:
            self._media[feature] = value
        try:
            await self._send_to_all(lambda session: self._send_media(session, feature, value), timeout)
        except NotSupported:
            if not self._has_preferences:
                self._media.pop(feature, None)
                raise NotSupported(hint="WebKit 2.38 can't emulate this feature; later versions can.") from None
            self._has_preferences = False
            await self._prefer(feature, value, timeout)

    def _send_media(self, session: WebKitSession, feature: MediaFeature, value: str | None) -> asyncio.Future[Answer]:
        name, values = _PREFERENCE[feature]
        if not self._has_preferences and feature == "prefers-color-scheme":
            return session.send("Page.setForcedAppearance", {"appearance": values.get(value or "", "")})
        params = {"name": name} if value is None else {"name": name, "value": values[value]}
        return session.send("Page.overrideUserPreference", params)

    # --- scripts ---

    async def set_geolocation(self, place: tuple[float, float] | None, *, timeout: float = 30) -> None:
        position = place and {"latitude": place[0], "longitude": place[1], "accuracy": ACCURACY_METRES}
        await self._apply_script("geolocation", position, timeout, needed=place is not None)

    async def set_locale(self, tag: str | None, *, timeout: float = 30) -> None:
        if tag is not None and not await self._evaluate(_is_locale(tag), timeout):
            raise InvalidValue("the browser has no such locale", "Give a language tag such as de-DE or fr.")
        self._locale = tag
        await self._conditions().set_languages(None if tag is None else accept_languages(tag))
        await self._apply_region(timeout)

    async def set_timezone(self, name: str | None, *, timeout: float = 30) -> None:
        if name is not None and not await self._evaluate(_is_zone(name), timeout):
            raise InvalidValue("the browser has no such time zone", "Give a name such as Europe/Paris or UTC.")
        self._zone = name
        await self._apply_region(timeout)

    async def _apply_region(self, timeout: float) -> None:
        region = {"locale": self._locale, "zone": self._zone}
        await self._apply_script("locale", region, timeout, needed=self._locale is not None or self._zone is not None)

    async def _apply_script(self, name: str, value: Any, timeout: float, *, needed: bool) -> None:
        """Run a page script with a value in every document from now on, and in those that are there."""
        source = page_call(name, self._key, value)
        sent = dict(self._bootstrap.set(name, source if needed else None))
        for page in self._tabs:
            if page.channel.failure is None and page.channel.blocked is None:
                session = page.channel.session
                for node in page.frame_tree.top.subtree():
                    if node.context is not None:
                        params = {"contextId": node.context, "expression": source}
                        sent[session] = session.send("Runtime.evaluate", params)
        await self._wait(sent, timeout)

    async def _evaluate(self, expression: str, timeout: float) -> Any:
        session = self._tabs.get(None).channel.session
        answer = await session.call("Runtime.evaluate", {"expression": expression}, timeout=timeout)
        return answer["result"].get("value")

    # --- sending ---

    async def _send_to_all(self, send: Callable[[WebKitSession], asyncio.Future[Answer]], timeout: float) -> None:
        self._tabs.get(None).channel.check()
        sessions: Iterable[WebKitSession] = [
            page.channel.session for page in self._tabs if page.channel.failure is None
        ]
        await self._wait({session: send(session) for session in sessions}, timeout)

    async def _wait(self, sent: dict[Any, asyncio.Future[Answer]], timeout: float) -> None:
        """Wait for the current tab's answer, a while for the others. Raises `Timeout`, and the current tab's error."""
        own = sent.pop(self._tabs.get(None).channel.session, None)
        late = (await asyncio.wait([own], timeout=timeout))[1] if own is not None else ()
        if sent:
            await asyncio.wait(sent.values(), timeout=min(timeout, OTHERS_SECONDS))
        if late:
            raise Timeout(
                "the page did not answer", "It may be busy: 'goto' another page; the change applies from then on."
            )
        if own is not None and isinstance(failure := own.exception(), OrynError):
            raise failure


def _screen(model: DeviceDescriptor) -> dict[str, int]:
    """The screen of a model, which is never smaller than its viewport."""
    width, height = (max(pair) for pair in zip(model.viewport, model.screen, strict=True))
    return {"width": width, "height": height}


def _is_locale(tag: str) -> str:
    return f"try {{ Intl.getCanonicalLocales({tag!r}).length > 0 }} catch {{ false }}"


def _is_zone(name: str) -> str:
    if not _ZONE.fullmatch(name):
        return "false"
    return f"try {{ !!new Intl.DateTimeFormat('en-US', {{ timeZone: {name!r} }}) }} catch {{ false }}"

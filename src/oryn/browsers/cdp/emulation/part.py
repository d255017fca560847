"""What is emulated in all tabs of a session: a table of overrides, sent to every target.

The protocol forgets an override with the session that set it, so the table is sent to each new target, and a change of
it to those that are there. Emulation belongs to targets: frames in processes of their own are told as well.
https://chromedevtools.github.io/devtools-protocol/tot/Emulation/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from oryn.browsers.base.device import Device, MediaFeature, Model
from oryn.browsers.cdp.emulation import identity, screen
from oryn.browsers.cdp.failures import SharedOverride
from oryn.browsers.cdp.features import Feature
from oryn.browsers.cdp.telling import answered
from oryn.errors import InvalidValue, OrynError

if TYPE_CHECKING:
    import asyncio

    from oryn.browsers.cdp.connection import Answer, Session
    from oryn.browsers.cdp.features import Target
    from oryn.browsers.cdp.page import CdpPage
    from oryn.browsers.cdp.telling import Tab, Tabs

_METRICS = "Emulation.setDeviceMetricsOverride"
_TOUCH = "Emulation.setTouchEmulationEnabled"
_USER_AGENT = "Emulation.setUserAgentOverride"
_MEDIA = "Emulation.setEmulatedMedia"
_PLACE = "Emulation.setGeolocationOverride"
_LOCALE = "Emulation.setLocaleOverride"
_TIMEZONE = "Emulation.setTimezoneOverride"

_UNDONE: dict[str, tuple[str, dict[str, Any]]] = {
    _METRICS: ("Emulation.clearDeviceMetricsOverride", {}),
    _TOUCH: (_TOUCH, {"enabled": False}),
    _USER_AGENT: (_USER_AGENT, {"userAgent": ""}),
    _MEDIA: (_MEDIA, {"features": []}),
    _PLACE: ("Emulation.clearGeolocationOverride", {}),
    _LOCALE: (_LOCALE, {"locale": ""}),
    _TIMEZONE: (_TIMEZONE, {"timezoneId": ""}),
}
"""How each override is taken back."""
_OF_THE_PROCESS = (_LOCALE, _TIMEZONE)
"""What the tabs of one process share: the first that sets it owns it, and takes it along when it goes."""

ACCURACY_METRES = 10
LARGEST_AREA = 200_000_000
"""Device pixels: of more the browser makes no picture."""

Overrides = dict[str, dict[str, Any] | None]
"""Parameters by method; None where nothing is overridden."""


class Whole(Protocol):
    """What is asked of the browser and not of a tab."""

    async def product(self) -> str:
        """`Chrome/156.0.8078.79`."""

    async def permit_place(self, place: tuple[float, float] | None, timeout: float) -> None:
        """Let every site ask where the browser is, without a question that nobody answers, for it is at `place`; or as
        it was."""


class Emulation(Feature, Device):
    """`viewport` is the settings', None where the window has its own size."""

    def __init__(self, tabs: Tabs, viewport: tuple[int, int] | None, whole: Whole) -> None:
        self._tabs = tabs
        self._viewport = viewport
        self._whole = whole
        self._overrides: Overrides = {}
        self._model: Model | None = None
        self._user_agent: str | None = None
        self._locale: str | None = None
        self._media: dict[MediaFeature, str] = {}

    # --- targets that come and go ---

    def attach(self, page: Target, session: Session) -> None:
        for method, params in self._overrides.items():
            if params is not None and (method != _METRICS or session is page.channel.session):
                session.send(method, params)

    def attach_worker(self, page: CdpPage, session: Session) -> None:
        if params := self._overrides.get(_USER_AGENT):
            session.send(_USER_AGENT, params)  # of the page's, a worker takes over the name but not the languages

    def detach(self, page: Target, session: Session) -> None:
        for method in _OF_THE_PROCESS:
            if params := self._overrides.get(method):
                for other in self._tabs:
                    self._send(other, method, params)

    # --- the contract ---

    async def show(self, model: Model | None, *, timeout: float = 30) -> None:
        self._model = model
        await self._apply(
            {
                _METRICS: self._sized(model.viewport if model else self._viewport),
                _TOUCH: screen.TOUCH if model is not None and model.touch else None,
                _USER_AGENT: await self._identity(),
            },
            timeout,
        )

    async def resize(self, width: int, height: int, *, timeout: float = 30) -> None:
        if self._model is not None and width * height * self._model.scale**2 > LARGEST_AREA:
            raise InvalidValue(
                f"{width}x{height} is too large for a device with {self._model.scale:g} pixels to a CSS pixel",
                "Give a smaller size, or run 'device reset' first.",
            )
        await self._apply({_METRICS: self._sized((width, height))}, timeout)

    async def set_user_agent(self, text: str | None, *, timeout: float = 30) -> None:
        self._user_agent = text
        await self._apply({_USER_AGENT: await self._identity()}, timeout)

    async def prefer(self, feature: MediaFeature, value: str | None, *, timeout: float = 30) -> None:
        self._media.pop(feature, None)
        if value is not None:
            self._media[feature] = value
        features = [{"name": name, "value": preferred} for name, preferred in self._media.items()]
        await self._apply({_MEDIA: {"features": features} if features else None}, timeout)

    async def set_place(self, place: tuple[float, float] | None, *, timeout: float = 30) -> None:
        await self._whole.permit_place(place, timeout)
        where = place and {"latitude": place[0], "longitude": place[1], "accuracy": ACCURACY_METRES}
        await self._apply({_PLACE: where}, timeout)

    async def set_locale(self, tag: str | None, *, timeout: float = 30) -> None:
        await self._apply({_LOCALE: {"locale": tag} if tag else None}, timeout)
        self._locale = tag
        await self._apply({_USER_AGENT: await self._identity()}, timeout)

    async def set_timezone(self, name: str | None, *, timeout: float = 30) -> None:
        await self._apply({_TIMEZONE: {"timezoneId": name} if name else None}, timeout)

    # --- what is to hold ---

    def _sized(self, size: tuple[int, int] | None) -> dict[str, Any] | None:
        return size and screen.metrics(size, self._model)

    async def _identity(self) -> dict[str, Any] | None:
        user_agent = self._user_agent
        if user_agent is None and self._model is not None:
            user_agent = identity.fitted(self._model.user_agent, await self._whole.product())
        if user_agent is None and self._locale is None:
            return None
        return identity.override(user_agent or "", self._locale)

    # --- making it hold ---

    async def _apply(self, overrides: Overrides, timeout: float) -> None:
        """From now on these hold, for what is there and what comes; unless the browser refuses one: then all stays as
        it was."""
        before: Overrides = {method: self._overrides.get(method) for method in overrides}
        self._overrides |= overrides
        try:
            await self._tell(overrides, timeout)
        except InvalidValue:
            self._overrides |= before
            await self._tell(before, timeout)
            raise

    async def _tell(self, overrides: Overrides, timeout: float) -> None:
        self._tabs.get(None).channel.check()
        sent: dict[Session, list[asyncio.Future[Answer]]] = {}
        for page in self._tabs:
            for method, params in overrides.items():
                for session, answer in self._send(page, method, params):
                    sent.setdefault(session, []).append(answer)
        for answer in await answered(self._tabs, sent, timeout):
            _raise_refusal(answer)

    def _send(
        self, page: Tab, method: str, params: dict[str, Any] | None
    ) -> list[tuple[Session, asyncio.Future[Answer]]]:
        if params is None:
            method, params = _UNDONE[method]
        # Only a top document has a viewport to be set.
        sessions = [page.channel.session] if "DeviceMetrics" in method else page.channel.sessions
        if method == _TIMEZONE and params["timezoneId"]:
            for session in sessions:  # the browser looks at the name of the first zone only, not at one that follows
                session.send(method, {"timezoneId": ""})
        return [(session, session.send(method, params)) for session in sessions]


def _raise_refusal(answer: asyncio.Future[Answer]) -> None:
    """Raise why a target refused, unless it had been told by way of another one."""
    refusal = answer.exception()
    if isinstance(refusal, OrynError) and not isinstance(refusal, SharedOverride):
        raise refusal

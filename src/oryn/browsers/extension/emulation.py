"""Device emulation in the tabs of the user's browser that a debugger is attached to. The browser forgets it on detach.

No extension may answer a site's permission request for the location. So pages get a position before they ask the
browser, which must never give them the real one. https://www.w3.org/TR/geolocation/"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING

from oryn.browsers.cdp.broadcast import wait_for_answers
from oryn.browsers.cdp.emulation import ACCURACY_METRES, CdpEmulation

if TYPE_CHECKING:
    from oryn.browsers.cdp.broadcast import BroadcastTabs
    from oryn.browsers.cdp.connection import Answer, CdpSession
    from oryn.browsers.cdp.feature import CdpTarget
    from oryn.browsers.extension.debugged_features import DebuggedFeatures, DebuggedTab

_ADD = "Page.addScriptToEvaluateOnNewDocument"
_REMOVE = "Page.removeScriptToEvaluateOnNewDocument"

# Runs in the page's own world, before its scripts, and at once in a page that is loaded already. The proxies look like
# the functions that they replace; `key` addresses an override that is installed already. Permissions policy applies.
_SCRIPT = """((key, initial) => {
  if (typeof Geolocation === 'undefined' || !isSecureContext) return;
  const real = Geolocation.prototype;
  const { query } = Permissions.prototype;
  try {
    if (real.getCurrentPosition.call(navigator.geolocation, key, initial) === key) return;
  } catch {}
  if (!initial) return;
  let place = initial;
  const watching = new Map();
  let next = 1e9;
  const isAllowed = () => document.featurePolicy?.allowsFeature('geolocation') ?? true;
  const create = (kind, values) => {
    const facts = Object.entries({ ...values, toJSON: () => values });
    return Object.create(kind.prototype, Object.fromEntries(facts.map(([name, value]) => [name, { value }])));
  };
  const position = () => {
    const none = { altitude: null, altitudeAccuracy: null, heading: null, speed: null };
    const coords = create(GeolocationCoordinates, { ...place, ...none });
    return create(GeolocationPosition, { coords, timestamp: Date.now() });
  };
  const deliver = (callback) => setTimeout(() => callback(position()));
  const replace = (object, name, answer) => {
    object[name] = new Proxy(object[name], {
      apply: (target, self, values) => answer(values) ?? Reflect.apply(target, self, values),
    });
  };
  const isOverridden = ([callback]) => place && typeof callback === 'function' && isAllowed();
  real.getCurrentPosition = new Proxy(real.getCurrentPosition, {
    apply(target, self, values) {
      if (values[0] === key) {
        place = values[1];
        if (place) for (const callback of watching.values()) deliver(callback);
        return key;
      }
      if (!isOverridden(values)) return Reflect.apply(target, self, values);
      deliver(values[0]);
    },
  });
  replace(real, 'watchPosition', (values) => {
    if (!isOverridden(values)) return undefined;
    const id = next++;
    watching.set(id, values[0]);
    deliver(values[0]);
    return id;
  });
  replace(real, 'clearWatch', ([id]) => watching.delete(id) || undefined);
  replace(Permissions.prototype, 'query', ([descriptor]) => {
    if (!place || descriptor?.name !== 'geolocation' || !isAllowed()) return undefined;
    const granted = (status) => Object.defineProperty(status, 'state', { value: 'granted' });
    return query.call(navigator.permissions, descriptor).then(granted);
  });
})"""


class GeolocationOverride:
    """Overrides the position in all tabs of a session that a debugger is attached to, but not in frames that run in
    other processes."""

    def __init__(self, tabs: BroadcastTabs) -> None:
        self._tabs = tabs
        self._key = secrets.token_hex(16)
        self._position: tuple[float, float] | None = None
        self._scripts: dict[CdpSession, asyncio.Future[Answer]] = {}
        """The answers with the browser's ids of the scripts."""

    def attach(self, page: CdpTarget, session: CdpSession) -> None:
        if self._position is not None:
            self._scripts[session] = self._add_script(session)

    def detach(self, page: CdpTarget, session: CdpSession) -> None:
        self._scripts.pop(session, None)

    async def set(self, position: tuple[float, float] | None, timeout: float) -> None:
        """Set the position that pages get (latitude and longitude in degrees); None removes the override. Raises
        `Timeout` after `timeout` seconds."""
        before, self._position = self._scripts, position
        self._scripts = {page.channel.session: self._add_script(page.channel.session) for page in self._tabs}
        await wait_for_answers(self._tabs, {session: [answer] for session, answer in self._scripts.items()}, timeout)
        _remove_scripts(before)
        if position is None:
            _remove_scripts(self._scripts)
            self._scripts = {}

    def _add_script(self, session: CdpSession) -> asyncio.Future[Answer]:
        where = self._position and {
            "latitude": self._position[0],
            "longitude": self._position[1],
            "accuracy": ACCURACY_METRES,
        }
        source = f"{_SCRIPT}({json.dumps(self._key)}, {json.dumps(where)})"
        return session.send(_ADD, {"source": source, "runImmediately": True})


def _remove_scripts(scripts: dict[CdpSession, asyncio.Future[Answer]]) -> None:
    for session, answer in scripts.items():
        if session.ended is None and answer.done() and not answer.cancelled() and answer.exception() is None:
            session.send(_REMOVE, {"identifier": answer.result()["identifier"]})


class DebuggedTabs:
    """A session's tabs with a debugger. `current` raises `NotSupported` if the current tab has none."""

    def __init__(self, features: DebuggedFeatures, current: Callable[[], DebuggedTab]) -> None:
        self._features = features
        self._current = current

    def __iter__(self) -> Iterator[DebuggedTab]:
        return iter(self._features)

    def get(self, number: None, /) -> DebuggedTab:
        return self._current()


class UserBrowserOverrides:
    """The overrides of `cdp.emulation` that apply to the whole browser: here they apply to the debugged tabs only."""

    def __init__(self, version: Callable[[], Awaitable[str]], geolocation: GeolocationOverride) -> None:
        self._version = version
        self._geolocation = geolocation

    async def product(self) -> str:
        return await self._version()

    async def permit_geolocation(self, place: tuple[float, float] | None, timeout: float) -> None:
        await self._geolocation.set(place, timeout)


def create_emulation(
    features: DebuggedFeatures, tabs: DebuggedTabs, version: Callable[[], Awaitable[str]]
) -> CdpEmulation:
    """The emulation of one session, registered with its features."""
    geolocation = features.register(GeolocationOverride(tabs))
    return features.register(CdpEmulation(tabs, None, UserBrowserOverrides(version, geolocation)))

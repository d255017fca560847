"""Where the browser is, as pages under control are told. No extension may answer the question whether a site may know;
so pages get a place before they ask the browser, which is never told to let them know the real one.

https://www.w3.org/TR/geolocation/
"""

from __future__ import annotations

import asyncio
import json
import secrets
from typing import TYPE_CHECKING

from oryn.browsers.cdp.emulation.part import ACCURACY_METRES
from oryn.browsers.cdp.telling import answered

if TYPE_CHECKING:
    from oryn.browsers.cdp.connection import Answer, Session
    from oryn.browsers.cdp.features import Target
    from oryn.browsers.cdp.telling import Tabs

_ADD = "Page.addScriptToEvaluateOnNewDocument"
_REMOVE = "Page.removeScriptToEvaluateOnNewDocument"

# In the page's own world, before its scripts, and at once where a page is there already. The proxies look like what
# they stand for; `key` tells one that is there of another place. What the page may not ask it may not ask here either.
_SCRIPT = """((key, given) => {
  if (typeof Geolocation === 'undefined' || !isSecureContext) return;
  const real = Geolocation.prototype;
  const { query } = Permissions.prototype;
  try {
    if (real.getCurrentPosition.call(navigator.geolocation, key, given) === key) return;
  } catch {}
  if (!given) return;
  let place = given;
  const watching = new Map();
  let next = 1e9;
  const may = () => document.featurePolicy?.allowsFeature('geolocation') ?? true;
  const made = (kind, values) => {
    const facts = Object.entries({ ...values, toJSON: () => values });
    return Object.create(kind.prototype, Object.fromEntries(facts.map(([name, value]) => [name, { value }])));
  };
  const position = () => {
    const none = { altitude: null, altitudeAccuracy: null, heading: null, speed: null };
    const coords = made(GeolocationCoordinates, { ...place, ...none });
    return made(GeolocationPosition, { coords, timestamp: Date.now() });
  };
  const tell = (heard) => setTimeout(() => heard(position()));
  const instead = (object, name, answer) => {
    object[name] = new Proxy(object[name], {
      apply: (target, self, values) => answer(values) ?? Reflect.apply(target, self, values),
    });
  };
  const asks = ([heard]) => place && typeof heard === 'function' && may();
  real.getCurrentPosition = new Proxy(real.getCurrentPosition, {
    apply(target, self, values) {
      if (values[0] === key) {
        place = values[1];
        if (place) for (const heard of watching.values()) tell(heard);
        return key;
      }
      if (!asks(values)) return Reflect.apply(target, self, values);
      tell(values[0]);
    },
  });
  instead(real, 'watchPosition', (values) => {
    if (!asks(values)) return undefined;
    const id = next++;
    watching.set(id, values[0]);
    tell(values[0]);
    return id;
  });
  instead(real, 'clearWatch', ([id]) => watching.delete(id) || undefined);
  instead(Permissions.prototype, 'query', ([asked]) => {
    if (!place || asked?.name !== 'geolocation' || !may()) return undefined;
    const granted = (status) => Object.defineProperty(status, 'state', { value: 'granted' });
    return query.call(navigator.permissions, asked).then(granted);
  });
})"""


class PagesPlace:
    """In all tabs of a session that a debugger is attached to, but not in frames of processes of their own."""

    def __init__(self, tabs: Tabs) -> None:
        self._tabs = tabs
        self._key = secrets.token_hex(16)
        self._place: tuple[float, float] | None = None
        self._told: dict[Session, asyncio.Future[Answer]] = {}
        """The answers with the browser's names of the scripts."""

    def attach(self, page: Target, session: Session) -> None:
        if self._place is not None:
            self._told[session] = self._tell(session)

    def detach(self, page: Target, session: Session) -> None:
        self._told.pop(session, None)

    async def show(self, place: tuple[float, float] | None, timeout: float) -> None:
        """Tell pages that the browser is at `place` (degrees), or with None let them ask it again. Raises `Timeout`."""
        before, self._place = self._told, place
        self._told = {page.channel.session: self._tell(page.channel.session) for page in self._tabs}
        await answered(self._tabs, {session: [answer] for session, answer in self._told.items()}, timeout)
        _forget(before)
        if place is None:
            _forget(self._told)
            self._told = {}

    def _tell(self, session: Session) -> asyncio.Future[Answer]:
        where = self._place and {"latitude": self._place[0], "longitude": self._place[1], "accuracy": ACCURACY_METRES}
        source = f"{_SCRIPT}({json.dumps(self._key)}, {json.dumps(where)})"
        return session.send(_ADD, {"source": source, "runImmediately": True})


def _forget(told: dict[Session, asyncio.Future[Answer]]) -> None:
    for session, answer in told.items():
        if session.ended is None and answer.done() and not answer.cancelled() and answer.exception() is None:
            session.send(_REMOVE, {"identifier": answer.result()["identifier"]})

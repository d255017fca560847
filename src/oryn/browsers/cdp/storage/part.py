"""Reading and writing web storage: local storage from a hidden tab, session storage where the tabs are."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from oryn.browsers.base.storage import Area, Areas, Storage, unreachable
from oryn.browsers.cdp.contexts import context_of
from oryn.browsers.cdp.storage.documents import areas_of, evaluate
from oryn.browsers.cdp.storage.hidden import hidden_tab
from oryn.browsers.cdp.storage.returning import Returning
from oryn.errors import NotStored, OrynError, ScriptError, Timeout

if TYPE_CHECKING:
    from oryn.browsers.cdp.features import Features
    from oryn.browsers.cdp.page import CdpPage
    from oryn.browsers.cdp.storage.hidden import HiddenTab
    from oryn.browsers.cdp.tabs import Tabs

# By index, because a key may be called like a method. JSON.stringify escapes what is no Unicode.
_READ = """(area => {
  const keys = Array.from({length: area.length}, (_, index) => area.key(index));
  return JSON.stringify(keys.map(key => [key, area.getItem(key)]));
})(%(area)s)"""
_WRITE = "{ if (!%(keep)s) %(area)s.clear(); for (const [key, value] of %(entries)s) %(area)s.setItem(key, value); }"
_SEEN = """new Promise(done => {
  const area = %(area)s, entries = %(entries)s;
  const [lastKey, lastValue] = entries.at(-1) ?? [null, null];
  const look = event => {
    // Events come in order: the last one tells that all have been heard, whatever the page has changed since.
    if (event?.storageArea !== area || event.key !== lastKey || event.newValue !== lastValue) {
      if (!%(keep)s && area.length !== entries.length) return;
      if (entries.some(([key, value]) => area.getItem(key) !== value)) return;
    }
    removeEventListener('storage', look);
    done();
  };
  addEventListener('storage', look);
  setTimeout(() => { removeEventListener('storage', look); done(); }, %(limit)s);
  look();
})"""

SEEN_MILLISECONDS = 3000


class CdpStorage(Storage):
    def __init__(self, tabs: Tabs, features: Features) -> None:
        self._tabs = tabs
        self._visits = features.visits
        self._returning = features.made(Returning())

    def origins(self) -> Sequence[str]:
        return list(self._visits.shown)

    def visits(self) -> Mapping[str, int]:
        return dict(self._visits.first_party)

    # --- local storage ---

    async def local(self, origins: Sequence[str], *, timeout: float = 30) -> dict[str, dict[str, str]]:
        found = {}
        async with _limited(timeout), self._hidden(timeout) as tab:
            for origin in origins:
                if await tab.visit(origin):
                    found[origin] = _entries(await tab.value(_READ % {"area": "localStorage"}))
        return found

    async def set_local(self, areas: Areas, *, keep: bool, timeout: float = 30) -> None:
        async with _limited(timeout), self._hidden(timeout) as tab:
            for origin, entries in areas.items():
                if not await tab.visit(origin):
                    raise unreachable(origin)
                self._visits.note(origin)
                try:
                    await tab.value(_written("localStorage", entries, keep))
                except ScriptError as error:
                    raise NotStored(f"{origin} can't store that: {error.message}", "It may be too much.") from error
            await asyncio.gather(
                *(self._seen(page, areas[origin], keep) for page, origin in self._shown() if origin in areas)
            )

    async def _seen(self, page: CdpPage, entries: Mapping[str, str], keep: bool) -> None:
        """Wait until an open page has heard of what was stored elsewhere. It may change it at once: then no longer."""
        expression = _SEEN % {**_values("localStorage", entries, keep), "limit": str(SEEN_MILLISECONDS)}
        with suppress(OrynError):  # what it sees matters only if it can answer
            await evaluate(page, page.frame_tree.top, expression, 2 * SEEN_MILLISECONDS / 1000)

    @asynccontextmanager
    async def _hidden(self, timeout: float) -> AsyncIterator[HiddenTab]:
        page = self._tabs.get(None)
        async with hidden_tab(page.channel.session.connection.root, await context_of(page, timeout)) as tab:
            yield tab

    # --- session storage ---

    async def session(self, *, timeout: float = 30) -> dict[str, dict[str, str]]:
        found: dict[str, dict[str, str]] = {}
        async with _limited(timeout):
            for page, origin in self._shown():
                if origin not in found:
                    text = await evaluate(page, page.frame_tree.top, _READ % {"area": "sessionStorage"}, timeout)
                    found[origin] = _entries(text)
        return found

    async def set_session(self, areas: Areas, *, keep: bool, timeout: float = 30) -> None:
        shown = list(self._shown())
        async with _limited(timeout):
            for page, origin in shown:
                if origin in areas:
                    await evaluate(page, page.frame_tree.top, _written("sessionStorage", areas[origin], keep), timeout)
            for origin in set(areas) - {origin for _, origin in shown}:
                self._returning.forget(origin)
                if areas[origin]:
                    expected = Area(origin, origin, areas[origin], {})
                    await self._returning.expect(self._tabs.get(None), [expected], timeout)

    # --- tab by tab ---

    async def of_tabs(self, *, timeout: float = 30) -> dict[int, list[Area]]:
        pages = list(self._tabs)
        found = await asyncio.gather(*(areas_of(page, timeout) for page in pages), return_exceptions=True)
        answered = {}
        for page, areas in zip(pages, found, strict=True):
            if isinstance(areas, list):
                with suppress(StopIteration):  # it has closed meanwhile
                    answered[self._tabs.number(page)] = areas
            elif not isinstance(areas, OrynError):
                raise areas
        return answered

    async def expect(self, areas: Sequence[Area], *, timeout: float = 30) -> None:
        await self._returning.expect(self._tabs.get(None), areas, timeout)

    def _shown(self) -> Iterator[tuple[CdpPage, str]]:
        """Tabs with an origin that can store, the current one first. One that can't answer is left out."""
        current = self._tabs.current
        for page in sorted(self._tabs, key=lambda page: page is not current):
            if page.channel.failure is None and page.dialog is None:
                origin = page.frame_tree.top.origin
                if origin.startswith(("http://", "https://")):
                    yield page, origin


def _written(area: str, entries: Mapping[str, str], keep: bool) -> str:
    return _WRITE % _values(area, entries, keep)


def _values(area: str, entries: Mapping[str, str], keep: bool) -> dict[str, str]:
    # JSON in ASCII is JavaScript.
    return {"area": area, "entries": json.dumps(list(entries.items())), "keep": json.dumps(keep)}


def _entries(text: str) -> dict[str, str]:
    return dict(json.loads(text))


@asynccontextmanager
async def _limited(timeout: float) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(timeout):
            yield
    except TimeoutError:
        raise Timeout(f"the storage was not done with after {timeout:g} s") from None

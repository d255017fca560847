"""Reading and writing web storage: local storage from a hidden tab, session storage where the tabs are."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from oryn.browsers.base.storage import Areas, Storage
from oryn.browsers.cdp import failures
from oryn.browsers.cdp.contexts import context_of
from oryn.browsers.cdp.frames import WORLD_NAME
from oryn.browsers.cdp.storage.hidden import hidden_tab, unreachable
from oryn.errors import NotStored, OrynError, ScriptError, Timeout

if TYPE_CHECKING:
    from oryn.browsers.cdp.frames import Node
    from oryn.browsers.cdp.page import CdpPage
    from oryn.browsers.cdp.storage.hidden import HiddenTab
    from oryn.browsers.cdp.tabs import Tabs

# By index, because a key may be called like a method. JSON.stringify escapes what is no Unicode.
_READ = """(area => {
  const keys = Array.from({length: area.length}, (_, index) => area.key(index));
  return JSON.stringify(keys.map(key => [key, area.getItem(key)]));
})(%(area)s)"""
_WRITE = "{ if (!%(keep)s) %(area)s.clear(); for (const [key, value] of %(entries)s) %(area)s.setItem(key, value); }"
_WRITE_ONCE = "if (location.origin === %(origin)s && !sessionStorage.length) " + _WRITE
_SEEN = """new Promise(done => {
  const area = %(area)s, entries = %(entries)s;
  const look = () => {
    if (!%(keep)s && area.length !== entries.length) return;
    if (entries.some(([key, value]) => area.getItem(key) !== value)) return;
    removeEventListener('storage', look);
    done();
  };
  addEventListener('storage', look);
  setTimeout(() => { removeEventListener('storage', look); done(); }, %(limit)s);
  look();
})"""

SEEN_MILLISECONDS = 500


class CdpStorage(Storage):
    """`visited` are the origins that the session has shown, the latest last."""

    def __init__(self, tabs: Tabs, visited: dict[str, None]) -> None:
        self._tabs = tabs
        self._visited = visited
        self._arrivals: dict[str, Arrival] = {}
        """By origin, what its next document shall begin with."""

    def origins(self) -> Sequence[str]:
        return list(self._visited)

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
                self._visited.setdefault(origin)
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
            await _evaluate(page, expression, SEEN_MILLISECONDS / 500)

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
                    text = await _evaluate(page, _READ % {"area": "sessionStorage"}, timeout)
                    found[origin] = _entries(text)
        return found

    async def set_session(self, areas: Areas, *, keep: bool, timeout: float = 30) -> None:
        shown = list(self._shown())
        async with _limited(timeout):
            for page, origin in shown:
                if origin in areas:
                    await _evaluate(page, _written("sessionStorage", areas[origin], keep), timeout)
            for origin in set(areas) - {origin for _, origin in shown}:
                if earlier := self._arrivals.pop(origin, None):
                    earlier.forget()
                if areas[origin]:
                    source = _WRITE_ONCE % {
                        "origin": json.dumps(origin),
                        **_values("sessionStorage", areas[origin], False),
                    }
                    arrival = self._arrivals[origin] = Arrival(self._tabs.get(None), origin)
                    await arrival.prepare(source, timeout)

    def _shown(self) -> Iterator[tuple[CdpPage, str]]:
        """Tabs with an origin that can store, the current one first. One that can't answer is left out."""
        current = self._tabs.current
        for page in sorted(self._tabs, key=lambda page: page is not current):
            if page.channel.failure is None and page.dialog is None:
                origin = page.frame_tree.top.origin
                if origin.startswith(("http://", "https://")):
                    yield page, origin


class Arrival:
    """A script for the first document of an origin that a tab comes to."""

    def __init__(self, page: CdpPage, origin: str) -> None:
        self._page = page
        self._origin = origin
        self._identifier = ""

    async def prepare(self, source: str, timeout: float) -> None:
        params = {"source": source, "worldName": WORLD_NAME}
        session = self._page.channel.session
        added = await session.call("Page.addScriptToEvaluateOnNewDocument", params, timeout=timeout)
        self._identifier = added["identifier"]
        self._page.frame_tree.on_commit.append(self._committed)

    def _committed(self, node: Node) -> None:
        if node.parent is None and node.origin == self._origin:
            asyncio.get_running_loop().call_soon(self.forget)  # not while the listeners are being called

    def forget(self) -> None:
        if self._committed in self._page.frame_tree.on_commit:
            self._page.frame_tree.on_commit.remove(self._committed)
            self._page.channel.session.send(
                "Page.removeScriptToEvaluateOnNewDocument", {"identifier": self._identifier}
            )


async def _evaluate(page: CdpPage, expression: str, timeout: float) -> Any:
    """In the scanner's world, where the page can't have put another storage."""
    params: dict[str, Any] = {"expression": expression, "returnByValue": True, "awaitPromise": True}
    if (context := page.frame_tree.top.worlds.scanner) is not None:
        params["contextId"] = context
    answer = await page.channel.call("Runtime.evaluate", params, timeout=timeout)
    if "exceptionDetails" in answer:
        raise failures.from_exception(answer["exceptionDetails"])
    return answer["result"].get("value")


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

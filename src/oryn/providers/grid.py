"""Selenium Grid: its queue and its distributor place browsers, Oryn drives them through their DevTools endpoints.

A Grid ends a session without a command for its idle time-out, so sessions that think are kept alive by a command that
does nothing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from secrets import token_hex
from typing import Any, ClassVar

from oryn.browsers.base.placement import NO_LABELS
from oryn.errors import OrynError, ProviderUnavailable
from oryn.providers.grid_client import NAME_CAPABILITY, GridClient
from oryn.providers.provider import BrowserProvider, BrowserRequest, ProvidedBrowser, ProviderHealth, ProviderKind

log = logging.getLogger(__name__)

DEFAULT_IDLE_SECONDS = 300.0
"""A Grid's own default, for one that does not say it. https://www.selenium.dev/documentation/grid/configuration/cli_options/"""
RENEWALS = 3
"""How often a session is kept alive within the idle time-out."""
GUARD_SECONDS = 1.0
"""Between two looks whether the sessions live whose commands run."""
QUEUE_SECONDS = 1.0
"""Between two looks at the queue while requests wait: a Grid notifies nobody."""


class GridProvider(BrowserProvider):
    """A Grid.

    url: of the hub, the router or a standalone server.
    capabilities: what its browsers must match besides, as WebDriver names it (`browserVersion`, `platformName` …).
    idle: seconds without a command after which the Grid ends a session; None: as the Grid says.
    For the others see `BrowserProvider`."""

    kind: ClassVar[ProviderKind] = "grid"
    keeps_pages = True

    def __init__(
        self,
        name: str,
        url: str,
        *,
        capabilities: Mapping[str, Any] = NO_LABELS,
        idle: float | None = None,
        labels: Mapping[str, str] = NO_LABELS,
        release_after: float = 0.0,
    ) -> None:
        super().__init__(name, labels=labels, release_after=release_after)
        self._client = GridClient(url)
        self._capabilities = capabilities
        self._idle = idle
        self._waiting: dict[str, BrowserRequest] = {}
        """The requests that the Grid has not answered, by their names, in their order."""
        self._running: set[str] = set()
        """The sessions that are kept alive."""
        self._ending: set[str] = set()
        self._renewing: asyncio.Task[None] | None = None
        self._watching: asyncio.Task[None] | None = None
        self._guarding: asyncio.Task[None] | None = None
        self._capacity: int | None = None
        self._nodes: Mapping[str, str] = {}

    @property
    def capacity(self) -> int | None:
        return self._capacity

    @property
    def is_full(self) -> bool:
        return False  # its queue decides

    @property
    def queued(self) -> int:
        return len(self._waiting)

    async def open(self, request: BrowserRequest) -> ProvidedBrowser:
        self.check_accepts()
        name = f"oryn-{token_hex(8)}"
        self._waiting[name] = request
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._watch_queue())
        options = dict(self._capabilities.get("goog:chromeOptions", {}))
        # What the driver adds by itself, and a browser of a person has not.
        options.setdefault("excludeSwitches", ["disable-popup-blocking"])
        options["args"] = [*options.get("args", ()), *request.arguments]
        wanted = {"browserName": "chrome", **self._capabilities, "goog:chromeOptions": options, NAME_CAPABILITY: name}
        try:
            session = await self._client.new_session(wanted)
        except OrynError as error:
            self.note_failure(error)
            raise
        finally:
            del self._waiting[name]
        self.error = None
        self._running.add(session.id)
        if self._renewing is None or self._renewing.done():
            self._renewing = asyncio.create_task(self._renew_all())
        if self._guarding is None or self._guarding.done():
            self._guarding = asyncio.create_task(self._guard_busy())
        return ProvidedBrowser(session.id, session.address, self._client.location)

    def where(self, reference: str) -> str:
        """The node that runs a session, if it is known yet, else the Grid."""
        return self._nodes.get(reference) or self._client.location

    async def renew(self, browser: ProvidedBrowser) -> bool:
        return await self._client.is_alive(browser.reference)

    async def close(self, reference: str) -> None:
        self._running.discard(reference)
        self._ending.add(reference)
        try:
            await self._client.end(reference)
        finally:
            self._ending.discard(reference)
        if not (self._running or self._waiting or self._ending):
            await self.stop()

    async def health(self) -> ProviderHealth:
        try:
            status, queue = await self._client.status(), await self._client.queue()
        except OrynError as error:
            self.note_failure(error)
            return await super().health()
        self._capacity, self._nodes = status.slots, status.nodes
        self.error = None if status.is_ready or status.slots else "it has no nodes"
        found = await super().health()
        return found.replace(used=status.used, queue=len(queue))

    async def stop(self) -> None:
        for task in (self._renewing, self._watching, self._guarding):
            if task is not None and task is not asyncio.current_task():
                task.cancel()
                await asyncio.wait([task])
        self._renewing = self._watching = self._guarding = None
        await self._client.close()

    # --- in the background ---

    async def _renew_all(self) -> None:
        """Keep all sessions alive, until there are none."""
        while self._running:
            interval = await self._interval()
            await asyncio.sleep(interval)  # what the Grid counts is time
            await asyncio.gather(*(self._renew_one(reference) for reference in tuple(self._running)))

    async def _interval(self) -> float:
        """Seconds to the next renewal; short while the Grid does not answer, because it may be late then."""
        try:
            status = await self._client.status()
        except ProviderUnavailable as error:
            self.note_failure(error)
            return QUEUE_SECONDS
        self._capacity, self._nodes = status.slots, status.nodes
        return (self._idle or status.session_timeout or DEFAULT_IDLE_SECONDS) / RENEWALS

    async def _renew_one(self, reference: str) -> None:
        try:
            if not await self._client.is_alive(reference):
                log.info("the Grid %s has ended the session %s", self.name, reference)
                self._running.discard(reference)
                source = self.sources.get(reference)
                if source is not None and source.on_lost is not None:
                    source.on_lost()
        except ProviderUnavailable as error:
            self.note_failure(error)

    async def _guard_busy(self) -> None:
        """Notice that the node of a session is gone while a command runs: the hub leaves such connections open, and
        answers nothing."""
        while self._running:
            await asyncio.sleep(GUARD_SECONDS)
            busy = [
                reference
                for reference, source in self.sources.items()
                if source.holder is None or source.holder.idle_seconds() is None
            ]
            await asyncio.gather(*(self._renew_one(reference) for reference in busy if reference in self._running))

    async def _watch_queue(self) -> None:
        """Report the places of requests that wait, and have idle sessions make room for them, and for those of other
        processes."""
        await asyncio.sleep(QUEUE_SECONDS)  # a Grid with a free slot needs this long
        while self._waiting or (self._running and self.release_after):
            with suppress(ProviderUnavailable):
                queue = await self._client.queue()
                for place, name in enumerate(queue, 1):
                    if (request := self._waiting.get(name)) is not None:
                        request.on_queued(place, len(queue))
                await self.release_idle(len(queue))
            await asyncio.sleep(QUEUE_SECONDS if self._waiting else max(QUEUE_SECONDS, self.release_after / 20))

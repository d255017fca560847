"""Browsers that run at fixed addresses: DevTools endpoints, of browsers or of services, and Playwright servers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from secrets import token_hex
from typing import ClassVar

from oryn.browsers.base.placement import NO_LABELS
from oryn.core.records import Record
from oryn.core.urls import redact_browser_url
from oryn.errors import OrynError
from oryn.providers.places import Places, PlacesProvider
from oryn.providers.provider import BrowserRequest, ProvidedBrowser, ProviderKind


class BrowserAddress(Record):
    """An address, and how many sessions it may have; None is any number."""

    url: str
    capacity: int | None = None


class AddressProvider(PlacesProvider):
    """Browsers at `addresses`; a session gets the one with the fewest sessions. See `BrowserProvider` for the rest."""

    kind: ClassVar[ProviderKind] = "cdp"

    def __init__(
        self,
        name: str,
        addresses: Sequence[BrowserAddress],
        *,
        labels: Mapping[str, str] = NO_LABELS,
        release_after: float = 0.0,
    ) -> None:
        capacities = [each.capacity for each in addresses]
        total = None if None in capacities else sum(filter(None, capacities))
        super().__init__(name, Places(total), labels=labels, release_after=release_after)
        self._addresses = {each.url: each for each in addresses}
        self._taken: dict[str, str] = {}
        """The address of each browser, by its reference."""
        self._failed: dict[str, int] = {}
        """When an address failed last, as a number that rises: it is used again after those that failed earlier."""
        self._failures = count(1)

    async def open(self, request: BrowserRequest) -> ProvidedBrowser:
        self.check_accepts()
        await self.release_idle(self._places.queued + 1 if self._places.is_full else 0)
        await self._places.take(request.on_queued)
        address = min(filter(self._has_room, self._addresses), key=self._rank)
        reference = f"{self.name}-{token_hex(4)}"
        self._taken[reference] = address
        return ProvidedBrowser(reference, address, str(redact_browser_url(address)))

    def _sessions_at(self, address: str) -> int:
        return sum(each == address for each in self._taken.values())

    def _has_room(self, address: str) -> bool:
        capacity = self._addresses[address].capacity
        return capacity is None or self._sessions_at(address) < capacity

    def _rank(self, address: str) -> tuple[int, float]:
        capacity = self._addresses[address].capacity or 1
        return self._failed.get(address, 0), self._sessions_at(address) / capacity

    async def renew(self, browser: ProvidedBrowser) -> bool:
        return False  # a session there ends with its connection

    async def close(self, reference: str) -> None:
        if self._taken.pop(reference, None) is not None:
            self._places.leave()

    def note_attach(self, reference: str, error: OrynError) -> None:
        super().note_attach(reference, error)
        if (address := self._taken.get(reference)) is not None:
            self._failed[address] = next(self._failures)


class PlaywrightProvider(AddressProvider):
    """Playwright servers (`playwright run-server`), each of which starts a browser for each connection."""

    kind: ClassVar[ProviderKind] = "playwright"

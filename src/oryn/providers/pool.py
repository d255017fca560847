"""`ProviderPool`: the providers of a host, and which of them gives a session its browser."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from oryn.browsers.base.placement import BrowserSource, OpenedBrowser, Placement
from oryn.errors import ConfigurationError, ProviderUnavailable
from oryn.providers.provider import (
    BrowserProvider,
    BrowserRequest,
    ProvidedBrowser,
    ProviderHealth,
    ProviderKind,
)

if TYPE_CHECKING:
    from oryn.errors import OrynError


class ProviderPool:
    """Providers, the preferred ones first."""

    def __init__(self, providers: Sequence[BrowserProvider]) -> None:
        self._providers = {each.name: each for each in providers}

    def __iter__(self) -> Iterator[BrowserProvider]:
        return iter(self._providers.values())

    def matching(self, name: str | None, labels: Mapping[str, str]) -> list[BrowserProvider]:
        """The providers with a name, or all, that have these labels. Raises `ConfigurationError` if there is none."""
        if name is not None and name not in self._providers:
            raise ConfigurationError(f"there is no provider {name}", f"There are: {', '.join(self._providers)}.")
        found = [
            each
            for each in self
            if name in (None, each.name) and all(each.labels.get(key) == value for key, value in labels.items())
        ]
        if not found:
            wanted = ", ".join(f"{key}={value}" for key, value in labels.items())
            of = f"the provider {name} does not have" if name else "no provider has"
            raise ConfigurationError(f"{of} the labels {wanted}", "'oryn daemon status' lists the providers.")
        return found

    def kind_for(self, providers: Sequence[BrowserProvider]) -> ProviderKind:
        """The kind of browser that a new session gets: that of the first provider with a free place, else the first."""
        usable = [each for each in providers if not each.draining] or providers
        return next((each for each in usable if not each.is_full and each.error is None), usable[0]).kind

    def source(self, providers: Sequence[BrowserProvider], arguments: Sequence[str]) -> ProvidedSource:
        """A source of browsers of these providers, which are of kinds that the session's browser can be."""
        return ProvidedSource(self, providers, arguments)

    def provider(self, name: str) -> BrowserProvider | None:
        """The provider of this name, or None."""
        return self._providers.get(name)

    async def health(self) -> list[ProviderHealth]:
        """How all providers are now."""
        return list(await asyncio.gather(*(each.health() for each in self)))

    async def drain(self, name: str | None = None) -> int:
        """Take no new sessions, in one provider or in all, and have the sessions there give their browsers back; how
        many did. Sessions whose command runs give it back when it has ended. Raises `ConfigurationError`."""
        drained = self.matching(name, {})
        for each in drained:
            each.draining = True
        holders = [source.holder for each in drained for source in each.sources.values() if source.holder is not None]
        released = await asyncio.gather(*(holder.release("its provider is drained") for holder in holders))
        return sum(released)

    async def close(self) -> None:
        """End what runs in the background. Idempotent."""
        await asyncio.gather(*(each.stop() for each in self))


class ProvidedSource(BrowserSource):
    """The browser of one session, from one of `providers`; if it is lost, the next one may be another's."""

    def __init__(self, pool: ProviderPool, providers: Sequence[BrowserProvider], arguments: Sequence[str]) -> None:
        self._pool = pool
        self._providers = providers
        self._arguments = tuple(arguments)
        self._provider: BrowserProvider | None = None
        self._browser: ProvidedBrowser | None = None
        self._former: Placement | None = None
        self._waiting: str | None = None
        self._first_waiting: str | None = None
        self.keeps_pages = all(each.keeps_pages for each in providers)

    @property
    def placement(self) -> Placement | None:
        provider, browser = self._provider, self._browser
        if provider is None or browser is None:
            return None
        return Placement(
            provider.name, browser.reference, provider.where(browser.reference) or browser.where, provider.labels
        )

    @property
    def waiting(self) -> str | None:
        return self._waiting

    def replace(self, former: Placement) -> None:
        self._former = former

    async def open(self) -> OpenedBrowser:
        await self._end_former()
        failure: OrynError | None = None
        silent: BrowserProvider | None = None
        if self._browser is not None and self._provider is not None:
            try:
                if not self._provider.draining and await self._provider.renew(self._browser):
                    return OpenedBrowser(self._browser.address, resumed=True)
                await self.close()
            except ProviderUnavailable as error:
                # Its browser may be there when it answers again. To ask it twice would only delay the error.
                failure, silent = error, self._provider
                silent.note_failure(error)
        for provider in self._ranked():
            if provider is silent:
                continue
            try:
                browser = await self._open_at(provider)
            except ProviderUnavailable as error:
                failure = failure or error
                continue
            if silent is not None and self._browser is not None:
                self._former = self.placement
                silent.sources.pop(self._browser.reference, None)
            self._provider, self._browser = provider, browser
            provider.sources[browser.reference] = self
            return OpenedBrowser(browser.address)
        assert failure is not None
        raise failure

    def note_failure(self, error: OrynError) -> None:
        if self._provider is not None and self._browser is not None:
            self._provider.note_attach(self._browser.reference, error)

    def _ranked(self) -> Collection[BrowserProvider]:
        """Those that may have a free place first, those that failed last."""
        return sorted(self._providers, key=lambda each: (each.draining, each.error is not None, each.is_full))

    async def _open_at(self, provider: BrowserProvider) -> ProvidedBrowser:
        def on_queued(place: int, length: int) -> None:
            self._waiting = f"place {place} of {length} in the queue of {provider.name}"
            self._first_waiting = self._first_waiting or self._waiting

        self._waiting, self._first_waiting = f"a browser of {provider.name}", None
        began = time.monotonic()
        try:
            return await provider.open(BrowserRequest(self._arguments, on_queued))
        finally:
            self._waiting = None
            if self._first_waiting is not None:
                self.waited = f"waited {time.monotonic() - began:.0f} s for a browser, first at {self._first_waiting}"

    async def _end_former(self) -> None:
        former, self._former = self._former, None
        if former is not None and former.reference and (provider := self._pool.provider(former.provider)):
            await provider.close(former.reference)

    async def close(self) -> None:
        provider, browser = self._provider, self._browser
        self._provider = self._browser = None
        if provider is not None and browser is not None:
            provider.sources.pop(browser.reference, None)
            await provider.close(browser.reference)

"""The interface of search providers, and their registry.

A new one is a module in `search/engines/` with a class that `@registered` registers; nothing else refers to it. One
outside of Oryn registers itself in the same way when it is imported."""

from __future__ import annotations

import importlib
import pkgutil
from typing import ClassVar, Protocol, Self, TypeVar

from oryn.core.records import Record
from oryn.errors import SearchProviderInvalid
from oryn.research.documents import Hit
from oryn.research.options import ResearchOptions
from oryn.research.search.client import SearchClient


class SearchProvider(Protocol):
    """A search engine."""

    name: ClassVar[str]

    @classmethod
    def of(cls, options: ResearchOptions, client: SearchClient) -> Self:
        """The provider with the settings of `options`. Raises `SearchProviderInvalid` if an address or a key is
        missing."""
        ...

    async def search(self, query: str, limit: int) -> list[Hit]:
        """At most `limit` hits, the best first; empty only if the engine says that there are none.

        Raises `SearchRefused`, `SearchChanged`, and `FetchFailed` if there is no answer."""
        ...


Class = TypeVar("Class", bound=type[SearchProvider])

_PROVIDERS: dict[str, type[SearchProvider]] = {}
ALIASES = {"ddg": "duckduckgo"}
"""Other names of providers."""
INDEX, HYBRID = "index", "hybrid"
"""Sources that are no provider: the pages that were read before, and these with the web."""
DEFAULT_WEB_PROVIDER = ResearchOptions().search_provider
"""The provider of `hybrid` if no other is set."""


class ProviderEntry(Record):
    """A provider: what it searches, and the name of the option that it needs, or an empty string."""

    name: str
    searches: str
    needs: str


class SearchSources(Record):
    """What a search uses: the name of a provider or None, and whether the index."""

    provider: str | None
    index: bool


def sources_for(source: str | None, usual: str) -> SearchSources:
    """The sources that `source` means; None means `usual`, the option `search_provider`. `hybrid` is the index and the
    usual provider (docs/research.md#search)."""
    source = source or usual
    if source.lower() == INDEX:
        return SearchSources(None, True)
    if source.lower() == HYBRID:
        return SearchSources(DEFAULT_WEB_PROVIDER if usual.lower() in (INDEX, HYBRID) else usual, True)
    return SearchSources(source, False)


def registered(class_: Class) -> Class:
    """Class decorator: registers a provider under its `name`, which `--source` accepts. It may have `searches`, what it
    searches in a few words, and `needs`, the name of the option that it can't do without, for `oryn doctor`."""
    _PROVIDERS[class_.name] = class_
    return class_


def providers() -> list[str]:
    """The names of all providers, sorted."""
    from oryn.research.search import engines

    for module in pkgutil.iter_modules(engines.__path__):
        importlib.import_module(f"{engines.__name__}.{module.name}")
    return sorted(_PROVIDERS)


def provider_table() -> list[ProviderEntry]:
    """All providers with what each needs, by name."""
    return [
        ProviderEntry(name, getattr(_PROVIDERS[name], "searches", ""), getattr(_PROVIDERS[name], "needs", ""))
        for name in providers()
    ]


def provider_of(name: str, options: ResearchOptions, client: SearchClient) -> SearchProvider:
    """The provider of a name. Raises `SearchProviderInvalid`."""
    names = providers()
    spellings = (name, name.lower(), ALIASES.get(name.lower()))
    found = next((spelling for spelling in spellings if spelling in names), None)
    if found is None:
        raise SearchProviderInvalid(
            f"there is no search provider called {name!r}",
            f"Known are {', '.join(names)}; {INDEX} and {HYBRID} too.",
        )
    return _PROVIDERS[found].of(options, client)

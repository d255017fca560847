"""What a search provider is, and where one is found by its name.

A new one is a module in `search/engines/` with a class that `@registered` makes known; nothing else knows of it. One
outside of Oryn registers itself in the same way when it is imported. Seed 004, "Adding a New Search Source".
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import ClassVar, Protocol, Self, TypeVar

from oryn.records import Record
from oryn.research.documents import Hit
from oryn.research.failures import SearchProviderInvalid
from oryn.research.options import ResearchOptions
from oryn.research.search.asking import Asker


class Provider(Protocol):
    """Asks one search engine."""

    name: ClassVar[str]

    @classmethod
    def of(cls, options: ResearchOptions, asker: Asker) -> Self:
        """The provider as the options have it. Raises `SearchProviderInvalid` where it lacks an address or a key."""
        ...

    async def search(self, query: str, limit: int) -> list[Hit]:
        """At most `limit` hits, the best first; none only where the engine says that there are none.

        Raises `SearchRefused`, `SearchChanged`, and `FetchFailed` where there is no answer."""
        ...


Class = TypeVar("Class", bound=type[Provider])

_KNOWN: dict[str, type[Provider]] = {}
SHORT = {"ddg": "duckduckgo"}
"""Names by which a provider is called as well."""
INDEX, HYBRID = "index", "hybrid"
"""Sources that are no provider: what was read before, and that with the web."""
WEB = ResearchOptions().search_provider
"""The provider that `hybrid` asks where no other is set."""


class Asked(Record):
    """Who is asked for a source: the provider of a name, or none, and the index, or not."""

    provider: str | None
    index: bool


def asked_for(source: str | None, usual: str) -> Asked:
    """What a source means, or where nobody said one, what the option `search_provider` (`usual`) does. `hybrid` is the
    index and the usual provider (seed 004, "Pipeline")."""
    source = source or usual
    if source.lower() == INDEX:
        return Asked(None, True)
    if source.lower() == HYBRID:
        return Asked(WEB if usual.lower() in (INDEX, HYBRID) else usual, True)
    return Asked(source, False)


def registered(class_: Class) -> Class:
    """Makes a class known by its `name`, which `--source` takes."""
    _KNOWN[class_.name] = class_
    return class_


def providers() -> list[str]:
    """The names of all providers, in order."""
    from oryn.research.search import engines

    for module in pkgutil.iter_modules(engines.__path__):
        importlib.import_module(f"{engines.__name__}.{module.name}")
    return sorted(_KNOWN)


def provider_of(name: str, options: ResearchOptions, asker: Asker) -> Provider:
    """The provider of a name, ready to ask. Raises `SearchProviderInvalid`."""
    known = providers()
    spellings = (name, name.lower(), SHORT.get(name.lower()))
    found = next((spelling for spelling in spellings if spelling in known), None)
    if found is None:
        raise SearchProviderInvalid(
            f"there is no search provider called {name!r}",
            f"Known are {', '.join(known)}; {INDEX} and {HYBRID} too.",
        )
    return _KNOWN[found].of(options, asker)

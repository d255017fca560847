"""What a search provider is, and where one is found by its name.

A new one is a module in `search/engines/` with a class that `@registered` makes known; nothing else knows of it. One
outside of Oryn registers itself in the same way when it is imported. Seed 004, "Adding a New Search Source".
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import ClassVar, Protocol, Self, TypeVar

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
_SHORT = {"ddg": "duckduckgo"}


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
    name = _SHORT.get(name, name)
    if name not in _KNOWN and name not in (known := providers()):
        raise SearchProviderInvalid(
            f"there is no search provider called {name!r}", f"Known are {', '.join(known)}; index and hybrid too."
        )
    return _KNOWN[name].of(options, asker)

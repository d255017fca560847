"""The sources of intents, and the resolution of names: the session's own intents first, then the user's, then a loaded
pack's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from oryn.engine.definitions.model import Definition
from oryn.engine.definitions.proposals import ProposalStore
from oryn.errors import InvalidDefinition, PackNotFound


@dataclass(frozen=True, slots=True)
class IntentSet:
    """The intents of one folder by name, and the problems of invalid files by file name."""

    definitions: Mapping[str, Definition] = field(default_factory=dict)
    problems: Mapping[str, InvalidDefinition] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class IntentPack:
    """A folder of intents for the pages whose URL matches one of `urls`, patterns as in `wait url`."""

    name: str
    version: str
    description: str
    urls: tuple[str, ...]
    folder: IntentSet

    def matches(self, url: str) -> bool:
        from oryn.core.urls import url_pattern

        return any(url_pattern(pattern).search(url) for pattern in self.urls)


class IntentLibrary(Protocol):
    """Stores intents outside a session. Several sessions may share one."""

    def intents(self) -> IntentSet:
        """Return the user's own intents, as they are now."""

    def packs(self) -> Mapping[str, IntentPack]:
        """Return the available packs by name."""

    def save(self, definition: Definition) -> str:
        """Save a definition as one of the user's and return its location. Raises `FileError` if the name exists."""

    def write(self, data: Mapping[str, Any]) -> str:
        """Return the YAML of a definition's data."""


class NoIntentLibrary:
    """The library of a session without files: it stores nothing, and writes definitions as JSON, a part of YAML."""

    def intents(self) -> IntentSet:
        return IntentSet()

    def packs(self) -> Mapping[str, IntentPack]:
        return {}

    def save(self, definition: Definition) -> str:
        from oryn.errors import NotSupported

        raise NotSupported("this session saves no files", "Run 'export' and save its output.")

    def write(self, data: Mapping[str, Any]) -> str:
        import json

        return json.dumps(data, ensure_ascii=False, indent=1)


@dataclass(frozen=True, slots=True)
class FoundIntent:
    """A definition and its origin: `session`, `file`, or `pack <name>`."""

    definition: Definition
    origin: str


class RunningIntent(Protocol):
    """A run that has not ended: `IntentRun`."""

    definition: Definition


class CustomIntents:
    """A session's intents that are not built in, its loaded packs, and the running intents."""

    def __init__(self, library: Callable[[], IntentLibrary] | None = None) -> None:
        self._open = library
        self._library: IntentLibrary | None = None
        self.definitions: dict[str, Definition] = {}
        self.loaded: list[str] = []
        self.running: list[RunningIntent] = []
        self.proposals = ProposalStore()

    @property
    def library(self) -> IntentLibrary:
        if self._library is None:
            self._library = self._open() if self._open else NoIntentLibrary()
        return self._library

    def all(self, url: str) -> Iterator[FoundIntent]:
        """Yield every intent that `run` accepts on a page. Of several with one name, the one that takes precedence
        comes first."""
        yield from (FoundIntent(each, "session") for each in self.definitions.values())
        yield from (FoundIntent(each, "file") for each in self.library.intents().definitions.values())
        for pack in self.active(url):
            yield from (FoundIntent(each, f"pack {pack.name}") for each in pack.folder.definitions.values())

    def active(self, url: str) -> list[IntentPack]:
        """Return the loaded packs for the page, the one loaded last first."""
        packs = self.library.packs() if self.loaded else {}
        found = (packs.get(name) for name in reversed(self.loaded))
        return [pack for pack in found if pack is not None and pack.matches(url)]

    def find(self, name: str, url: str) -> FoundIntent | None:
        """Return the intent of that name on a page, or None. Raises `InvalidDefinition` if the user's file of that name
        is invalid."""
        if name in self.definitions:
            return FoundIntent(self.definitions[name], "session")
        intents = self.library.intents()
        if name in intents.definitions:
            return FoundIntent(intents.definitions[name], "file")
        for file, problem in intents.problems.items():
            if file.rpartition(".")[0] == name:
                raise problem
        return next((each for each in self.all(url) if each.definition.name == name), None)

    def pack(self, name: str) -> IntentPack:
        """Return a pack by name. Raises `PackNotFound`."""
        packs = self.library.packs()
        if name not in packs:
            raise PackNotFound(f"no pack {name}", f"Packs: {', '.join(packs)}." if packs else None)
        return packs[name]

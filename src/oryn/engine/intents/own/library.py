"""Where intents come from, and which one a name means: the session's own, else the user's, else a loaded pack's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from oryn.engine.intents.own.definition import Definition
from oryn.engine.intents.own.learning import Lessons
from oryn.errors import InvalidDefinition, OrynError, PackNotFound

if TYPE_CHECKING:
    from oryn.engine.intents.own.running import Performance
    from oryn.engine.session import Session


@dataclass(frozen=True, slots=True)
class Shelf:
    """The intents of one folder by name, and what is wrong with the files that hold none, by file name."""

    definitions: Mapping[str, Definition] = field(default_factory=dict)
    problems: Mapping[str, InvalidDefinition] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pack:
    """A folder of intents for the pages whose URL fits one of `urls`, patterns as `wait url` takes them."""

    name: str
    version: str
    description: str
    urls: tuple[str, ...]
    shelf: Shelf

    def fits(self, url: str) -> bool:
        from oryn.browsers.base.patterns import url_pattern

        return any(url_pattern(pattern).search(url) for pattern in self.urls)


class Library(Protocol):
    """What keeps intents outside a session. Several sessions may share one."""

    def intents(self) -> Shelf:
        """The user's own, as they are now."""

    def packs(self) -> Mapping[str, Pack]:
        """The packs that are there, by name."""

    def save(self, definition: Definition) -> str:
        """Keep a definition as one of the user's; where it is now. Raises `FileError` when that name is taken."""

    def write(self, data: Mapping[str, Any]) -> str:
        """The YAML of a definition's data."""


class NoLibrary:
    """A session without files: nothing is kept, and definitions are written as JSON, which YAML includes."""

    def intents(self) -> Shelf:
        return Shelf()

    def packs(self) -> Mapping[str, Pack]:
        return {}

    def save(self, definition: Definition) -> str:
        from oryn.errors import NotSupported

        raise NotSupported("this session keeps no files", "Run 'export' and keep what it shows.")

    def write(self, data: Mapping[str, Any]) -> str:
        import json

        return json.dumps(data, ensure_ascii=False, indent=1)


@dataclass(frozen=True, slots=True)
class Found:
    """A definition and where it is from: `session`, `file`, or `pack <name>`."""

    definition: Definition
    origin: str


class OwnIntents:
    """A session's intents that are not built in, the packs it has loaded, and what is running."""

    def __init__(self, library: Callable[[], Library] | None = None) -> None:
        self._open = library
        self._library: Library | None = None
        self.definitions: dict[str, Definition] = {}
        self.loaded: list[str] = []
        self.running: list[Performance] = []
        self.lessons = Lessons()

    @property
    def library(self) -> Library:
        if self._library is None:
            self._library = self._open() if self._open else NoLibrary()
        return self._library

    def all(self, url: str) -> Iterator[Found]:
        """Every intent that `run` may mean on a page, the one that wins first where several have a name."""
        yield from (Found(each, "session") for each in self.definitions.values())
        yield from (Found(each, "file") for each in self.library.intents().definitions.values())
        for pack in self.active(url):
            yield from (Found(each, f"pack {pack.name}") for each in pack.shelf.definitions.values())

    def active(self, url: str) -> list[Pack]:
        """The loaded packs that are for the page, the one loaded last first."""
        packs = self.library.packs() if self.loaded else {}
        found = (packs.get(name) for name in reversed(self.loaded))
        return [pack for pack in found if pack is not None and pack.fits(url)]

    def find(self, name: str, url: str) -> Found | None:
        """The intent of that name on a page. Raises `InvalidDefinition` where the user's file of that name is wrong."""
        if name in self.definitions:
            return Found(self.definitions[name], "session")
        shelf = self.library.intents()
        if name in shelf.definitions:
            return Found(shelf.definitions[name], "file")
        for file, problem in shelf.problems.items():
            if file.rpartition(".")[0] == name:
                raise problem
        return next((each for each in self.all(url) if each.definition.name == name), None)

    def pack(self, name: str) -> Pack:
        """Raises `PackNotFound`."""
        packs = self.library.packs()
        if name not in packs:
            raise PackNotFound(f"no pack {name}", f"Packs: {', '.join(packs)}." if packs else None)
        return packs[name]


def page_url(session: Session) -> str:
    """The URL of the session's page; empty where it has none yet."""
    try:
        return session.page.url
    except OrynError:
        return ""

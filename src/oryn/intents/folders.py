"""Folders of intents: which files there are, read again only when they have changed."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oryn.engine.intents.own.definition import Definition
from oryn.engine.intents.own.library import Pack, Shelf
from oryn.engine.intents.own.reading import read_definition
from oryn.engine.intents.own.table import PACK
from oryn.errors import InvalidDefinition
from oryn.intents import yaml_text

MANIFEST = "pack.yaml"
FILES_LIMIT = 500
"""Files of a folder that are read, in the order of their names."""

State = tuple[tuple[str, int, int], ...]


@dataclass(slots=True)
class Folder:
    """The intents of one folder, `*.yaml` and `*.yml`; a folder that is not there has none."""

    path: Path
    _state: State | None = None
    _shelf: Shelf | None = None

    def shelf(self) -> Shelf:
        state = _state(self.path)
        if self._shelf is None or state != self._state:
            self._state, self._shelf = state, _read(self.path, [name for name, _, _ in state])
        return self._shelf


def _state(folder: Path) -> State:
    """Names, times and sizes of the files that may hold intents."""
    try:
        names = sorted(each.name for each in folder.iterdir() if each.suffix in (".yaml", ".yml"))
    except OSError:
        return ()
    found = []
    for name in names[:FILES_LIMIT]:
        try:
            status = (folder / name).stat()
        except OSError:
            continue
        if stat.S_ISREG(status.st_mode) and name != MANIFEST:
            found.append((name, status.st_mtime_ns, status.st_size))
    return tuple(found)


def _read(folder: Path, names: list[str]) -> Shelf:
    """One wrong file is a problem of its own; it keeps no other from being read."""
    definitions: dict[str, Definition] = {}
    problems: dict[str, InvalidDefinition] = {}
    for name in names:
        try:
            definition = read_definition(read_file(folder / name))
            if definition.name in definitions:
                raise InvalidDefinition(f"another file defines {definition.name} too", "Rename one of the two.")
            definitions[definition.name] = definition
        except InvalidDefinition as error:
            problems[name] = InvalidDefinition(f"{name}: {error.message}", error.hint)
    return Shelf(definitions, problems)


def read_file(file: Path) -> object:
    """The plain data of a file. Raises `InvalidDefinition`."""
    try:
        with file.open("rb") as stream:
            content = stream.read(yaml_text.SIZE_LIMIT + 1)
    except OSError as error:
        raise InvalidDefinition(f"can't be read: {error.strerror}") from error
    return yaml_text.read(content)


class PackFolder:
    """A pack: a folder with a manifest and intents."""

    def __init__(self, path: Path) -> None:
        self._folder = Folder(path)
        self._file = path / MANIFEST
        self._state: tuple[int, int] | None = None
        self._manifest: Mapping[str, Any] = {}

    def pack(self) -> Pack:
        """Raises `InvalidDefinition` for a manifest that is none."""
        status = self._file.stat()
        if (state := (status.st_mtime_ns, status.st_size)) != self._state:
            self._manifest, self._state = PACK.read(read_file(self._file), ""), state
        manifest = self._manifest
        return Pack(
            manifest["name"],
            manifest.get("version", "1"),
            manifest.get("description", ""),
            tuple(manifest["urls"]),
            self._folder.shelf(),
        )

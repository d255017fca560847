"""The user's intents and packs on disk, shared by the sessions of a host. Nothing is read before one is asked for."""

from __future__ import annotations

import atexit
from collections.abc import Mapping
from contextlib import ExitStack
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oryn.engine.intents.own.library import Pack, Shelf
from oryn.errors import FileError, InvalidDefinition
from oryn.intents import yaml_text
from oryn.intents.folders import MANIFEST, Folder, PackFolder
from oryn.paths import write_private

if TYPE_CHECKING:
    from oryn.engine.intents.own.definition import Definition
    from oryn.paths import Paths


@cache
def shipped() -> Path:
    """The folder of the packs that come with Oryn; where the package is in a zip, a copy that lasts as long as the
    process."""
    copies = ExitStack()
    atexit.register(copies.close)
    return copies.enter_context(as_file(files("oryn.intents") / "packs"))


class FileLibrary:
    """`intents` is the folder of the user's intents, `packs` the one of his packs; those in `shipped()` come with Oryn.

    A user's pack comes before a shipped one of its name."""

    def __init__(self, intents: Path, packs: Path) -> None:
        self._intents = Folder(intents)
        self._pack_folders = (packs, shipped())
        self._packs: dict[Path, PackFolder] = {}

    def intents(self) -> Shelf:
        return self._intents.shelf()

    def packs(self) -> Mapping[str, Pack]:
        """By name. A pack whose manifest is wrong is there under its folder's name, with what is wrong alone."""
        found: dict[str, Pack] = {}
        for folder in self._pack_folders:
            for path in _folders_in(folder):
                pack = self._pack(path)
                found.setdefault(pack.name, pack)
        return dict(sorted(found.items()))

    def _pack(self, path: Path) -> Pack:
        try:
            return self._packs.setdefault(path, PackFolder(path)).pack()
        except InvalidDefinition as error:
            return Pack(path.name, "", "", (), Shelf(problems={MANIFEST: _named(error)}))

    def save(self, definition: Definition) -> str:
        """Write `<name>.yaml`. Raises `FileError` where there is one, or an intent of that name, already."""
        file = self._intents.path / f"{definition.name}.yaml"
        if definition.name in self.intents().definitions or file.exists():
            raise FileError(f"there is an intent {definition.name} already", "Choose another name, or remove its file.")
        try:
            write_private(file, self.write(definition.data))
        except OSError as error:
            raise FileError(f"{file} can't be written: {error.strerror}") from error
        return str(file)

    def write(self, data: Mapping[str, Any]) -> str:
        return yaml_text.write(data)


def _named(error: InvalidDefinition) -> InvalidDefinition:
    return InvalidDefinition(f"{MANIFEST}: {error.message}", error.hint)


def _folders_in(folder: Path) -> list[Path]:
    try:
        return sorted(each for each in folder.iterdir() if (each / MANIFEST).is_file())
    except OSError:
        return []


@cache
def library_of(paths: Paths) -> FileLibrary:
    """The one library of a process for a user's folders."""
    return FileLibrary(paths.intents, paths.packs)

"""The user's intents and packs on disk, shared by the sessions of a host. Files are read on first use, and again only
after they have changed."""

from __future__ import annotations

import atexit
import stat
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oryn.engine.definitions.library import IntentPack, IntentSet
from oryn.engine.definitions.loader import read_definition
from oryn.engine.definitions.model import Definition
from oryn.engine.definitions.schema import PACK
from oryn.errors import FileError, InvalidDefinition, NotSupported
from oryn.intents import yaml_text
from oryn.system.paths import write_private

if TYPE_CHECKING:
    from oryn.system.paths import Paths

PACK_MANIFEST = "pack.yaml"
MAX_FILES = 500
"""Maximum number of files that are read in a folder, in the order of their names."""

_NO_FOLDER = Path("/nowhere")

FolderState = tuple[tuple[str, int, int], ...]


@dataclass(slots=True)
class IntentFolder:
    """The intents of one folder, `*.yaml` and `*.yml`. A missing folder has no intents."""

    path: Path
    _state: FolderState | None = None
    _intents: IntentSet | None = None

    def load(self) -> IntentSet:
        """The intents of the folder, read again if a file's name, time or size has changed."""
        state = _folder_state(self.path)
        if self._intents is None or state != self._state:
            self._state, self._intents = state, _read_folder(self.path, [name for name, _, _ in state])
        return self._intents


def _folder_state(folder: Path) -> FolderState:
    """Return names, times and sizes of the files that may contain intents."""
    try:
        names = sorted(each.name for each in folder.iterdir() if each.suffix in (".yaml", ".yml"))
    except OSError:
        return ()
    found = []
    for name in names[:MAX_FILES]:
        try:
            status = (folder / name).stat()
        except OSError:
            continue
        if stat.S_ISREG(status.st_mode) and name != PACK_MANIFEST:
            found.append((name, status.st_mtime_ns, status.st_size))
    return tuple(found)


def _read_folder(folder: Path, names: list[str]) -> IntentSet:
    """Read the files of a folder. An invalid file becomes a problem of its own, and the others are still read."""
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
    return IntentSet(definitions, problems)


def read_file(file: Path) -> object:
    """Return the plain data of a file. Raises `InvalidDefinition`."""
    try:
        with file.open("rb") as stream:
            content = stream.read(yaml_text.MAX_BYTES + 1)
    except OSError as error:
        raise InvalidDefinition(f"can't be read: {error.strerror}") from error
    return yaml_text.parse_yaml(content)


class IntentPackFolder:
    """A pack: a folder with a manifest and intents."""

    def __init__(self, path: Path) -> None:
        self._folder = IntentFolder(path)
        self._file = path / PACK_MANIFEST
        self._state: tuple[int, int] | None = None
        self._manifest: Mapping[str, Any] = {}

    def pack(self) -> IntentPack:
        """Return the pack. Raises `InvalidDefinition` if the manifest is invalid."""
        status = self._file.stat()
        if (state := (status.st_mtime_ns, status.st_size)) != self._state:
            self._manifest, self._state = PACK.read(read_file(self._file), ""), state
        manifest = self._manifest
        return IntentPack(
            manifest["name"],
            manifest.get("version", "1"),
            manifest.get("description", ""),
            tuple(manifest["urls"]),
            self._folder.load(),
        )


@cache
def bundled_packs_folder() -> Path:
    """Return the folder of the packs that come with Oryn. If the package is in a zip, it is a copy that lasts as long
    as the process."""
    copies = ExitStack()
    atexit.register(copies.close)
    return copies.enter_context(as_file(files("oryn.intents") / "packs"))


class FileIntentLibrary:
    """Intents and packs in files. `intents` is the folder of the user's intents, `packs` that of the user's packs; the
    packs in `bundled_packs_folder()` come with Oryn.

    A user's pack takes precedence over a bundled one of its name."""

    def __init__(self, intents: Path, packs: Path) -> None:
        self._intents = IntentFolder(intents)
        self._pack_folders = (packs, bundled_packs_folder())
        self._packs: dict[Path, IntentPackFolder] = {}

    def intents(self) -> IntentSet:
        return self._intents.load()

    def packs(self) -> Mapping[str, IntentPack]:
        """Return the packs by name. A pack with an invalid manifest has its folder's name, and the problem as its only
        content."""
        found: dict[str, IntentPack] = {}
        for folder in self._pack_folders:
            for path in _pack_folders(folder):
                pack = self._pack(path)
                found.setdefault(pack.name, pack)
        return dict(sorted(found.items()))

    def _pack(self, path: Path) -> IntentPack:
        try:
            return self._packs.setdefault(path, IntentPackFolder(path)).pack()
        except InvalidDefinition as error:
            problem = InvalidDefinition(f"{PACK_MANIFEST}: {error.message}", error.hint)
            return IntentPack(path.name, "", "", (), IntentSet(problems={PACK_MANIFEST: problem}))

    def save(self, definition: Definition) -> str:
        """Write `<name>.yaml` and return its path. Raises `FileError` if the file, or an intent of that name, exists
        already."""
        file = self._intents.path / f"{definition.name}.yaml"
        if definition.name in self.intents().definitions or file.exists():
            raise FileError(f"there is an intent {definition.name} already", "Choose another name, or remove its file.")
        try:
            write_private(file, self.write(definition.data))
        except OSError as error:
            raise FileError(f"{file} can't be written: {error.strerror}") from error
        return str(file)

    def write(self, data: Mapping[str, Any]) -> str:
        return yaml_text.render_yaml(data)


def _pack_folders(folder: Path) -> list[Path]:
    try:
        return sorted(each for each in folder.iterdir() if (each / PACK_MANIFEST).is_file())
    except OSError:
        return []


@cache
def library_of(paths: Paths) -> FileIntentLibrary:
    """Return the library for a user's folders, of which a process has one."""
    return FileIntentLibrary(paths.intents, paths.packs)


class ShippedLibrary(FileIntentLibrary):
    """The intents and packs that come with Oryn, for a host without the user's folders: the extension. Intents that a
    session defines are not saved."""

    def __init__(self) -> None:
        super().__init__(_NO_FOLDER, _NO_FOLDER)

    def save(self, definition: Definition) -> str:
        """Raises `NotSupported`: the browser has no folder for it."""
        raise NotSupported(hint="'export' shows it: keep it where the server is.")


@cache
def shipped_library() -> ShippedLibrary:
    """Return the library without folders, of which a process has one."""
    return ShippedLibrary()

"""The files of a session in the user's own browser: the engine there writes into its memory, and the host where the
command says, under its own rules."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from oryn.engine.escape import quoted
from oryn.engine.files import Files, new_path
from oryn.errors import NotSupported
from oryn.language import Command, Export, Har, Screenshot, ScriptAdd, StateLoad, Upload
from oryn.records import Record
from oryn.remote.attachments import GIVEN_LIMIT, is_file_name

WRITTEN: Mapping[type[Command], str] = {Export: "out", Har: "path", Screenshot: "output"}
"""The argument that says where a command writes, of those that there are in such a browser."""

READ: Mapping[type[Command], str] = {ScriptAdd: "path"}
"""The argument that says what a command reads, which the browser is given."""

_KEPT = (StateLoad, Upload)
"""What would read files that stay here."""

_PICTURES = (".png", ".jpg", ".jpeg", ".webp")


class Place(Record):
    """Where the file that a command writes is to lie, and the name that the browser is told instead; with `content`
    the file that it reads."""

    path: str
    name: str
    content: bytes | None = None


def place_of(command: Command, files: Files) -> Place | None:
    """None for a command that names no file. Raises `NotSupported` for one whose file stays here, and `FileError`,
    `PathNotAllowed`, before anything is done."""
    if isinstance(command, _KEPT):
        raise NotSupported
    if type(command) in READ:
        path = getattr(command, READ[type(command)])
        return Place(path, _name(files.readable(path)), files.read_bytes(path, GIVEN_LIMIT))
    path = getattr(command, WRITTEN.get(type(command), ""), None)
    if path is None:
        return None
    return Place(path, _name(files.writable(path, overwrite=getattr(command, "overwrite", False))))


class Recordings:
    """Where `har stop` without a path writes. Each tab that lines name has a recording of its own; an `address` is what
    stands before the command in its line."""

    def __init__(self) -> None:
        self._places: dict[str, Place] = {}

    def place(self, command: Command, address: str) -> Place | None:
        stops = isinstance(command, Har) and command.action == "stop" and command.path is None
        return self._places.get(address) if stops else None

    def check(self, command: Command, address: str, files: Files) -> None:
        """Before the recording ends, so that another path can still be given. Raises `FileError`, `PathNotAllowed`."""
        if (place := self.place(command, address)) is not None:
            files.writable(place.path)

    def done(self, command: Command, address: str, place: Place | None) -> None:
        """A command has gone well."""
        if isinstance(command, Har):
            self._places.pop(address, None)
            if command.action == "start" and place is not None:
                self._places[address] = place


def with_name(command: Command, place: Place) -> Command:
    """The command as the browser is told it."""
    return command.replace(**{{**WRITTEN, **READ}[type(command)]: place.name})


def _name(path: Path) -> str:
    return path.name if is_file_name(path.name) else f"file{path.suffix}"


def put_away(written: Mapping[str, bytes], place: Place | None, files: Files, folder: Path | None) -> dict[str, Path]:
    """Write what a command has written: the file that it named where it named it, pictures without a name into
    `folder`; of anything else nothing is kept. Their paths, by the names that the browser knows. Raises `FileError`."""
    found: dict[str, Path] = {}
    for name, content in written.items():
        suffix = Path(name).suffix.lower()
        if place is not None and place.content is None and name == place.name:
            found[name] = files.write_bytes(place.path, content)
        elif suffix in _PICTURES:
            found[name] = Files().write_bytes(str(new_path(folder, suffix)), content)
    return found


def renamed(value: Any, id: int, paths: Mapping[str, Path]) -> Any:
    """An answer's text, or its JSON data, with the real paths in the place of those that the browser knows."""
    for name, path in paths.items():
        theirs = f"/files/{id}/{name}"
        value = (
            value.replace(quoted(theirs), quoted(str(path))) if isinstance(value, str) else _with(value, theirs, path)
        )
    return value


def _with(value: Any, theirs: str, path: Path) -> Any:
    match value:
        case dict():
            return {key: _with(each, theirs, path) for key, each in value.items()}
        case list():
            return [_with(each, theirs, path) for each in value]
        case str():
            return str(path) if value == theirs else value.replace(quoted(theirs), quoted(str(path)))
        case _:
            return value

"""Files of a session in the user's own browser.

The engine there writes into memory. The host writes the files to disk at the command's path, under its own rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from oryn.core.records import Record
from oryn.engine.file_access import Files, new_path
from oryn.errors import InvalidValue, NotSupported
from oryn.extension_server.messages import FILE_LIMIT, is_file_name
from oryn.language import (
    Command,
    Export,
    Har,
    Intercept,
    NotePicture,
    Pdf,
    Screenshot,
    ScriptAdd,
    StateLoad,
    Upload,
    Zoom,
)

OUTPUT_ARGUMENTS: Mapping[type[Command], str] = {
    Export: "output",
    Har: "path",
    NotePicture: "output",
    Pdf: "path",
    Screenshot: "output",
    Zoom: "output",
}
"""The argument with the output path, for commands that are supported in such a browser."""

INPUT_ARGUMENTS: Mapping[type[Command], str] = {Intercept: "respond_file", ScriptAdd: "path", Upload: "paths"}
"""The argument with the input path or paths. The host sends the files to the browser."""

MAX_INPUT_FILES = 16
"""Files that one command reads: the browser keeps no more of them."""
MAX_INPUT_BYTES = 64 * 1024 * 1024
"""Bytes of all of them together, as in `oryn.extension.files`."""
_IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")


class FileTarget(Record):
    """A file of a command: the path that the user gave, and the name that the browser gets instead.

    `content` is the file's content if the command reads it, and `source` its real path, else None."""

    path: str
    name: str
    content: bytes | None = None
    source: Path | None = None


def file_targets(command: Command, files: Files) -> tuple[FileTarget, ...]:
    """The files of a command.

    Raises `NotSupported` if the command would read a file of this computer for the browser's state, `InvalidValue` for
    files that can't be sent together, and `FileError`, `PathNotAllowed`, before the command runs."""
    if isinstance(command, StateLoad):
        raise NotSupported
    if type(command) in INPUT_ARGUMENTS:
        return _input_files(getattr(command, INPUT_ARGUMENTS[type(command)]), files)
    path = getattr(command, OUTPUT_ARGUMENTS.get(type(command), ""), None)
    if path is None:
        return ()
    return (FileTarget(path, _name(files.writable(path, overwrite=getattr(command, "overwrite", False)))),)


def _input_files(value: str | Sequence[str] | None, files: Files) -> tuple[FileTarget, ...]:
    paths = (value,) if isinstance(value, str) else value or ()
    if len(paths) > MAX_INPUT_FILES:
        raise InvalidValue(f"{len(paths)} files are too many for one command", f"Give {MAX_INPUT_FILES} at most.")
    sources = [files.readable(path) for path in paths]
    targets = [
        FileTarget(path, _name(source), files.read_bytes(path, FILE_LIMIT), source)
        for path, source in zip(paths, sources, strict=True)
    ]
    names = [target.name for target in targets]
    if doubles := [name for name in names if names.count(name) > 1]:
        raise InvalidValue(f"two files are called {doubles[0]}", "Upload them one after the other.")
    if sum(len(target.content or b"") for target in targets) > MAX_INPUT_BYTES:
        raise InvalidValue(f"the files have more than {MAX_INPUT_BYTES} bytes together", "Upload fewer at once.")
    return tuple(targets)


class RecordingNames:
    """The output files of running HAR recordings, for `har stop` without a path.

    Each tab that lines name has its own recording; `address` is the address before the command in its line."""

    def __init__(self) -> None:
        self._targets: dict[str, FileTarget] = {}

    def target(self, command: Command, address: str) -> FileTarget | None:
        """The output file of the recording that `command` stops, if it is `har stop` without a path; else None."""
        stops = isinstance(command, Har) and command.action == "stop" and command.path is None
        return self._targets.get(address) if stops else None

    def check_writable(self, command: Command, address: str, files: Files) -> None:
        """Check the output file before the recording ends, so that another path can still be given.

        Raises `FileError`, `PathNotAllowed`."""
        if (target := self.target(command, address)) is not None:
            files.writable(target.path)

    def on_success(self, command: Command, address: str, target: FileTarget | None) -> None:
        """Update the recordings after a command that succeeded."""
        if isinstance(command, Har):
            self._targets.pop(address, None)
            if command.action == "start" and target is not None:
                self._targets[address] = target


def with_target_names(command: Command, targets: Sequence[FileTarget]) -> Command:
    """The command with its files' names for the browser instead of their paths."""
    argument = {**OUTPUT_ARGUMENTS, **INPUT_ARGUMENTS}[type(command)]
    names = tuple(target.name for target in targets)
    return command.replace(**{argument: names if isinstance(getattr(command, argument), tuple) else names[0]})


def _name(path: Path) -> str:
    return path.name if is_file_name(path.name) else f"file{path.suffix}"


def save_files(
    written: Mapping[str, bytes], target: FileTarget | None, files: Files, folder: Path | None
) -> dict[str, Path]:
    """Write the files that a command has written in the browser; return their paths by their names in the browser.

    The file that the command named gets the path that it gave, pictures without a path go into `folder`, and other
    files are dropped. Raises `FileError`."""
    found: dict[str, Path] = {}
    for name, content in written.items():
        suffix = Path(name).suffix.lower()
        if target is not None and target.content is None and name == target.name:
            found[name] = files.write_bytes(target.path, content)
        elif suffix in _IMAGE_SUFFIXES:
            found[name] = Files().write_bytes(str(new_path(folder, suffix)), content)
    return found

"""Files of a session in the user's own browser.

The engine there writes into memory. The host writes the files to disk at the command's path, under its own rules."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from oryn.core.records import Record
from oryn.engine.file_access import Files, new_path
from oryn.errors import NotSupported
from oryn.extension_server.messages import INPUT_FILE_LIMIT, is_file_name
from oryn.language import Command, Export, Har, Screenshot, ScriptAdd, StateLoad, Upload

OUTPUT_ARGUMENTS: Mapping[type[Command], str] = {Export: "output", Har: "path", Screenshot: "output"}
"""The argument with the output path, for commands that are supported in such a browser."""

INPUT_ARGUMENTS: Mapping[type[Command], str] = {ScriptAdd: "path"}
"""The argument with the input path. The host sends the file to the browser."""

_UNSUPPORTED = (StateLoad, Upload)
"""Commands that would read files of this computer."""

_IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")


class FileTarget(Record):
    """The file of a command: the path that the user gave, and the name that the browser gets instead.

    `content` is the file's content if the command reads it, else None."""

    path: str
    name: str
    content: bytes | None = None


def file_target(command: Command, files: Files) -> FileTarget | None:
    """The file of a command; None for a command without one.

    Raises `NotSupported` if the command would read a file of this computer, and `FileError`, `PathNotAllowed`, before
    the command runs."""
    if isinstance(command, _UNSUPPORTED):
        raise NotSupported
    if type(command) in INPUT_ARGUMENTS:
        path = getattr(command, INPUT_ARGUMENTS[type(command)])
        return FileTarget(path, _name(files.readable(path)), files.read_bytes(path, INPUT_FILE_LIMIT))
    path = getattr(command, OUTPUT_ARGUMENTS.get(type(command), ""), None)
    if path is None:
        return None
    return FileTarget(path, _name(files.writable(path, overwrite=getattr(command, "overwrite", False))))


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


def with_target_name(command: Command, target: FileTarget) -> Command:
    """The command with the file's name for the browser instead of the path."""
    return command.replace(**{{**OUTPUT_ARGUMENTS, **INPUT_ARGUMENTS}[type(command)]: target.name})


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

"""The files of a command, in a folder of its own in memory: those that the server gives it, and those that it writes,
which are sent to the server, and kept there under its rules (docs/remote-protocol.md, Files)."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from oryn.engine import Answer
from oryn.engine.escape import plain
from oryn.engine.files import FOLDER, Files
from oryn.errors import FileError, NotSupported
from oryn.remote.attachments import FILE_LIMIT, File, is_file_name

_TYPES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp"}


MOST_GIVEN = 16
"""Files that may wait for their commands; the oldest give way."""


class Given:
    """The files that a server has sent for commands which have not come yet."""

    def __init__(self) -> None:
        self._files: list[File] = []

    def add(self, file: File) -> None:
        self._files = [*self._files, file][-MOST_GIVEN:]

    def take(self, id: int) -> list[File]:
        """Those of a command, which are its own from now on."""
        found = [file for file in self._files if file.id == id]
        if found:
            self._files = [file for file in self._files if file.id != id]
        return found


class OwnFolder(Files):
    """Every path is that of a file in the command's folder, whatever folder it names: that one is the server's."""

    def readable(self, path: str) -> Path:
        """Only what the command was given, or has written itself, can be read. Raises `NotSupported`."""
        if not self._absolute(path).is_file():
            raise NotSupported(hint="The browser reads no files of the server's computer.")
        return super().readable(path)

    def shown(self, path: str) -> str:
        """Where it lies is the server's to know, and the folder here is gone with the command."""
        return self.readable(path).name

    def _absolute(self, path: str) -> Path:
        folder, name = FOLDER.get(), Path(path).name
        if folder is None or not is_file_name(name):
            raise FileError(f"{path!r} is no path")
        return folder / name


@contextmanager
def folder_of(root: Path, id: int, given: Sequence[File] = ()) -> Iterator[Path]:
    """A folder for the files of command `id`, with those that it was given; all is gone when the block ends."""
    folder = root / str(id)
    folder.mkdir(parents=True, exist_ok=True)
    token = FOLDER.set(folder)
    try:
        for file in given:
            (folder / file.name).write_bytes(file.content)
        yield folder
    finally:
        FOLDER.reset(token)
        shutil.rmtree(folder, ignore_errors=True)


def files_in(folder: Path, id: int, answer: Answer, given: Sequence[File] = ()) -> list[File]:
    """What the command has written. The answer notes what is too large to be sent."""
    found = []
    known = {file.name for file in given}
    for path in sorted(folder.iterdir()):
        if path.name in known:
            continue
        if path.stat().st_size > FILE_LIMIT:
            answer.notes.append(f"{path.name} is larger than {FILE_LIMIT} bytes: it was not sent")
        else:
            found.append(File(id, path.name, path.read_bytes()))
    return found


def put_inline(answer: Answer, folder: Path, files: list[File]) -> None:
    """Put the files into the answer where their paths stand, for a server that takes no files."""
    for file in files:
        kind = _TYPES.get(Path(file.name).suffix.lower(), "application/octet-stream")
        address = f"data:{kind};base64,{base64.b64encode(file.content).decode()}"
        path = str(folder / file.name)
        answer.lines = [line.replace(f'"{plain(path)}"', f'"{address}"') for line in answer.lines]
        answer.data = _replaced(answer.data, path, address)


def _replaced(data: Any, old: str, new: str) -> Any:
    """JSON data with one string in the place of another."""
    if isinstance(data, dict):
        return {key: _replaced(value, old, new) for key, value in data.items()}
    if isinstance(data, list):
        return [_replaced(value, old, new) for value in data]
    return new if data == old else data
